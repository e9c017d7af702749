//! Looks at what other programs obey in a vault before a Safe run and after it, and says what is different.
//!
//! The last line behind the agents' own permissions: it depends on nothing that the agent says. Reads only, follows no
//! link, and is bounded in entries, bytes and time, whatever the vault holds. Blames nobody: the person, another program
//! or another run may write there at the same time.

use std::collections::BTreeMap;
use std::collections::hash_map::RandomState;
use std::fs::{File, Metadata};
use std::hash::BuildHasher as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::adapters::obeyed::Obeyed;

/// How long a start waits for the first look. An agent takes longer than that to begin.
const PATIENCE: Duration = Duration::from_millis(20);

/// How long one look may take. On a disk that is slower nothing is compared, and the run says so.
const LIMIT: Duration = Duration::from_secs(1);

/// The most entries of one place, and of a folder in it.
const ENTRIES: usize = 1024;

/// The most entries of all places, beside the first of each.
const ALL_ENTRIES: usize = 4096;

/// The first entries of a place, which are looked at however much lies in those before it.
const SHARE: usize = 64;

/// How many folders deep a place is looked at.
const DEPTH: usize = 6;

/// Files up to this size are compared by what they hold, larger ones by size and time.
const SMALL: u64 = 64 * 1024;

/// The most bytes that are read of all files.
const ALL_BYTES: u64 = 4 * 1024 * 1024;

/// The most names that are told.
const TOLD: usize = 8;

/// The longest name that is told, in characters.
const NAME: usize = 120;

/// Only so many look at the same time, so that many runs that end at once do not take a thread each.
static LOOKING: Semaphore = Semaphore::const_new(2);

/// A vault that is watched during one run.
#[derive(Debug)]
pub(crate) struct Watch {
    vault: PathBuf,
    places: &'static [Obeyed],
    seed: RandomState,
    before: JoinHandle<Option<Snapshot>>,
}

impl Watch {
    /// Looks for the first time, on another thread; `None` where there is nothing to watch. Blocks for a short while, so
    /// that the agent commonly does not start before the look is over.
    pub(crate) fn begin(runtime: &Handle, vault: &Path, places: &'static [Obeyed]) -> Option<Watch> {
        if places.is_empty() {
            return None;
        }
        let (vault, seed) = (vault.to_path_buf(), RandomState::new());
        let (folder, own) = (vault.clone(), seed.clone());
        let (done, wait) = std::sync::mpsc::sync_channel::<()>(0);
        let before = runtime.spawn_blocking(move || {
            let seen = look(&folder, places, &own);
            drop(done);
            seen
        });
        // The other end is dropped when the look is over.
        let _ = wait.recv_timeout(PATIENCE);
        Some(Watch { vault, places, seed, before })
    }

    /// Looks again, once nothing of the agent is left, and says what is different, in words. `None` where nothing is, or
    /// where there is no time to look.
    pub(crate) async fn end(self, agent: &str, hurry: &CancellationToken) -> Option<String> {
        tokio::select! {
            told = self.compare(agent) => told,
            () = hurry.cancelled() => None,
        }
    }

    async fn compare(self, agent: &str) -> Option<String> {
        let Watch { vault, places, seed, before } = self;
        let after = async {
            let _permit = LOOKING.acquire().await.ok()?;
            tokio::task::spawn_blocking(move || look(&vault, places, &seed)).await.ok().flatten()
        };
        let both = async { before.await.ok().flatten().zip(after.await) };
        match tokio::time::timeout(2 * LIMIT, both).await {
            Ok(Some((before, after))) => told(agent, &differences(&before, &after)),
            _ => Some(String::from(
                "The disk of the vault is too slow to check whether settings of other programs changed in it during the run.",
            )),
        }
    }
}

/// What was seen at each place, in the order of the places.
type Snapshot = Vec<Place>;

/// What lies at and in one place.
#[derive(Debug, Default, PartialEq)]
struct Place {
    /// By depth, then by path.
    entries: BTreeMap<Key, Entry>,
    /// From where on nothing is known, as there is too much.
    end: Option<Key>,
}

type Key = (usize, PathBuf);

#[derive(Debug, PartialEq)]
struct Entry {
    kind: Kind,
    /// The permissions on unix: a hook may only lack the right to run.
    mode: u32,
    size: u64,
    modified: Option<SystemTime>,
    /// What it holds, where that was looked at.
    content: Option<u64>,
}

