//! One search for one agent: what was looked at so far, and what it answered.

use std::collections::{HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::disk::Disk;
use super::environment::{self, Start};
use super::format::Format;
use super::probe::{self, Answer, Refusal};
use super::shell::Told;
use super::shim::{self, Target};
use super::walk::{self, Step};
use super::{Binary, Candidate, Search, ShellReport, ShellStatus, Verdict, Via, advice, chosen, paths, places, search};
use crate::adapters::Spec;
use crate::env::{HostEnv, Os};
use crate::process;

/// A place to look at, or looked at.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) path: PathBuf,
    pub(super) via: Via,
    pub(super) state: State,
}

/// What is known of an item.
#[derive(Clone, Debug)]
pub(super) enum State {
    /// It could be the agent.
    Open,
    /// It is not.
    Refused(Refusal),
    /// It is, of this version and by this program.
    Proven(Proven),
}

/// A candidate that answered.
#[derive(Clone, Debug)]
pub(super) struct Proven {
    version: String,
    target: Target,
    start: Start,
}

/// One search under way.
pub(super) struct Hunt<'a> {
    pub(super) host: &'a HostEnv,
    pub(super) disk: &'a dyn Disk,
    pub(super) spec: &'static Spec,
    /// The host app's name.
    pub(super) app: &'a str,
    /// How long a candidate may take to answer.
    limit: Duration,
    /// All items in their order.
    pub(super) items: Vec<Item>,
    /// Items that rank last, of whatever tier.
    last: Vec<Item>,
    seen: HashSet<OsString>,
    /// Answers of this search, so that nothing is asked twice.
    answers: HashMap<PathBuf, State>,
    found: Option<usize>,
    pub(super) told: Option<Told>,
    pub(super) override_path: Option<PathBuf>,
}

