//! The search: tiers in order, each candidate proven, the answer kept for as long as the files are the same.
//!
//! Order: the path the person chose → `PATH` → the login shell's `PATH` → the known places → what ranks last. A tier
//! that fails never stops the next. Concurrent callers share one search. A positive answer is kept until one of the files it
//! rests on changes, or one appears at a place that was looked at before it; a negative one is never kept.
//!
//! The login shell is asked where no earlier tier had a working candidate. Where one had, it is asked all the same, at the
//! same time, if the app was not started from a terminal: only the shell then knows the proxy, the certificates and
//! the `PATH` that the agent's own tools need.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::OnceCell;
use tokio_util::sync::CancellationToken;

use super::disk::{Identity, RealDisk};
use super::hunt::Hunt;
use super::shell::{self, Told, Vars};
use super::{AgentStatus, Readiness, Search, environment, paths, walk};
use crate::adapters::Spec;
use crate::discover::Binary;
use crate::env::HostEnv;
use crate::request::AgentId;

/// For how long the shell's answer serves a search that finds nothing: longer, and a new `PATH` would go unseen.
const SHELL_FRESH: Duration = Duration::from_secs(10);

/// Finds agents on one host. Clones share what was found.
#[derive(Clone)]
pub(crate) struct Discovery {
    shared: Arc<Shared>,
}

/// An agent, and the path chosen for it.
type Key = (AgentId, Option<PathBuf>);

struct Shared {
    host: HostEnv,
    app: String,
    shell_limit: Duration,
    probe_limit: Duration,
    /// Searches under way.
    searches: Mutex<HashMap<Key, Arc<OnceCell<Arc<Search>>>>>,
    /// What was found.
    known: Mutex<HashMap<Key, Known>>,
    /// The shell being asked.
    asking: Mutex<Option<Arc<OnceCell<Told>>>>,
    /// What the shell told last, and when.
    told: Mutex<Option<(Told, Instant)>>,
}

/// A positive answer and all the files it rests on.
struct Known {
    search: Arc<Search>,
    files: Vec<(PathBuf, Option<Identity>)>,
}

impl std::fmt::Debug for Discovery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Discovery").field("host", &self.shared.host).finish_non_exhaustive()
    }
}

impl Discovery {
    /// Finds agents on `host` for `app`. The login shell may take `shell_limit` to answer, a candidate `probe_limit`.
    pub(crate) fn new(host: HostEnv, app: &str, shell_limit: Duration, probe_limit: Duration) -> Discovery {
        Discovery {
            shared: Arc::new(Shared {
                host,
                app: app.to_owned(),
                shell_limit,
                probe_limit,
                searches: Mutex::default(),
                known: Mutex::default(),
                asking: Mutex::default(),
                told: Mutex::default(),
            }),
        }
    }

    /// Searches for an agent, or answers from what was found before.
    ///
    /// `chosen` is the path that the person chose. Where it cannot be used there is no binary, and the guidance says why:
    /// another program than the one chosen is never run in its place.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends what it started; other callers of the same search go on with it.
    pub(crate) async fn search(&self, spec: &'static Spec, chosen: Option<&Path>) -> Search {
        let key = (spec.id.clone(), chosen.map(Path::to_path_buf));
        let (discovery, asked) = (self.clone(), key.clone());
        if let Some(search) = aside(move || discovery.known(&asked)).await {
            return Search::clone(&search);
        }
        let flight = Arc::clone(lock(&self.shared.searches).entry(key.clone()).or_default());
        let search = Arc::clone(flight.get_or_init(|| self.cold_aside(spec, &key)).await);
        // The flight is over: whoever asks from now on looks anew.
        let mut searches = lock(&self.shared.searches);
        if searches.get(&key).is_some_and(|other| Arc::ptr_eq(other, &flight)) {
            searches.remove(&key);
        }
        Search::clone(&search)
    }

    /// Whether an agent is there.
    pub(crate) async fn status(&self, spec: &'static Spec, chosen: Option<&Path>) -> AgentStatus {
        self.told(spec, self.search(spec, chosen).await)
    }

    /// Whether an agent is there, as far as it is known without a search.
    pub(crate) fn status_now(&self, spec: &'static Spec, chosen: Option<&Path>) -> AgentStatus {
        match self.known(&(spec.id.clone(), chosen.map(Path::to_path_buf))) {
            Some(search) => self.told(spec, Search::clone(&search)),
            None => AgentStatus {
                agent: spec.id.clone(),
                name: spec.name.into(),
                status: Readiness::Checking,
                path: None,
                version: None,
                via: None,
                guidance: None,
            },
        }
    }

    fn told(&self, spec: &'static Spec, search: Search) -> AgentStatus {
        let status = match (&search.binary, &search.guidance) {
            (Some(_), _) => Readiness::Ready,
            (None, Some(guidance)) if guidance.code == crate::Code::NotInstalled => Readiness::NotInstalled,
            (None, _) => Readiness::Broken,
        };
        AgentStatus {
            agent: spec.id.clone(),
            name: spec.name.into(),
            status,
            path: search.chosen.clone(),
            version: search.binary.as_ref().map(|binary| binary.version.clone()),
            via: search.binary.as_ref().map(|binary| binary.via),
            guidance: search.guidance.filter(|_| search.binary.is_none()),
        }
    }

    /// The absolute paths of MCP servers' commands, found as the agent would find them, in order. `None` where nothing can be
    /// run there.
    pub(crate) async fn resolve_commands(&self, binary: &Binary, commands: Vec<PathBuf>) -> Vec<Option<PathBuf>> {
        if commands.is_empty() {
            return Vec::new();
        }
        let (discovery, binary) = (self.clone(), binary.clone());
        aside(move || commands.iter().map(|command| discovery.resolve_command(&binary, command)).collect()).await
    }