#[derive(Debug, PartialEq, Eq)]
enum Kind {
    File,
    Folder,
    Link(PathBuf),
    Other,
    Unreadable,
}

impl Entry {
    fn is_as(&self, before: &Entry) -> bool {
        let same = self.kind == before.kind && self.mode == before.mode;
        same && match (self.kind == Kind::File, self.content, before.content) {
            (false, ..) => true,
            (true, Some(now), Some(then)) => now == then && self.size == before.size,
            (true, ..) => self.size == before.size && self.modified == before.modified,
        }
    }
}

/// One look at all places; `None` where it takes too long.
fn look(vault: &Path, places: &[Obeyed], seed: &RandomState) -> Option<Snapshot> {
    let mut look = Look { vault, seed, until: Instant::now() + LIMIT, entries: ALL_ENTRIES, bytes: ALL_BYTES };
    places.iter().map(|place| look.place(place)).collect()
}

struct Look<'a> {
    vault: &'a Path,
    seed: &'a RandomState,
    until: Instant,
    entries: usize,
    bytes: u64,
}

impl Look<'_> {
    /// Level by level, each sorted, so that what lies near the top is seen before what lies deep.
    fn place(&mut self, obeyed: &Obeyed) -> Option<Place> {
        let mut place = Place::default();
        if self.is_behind_a_link(Path::new(obeyed.path)) {
            return Some(place);
        }
        let mut level = vec![PathBuf::from(obeyed.path)];
        for depth in 0..=DEPTH {
            let mut next = Vec::new();
            for path in level {
                if Instant::now() > self.until {
                    return None;
                }
                let key = (depth, path);
                if place.end.as_ref().is_some_and(|end| key >= *end) {
                    break;
                }
                let own = place.entries.len() < SHARE;
                if (self.entries == 0 && !own) || place.entries.len() == ENTRIES {
                    place.end = Some(key);
                    break;
                }
                let Some(entry) = self.entry(&key.1) else { continue };
                self.entries = self.entries.saturating_sub(usize::from(!own));
                if entry.kind == Kind::Folder && obeyed.within && depth < DEPTH {
                    match self.names(&key.1, obeyed.except) {
                        Some(names) => next.extend(names),
                        // Too many to sort: of this level nothing more is known, from here on.
                        None => {
                            let end = (depth + 1, key.1.clone());
                            place.end = Some(place.end.map_or(end.clone(), |known| known.min(end)));
                        }
                    }
                }
                place.entries.insert(key, entry);
            }
            level = next;
        }
        Some(place)
    }

    /// Whether a folder above a place is a link: then what it leads to is not the vault's.
    fn is_behind_a_link(&self, path: &Path) -> bool {
        let above = path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty());
        let mut kinds = above.map(|above| self.vault.join(above).symlink_metadata());
        kinds.any(|kind| kind.is_ok_and(|kind| kind.is_symlink()))
    }

    /// What lies in a folder, sorted; `None` where it is too much.
    fn names(&self, folder: &Path, except: &[&str]) -> Option<Vec<PathBuf>> {
        let Ok(entries) = std::fs::read_dir(self.vault.join(folder)) else { return Some(Vec::new()) };
        let names: Vec<_> = entries.flatten().map(|entry| entry.file_name()).take(ENTRIES + 1).collect();
        if names.len() > ENTRIES {
            return None;
        }
        let steers = |name: &std::ffi::OsString| !except.iter().any(|except| name == except);
        let mut paths: Vec<_> = names.into_iter().filter(steers).map(|name| folder.join(name)).collect();
        paths.sort();
        Some(paths)
    }

    fn entry(&mut self, path: &Path) -> Option<Entry> {
        let full = self.vault.join(path);
        let nothing = |kind| Entry { kind, mode: 0, size: 0, modified: None, content: None };
        let meta = match full.symlink_metadata() {
            Ok(meta) => meta,
            Err(error) if is_missing(&error) => return None,
            Err(_) => return Some(nothing(Kind::Unreadable)),
        };
        let kind = if meta.is_symlink() {
            Kind::Link(std::fs::read_link(&full).unwrap_or_default())
        } else if meta.is_dir() {
            Kind::Folder
        } else if meta.is_file() {
            Kind::File
        } else {
            Kind::Other
        };
        if kind != Kind::File {
            return Some(nothing(kind));
        }
        let content = (meta.len() <= SMALL.min(self.bytes)).then(|| content(&full, self.seed)).flatten();
        self.bytes -= content.map_or(0, |_| meta.len().min(self.bytes));
        Some(Entry { kind, mode: mode(&meta), size: meta.len(), modified: meta.modified().ok(), content })
    }
}

