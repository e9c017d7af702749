//! What discovery reads from the disk, behind one trait, so that the tables of every system are tested on each.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// What is at a path, links followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    /// Nothing, or a link to nothing.
    Missing {
        /// Whether there is a link.
        dangling: bool,
    },
    /// A file.
    File {
        /// Whether this process may run it.
        executable: bool,
    },
    /// A folder, socket or the like.
    Other,
    /// It cannot be looked at, with the system's reason.
    Unreadable(String),
}

/// What tells a file at a path from another one there, or from itself before a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    size: u64,
    modified: Option<SystemTime>,
}

/// The disk, read only.
pub(crate) trait Disk: Sync {
    /// What is at `path`.
    fn look(&self, path: &Path) -> Look;

    /// The names in a folder; none where it cannot be read.
    fn names(&self, folder: &Path) -> Vec<OsString>;

    /// A small text file, at most 64 KiB of it, as far as it is text.
    fn text(&self, file: &Path) -> Option<String>;

    /// The first bytes of a file.
    fn head(&self, file: &Path) -> Vec<u8>;

    /// The path with all links followed.
    fn real(&self, path: &Path) -> Option<PathBuf>;
}

/// The disk of this machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RealDisk;

impl RealDisk {
    /// The identity of a file, or none where there is no file.
    pub(crate) fn identity(path: &Path) -> Option<Identity> {
        let meta = std::fs::metadata(path).ok()?;
        meta.is_file().then(|| Identity { size: meta.len(), modified: meta.modified().ok() })
    }

    fn read(file: &Path, limit: u64) -> Option<Vec<u8>> {
        use std::io::Read;
        // A named pipe of that name would block the read for ever.
        if !std::fs::metadata(file).ok()?.is_file() {
            return None;
        }
        let mut bytes = Vec::new();
        std::fs::File::open(file).ok()?.take(limit).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }
}

impl Disk for RealDisk {
    fn look(&self, path: &Path) -> Look {
        match std::fs::metadata(path) {
            Ok(meta) if meta.is_file() => Look::File { executable: may_run(path) },
            Ok(_) => Look::Other,
            Err(error) => match error.kind() {
                std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
                    Look::Missing { dangling: std::fs::symlink_metadata(path).is_ok() }
                }
                _ => Look::Unreadable(error.to_string()),
            },
        }
    }

    fn names(&self, folder: &Path) -> Vec<OsString> {
        let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
        let mut names: Vec<OsString> = entries.flatten().map(|entry| entry.file_name()).collect();
        names.sort();
        names
    }

    fn text(&self, file: &Path) -> Option<String> {
        Self::read(file, 64 * 1024).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    fn head(&self, file: &Path) -> Vec<u8> {
        Self::read(file, 4096).unwrap_or_default()
    }

    fn real(&self, path: &Path) -> Option<PathBuf> {
        std::fs::canonicalize(path).ok()
    }
}

/// Whether a process may be started in this folder.
pub(crate) fn may_enter(folder: &Path) -> bool {
    folder.is_dir() && may_run(folder)
}

#[cfg(unix)]
fn may_run(path: &Path) -> bool {
    nix::unistd::access(path, nix::unistd::AccessFlags::X_OK).is_ok()
}

#[cfg(not(unix))]
fn may_run(_path: &Path) -> bool {
    // Windows runs a file by its extension, which the walk has checked.
    true
}
