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
use std::time::Duration;

use nix::fcntl::{FcntlArg, OFlag, fcntl};

use super::keeper::soon_on_keeper;
use super::{MARK, Polite, members, table};

/// What the shell does; `name` (of the mark) and `parents` (whom an orphan can come to, as `1|7`) are set before. Plain
/// POSIX; the search by mark needs `/proc` and `grep`. An environment may be long in coming (see the table of Linux), so
/// all are looked at only once and beside the rest, then those of orphans and of children of the agents.
///
/// Grace and limit are hundredths of a second by the clock of the system, since a round takes as long as the machine lets
/// it; without such a clock a round counts as the pause in it.
const SCRIPT: &str = r#"
trap '' HUP INT TERM
runs= folders= grace=0 now=0
while read -r what pid signal rest; do
  case $what in
    +) runs="$runs $pid:$signal:${rest#* }"
       [ "${rest%% *}" -gt "$grace" ] && grace=${rest%% *} ;;
    -) kept=
       for run in $runs; do case $run in "$pid":*) ;; *) kept="$kept $run" ;; esac; done
       runs=$kept ;;
    f) folders="$folders$pid $rest
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
  marks=
  for run in $runs; do
    rest=${run#*:}
    case ${rest%%:*} in $2)
      kill -s "$1" -- "-${run%%:*}" && left=1
      marks="$marks -e $name=${rest#*:}" ;;
    esac
  done
}
marked() {
  signal=$1
  shift
  for file in $(grep -lsFxz $marks /dev/null "$@"); do
    file=${file#/proc/}
    kill -s "$signal" "${file%/environ}" && left=1
  done
}
everyone() {
  left= files=
  strike "$1" '*'
  for file in $(grep -lsE "^PPid:[[:space:]]($parents)\$" /proc/[0-9]*/status); do files="$files ${file%status}environ"; done
  marked "$1" $files
  [ "$left" ] || forget
  sleep "$2"
  if read -r up rest < /proc/uptime; then now=${up%.*}${up#*.}; else now=$((now + $3)); fi
}
[ "$runs" ] || forget
for run in $runs; do parents="$parents|${run%%:*}"; done
for signal in TERM INT; do
  strike "$signal" "$signal"
  [ "$marks" ] && marked "$signal" /proc/[0-9]*/environ &
done
everyone 0 0 0
end=$((now + grace))
while [ "$now" -lt "$end" ]; do everyone 0 0.05 5; done
end=$((now + 200))
while [ "$now" -lt "$end" ]; do everyone KILL 0.02 2; done
forget
"#;

#[derive(Default)]
struct Guard {
    shell: Option<Child>,
    /// The trees it is to know: the leader's pid and the lines that tell of it.
    trees: HashMap<i32, String>,
}

/// Tells of a new tree. Returns before the shell has started: the agent is already at work, and must be listened to.
pub(super) fn add(leader: i32, polite: Polite, grace: Duration, mark: &str) {
    let signal = match polite {
        Polite::Term => "TERM",
        Polite::Int => "INT",
    };
    // What the shell can count with; a grace of days is one for ever.
    let grace = (grace.as_millis() / 10).min(100_000_000);
    let line = format!("+ {leader} {signal} {grace} {mark}\n");
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
        let parents: Vec<String> = members::adopters(&table::all()).iter().map(i32::to_string).collect();
        let script = format!("name={MARK} parents='{}'{SCRIPT}", parents.join("|"));
        command.arg("-c").arg(script).arg("agent-launcher-guard").current_dir("/");
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