fn is_missing(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

#[cfg(unix)]
fn mode(meta: &Metadata) -> u32 {
    std::os::unix::fs::PermissionsExt::mode(&meta.permissions())
}

#[cfg(not(unix))]
fn mode(_: &Metadata) -> u32 {
    0
}

/// What a small file holds, as a number that nobody can aim at.
fn content(path: &Path, seed: &RandomState) -> Option<u64> {
    let mut options = File::options();
    options.read(true);
    // It was a file a moment ago. A link or a pipe in its place is not waited for.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        (nix::fcntl::OFlag::O_NOFOLLOW | nix::fcntl::OFlag::O_NONBLOCK).bits(),
    );
    let file = options.open(path).ok()?;
    file.metadata().ok().filter(Metadata::is_file)?;
    let mut bytes = Vec::new();
    file.take(SMALL + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= SMALL).then(|| seed.hash_one(&bytes))
}

/// How an entry is different.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    New,
    Changed,
    Removed,
}

/// What is different, by path.
fn differences(before: &Snapshot, after: &Snapshot) -> BTreeMap<PathBuf, What> {
    let mut different = BTreeMap::new();
    for (before, after) in before.iter().zip(after) {
        // Beyond the end of either nothing can be said.
        let known = |key: &Key| [&before.end, &after.end].into_iter().flatten().all(|end| key < end);
        for (key, now) in after.entries.iter().filter(|(key, _)| known(key)) {
            match before.entries.get(key) {
                None => drop(different.insert(key.1.clone(), What::New)),
                Some(then) if !now.is_as(then) => drop(different.insert(key.1.clone(), What::Changed)),
                Some(_) => {}
            }
        }
        let gone = before.entries.keys().filter(|key| known(key) && !after.entries.contains_key(*key));
        different.extend(gone.map(|key| (key.1.clone(), What::Removed)));
    }
    // A folder that is new or gone says no more than what lies in it.
    let paths: Vec<PathBuf> = different.keys().cloned().collect();
    different.retain(|path, _| !paths.iter().any(|other| other != path && other.starts_with(path)));
    different
}

