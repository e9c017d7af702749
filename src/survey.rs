//! What planning must know of the disk, looked up beforehand so that planning stays a function: the agent's adapter says
//! where to look, this module looks, and what was seen is handed to the plan as data. Reads only.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use crate::adapters::Adapter;
use crate::env::HostEnv;
use crate::request::Request;

/// The most of a file that is read.
const MAX_FILE: u64 = 1 << 20;
/// How often an adapter may ask again, knowing what was seen.
const ROUNDS: usize = 4;
/// The most names of a folder that are read.
const MAX_NAMES: usize = 128;
/// The most places looked at in a round.
const MAX_LOOKS: usize = 512;
/// The most files of one name that are told.
const MAX_NAMED: usize = 256;
/// The most files and folders that are looked at for links, and the most links that are told.
const MAX_ENTRIES: usize = 200_000;
const MAX_LINKS: usize = 512;

/// A question about the disk.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Look {
    /// What a file holds.
    Text(PathBuf),
    /// What is at a path.
    Kind(PathBuf),
    /// Where a path leads, all links followed.
    Real(PathBuf),
    /// What lies in a folder.
    Names(PathBuf),
    /// What of it begins with a dot. None is left out: a folder with too much to look at is `Unreadable`.
    Hidden(PathBuf),
    /// The links below a folder, at any depth, that lead out of it, to nowhere, or to something hidden in it. Where there is one,
    /// links to folders too: they give it another name.
    Links(PathBuf),
    /// The files of this name below a folder, at any depth, links followed; by the path that was gone and as they really are.
    Named(PathBuf, &'static str),
    /// Where private folders are made, all links followed.
    PrivateRoot,
}

/// What was seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    Missing,
    /// There, and it could not be read or is larger than the bound.
    Unreadable,
    Text(Vec<u8>),
    File,
    Folder,
    /// Sorted, and cut to a bound.
    Names(Vec<std::ffi::OsString>),
    Path(PathBuf),
    /// Sorted. Nothing is left out: a folder with too many to look at is `Unreadable`.
    Links(Vec<PathBuf>),
    /// The same.
    Files(Vec<PathBuf>),
}

/// All that was seen for one plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Survey {
    seen: BTreeMap<Look, Seen>,
}

impl Survey {
    /// Looks where the adapter wants to, until it asks for nothing new. Blocks on the disk.
    pub(crate) fn take(adapter: &dyn Adapter, request: &Request, host: &HostEnv) -> Survey {
        let mut survey = Survey::default();
        for _ in 0..ROUNDS {
            let looks = adapter.looks(request, host, &survey);
            let new: Vec<Look> = looks.into_iter().filter(|look| !survey.seen.contains_key(look)).collect();
            if new.is_empty() {
                break;
            }
            for look in new.into_iter().take(MAX_LOOKS) {
                let seen = look_at(&look);
                survey.seen.insert(look, seen);
            }
        }
        survey
    }

    /// A survey that was made up, for tests of plans.
    #[cfg(test)]
    pub(crate) fn of(seen: impl IntoIterator<Item = (Look, Seen)>) -> Survey {
        Survey { seen: seen.into_iter().collect() }
    }

    /// With more that was made up.
    #[cfg(test)]
    pub(crate) fn and(mut self, seen: impl IntoIterator<Item = (Look, Seen)>) -> Survey {
        self.seen.extend(seen);
        self
    }

    /// What was seen; missing where nobody looked.
    pub(crate) fn seen(&self, look: &Look) -> &Seen {
        self.seen.get(look).unwrap_or(&Seen::Missing)
    }

    /// Where a path leads, if anywhere.
    pub(crate) fn real(&self, path: &Path) -> Option<&Path> {
        match self.seen(&Look::Real(path.to_path_buf())) {
            Seen::Path(real) => Some(real),
            _ => None,
        }
    }

    /// Where private folders are made.
    pub(crate) fn private_root(&self) -> Option<&Path> {
        match self.seen(&Look::PrivateRoot) {
            Seen::Path(root) => Some(root),
            _ => None,
        }
    }

    /// Whether anything is at a path.
    pub(crate) fn exists(&self, path: &Path) -> bool {
        *self.seen(&Look::Kind(path.to_path_buf())) != Seen::Missing
    }
}

