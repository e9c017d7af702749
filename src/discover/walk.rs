//! Walks a list of folders for a program, in-process, with the library `which`.
//!
//! `which` sees the world through [`System`]: the folders, extensions and disk handed in, never the environment or the
//! working directory of this process. What it passes over is kept with the reason.

use std::cell::RefCell;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use super::Verdict;
use super::disk::{Disk, Look};
use super::paths;
use crate::env::{HostEnv, Os};

/// A file or place that a walk came by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    /// The path.
    pub(crate) path: PathBuf,
    /// Why it does not count, where it does not.
    pub(crate) refused: Option<(Verdict, String)>,
}

/// Every place where `program` could be in `folders`, in order, each folder with what was found there or missing.
pub(crate) fn walk(disk: &dyn Disk, host: &HostEnv, folders: &[PathBuf], program: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    for folder in folders {
        let system =
            System { disk, os: host.os, folder, extensions: extensions(host), passed: RefCell::new(Vec::new()) };
        let config = which::WhichConfig::new_with_sys(&system)
            .system_cwd(false)
            .binary_name(program.into())
            .custom_path_list(folder.into());
        let hits: Vec<PathBuf> = config.all_results().map(Iterator::collect).unwrap_or_default();
        let mut found: Vec<Step> =
            hits.into_iter().map(|path| Step { path: written(host.os, path), refused: None }).collect();
        let passed = system.passed.take();
        found.extend(passed.into_iter().map(|(path, verdict, why)| Step { path, refused: Some((verdict, why)) }));
        if found.is_empty() {
            found.push(Step {
                path: paths::below(host.os, folder, program),
                refused: Some((Verdict::Missing, "not there".into())),
            });
        }
        steps.append(&mut found);
    }
    steps
}

/// The extensions that count on Windows, best first; none elsewhere.
///
/// `PATHEXT` may leave one out and decides nothing else: its own order would put `.bat` before a real program, and
/// `.js` or `.ps1` open an editor or are blocked by policy. Unset, or without any of these, all count.
pub(crate) fn extensions(host: &HostEnv) -> Vec<String> {
    const RUNNABLE: [&str; 4] = [".exe", ".com", ".cmd", ".bat"];
    if host.os != Os::Windows {
        return Vec::new();
    }
    let listed = host.var("PATHEXT").map(|list| list.to_string_lossy().to_lowercase()).unwrap_or_default();
    let listed: Vec<&str> = listed.split(';').map(str::trim).collect();
    let kept: Vec<String> =
        RUNNABLE.iter().filter(|extension| listed.contains(extension)).map(|&e| e.to_owned()).collect();
    if kept.is_empty() { RUNNABLE.map(str::to_owned).to_vec() } else { kept }
}

/// One folder as `which` sees it.
struct System<'a> {
    disk: &'a dyn Disk,
    os: Os,
    folder: &'a Path,
    extensions: Vec<String>,
    passed: RefCell<Vec<(PathBuf, Verdict, String)>>,
}

impl System<'_> {
    fn check(&self, path: &Path) -> io::Result<Meta> {
        let path = written(self.os, path.to_path_buf());
        let pass = |verdict, why: String| self.passed.borrow_mut().push((path.clone(), verdict, why));
        let name = paths::name(self.os, &path).to_lowercase();
        let runnable = self.extensions.is_empty() || self.extensions.iter().any(|end| name.ends_with(end.as_str()));
        match self.disk.look(&path) {
            Look::Missing { dangling: false } => {}
            Look::Missing { dangling: true } => pass(Verdict::Missing, "a link to a file that is gone".into()),
            Look::Other => pass(Verdict::NotAFile, "not a file".into()),
            Look::Unreadable(reason) => pass(Verdict::Missing, format!("cannot be looked at: {reason}")),
            Look::File { .. } if !runnable => {
                pass(Verdict::NotExecutable, "a file without an extension that Windows runs".into());
            }
            Look::File { executable: false } => pass(Verdict::NotExecutable, "not marked as executable".into()),
            Look::File { executable: true } => return Ok(Meta),
        }
        Err(io::ErrorKind::NotFound.into())
    }
}

/// A path of Windows as it is written there, although `which` joined it by the rules of this system.
fn written(os: Os, path: PathBuf) -> PathBuf {
    if os == Os::Windows && !cfg!(windows) {
        return PathBuf::from(path.to_string_lossy().replace('/', "\\"));
    }
    path
}

/// The metadata of a file that counts.
struct Meta;

impl which::sys::SysMetadata for Meta {
    fn is_symlink(&self) -> bool {
        false
    }

    fn is_file(&self) -> bool {
        true
    }
}

/// No entry: `which` lists folders only for patterns and the casing of names, which are not asked for.
struct NoEntry;

impl which::sys::SysReadDirEntry for NoEntry {
    fn file_name(&self) -> OsString {
        OsString::new()
    }

    fn path(&self) -> PathBuf {
        PathBuf::new()
    }
}

impl which::sys::Sys for System<'_> {
    type ReadDirEntry = NoEntry;
    type Metadata = Meta;

    fn is_windows(&self) -> bool {
        self.os == Os::Windows
    }

    fn current_dir(&self) -> io::Result<PathBuf> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn home_dir(&self) -> Option<PathBuf> {
        None
    }

    fn env_split_paths(&self, _paths: &OsStr) -> Vec<PathBuf> {
        vec![self.folder.to_path_buf()]
    }

    fn env_path(&self) -> Option<OsString> {
        None
    }

    fn env_path_ext(&self) -> Option<OsString> {
        Some(self.extensions.join(";").into())
    }

    fn metadata(&self, path: &Path) -> io::Result<Meta> {
        self.check(path)
    }

    fn symlink_metadata(&self, path: &Path) -> io::Result<Meta> {
        self.check(path)
    }

    fn read_dir(&self, _path: &Path) -> io::Result<Box<dyn Iterator<Item = io::Result<NoEntry>>>> {
        Ok(Box::new(std::iter::empty()))
    }

    fn is_valid_executable(&self, _path: &Path) -> io::Result<bool> {
        // `check` has looked already.
        Ok(true)
    }
}
