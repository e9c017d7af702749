use std::path::{Path, PathBuf};

use super::{FakeDisk, host};
use crate::discover::Verdict;
use crate::discover::chosen::{refuse, written};
use crate::env::Os;

#[test]
fn a_path_is_read_as_people_write_it() {
    let on = |os, text: &str| written(&host(os, &[]), Path::new(text));
    assert_eq!(on(Os::Windows, r#""C:\Program Files\copilot.exe""#), PathBuf::from(r"C:\Program Files\copilot.exe"));
    assert_eq!(on(Os::Linux, " /usr/bin/copilot\n"), PathBuf::from("/usr/bin/copilot"));
    assert_eq!(on(Os::Linux, "~/bin/copilot"), PathBuf::from("/home/u/bin/copilot"));
    assert_eq!(on(Os::Windows, "~/bin/copilot.exe"), PathBuf::from(r"C:\Users\u\bin\copilot.exe"));
    assert_eq!(on(Os::Linux, "~other/copilot"), PathBuf::from("~other/copilot"));
    assert_eq!(on(Os::Linux, "\""), PathBuf::from("\""));
}

#[test]
fn d02_d20_on_windows_a_chosen_path_must_be_what_windows_runs() {
    let disk = FakeDisk::with(
        Os::Windows,
        &[r"C:\npm\copilot", r"C:\npm\copilot.ps1", r"C:\npm\copilot.cmd", r"C:\a b\c.exe"],
    );
    let windows = host(Os::Windows, &[]);
    let why = |path: &str| refuse(&windows, &disk, Path::new(path));
    assert_eq!(why(r"C:\npm\copilot.cmd"), None);
    assert_eq!(why(r"C:\A B\C.EXE"), None);
    let extension = "not a file that Windows runs by its extension (.exe, .com, .cmd, .bat)";
    for path in [r"C:\npm\copilot", r"C:\npm\copilot.ps1"] {
        assert_eq!(why(path), Some((Verdict::NotExecutable, extension.into())), "{path}");
    }
    let linux = "it is a program of Linux (WSL), which cannot be started from Windows; install it for Windows";
    for path in [
        "/home/u/.nvm/versions/node/v22.1.0/bin/copilot",
        r"\\wsl.localhost\Ubuntu\usr\bin\copilot",
        r"\\wsl$\Ubuntu\usr\bin\copilot",
    ] {
        assert_eq!(why(path), Some((Verdict::Missing, linux.into())), "{path}");
    }
    for (path, detail) in [
        (r"copilot.cmd", "it is not an absolute path"),
        (r"\npm\copilot.cmd", "it is not an absolute path"),
        (r"C:copilot.cmd", "it is not an absolute path"),
        (r"C:\npm\copilot.cmd --yolo", "it is a command with arguments; give the path alone"),
        (r"C:\a b\c.exe --x", "it is a command with arguments; give the path alone"),
        (r"C:\gone\copilot.cmd", "nothing is there"),
    ] {
        assert_eq!(why(path), Some((Verdict::Missing, detail.into())), "{path}");
    }
}