impl<'a> Hunt<'a> {
    pub(super) fn new(
        host: &'a HostEnv,
        disk: &'a dyn Disk,
        spec: &'static Spec,
        app: &'a str,
        limit: Duration,
    ) -> Hunt<'a> {
        Hunt {
            host,
            disk,
            spec,
            app,
            limit,
            items: Vec::new(),
            last: Vec::new(),
            seen: HashSet::new(),
            answers: HashMap::new(),
            found: None,
            told: None,
            override_path: None,
        }
    }

    pub(super) fn is_found(&self) -> bool {
        self.found.is_some()
    }

    /// Looks at the path that the person chose, and at nothing else.
    pub(super) async fn chosen(&mut self, chosen: &Path) {
        let path = chosen::written(self.host, chosen);
        self.override_path = Some(path.clone());
        let refused = chosen::refuse(self.host, self.disk, &path);
        self.add(path, Via::Override, refused, false);
        self.prove().await;
    }

    /// Asks the chosen path again where the shell has told of a `PATH` that may have its interpreter. Where it cannot be
    /// used, names what a search would have looked at.
    pub(super) async fn chosen_again(&mut self) {
        self.reopen();
        self.prove().await;
        if !self.is_found() {
            self.add_path();
            self.add_places();
        }
    }

    /// Looks through the host's `PATH`.
    pub(super) async fn path(&mut self) {
        self.add_path();
        self.prove().await;
    }

    fn add_path(&mut self) {
        let list = environment::search_path(self.host, None, None);
        self.add_folders(&paths::split_list(self.host.os, &list), Via::Path);
    }

    /// Looks through the host's `PATH`, then takes the likeliest guess.
    pub(super) async fn path_and_guess(&mut self) {
        self.path().await;
        if !self.is_found() {
            self.guess().await;
        }
    }

    /// Asks the first candidate of the known places already, while the shell is asked: most often it is the one.
    pub(super) async fn guess(&mut self) {
        let vars = search::merged(self.host, None);
        for place in places::places(self.host, &vars, self.disk, self.spec) {
            for step in self.walk(std::slice::from_ref(&place.folder)) {
                if step.refused.is_none() && !self.seen.contains(&paths::key(self.host.os, &step.path)) {
                    self.answer(&step.path).await;
                    return;
                }
            }
        }
    }

    /// Takes what the login shell told.
    pub(super) fn told(&mut self, told: Told) {
        self.told = Some(told);
    }

    /// Looks through the tiers after `PATH`, unless it is found, and names what it leaves alone.
    pub(super) async fn rest(&mut self) {
        self.reopen();
        self.prove().await;
        if let Some(list) = self.login_path() {
            self.add_folders(&paths::split_list(self.host.os, &list), Via::LoginShell);
            self.prove().await;
        }
        self.add_places();
        self.prove().await;
        let last = std::mem::take(&mut self.last);
        self.items.extend(last);
        self.prove().await;
    }

    /// Opens the scripts whose interpreter was missing, where the shell's `PATH` has folders that may hold it.
    fn reopen(&mut self) {
        let Some(login) = self.login_path() else { return };
        let path = |login| environment::search_path(self.host, None, login);
        if self.is_found() || path(Some(login.as_os_str())) == path(None) {
            return;
        }
        let lacks = |state: &State| matches!(state, State::Refused(refusal) if refusal.interpreter.is_some());
        self.answers.retain(|_, state| !lacks(state));
        for item in self.items.iter_mut().filter(|item| lacks(&item.state)) {
            item.state = State::Open;
        }
    }

    fn login_path(&self) -> Option<OsString> {
        let vars = self.told.as_ref()?.vars.as_ref()?;
        environment::lookup(self.host.os, vars, "PATH")
    }

    fn add_places(&mut self) {
        let vars = search::merged(self.host, self.told.as_ref());
        for place in places::places(self.host, &vars, self.disk, self.spec) {
            self.add_folders(&[place.folder], place.via);
        }
    }

    fn add_folders(&mut self, folders: &[PathBuf], via: Via) {
        for step in self.walk(folders) {
            let last = paths::parent(self.host.os, &step.path).is_some_and(|at| places::ranks_last(self.host, &at));
            self.add(step.path, via, step.refused, last);
        }
    }

    fn walk(&self, folders: &[PathBuf]) -> Vec<Step> {
        let programs = self.spec.programs.iter();
        programs.flat_map(|program| walk::walk(self.disk, self.host, folders, program)).collect()
    }

    fn add(&mut self, path: PathBuf, via: Via, refused: Option<(Verdict, String)>, last: bool) {
        if !self.seen.insert(paths::key(self.host.os, &path)) {
            return;
        }
        let state = match refused {
            Some((verdict, detail)) => State::Refused(Refusal::new(verdict, detail)),
            None => State::Open,
        };
        let list = if last { &mut self.last } else { &mut self.items };
        list.push(Item { path, via, state });
    }

    /// Asks the open items in order until one is the agent.
    async fn prove(&mut self) {
        for index in 0..self.items.len() {
            if self.is_found() {
                return;
            }
            if matches!(self.items[index].state, State::Open) {
                let path = self.items[index].path.clone();
                let state = self.answer(&path).await;
                if matches!(state, State::Proven(_)) {
                    self.found = Some(index);
                }
                self.items[index].state = state;
            }
        }
    }

    /// Asks one file, once: the native binary behind it, and where that does not answer the file itself.
    async fn answer(&mut self, path: &Path) -> State {
        if let Some(state) = self.answers.get(path) {
            return state.clone();
        }
        let mut state = State::Open;
        for target in shim::targets(self.disk, self.host, self.spec, path) {
            state = self.ask(path, target).await;
            if matches!(state, State::Proven(_)) {
                break;
            }
        }
        self.answers.insert(path.to_path_buf(), state.clone());
        state
    }

    async fn ask(&self, found: &Path, target: Target) -> State {
        let os = self.host.os;
        let format = Format::of(&self.disk.head(&target.program));
        if let Some(refusal) = probe::refuse_by_format(&format, self.host) {
            return State::Refused(refusal);
        }
        let real = self.disk.real(found).and_then(|real| paths::parent(os, &real));
        let start = Start {
            found: paths::parent(os, found).unwrap_or_else(|| super::neutral_folder(self.host)),
            target: real,
            interpreted: !matches!(format, Format::Native { .. }),
        };
        let mut env = environment::clean(self.host);
        env.retain(|name, _| !(os == Os::Windows && name.eq_ignore_ascii_case("PATH")));
        env.insert("PATH".into(), self.search_path(&start));
        if let Some(vars) = self.told.as_ref().and_then(|told| told.vars.as_ref()) {
            env.extend(environment::carried(self.host, vars));
        }
        env.extend(self.spec.version_env.iter().map(|(name, value)| (OsString::from(name), OsString::from(value))));
        let args = target.first_args.iter().cloned().chain(self.spec.version_args.iter().map(OsString::from)).collect();
        let cwd = super::neutral_folder(self.host);
        let command = process::Command { program: target.program.clone(), args, cwd, env };
        match probe::probe(self.spec, &target, &format, command, self.limit).await {
            Answer::Version(version) => State::Proven(Proven { version, target, start }),
            Answer::Refused(refusal) => State::Refused(refusal),
        }
    }

    fn search_path(&self, start: &Start) -> OsString {
        environment::search_path(self.host, Some(start), self.login_path().as_deref())
    }

    /// All that was found out.
    pub(super) fn finish(&mut self) -> Search {
        let os = self.host.os;
        self.items.append(&mut self.last);
        let list = environment::search_path(self.host, None, self.login_path().as_deref());
        let mut folders = paths::split_list(os, &list);
        let on_path: HashSet<OsString> = folders.iter().map(|folder| paths::key(os, folder)).collect();
        let binary = self.found.and_then(|index| self.binary(&self.items[index]));
        if let Some(binary) = &binary {
            folders = paths::split_list(os, &binary.search_path);
        }
        let candidates = (0..self.items.len()).map(|index| self.candidate(index, &on_path)).collect();
        let present = |name: &&&str| self.host.var(name).is_some_and(|value| !value.is_empty());
        let auth_variables = self.spec.auth_variables.iter().filter(present).map(|&name| name.to_owned()).collect();
        let skipped = ShellReport { shell: None, status: ShellStatus::Skipped, elapsed_ms: 0 };
        let guidance = binary.is_none().then(|| advice::advise(self));
        Search {
            agent: self.spec.id.clone(),
            chosen: binary.as_ref().map(|binary| binary.found.clone()),
            binary,
            candidates,
            login_shell: self.told.as_ref().map_or(skipped, |told| told.report.clone()),
            path: folders,
            auth_variables,
            child_environments: Vec::new(),
            guidance,
        }
    }

    /// What became of an item, in words.
    fn candidate(&self, index: usize, on_path: &HashSet<OsString>) -> Candidate {
        let os = self.host.os;
        let item = &self.items[index];
        // One that was asked ahead of its turn is still open in the list.
        let state = match &item.state {
            State::Open => self.answers.get(&item.path).unwrap_or(&item.state),
            state => state,
        };
        let (verdict, mut detail) = match state {
            State::Open => (
                Verdict::Deferred,
                String::from(if self.is_found() { "not tried: a better one was taken" } else { "not tried" }),
            ),
            State::Refused(refusal) => (refusal.verdict, refusal.detail.clone()),
            State::Proven(proven) => {
                let verdict = if self.found == Some(index) { Verdict::Chosen } else { Verdict::Usable };
                let mut detail = format!("version {}", proven.version);
                if proven.target.program != item.path {
                    detail.push_str(&format!(", runs `{}`", proven.target.program.display()));
                }
                (verdict, detail)
            }
        };
        let folder = paths::parent(os, &item.path).filter(|_| verdict != Verdict::Missing);
        if let Some(folder) = folder.filter(|folder| !on_path.contains(&paths::key(os, folder))) {
            detail.push_str(&format!("; its folder `{}` is not on the PATH", folder.display()));
        }
        Candidate { path: item.path.clone(), via: item.via, verdict, detail }
    }

    fn binary(&self, item: &Item) -> Option<Binary> {
        let State::Proven(proven) = &item.state else { return None };
        let vars = self.told.as_ref().and_then(|told| told.vars.as_ref());
        Some(Binary {
            program: proven.target.program.clone(),
            first_args: proven.target.first_args.clone(),
            found: item.path.clone(),
            via: item.via,
            version: proven.version.clone(),
            search_path: self.search_path(&proven.start),
            login_env: vars.map(|vars| environment::carried(self.host, vars)).unwrap_or_default(),
        })
    }
}
