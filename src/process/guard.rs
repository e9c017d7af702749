//! Ends the trees of a host that dies without warning (`kill -9`, a crash, the machine's memory killer).
//!
//! As long as a run is live, one small shell reads a pipe that only the host holds. The kernel closes it when the host
//! dies, however that happens; the shell then asks every tree that was not reported ended, waits, kills, and removes the
//! private files of these trees. The parent-death signal alone (Linux) would reach the leader and nothing it started, and
//! does not exist on macOS.
//!
//! The shell is started with the first tree, killed and collected with the last, and is nothing's child but the host's.
//! Where it cannot be started, runs go on without it: it protects against the host's death and nothing else.

use std::collections::HashMap;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::{Mutex, MutexGuard, OnceLock};

use nix::fcntl::{FcntlArg, OFlag, fcntl};

use super::keeper::soon_on_keeper;
use super::{MARK, Polite};

/// What the shell does. `MARK` and a newline stand before it. Plain POSIX; the search by mark needs `/proc` and `grep`.
const SCRIPT: &str = r#"
trap '' HUP INT TERM
runs= folders=
while read -r what pid signal mark; do
  case $what in
    +) runs="$runs $pid:$signal:$mark" ;;
    -) kept=
       for run in $runs; do case $run in "$pid":*) ;; *) kept="$kept $run" ;; esac; done
       runs=$kept ;;
    f) folders="$folders$pid $mark
" ;;
  esac
done
forget() {
  printf %s "$folders" | while read -r pid folder; do
    case "$runs $folder" in *" $pid:"*/agent-launcher-*) rm -rf -- "$folder" ;; esac
  done
  exit 0
}
strike() {
  left=
  for run in $runs; do
    pid=${run%%:*} rest=${run#*:}
    signal=${1:-${rest%%:*}} mark=${rest#*:}
    kill -s "$signal" -- "-$pid" && left=1
    for file in $(grep -lsFxz "$name=$mark" /proc/[0-9]*/environ); do
      file=${file#/proc/}
      kill -s "$signal" "${file%/environ}" && left=1
    done
  done 2>/dev/null
  [ "$left" ]
}
strike '' || forget
for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  sleep 0.1
  strike 0 || forget
done
for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  strike KILL || forget
  sleep 0.05
done
forget
"#;

#[derive(Default)]
struct Guard {
    shell: Option<Child>,
    /// The trees it is to know: the leader's pid and the lines that tell of it.
    trees: HashMap<i32, String>,
}

/// Tells of a new tree. Returns before the shell has started: the agent is already at work, and must be listened to.
pub(super) fn add(leader: i32, polite: Polite, mark: &str) {
    let signal = match polite {
        Polite::Term => "TERM",
        Polite::Int => "INT",
    };
    let line = format!("+ {leader} {signal} {mark}\n");
    let mut guard = lock();
    guard.trees.insert(leader, line.clone());
    if guard.shell.is_some() && !guard.tell(&line) {
        // Somebody ended it. One that knows all trees takes its place.
        guard.end();
    }
    if guard.shell.is_none() {
        drop(guard);
        soon_on_keeper(|| {
            let mut guard = lock();
            if guard.shell.is_none() && !guard.trees.is_empty() {
                guard.start();
            }
        });
    }
}

/// Tells of the folder with a tree's private files, which goes with the tree. Its name must begin with `agent-launcher-`.
pub(super) fn owns(leader: i32, folder: &Path) {
    // A line that the shell could not read back is not told: such a folder is left to the system.
    let Some(folder) = folder.to_str().filter(|folder| !folder.contains('\n')) else { return };
    let line = format!("f {leader} - {folder}\n");
    let mut guard = lock();
    if let Some(lines) = guard.trees.get_mut(&leader) {
        lines.push_str(&line);
        guard.tell(&line);
    }
}

/// Tells that nothing of a tree is left. Harmless for one that it never knew.
pub(super) fn remove(leader: i32) {
    let mut guard = lock();
    if guard.trees.remove(&leader).is_none() {
        return;
    }
    if guard.trees.is_empty() {
        guard.end();
    } else {
        guard.tell(&format!("- {leader}\n"));
    }
}

impl Guard {
    #[expect(clippy::disallowed_methods, reason = "a second place that starts a process: it outlives this one")]
    fn start(&mut self) {
        let mut command = std::process::Command::new("/bin/sh");
        command.arg("-c").arg(format!("name={MARK}{SCRIPT}")).arg("agent-launcher-guard").current_dir("/");
        command.env_clear().env("PATH", "/usr/bin:/bin:/run/current-system/sw/bin").env("LC_ALL", "C").process_group(0);
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let Ok(shell) = spawned else { return };
        if let Some(pipe) = &shell.stdin {
            // It reads at once whatever is written; if it is stopped, the host must not wait for it.
            let _ = fcntl(pipe, FcntlArg::F_SETFL(OFlag::O_NONBLOCK));
        }
        self.shell = Some(shell);
        let lines: String = self.trees.values().map(String::as_str).collect();
        self.tell(&lines);
    }

    fn tell(&mut self, line: &str) -> bool {
        let pipe = self.shell.as_mut().and_then(|shell| shell.stdin.as_mut());
        pipe.is_some_and(|pipe| pipe.write_all(line.as_bytes()).is_ok())
    }

    /// Kills and collects the shell. It knows no tree that lives, so nothing is lost.
    fn end(&mut self) {
        if let Some(mut shell) = self.shell.take() {
            let _ = shell.kill();
            let _ = shell.wait();
        }
    }
}

fn lock() -> MutexGuard<'static, Guard> {
    static GUARD: OnceLock<Mutex<Guard>> = OnceLock::new();
    GUARD.get_or_init(Mutex::default).lock().unwrap_or_else(|poison| poison.into_inner())
}