fn look_at(look: &Look) -> Seen {
    match look {
        Look::Text(path) => text(path),
        Look::Kind(path) => match std::fs::metadata(path) {
            Ok(meta) if meta.is_dir() => Seen::Folder,
            Ok(_) => Seen::File,
            Err(error) if is_missing(&error) => Seen::Missing,
            Err(_) => Seen::Unreadable,
        },
        Look::Real(path) => real(path),
        Look::Names(path) => names(path),
        Look::Hidden(path) => hidden(path),
        Look::Named(path, name) => named(path, name),
        Look::Links(path) => links(path),
        Look::PrivateRoot => real(&std::env::temp_dir()),
    }
}

fn real(path: &Path) -> Seen {
    std::fs::canonicalize(path).map_or(Seen::Missing, Seen::Path)
}

fn names(path: &Path) -> Seen {
    let entries = match std::fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if is_missing(&error) => return Seen::Missing,
        Err(_) => return Seen::Unreadable,
    };
    let mut names: Vec<_> = entries.take(MAX_NAMES).flatten().map(|entry| entry.file_name()).collect();
    names.sort();
    Seen::Names(names)
}

fn hidden(path: &Path) -> Seen {
    let entries = match std::fs::read_dir(path) {
        Ok(entries) => entries,
        Err(error) if is_missing(&error) => return Seen::Missing,
        Err(_) => return Seen::Unreadable,
    };
    let mut names = Vec::new();
    for (at, entry) in entries.enumerate() {
        let Ok(name) = entry.map(|entry| entry.file_name()) else { return Seen::Unreadable };
        if name.as_encoded_bytes().starts_with(b".") {
            names.push(name);
        }
        if at >= MAX_ENTRIES || names.len() > MAX_LINKS {
            return Seen::Unreadable;
        }
    }
    names.sort();
    Seen::Names(names)
}

fn named(root: &Path, name: &str) -> Seen {
    let (mut folders, mut entries) = (vec![root.to_path_buf()], 0);
    let (mut walked, mut files) = (BTreeSet::new(), BTreeSet::new());
    while let Some(folder) = folders.pop() {
        // Links may lead in a circle.
        if !std::fs::canonicalize(&folder).is_ok_and(|real| walked.insert(real)) {
            continue;
        }
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            entries += 1;
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if entry.file_name() == name {
                files.extend(std::fs::canonicalize(&path));
                files.insert(path);
            }
            if entries > MAX_ENTRIES || files.len() > MAX_NAMED {
                return Seen::Unreadable;
            }
        }
    }
    Seen::Files(files.into_iter().collect())
}

/// Walks a folder; what a link leads to is not walked.
fn links(root: &Path) -> Seen {
    let Ok(real) = std::fs::canonicalize(root) else { return Seen::Missing };
    let (mut folders, mut entries) = (vec![root.to_path_buf()], 0);
    let (mut links, mut aliases) = (Vec::new(), Vec::new());
    while let Some(folder) = folders.pop() {
        // What cannot be read here cannot be read by the agent either.
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            entries += 1;
            let (Ok(kind), path) = (entry.file_type(), entry.path()) else { continue };
            if kind.is_dir() {
                folders.push(path);
            } else if kind.is_symlink() {
                if leads_away(&path, &real) {
                    links.push(path);
                } else if path.is_dir() {
                    aliases.push(path);
                }
            }
            if entries > MAX_ENTRIES || links.len() + aliases.len() > MAX_LINKS {
                return Seen::Unreadable;
            }
        }
    }
    if !links.is_empty() {
        links.append(&mut aliases);
    }
    links.sort();
    Seen::Links(links)
}

/// Whether a link leads out of a folder, to nowhere, or to something hidden in the folder.
fn leads_away(link: &Path, folder: &Path) -> bool {
    let Ok(target) = std::fs::canonicalize(link) else { return true };
    let Ok(below) = target.strip_prefix(folder) else { return true };
    below.iter().any(|part| part.as_encoded_bytes().starts_with(b"."))
}

