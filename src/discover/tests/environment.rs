use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use super::{FakeDisk, host};
use crate::discover::environment::{Sandbox, Start, carried, changes, clean, is_from_terminal, sandbox, search_path};
use crate::discover::{Binary, Via};
use crate::env::{HostEnv, Os};
use crate::plan::EnvChange;

fn cleaned(host: &HostEnv) -> Vec<(String, String)> {
    let text = |text: &OsString| text.to_string_lossy().into_owned();
    clean(host).iter().map(|(name, value)| (text(name), text(value))).collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let mut pairs: Vec<_> = pairs.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
    pairs.sort();
    pairs
}

fn start(found: &str, target: Option<&str>, interpreted: bool) -> Start {
    Start { found: found.into(), target: target.map(PathBuf::from), interpreted }
}

fn composed(os: Os, path: &str, start: Option<&Start>, login: Option<&str>) -> String {
    let path = search_path(&host(os, &[("PATH", path)]), start, login.map(OsStr::new));
    path.to_string_lossy().into_owned()
}

#[test]
fn e01_the_path_is_the_folder_found_then_its_target_then_the_login_shells_then_the_hosts() {
    let start = start("/a/bin", Some("/t/bin"), true);
    assert_eq!(
        composed(Os::Linux, "/usr/bin:/bin", Some(&start), Some("/login/bin:/usr/bin")),
        "/a/bin:/t/bin:/login/bin:/usr/bin:/bin"
    );
}