    fn resolve_command(&self, binary: &Binary, command: &Path) -> Option<PathBuf> {
        let host = &self.shared.host;
        let found = |folders: &[PathBuf], name: &str| {
            walk::walk(&RealDisk, host, folders, name).into_iter().find(|step| step.refused.is_none())
        };
        if paths::is_absolute(host.os, command) {
            let (folder, name) = (command.parent()?, command.file_name()?.to_str()?);
            return found(&[folder.to_path_buf()], name).map(|_| command.to_path_buf());
        }
        let name = command.to_str().filter(|name| !name.contains(['/', '\\']))?;
        found(&paths::split_list(host.os, &binary.search_path), name).map(|step| step.path)
    }

    /// What was found before, if every file is as it was.
    fn known(&self, key: &Key) -> Option<Arc<Search>> {
        let mut known = lock(&self.shared.known);
        let entry = known.get(key)?;
        if entry.files.iter().all(|(path, identity)| RealDisk::identity(path) == *identity) {
            return Some(Arc::clone(&entry.search));
        }
        known.remove(key);
        None
    }

    /// A cold search on a thread that may block: a folder of the `PATH` may be on a disk that does not answer.
    async fn cold_aside(&self, spec: &'static Spec, key: &Key) -> Arc<Search> {
        let (discovery, key) = (self.clone(), key.clone());
        let dropped = CancellationToken::new();
        // With this future the search ends, and with it what it has started.
        let _guard = dropped.clone().drop_guard();
        let runtime = Handle::current();
        let search =
            aside(move || runtime.block_on(dropped.run_until_cancelled(async { discovery.cold(spec, &key).await })));
        search.await.expect("the token is cancelled when nobody waits any more")
    }

    async fn cold(&self, spec: &'static Spec, key: &Key) -> Arc<Search> {
        let host = &self.shared.host;
        let mut hunt = Hunt::new(host, &RealDisk, spec, &self.shared.app, self.shared.probe_limit);
        // Only a terminal's shell has given the app all that the agent needs.
        let bare = !environment::is_from_terminal(host);
        if let Some(chosen) = &key.1 {
            if bare {
                let ((), told) = tokio::join!(hunt.chosen(chosen), self.ask_shell(false));
                hunt.told(told);
            } else {
                hunt.chosen(chosen).await;
            }
            hunt.chosen_again().await;
        } else {
            if bare {
                let ((), told) = tokio::join!(hunt.path_and_guess(), self.ask_shell(false));
                hunt.told(told);
            } else {
                hunt.path().await;
            }
            if !hunt.is_found() {
                let ((), told) = tokio::join!(hunt.guess(), self.ask_shell(true));
                hunt.told(told);
            }
            hunt.rest().await;
        }
        let search = Arc::new(hunt.finish());
        if search.binary.is_some() {
            let files = files_of(&search);
            lock(&self.shared.known).insert(key.clone(), Known { search: Arc::clone(&search), files });
        }
        search
    }

    /// What the login shell tells; concurrent callers share the asking.
    ///
    /// Where it is `needed`, since nothing was found without it, an old answer does not serve.
    async fn ask_shell(&self, needed: bool) -> Told {
        if let Some((told, at)) = lock(&self.shared.told).as_ref() {
            let serves = match told.vars {
                Some(_) => !needed || at.elapsed() < SHELL_FRESH,
                // So that a shell that hangs costs its limit once where many agents are looked for one after another.
                None => at.elapsed() < self.shared.shell_limit,
            };
            if serves {
                return told.clone();
            }
        }
        let flight = Arc::clone(lock(&self.shared.asking).get_or_insert_default());
        let ask = || shell::ask(&self.shared.host, &RealDisk, self.shared.shell_limit);
        let told = flight.get_or_init(ask).await.clone();
        let mut asking = lock(&self.shared.asking);
        if asking.as_ref().is_some_and(|other| Arc::ptr_eq(other, &flight)) {
            *asking = None;
            *lock(&self.shared.told) = Some((told.clone(), Instant::now()));
        }
        told
    }
}

/// Does what may block on a disk, away from the threads that drive the app. Never ends where the runtime is shut down.
async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => std::future::pending().await,
        },
    }
}

/// The files that a positive answer rests on: all that was looked at up to the one chosen, and what that runs.
fn files_of(search: &Search) -> Vec<(PathBuf, Option<Identity>)> {
    let mut files: Vec<PathBuf> = Vec::new();
    for candidate in &search.candidates {
        files.push(candidate.path.clone());
        if Some(&candidate.path) == search.chosen.as_ref() {
            break;
        }
    }
    files.extend(search.binary.as_ref().map(|binary| binary.program.clone()));
    files.into_iter().map(|path| (path.clone(), RealDisk::identity(&path))).collect()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // No code panics while it holds one of these; and what they hold stays valid if it did.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Variables to read places from: the host's, completed by the login shell's.
pub(super) fn merged(host: &HostEnv, told: Option<&Told>) -> Vars {
    let mut vars = told.and_then(|told| told.vars.clone()).unwrap_or_default();
    vars.extend(host.vars.clone());
    vars
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::aside;

    /// A disk that does not answer holds a thread until it does; the one that drives the app is another.
    #[tokio::test(flavor = "current_thread")]
    async fn work_that_blocks_leaves_the_apps_thread_free() {
        let (answer, disk) = mpsc::channel();
        let blocked = aside(move || disk.recv());
        let app = async { answer.send("read") };
        // On one and the same thread neither could ever end.
        let (read, sent) = tokio::join!(blocked, app);
        assert_eq!((read, sent), (Ok("read"), Ok(())));
    }
}