fn text(path: &Path) -> Seen {
    // Anything but a file could block the reader.
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_file() => {}
        Ok(_) => return Seen::Missing,
        Err(error) if is_missing(&error) => return Seen::Missing,
        Err(_) => return Seen::Unreadable,
    }
    let mut bytes = Vec::new();
    let read = std::fs::File::open(path).and_then(|file| file.take(MAX_FILE + 1).read_to_end(&mut bytes));
    match read {
        Ok(_) if bytes.len() as u64 <= MAX_FILE => Seen::Text(bytes),
        _ => Seen::Unreadable,
    }
}

fn is_missing(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn every_hidden_name_of_a_folder_is_seen_however_much_else_lies_there() {
        let place = tempfile::tempdir().expect("a temp folder can be made");
        for at in 0..2 * MAX_NAMES {
            std::fs::write(place.path().join(format!("{at}.md")), "").expect("the folder is writable");
        }
        for name in [".b", ".a"] {
            std::fs::create_dir(place.path().join(name)).expect("the folder is new");
        }
        let seen = look_at(&Look::Hidden(place.path().to_path_buf()));
        assert_eq!(seen, Seen::Names(vec![".a".into(), ".b".into()]));
        for at in 0..MAX_LINKS {
            std::fs::write(place.path().join(format!(".{at}")), "").expect("the folder is writable");
        }
        assert_eq!(look_at(&Look::Hidden(place.path().to_path_buf())), Seen::Unreadable);
    }

    #[test]
    fn every_file_of_a_name_is_seen_at_any_depth_and_behind_links_or_there_are_too_many() {
        let place = tempfile::tempdir().expect("a temp folder can be made");
        let root = std::fs::canonicalize(place.path()).expect("it is there");
        let write = |path: &str| {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("the folder can be made");
            std::fs::write(path, "").expect("the folder is writable");
        };
        ["in/a/SKILL.md", "in/a/b/c/SKILL.md", "in/other.md", "elsewhere/SKILL.md"].iter().for_each(|path| write(path));
        symlink("../elsewhere", root.join("in/link")).expect("the link is new");
        let look = Look::Named(root.join("in"), "SKILL.md");
        let paths = ["elsewhere/SKILL.md", "in/a/SKILL.md", "in/a/b/c/SKILL.md", "in/link/SKILL.md"];
        assert_eq!(look_at(&look), Seen::Files(paths.map(|path| root.join(path)).into()));
        assert_eq!(look_at(&Look::Named(root.join("none"), "SKILL.md")), Seen::Files(Vec::new()));
        symlink("..", root.join("in/a/up")).expect("the link is new");
        assert_eq!(look_at(&look), Seen::Files(paths.map(|path| root.join(path)).into()), "links in a circle end");
        (0..=MAX_NAMED).for_each(|at| write(&format!("in/{at}/SKILL.md")));
        assert_eq!(look_at(&look), Seen::Unreadable);
    }

    #[test]
    fn links_that_lead_out_of_a_folder_to_nowhere_or_to_something_hidden_are_found_at_any_depth() {
        let place = tempfile::tempdir().expect("a temp folder can be made");
        let vault = place.path().join("vault");
        for folder in ["vault/.git/hooks", "vault/a/b", "outside"] {
            std::fs::create_dir_all(place.path().join(folder)).expect("the folder is new");
        }
        std::fs::write(vault.join("a/note.md"), "").expect("the folder is ours");
        let link = |target: &str, name: &str| symlink(target, vault.join(name)).expect("the link is new");
        link("a/note.md", "inside.md");
        link("a", "alias");
        assert_eq!(links(&vault), Seen::Links(Vec::new()), "none leads away");
        link("../../../outside", "a/b/out");
        link("../outside/new.md", "nowhere.md");
        link(".git/hooks", "hooks");
        link("loop", "loop");
        let found = ["a/b/out", "alias", "hooks", "loop", "nowhere.md"].map(|name| vault.join(name));
        assert_eq!(links(&vault), Seen::Links(found.to_vec()), "links to folders count where one leads away");
        assert_eq!(links(&place.path().join("missing")), Seen::Missing);
        for at in 0..=MAX_LINKS {
            symlink("/", vault.join(format!("{at}"))).expect("the link is new");
        }
        assert_eq!(links(&vault), Seen::Unreadable, "too many to be named are not left out");
    }
}