#[test]
fn no_folder_stands_twice_and_the_persons_order_stays() {
    assert_eq!(composed(Os::Linux, "/b:/a:/b/::/a", None, None), "/b:/a");
    assert_eq!(composed(Os::Linux, "/c:/a", None, Some("/b:/a")), "/b:/a:/c");
    let script = start("/a", Some("/a"), true);
    assert_eq!(composed(Os::Linux, "/b:/a", Some(&script), None), "/a:/b");
    // A native program needs nothing beside it: where the person's PATH has its folder, it stays there.
    let native = start("/a", Some("/t"), false);
    assert_eq!(composed(Os::Linux, "/b:/a", Some(&native), None), "/t:/b:/a");
    // The system's folder in front would put the system's `node` before the person's.
    let system = start("/usr/bin", Some("/usr/lib/x"), true);
    assert_eq!(composed(Os::Linux, "/nvm/bin:/usr/bin", Some(&system), None), "/usr/lib/x:/nvm/bin:/usr/bin");
    let windows = start(r"C:\npm", None, true);
    assert_eq!(composed(Os::Windows, r"C:\Windows;c:\NPM\", Some(&windows), None), r"C:\npm;C:\Windows");
}

#[test]
fn e17_the_path_is_never_empty() {
    assert_eq!(composed(Os::Linux, "", None, None), "/usr/local/bin:/usr/bin:/bin");
    assert_eq!(composed(Os::MacOs, ":.:", None, None), "/usr/local/bin:/usr/bin:/bin");
    let start = start("/a", None, true);
    assert_eq!(composed(Os::Linux, "", Some(&start), None), "/a");
}

#[test]
fn a_path_of_64_kib_is_taken_as_it_is() {
    let long: Vec<String> = (0..2600).map(|n| format!("/some/folder/that/is/{n}")).collect();
    let long = long.join(":");
    assert!(long.len() > 64 * 1024);
    assert_eq!(composed(Os::Linux, &long, None, None), long);
}

#[test]
#[cfg(unix)]
fn bytes_that_are_not_utf_8_are_kept() {
    use std::os::unix::ffi::OsStrExt;
    let odd = OsStr::from_bytes(b"/home/\xff u/bin:/bin");
    let host = HostEnv::new(Os::Linux, crate::Arch::X64, None, [("PATH".into(), odd.to_owned())]);
    assert_eq!(search_path(&host, None, None), odd);
}

#[test]
fn an_appimage_leaves_nothing_of_itself_and_nothing_else_goes() {
    let mount = "/tmp/.mount_ToArAb";
    let host = host(
        Os::Linux,
        &[
            ("APPIMAGE", "/home/u/Tolaria.AppImage"),
            ("APPDIR", mount),
            ("ARGV0", "./Tolaria.AppImage"),
            ("OWD", "/home/u"),
            ("PATH", "/tmp/.mount_ToArAb/usr/bin:/tmp/.mount_ToArAb2/bin:/usr/bin"),
            ("LD_LIBRARY_PATH", "/tmp/.mount_ToArAb/usr/lib:"),
            ("XDG_DATA_DIRS", "/tmp/.mount_ToArAb/usr/share:/usr/share"),
            ("PYTHONHOME", "/tmp/.mount_ToArAb/usr"),
            ("GDK_PIXBUF_MODULE_FILE", "/tmp/.mount_ToArAb/usr/lib/loaders.cache"),
            ("LANG", "de_DE.UTF-8"),
            ("HTTPS_PROXY", "http://proxy:8080"),
        ],
    );
    assert_eq!(
        cleaned(&host),
        pairs(&[
            ("PATH", "/tmp/.mount_ToArAb2/bin:/usr/bin"),
            ("XDG_DATA_DIRS", "/usr/share"),
            ("LANG", "de_DE.UTF-8"),
            ("HTTPS_PROXY", "http://proxy:8080"),
        ])
    );
}

#[test]
fn a_snap_and_a_flatpak_leave_nothing_of_themselves() {
    let snap = host(
        Os::Linux,
        &[
            ("SNAP", "/snap/tolaria/12"),
            ("SNAP_NAME", "tolaria"),
            ("SNAP_USER_DATA", "/home/u/snap/tolaria/12"),
            ("SNAP_REAL_HOME", "/home/u"),
            ("HOME", "/home/u/snap/tolaria/12"),
            ("XDG_CONFIG_HOME", "/home/u/snap/tolaria/12/.config"),
            ("PATH", "/snap/tolaria/12/usr/bin:/usr/bin:/snap/bin"),
            ("LD_LIBRARY_PATH", "/snap/tolaria/12/lib:/opt/lib"),
        ],
    );
    let left = pairs(&[("HOME", "/home/u"), ("PATH", "/usr/bin:/snap/bin"), ("LD_LIBRARY_PATH", "/opt/lib")]);
    assert_eq!(cleaned(&snap), left);
    let flatpak = host(
        Os::Linux,
        &[
            ("FLATPAK_ID", "org.tolaria"),
            ("container", "flatpak"),
            ("HOME", "/home/u"),
            ("PATH", "/app/bin:/usr/bin:/application/bin"),
            ("XDG_DATA_HOME", "/home/u/.var/app/org.tolaria/data"),
        ],
    );
    assert_eq!(cleaned(&flatpak), pairs(&[("HOME", "/home/u"), ("PATH", "/usr/bin:/application/bin")]));
}

#[test]
fn the_names_of_packaging_mean_nothing_without_their_companion() {
    let vars = [("APPDIR", "/home/u/app"), ("SNAP", "/snap/x"), ("PATH", "/home/u/app/bin:/snap/x/bin")];
    assert_eq!(cleaned(&host(Os::Linux, &vars)), pairs(&vars));
    // The root folder would take everything away.
    let vars = [("APPDIR", "/"), ("APPIMAGE", "/x"), ("PATH", "/usr/bin")];
    assert_eq!(cleaned(&host(Os::Linux, &vars)), pairs(&vars));
}

#[test]
fn e13_marks_of_an_outer_agent_go_and_settings_of_the_person_stay() {
    let kept = [
        ("ANTHROPIC_BASE_URL", "http://localhost"),
        ("CLAUDE_CODE_USE_BEDROCK", "1"),
        ("CODEX_HOME", "/home/u/.codex"),
        ("COPILOT_HOME", "/home/u/.copilot"),
        ("GH_TOKEN", "t"),
        ("AGENT", "mine"),
    ];
    let marks = [
        ("CLAUDECODE", "1"),
        ("CLAUDE_CODE_ENTRYPOINT", "cli"),
        ("COPILOT_CLI", "1"),
        ("COPILOT_LOADER_PID", "7"),
        ("CODEX_SANDBOX", "seatbelt"),
        ("GEMINI_CLI", "1"),
        ("ELECTRON_RUN_AS_NODE", "1"),
        ("NODE_CHANNEL_FD", "3"),
    ];
    assert_eq!(cleaned(&host(Os::Linux, &[&kept[..], &marks[..]].concat())), pairs(&kept));
}

#[test]
fn d21_on_windows_children_do_not_look_in_their_working_directory() {
    let host = host(Os::Windows, &[("Path", r"C:\Windows"), ("ClaudeCode", "1")]);
    assert_eq!(cleaned(&host), pairs(&[("Path", r"C:\Windows"), ("NoDefaultCurrentDirectoryInExePath", "1")]));
}

#[test]
fn e16_proxies_and_certificates_are_carried_over_and_the_hosts_own_win() {
    let login: BTreeMap<OsString, OsString> = [
        ("HTTPS_PROXY", "http://u:p@proxy"),
        ("no_proxy", "localhost"),
        ("NODE_EXTRA_CA_CERTS", "/ca.pem"),
        ("SSL_CERT_FILE", ""),
        ("HTTP_PROXY", "http://other"),
        ("SECRET_OF_MINE", "x"),
    ]
    .map(|(name, value)| (name.into(), value.into()))
    .into();
    let host = host(Os::Linux, &[("HTTP_PROXY", "http://own")]);
    let expected: Vec<(OsString, OsString)> =
        [("HTTPS_PROXY", "http://u:p@proxy"), ("NODE_EXTRA_CA_CERTS", "/ca.pem"), ("no_proxy", "localhost")]
            .map(|(name, value)| (name.into(), value.into()))
            .into();
    assert_eq!(carried(&host, &login), expected);
}

fn binary(search_path: &str, login_env: &[(&str, &str)]) -> Binary {
    Binary {
        program: "/a/copilot".into(),
        first_args: Vec::new(),
        found: "/a/copilot".into(),
        via: Via::Path,
        version: "1.0.102".into(),
        search_path: search_path.into(),
        login_env: login_env.iter().map(|(name, value)| (name.into(), value.into())).collect(),
    }
}

#[test]
fn a_plans_changes_make_exactly_the_clean_environment() {
    let vars = [
        ("PATH", "/tmp/.mount_A/bin:/bin"),
        ("APPIMAGE", "/x"),
        ("APPDIR", "/tmp/.mount_A"),
        ("CLAUDECODE", "1"),
        ("A", "b"),
    ];
    let host = host(Os::Linux, &vars);
    let binary = binary("/a:/bin", &[("HTTPS_PROXY", "http://u:secret@proxy")]);
    let changes = changes(&host, &binary);
    let names: Vec<&str> = changes.keys().map(String::as_str).collect();
    assert_eq!(names, ["APPDIR", "APPIMAGE", "CLAUDECODE", "HTTPS_PROXY", "PATH"]);
    assert_eq!(changes["CLAUDECODE"], EnvChange::Remove);
    assert!(!format!("{changes:?} {binary:?}").contains("secret"));
    let child: Vec<(OsString, OsString)> = host.child(&changes).into_iter().collect();
    let expected: Vec<(OsString, OsString)> =
        [("A", "b"), ("HTTPS_PROXY", "http://u:secret@proxy"), ("PATH", "/a:/bin")]
            .map(|(name, value)| (name.into(), value.into()))
            .into();
    assert_eq!(child, expected);
}

#[test]
fn on_windows_a_plan_changes_the_path_under_the_name_it_has() {
    let host = host(Os::Windows, &[("Path", r"C:\Windows")]);
    let changes = changes(&host, &binary(r"C:\npm;C:\Windows", &[]));
    let names: Vec<&str> = changes.keys().map(String::as_str).collect();
    assert_eq!(names, ["NoDefaultCurrentDirectoryInExePath", "Path"]);
}

#[test]
fn only_a_terminals_shell_has_a_terminal_and_a_depth() {
    let from = |vars: &[(&str, &str)]| is_from_terminal(&host(Os::Linux, vars));
    assert!(from(&[("TERM", "xterm-256color"), ("SHLVL", "1")]));
    assert!(!from(&[]));
    assert!(!from(&[("SHLVL", "1")]));
    assert!(!from(&[("TERM", "xterm")]));
    assert!(!from(&[("TERM", "dumb"), ("SHLVL", "1")]));
    assert!(!from(&[("TERM", "xterm"), ("SHLVL", "0")]));
}

#[test]
fn d25_a_sandbox_is_known_by_its_mark() {
    let nothing = FakeDisk::new(Os::Linux);
    let of = |vars: &[(&str, &str)], disk: &FakeDisk| sandbox(&host(Os::Linux, vars), disk);
    assert_eq!(of(&[("FLATPAK_ID", "x")], &nothing), Some(Sandbox::Flatpak));
    assert_eq!(of(&[], &FakeDisk::new(Os::Linux).plain("/.flatpak-info", "")), Some(Sandbox::Flatpak));
    assert_eq!(of(&[("SNAP", "/snap/x/1"), ("SNAP_NAME", "x")], &nothing), Some(Sandbox::Snap));
    assert_eq!(of(&[("SNAP", "x")], &nothing), None);
    assert_eq!(sandbox(&host(Os::MacOs, &[("FLATPAK_ID", "x")]), &nothing), None);
}
