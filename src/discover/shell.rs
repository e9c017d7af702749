//! Asks the person's login shell for the environment that their terminal has.
//!
//! Interactive and login, so that both kinds of start files are read; in a session of its own without a terminal, so
//! that nothing it does reaches one; with a limit, and its whole tree ended afterwards. Takes only what lies between
//! two random markers: start files print whatever they like.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::disk::{Disk, Look};
use super::{ShellReport, ShellStatus, environment, paths};
use crate::env::{HostEnv, Os};
use crate::process;

/// How much of a shell's output is kept: more than the largest environment and a long greeting.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// Set while start files run, so that their plugins neither ask, update, nor replace the shell.
///
/// Not `TERM=dumb`, on which many start files return at once, and not `HISTFILE=/dev/null`, which zsh may replace by a file.
const QUIET: &[(&str, &str)] = &[
    ("DISABLE_AUTO_UPDATE", "true"),
    ("DISABLE_UPDATE_PROMPT", "true"),
    ("ZSH_TMUX_AUTOSTART", "false"),
    ("ZSH_TMUX_AUTOSTARTED", "true"),
    ("ZSH_TMUX_AUTOCONNECT", "false"),
    // Guards that people have in their start files for editors that do the same.
    ("VSCODE_RESOLVING_ENVIRONMENT", "1"),
    ("INTELLIJ_ENVIRONMENT_READER", "true"),
];

/// Variables and their values, bytes as they are.
pub(crate) type Vars = BTreeMap<OsString, OsString>;

/// What the shell told.
#[derive(Clone)]
pub(crate) struct Told {
    pub(crate) report: ShellReport,
    /// Its environment; `None` where it did not tell.
    pub(crate) vars: Option<Vars>,
}

/// How to speak to a shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    /// sh and its kin, fish and xonsh included: a command list after `-ilc`.
    Posix,
    /// bash whose login start files do not read `.bashrc`, where most installers write and which terminals on Linux read.
    BashAndRc,
    /// The same without start files of interactive shells: for a `.bashrc` that ends in `exec tmux`.
    PosixLogin,
    /// tcsh, which takes no `-l` beside others and reads its start files anyhow.
    Csh,
    /// Nushell: no combined flags, and a program is called with `^`.
    Nu,
}

/// Asks the person's shell, and where it fails the common ones, for at most `limit` in all.
pub(crate) async fn ask(host: &HostEnv, disk: &dyn Disk, limit: Duration) -> Told {
    let started = Instant::now();
    let mut report = ShellReport { shell: None, status: ShellStatus::Skipped, elapsed_ms: 0 };
    for (shell, language) in attempts(host, disk, shells(host, disk, account_shell())) {
        let left = limit.saturating_sub(started.elapsed());
        if left.is_zero() {
            report.status = ShellStatus::TimedOut;
            break;
        }
        let (status, vars) = ask_one(host, &shell, language, left).await;
        // The shell that is told of is the one that answered, else the person's own.
        if report.shell.is_none() || vars.is_some() {
            report = ShellReport { shell: Some(shell), status, elapsed_ms: 0 };
        }
        report.elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        if status != ShellStatus::Failed {
            return Told { report, vars };
        }
    }
    Told { report, vars: None }
}

async fn ask_one(host: &HostEnv, shell: &Path, language: Language, limit: Duration) -> (ShellStatus, Option<Vars>) {
    let (begin, end) = (marker(), marker());
    let mut env = environment::clean(host);
    env.extend(QUIET.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))));
    env.insert("PATH".into(), environment::search_path(host, None, None));
    let args = arguments(language, &begin, &end).into_iter().map(OsString::from).collect();
    let command = process::Command { program: shell.to_path_buf(), args, cwd: super::neutral_folder(host), env };
    let Ok(captured) = process::capture(command, limit, MAX_BYTES).await else {
        return (ShellStatus::Failed, None);
    };
    // Whatever else it printed and however it ended: an answer between both markers is complete.
    match parse(&captured.stdout, begin.as_bytes(), end.as_bytes()) {
        Some(vars) => (ShellStatus::Ok, Some(vars)),
        None if captured.timed_out => (ShellStatus::TimedOut, None),
        None => (ShellStatus::Failed, None),
    }
}

fn marker() -> String {
    format!("_{}_", uuid::Uuid::new_v4().simple())
}