/// The words for what is different, if anything is.
fn told(agent: &str, different: &BTreeMap<PathBuf, What>) -> Option<String> {
    if different.is_empty() {
        return None;
    }
    let names = different.iter().take(TOLD).map(|(path, what)| {
        let what = match what {
            What::New => "new",
            What::Changed => "changed",
            What::Removed => "removed",
        };
        // Whoever wrote the file chose its name.
        let name: String = path.to_string_lossy().replace(['\\', '`'], "/").chars().take(NAME).collect();
        let name: String = name.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
        format!("`{name}` ({what})")
    });
    let names: Vec<String> = names.collect();
    let more = different.len().saturating_sub(TOLD);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Some(format!(
        "While the run was going on, files changed in the vault that other programs run or obey: {}{more}. Safe mode gives \
         {agent} no such change, so look at them before you open the vault in another agent or editor. It may also have been \
         you, another program or another run.",
        names.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A vault with these files.
    fn vault(files: &[(&str, &str)]) -> tempfile::TempDir {
        let vault = tempfile::tempdir().unwrap();
        files.iter().for_each(|(path, text)| write(&vault, path, text));
        vault
    }

    fn write(vault: &tempfile::TempDir, path: &str, text: &str) {
        let path = vault.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// What is different after `change`.
    fn different(files: &[(&str, &str)], change: impl FnOnce(&tempfile::TempDir)) -> Vec<(String, What)> {
        let (vault, seed) = (vault(files), RandomState::new());
        let look = || look(vault.path(), crate::adapters::obeyed::OBEYED, &seed).unwrap();
        let before = look();
        change(&vault);
        let different = differences(&before, &look());
        different.into_iter().map(|(path, what)| (path.to_str().unwrap().replace('\\', "/"), what)).collect()
    }

    fn was(path: &str, what: What) -> (String, What) {
        (path.to_owned(), what)
    }

    #[test]
    fn what_is_new_changed_or_removed_is_named_and_notes_are_not() {
        let before =
            [("note.md", "a"), (".claude/settings.json", "{}"), (".vscode/tasks.json", "{}"), (".git/HEAD", "x")];
        let found = different(&before, |vault| {
            write(vault, "note.md", "b");
            write(vault, "new.md", "b");
            write(vault, "AGENTS.md", "b");
            write(vault, ".git/HEAD", "y");
            write(vault, ".claude/settings.json", "[]");
            write(vault, ".git/hooks/post-commit", "#!");
            write(vault, "opencode.json", "{}");
            std::fs::remove_dir_all(vault.path().join(".vscode")).unwrap();
        });
        let expected = [
            was(".claude/settings.json", What::Changed),
            was(".git/hooks/post-commit", What::New),
            was(".vscode/tasks.json", What::Removed),
            was("opencode.json", What::New),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn the_same_bytes_written_again_are_no_change_and_a_forged_time_hides_none() {
        let again = different(&[(".mcp.json", "{}")], |vault| write(vault, ".mcp.json", "{}"));
        assert_eq!(again, []);
        let forged = different(&[(".mcp.json", "{}")], |vault| {
            let path = vault.path().join(".mcp.json");
            let time = path.metadata().unwrap().modified().unwrap();
            write(vault, ".mcp.json", "[]");
            File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        });
        assert_eq!(forged, [was(".mcp.json", What::Changed)]);
    }

    #[test]
    fn what_changes_by_itself_is_let_alone() {
        let found = different(&[(".obsidian/plugins/a/data.json", "1"), (".obsidian/workspace.json", "1")], |vault| {
            write(vault, ".obsidian/plugins/a/data.json", "2");
            write(vault, ".obsidian/workspace.json", "2");
            write(vault, ".obsidian/plugins/a/main.js", "2");
        });
        assert_eq!(found, [was(".obsidian/plugins/a/main.js", What::New)]);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_compared_and_not_followed_and_a_pipe_is_not_read() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let outside = vault(&[("settings.json", "{}"), ("hooks/pre-push", "")]);
        let found = different(&[(".github/x", "x")], |vault| {
            symlink(outside.path(), vault.path().join(".claude")).unwrap();
            symlink(outside.path(), vault.path().join(".git")).unwrap();
            nix::unistd::mkfifo(&vault.path().join(".mcp.json"), nix::sys::stat::Mode::S_IRWXU).unwrap();
            std::fs::set_permissions(vault.path().join(".github/x"), PermissionsExt::from_mode(0o755)).unwrap();
        });
        let expected = [
            was(".claude", What::New),
            was(".git", What::New),
            was(".github/x", What::Changed),
            was(".mcp.json", What::New),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_place_with_too_much_in_it_hides_nothing_near_its_top_and_tells_nothing_false() {
        let many: Vec<String> = (0..ENTRIES).map(|number| format!(".claude/worktrees/{number}.md")).collect();
        let files: Vec<(&str, &str)> = many.iter().map(|path| (path.as_str(), "")).collect();
        let found = different(&files, |vault| {
            write(vault, ".claude/settings.json", "{}");
            write(vault, ".claude/worktrees/0-new.md", "");
        });
        assert_eq!(found, [was(".claude/settings.json", What::New)]);
    }

    #[test]
    fn places_that_are_full_hide_none_behind_them() {
        let full = [".agents", ".claude", ".codex", ".copilot", ".cursor"];
        let many = full.iter().flat_map(|place| (0..ENTRIES - 1).map(move |number| format!("{place}/{number}")));
        let many: Vec<String> = many.collect();
        let files: Vec<(&str, &str)> = many.iter().map(|path| (path.as_str(), "")).collect();
        let found = different(&files, |vault| write(vault, ".git/hooks/pre-commit", "#!"));
        assert_eq!(found, [was(".git/hooks/pre-commit", What::New)]);
    }

    #[test]
    fn names_are_told_without_control_characters_and_not_without_end() {
        let names = (0..20).map(|number| (PathBuf::from(format!(".claude/{number:02}\u{1b}[2J")), What::New));
        let told = told("Codex", &names.collect()).unwrap();
        assert!(told.contains("`.claude/07\u{fffd}[2J` (new) and 12 more.") && !told.contains('\u{1b}'), "{told}");
        assert_eq!(super::told("Codex", &BTreeMap::new()), None);
    }
}
