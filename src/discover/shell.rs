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
const QUIET: &[(&str, &str)] = &[
    ("DISABLE_AUTO_UPDATE", "true"),
    ("DISABLE_UPDATE_PROMPT", "true"),
    ("ZSH_TMUX_AUTOSTARTED", "true"),
    ("ZSH_TMUX_AUTOSTART", "false"),
    ("ZSH_TMUX_AUTOCONNECT", "false"),
    // Guards that people have in their start files for editors that do the same.
    ("VSCODE_RESOLVING_ENVIRONMENT", "1"),
    ("INTELLIJ_ENVIRONMENT_READER", "true"),
    ("TERM", "dumb"),
    ("PAGER", "cat"),
    ("HISTFILE", "/dev/null"),
];

/// What the shell told.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(crate) report: ShellReport,
    /// Its environment; `None` where it did not tell.
    pub(crate) vars: Option<BTreeMap<OsString, OsString>>,
}

/// How to speak to a shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    /// sh and its kin, fish and xonsh included: a command list after `-ilc`.
    Posix,
    /// tcsh, which takes no `-l` beside others and reads its start files anyhow.
    Csh,
    /// Nushell: no combined flags, and a program is called with `^`.
    Nu,
}

/// Asks the person's shell, and where it fails the common ones, for at most `limit` in all.
pub(crate) async fn ask(host: &HostEnv, disk: &dyn Disk, limit: Duration) -> Told {
    let started = Instant::now();
    let mut last = ShellReport { shell: None, status: ShellStatus::Skipped, elapsed_ms: 0 };
    if host.os == Os::Windows {
        return Told { report: last, vars: None };
    }
    for shell in shells(host, disk) {
        let left = limit.saturating_sub(started.elapsed());
        if left.is_zero() {
            break;
        }
        let (status, vars) = ask_one(host, &shell, left).await;
        // The shell that is reported is the one that answered, else the person's own.
        if last.shell.is_none() || status == ShellStatus::Ok {
            last = ShellReport { shell: Some(shell), status, elapsed_ms: 0 };
        }
        last.elapsed_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        if status != ShellStatus::Failed {
            return Told { report: last, vars };
        }
    }
    Told { report: last, vars: None }
}

async fn ask_one(host: &HostEnv, shell: &Path, limit: Duration) -> (ShellStatus, Option<BTreeMap<OsString, OsString>>) {
    let (begin, end) = (marker(), marker());
    let mut env = environment::clean(host);
    env.extend(QUIET.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))));
    env.insert("PATH".into(), environment::search_path(host, None, None));
    let command = process::Command {
        program: shell.to_path_buf(),
        args: arguments(language(shell), &begin, &end).into_iter().map(OsString::from).collect(),
        cwd: super::neutral_folder(host),
        env,
    };
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

/// The shells to ask, the person's own first.
fn shells(host: &HostEnv, disk: &dyn Disk) -> Vec<PathBuf> {
    let own = host.var("SHELL").map(PathBuf::from).into_iter().chain(account_shell());
    let common: &[&str] = if host.os == Os::MacOs {
        &["/bin/zsh", "/bin/bash", "/bin/sh"]
    } else {
        &["/bin/bash", "/usr/bin/bash", "/usr/bin/zsh", "/bin/sh"]
    };
    let mut list: Vec<PathBuf> = Vec::new();
    for shell in own.chain(common.iter().map(PathBuf::from)) {
        let real = disk.real(&shell).unwrap_or_else(|| shell.clone());
        let usable = paths::is_absolute(host.os, &shell) && disk.look(&shell) == Look::File { executable: true };
        // Not a shell to start: accounts of services.
        let login = !matches!(paths::name(host.os, &shell).as_str(), "nologin" | "false" | "true");
        if usable && login && !list.iter().any(|other| disk.real(other).unwrap_or_else(|| other.clone()) == real) {
            list.push(shell);
        }
    }
    // One spare is enough: each costs a part of the limit.
    list.truncate(3);
    list
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

fn language(shell: &Path) -> Language {
    match shell.file_name().and_then(OsStr::to_str) {
        Some("nu") => Language::Nu,
        Some("tcsh" | "csh") => Language::Csh,
        _ => Language::Posix,
    }
}

/// The arguments that make a shell print its environment between the markers, NUL-separated.
fn arguments(language: Language, begin: &str, end: &str) -> Vec<String> {
    // Absolute, as an interactive shell has aliases. `env` of older systems knows no `-0`; Perl is on those.
    let env = "/usr/bin/env -0 2>/dev/null || /usr/bin/perl -e 'print map { \"$_=$ENV{$_}\\0\" } keys %ENV'";
    match language {
        Language::Posix => {
            let text = format!("/usr/bin/printf '%s' '{begin}'; {env}; /usr/bin/printf '%s' '{end}'");
            vec!["-ilc".into(), text]
        }
        Language::Csh => {
            let text = format!("/usr/bin/printf '%s' '{begin}'; /usr/bin/env -0; /usr/bin/printf '%s' '{end}'");
            vec!["-ic".into(), text]
        }
        Language::Nu => {
            let text =
                format!("^'/usr/bin/printf' '%s' '{begin}'; ^'/usr/bin/env' -0; ^'/usr/bin/printf' '%s' '{end}'; exit");
            vec!["-l".into(), "-e".into(), text]
        }
    }
}

/// The records between the last whole pair of markers.
///
/// A start file that echoes its command line prints the markers too, but never records that end in NUL between them.
fn parse(output: &[u8], begin: &[u8], end: &[u8]) -> Option<BTreeMap<OsString, OsString>> {
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