/// The shells to ask, the person's own first; none on Windows, where programs of the desktop have the whole environment.
pub(super) fn shells(host: &HostEnv, disk: &dyn Disk, account: Option<PathBuf>) -> Vec<PathBuf> {
    let common: &[&str] = match host.os {
        Os::Windows => return Vec::new(),
        Os::MacOs => &["/bin/zsh", "/bin/bash", "/bin/sh"],
        Os::Linux => &["/bin/bash", "/usr/bin/zsh", "/bin/zsh", "/bin/sh"],
    };
    let own = host.var("SHELL").map(PathBuf::from).into_iter().chain(account);
    let mut list: Vec<PathBuf> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for shell in own.chain(common.iter().map(PathBuf::from)) {
        let usable = paths::is_absolute(host.os, &shell) && disk.look(&shell) == Look::File { executable: true };
        // Accounts of services have these in place of a shell.
        let login = !matches!(paths::name(host.os, &shell).as_str(), "nologin" | "false" | "true");
        if usable && login && seen.insert(disk.real(&shell).unwrap_or_else(|| shell.clone())) {
            list.push(shell);
        }
    }
    // Each costs a part of the limit.
    list.truncate(3);
    list
}

/// Each shell with the ways to ask it.
pub(super) fn attempts(host: &HostEnv, disk: &dyn Disk, shells: Vec<PathBuf>) -> Vec<(PathBuf, Language)> {
    let mut attempts = Vec::new();
    for shell in shells {
        match paths::name(host.os, &shell).as_str() {
            "nu" => attempts.push((shell, Language::Nu)),
            "tcsh" | "csh" => attempts.push((shell, Language::Csh)),
            name => {
                let rc_is_left_out = name == "bash" && !login_reads_bashrc(host, disk);
                let first = if rc_is_left_out { Language::BashAndRc } else { Language::Posix };
                attempts.push((shell.clone(), first));
                attempts.push((shell, Language::PosixLogin));
            }
        }
    }
    attempts
}

/// Whether the start file of a login bash reads `.bashrc`, itself or by another, as far as their text tells.
///
/// Only where it surely does not is `.bashrc` read besides: twice would cost its time twice.
fn login_reads_bashrc(host: &HostEnv, disk: &dyn Disk) -> bool {
    let text = |name: &str| disk.text(&paths::below(host.os, host.home.as_ref()?, name));
    if text(".bashrc").is_none() {
        return true;
    }
    // bash reads the first of these that is there.
    let Some(login) = [".bash_profile", ".bash_login", ".profile"].iter().find_map(|name| text(name)) else {
        return false;
    };
    let by_another = login.contains(".profile") && text(".profile").is_some_and(|profile| profile.contains("bashrc"));
    login.contains("bashrc") || by_another
}

/// The shell in the account's record, for a start without `SHELL`.
#[cfg(unix)]
fn account_shell() -> Option<PathBuf> {
    nix::unistd::User::from_uid(nix::unistd::getuid()).ok().flatten().map(|user| user.shell)
}

#[cfg(not(unix))]
fn account_shell() -> Option<PathBuf> {
    None
}

/// The arguments that make a shell print its environment between the markers, NUL-separated.
///
/// Every shell is told to start one program by its path, with one argument in single quotes: what start files alias does
/// not matter then, and all of them read it alike. The argument has no quote, `$` or backslash of its own.
pub(super) fn arguments(language: Language, begin: &str, end: &str) -> Vec<String> {
    // `env` of older systems knows no `-0`; Perl is on those.
    let env = "/usr/bin/env -0 2>/dev/null || /usr/bin/perl -e \"while (@p = each %ENV) { print join(chr(61), @p), chr(0) }\"";
    let text = format!("/bin/sh -c 'printf %s {begin}; {env}; printf %s {end}'");
    let and_rc = format!(". ~/.bashrc; {text}");
    let nu = format!("^{text}; exit");
    let args: &[&str] = match language {
        Language::Posix => &["-ilc", &text],
        Language::BashAndRc => &["-ilc", &and_rc],
        Language::PosixLogin => &["-lc", &text],
        Language::Csh => &["-ic", &text],
        Language::Nu => &["-l", "-e", &nu],
    };
    args.iter().map(|&arg| arg.to_owned()).collect()
}

/// The records between the last whole pair of markers.
///
/// A start file that echoes its command line prints the markers too, but never records that end in NUL between them.
pub(super) fn parse(output: &[u8], begin: &[u8], end: &[u8]) -> Option<Vars> {
    let start = find_last(output, begin)? + begin.len();
    let stop = start + find_last(&output[start..], end)?;
    let records = &output[start..stop];
    if !records.ends_with(b"\0") {
        return None;
    }
    let mut vars = BTreeMap::new();
    for record in records.split(|&byte| byte == 0) {
        let Some(cut) = record.iter().position(|&byte| byte == b'=').filter(|&cut| cut > 0) else { continue };
        vars.insert(text(&record[..cut])?, text(&record[cut + 1..])?);
    }
    vars.contains_key(OsStr::new("PATH")).then_some(vars)
}

fn find_last(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).rposition(|window| window == part)
}

#[cfg(unix)]
fn text(bytes: &[u8]) -> Option<OsString> {
    use std::os::unix::ffi::OsStringExt;
    Some(OsString::from_vec(bytes.to_vec()))
}

#[cfg(not(unix))]
fn text(bytes: &[u8]) -> Option<OsString> {
    String::from_utf8(bytes.to_vec()).ok().map(OsString::from)
}
