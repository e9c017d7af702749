use std::ffi::OsString;
use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::{FakeDisk, host};
use crate::discover::shell::{Language, arguments, attempts, parse, shells};
use crate::env::Os;

fn parsed(output: &[u8]) -> Option<Vec<(OsString, OsString)>> {
    parse(output, b"<1>", b"<2>").map(|vars| vars.into_iter().collect())
}

fn vars(list: &[(&str, &str)]) -> Option<Vec<(OsString, OsString)>> {
    Some(list.iter().map(|(name, value)| (name.into(), value.into())).collect())
}

#[test]
fn e09_only_what_lies_between_the_markers_counts() {
    let output =
        b"Welcome!\nPATH=/evil\0\x1b]0;title\x07<0>PATH=/evil\0<1>A=b\0PATH=/good\0<2>\nPATH=/evil\0TY=not a tty\n";
    assert_eq!(parsed(output), vars(&[("A", "b"), ("PATH", "/good")]));
}

#[test]
fn e09_a_shell_that_echoes_its_command_line_is_no_answer() {
    assert_eq!(parsed(b"printf '<1>'; env -0; printf '<2>'\n"), None);
    // The echo first, then the answer.
    assert_eq!(parsed(b"printf <1>; env; printf <2>\n<1>PATH=/a\0<2>"), vars(&[("PATH", "/a")]));
    // The answer, then the echo of the end.
    assert_eq!(parsed(b"<1>PATH=/a\0<2>\n"), vars(&[("PATH", "/a")]));
}

#[test]
fn e10_values_keep_their_bytes_and_a_newline_makes_no_variable() {
    let output = b"<1>X=a\nPATH=/evil\0BASH_FUNC_f%%=() {  echo;\n}\0E=\x1b[31m\0PATH=/a:/b\0EMPTY=\0<2>";
    assert_eq!(
        parsed(output),
        vars(&[
            ("BASH_FUNC_f%%", "() {  echo;\n}"),
            ("E", "\u{1b}[31m"),
            ("EMPTY", ""),
            ("PATH", "/a:/b"),
            ("X", "a\nPATH=/evil"),
        ])
    );
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt;
        let path = OsString::from_vec(b"/home/\xff".to_vec());
        assert_eq!(parsed(b"<1>PATH=/home/\xff\0<2>"), Some(vec![("PATH".into(), path)]));
    }
}

#[test]
fn an_answer_cut_short_is_none() {
    for output in [&b"<1>PATH=/a\0"[..], b"PATH=/a\0<2>", b"<1><2>", b"<1>A=b\0<2>", b"<1>PATH=/a<2>", b""] {
        assert_eq!(parsed(output), None);
    }
}

#[test]
fn e07_e08_each_shell_is_spoken_to_in_its_language() {
    let text = "/bin/sh -c 'printf %s B; /usr/bin/env -0 2>/dev/null || \
        /usr/bin/perl -e \"while (@p = each %ENV) { print join(chr(61), @p), chr(0) }\"; printf %s E'";
    assert_eq!(arguments(Language::Posix, "B", "E"), ["-ilc", text]);
    assert_eq!(arguments(Language::BashAndRc, "B", "E"), ["-ilc".into(), format!(". ~/.bashrc; {text}")]);
    assert_eq!(arguments(Language::PosixLogin, "B", "E"), ["-lc", text]);
    assert_eq!(arguments(Language::Csh, "B", "E"), ["-ic", text]);
    assert_eq!(arguments(Language::Nu, "B", "E"), ["-l".into(), "-e".into(), format!("^{text}; exit")]);
}

#[test]
fn e07_the_persons_shell_comes_first_and_a_common_one_after_it() {
    let disk = FakeDisk::with(Os::Linux, &["/usr/bin/nu", "/bin/bash", "/usr/bin/zsh", "/bin/sh", "/sbin/nologin"]);
    let list = |shell: &str, account: &str| shells(&host(Os::Linux, &[("SHELL", shell)]), &disk, Some(account.into()));
    let paths = |list: &[&str]| list.iter().map(PathBuf::from).collect::<Vec<_>>();
    assert_eq!(list("/usr/bin/nu", "/usr/bin/nu"), paths(&["/usr/bin/nu", "/bin/bash", "/usr/bin/zsh"]));
    assert_eq!(list("/gone/zsh", "/bin/bash"), paths(&["/bin/bash", "/usr/bin/zsh", "/bin/sh"]));
    assert_eq!(list("zsh", "/sbin/nologin"), paths(&["/bin/bash", "/usr/bin/zsh", "/bin/sh"]));
    assert_eq!(shells(&host(Os::Windows, &[("SHELL", "/bin/bash")]), &disk, None), paths(&[]));
    let linux = host(Os::Linux, &[]);
    let ways = attempts(&linux, &disk, vec!["/usr/bin/nu".into(), "/bin/bash".into()]);
    let (nu, bash) = (PathBuf::from("/usr/bin/nu"), PathBuf::from("/bin/bash"));
    assert_eq!(ways, [(nu, Language::Nu), (bash.clone(), Language::Posix), (bash, Language::PosixLogin)]);
    assert_eq!(attempts(&linux, &disk, vec!["/bin/tcsh".into()])[0].1, Language::Csh);
    assert_eq!(attempts(&linux, &disk, vec!["/usr/bin/fish".into()])[0].1, Language::Posix);
}

#[test]
fn e03_bashrc_is_read_where_no_start_file_of_a_login_reads_it() {
    let first = |files: &[(&str, &str)]| {
        let disk = FakeDisk::new(Os::Linux);
        let disk = files.iter().fold(disk, |disk, (name, text)| disk.plain(&format!("/home/u/{name}"), text));
        attempts(&host(Os::Linux, &[]), &disk, vec!["/bin/bash".into()])[0].1
    };
    assert_eq!(first(&[(".bashrc", "")]), Language::BashAndRc);
    assert_eq!(first(&[(".bashrc", ""), (".bash_profile", "PATH=/x:$PATH")]), Language::BashAndRc);
    // The first file hides the second.
    assert_eq!(first(&[(".bashrc", ""), (".bash_profile", ""), (".profile", ". ~/.bashrc")]), Language::BashAndRc);
    assert_eq!(first(&[(".bashrc", ""), (".profile", "[ -f ~/.bashrc ] && . ~/.bashrc")]), Language::Posix);
    assert_eq!(
        first(&[(".bashrc", ""), (".bash_profile", ". ~/.profile"), (".profile", ". ~/.bashrc")]),
        Language::Posix
    );
    assert_eq!(first(&[(".profile", "")]), Language::Posix);
}

#[test]
fn a_shell_that_is_only_a_link_to_another_is_asked_once() {
    let disk = FakeDisk::with(Os::Linux, &["/usr/bin/bash", "/bin/sh"]).link("/bin/bash", "/usr/bin/bash");
    let host = host(Os::Linux, &[("SHELL", "/usr/bin/bash")]);
    assert_eq!(shells(&host, &disk, Some("/bin/bash".into())), [Path::new("/usr/bin/bash"), Path::new("/bin/sh")]);
}

proptest! {
    #[test]
    fn no_output_makes_it_panic(output in proptest::collection::vec(prop_oneof![Just(b'<'), Just(b'1'), Just(b'2'), Just(b'>'), Just(0), Just(b'='), any::<u8>()], 0..200)) {
        let _ = parse(&output, b"<1>", b"<2>");
    }
}
