//! The plugin that ships with this crate: `adrkit`, decision memory for Copilot.
//!
//! Owns its files and where they are written. Each run's agent reads them from a folder, so they must be on the disk.

use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::Plugin;

macro_rules! files {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("../../adapters/copilot/plugin/", $path)))),*]
    };
}

/// The plugin's files, by their path in it.
const FILES: &[(&str, &str)] = files![
    ".claude-plugin/plugin.json",
    "agents/decision-checker.md",
    "extensions/adrkit/changes.mjs",
    "extensions/adrkit/cli.mjs",
    "extensions/adrkit/extension.mjs",
    "extensions/adrkit/register.mjs",
    "extensions/adrkit/rejoin.mjs",
    "extensions/adrkit/review.mjs",
    "extensions/adrkit/session-dir.mjs",
    "extensions/adrkit/text.mjs",
    "extensions/adrkit/tools.mjs",
    "extensions/adrkit/validate.mjs",
];

/// The `adrkit` plugin in a private temporary folder, removed when this is dropped.
///
/// Keep it until the runs that use it have ended.
#[derive(Debug)]
pub struct ExportedPlugin {
    folder: TempDir,
}

impl ExportedPlugin {
    /// Writes the plugin into a fresh temporary folder that only this user can read.
    ///
    /// # Errors
    ///
    /// Where the folder cannot be written.
    pub fn adrkit() -> io::Result<ExportedPlugin> {
        let folder = private_temp("agent-launcher-plugin-", None)?;
        write(folder.path())?;
        Ok(ExportedPlugin { folder })
    }

    /// The plugin's folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The plugin, for a request.
    pub fn plugin(&self) -> Plugin {
        Plugin::new(self.path())
    }
}

/// Writes the `adrkit` plugin into `dir`, which must be missing or empty. Returns its absolute path.
///
/// On unix the folder and its files are for this user alone.
///
/// # Errors
///
/// Where `dir` holds something already, or cannot be written.
pub fn export_adrkit(dir: &Path) -> io::Result<PathBuf> {
    if std::fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "the folder is not empty"));
    }
    create_private(dir)?;
    let dir = std::path::absolute(dir)?;
    write(&dir)?;
    Ok(dir)
}

/// The `adrkit` plugin in a folder of its own below `cache`, written there unless it is there already, byte for byte.
/// Returns the folder.
///
/// The folder is named after the plugin's content, so versions of this crate do not disturb each other. On unix it is for
/// this user alone.
///
/// # Errors
///
/// Where it cannot be written.
pub fn adrkit_path(cache: &Path) -> io::Result<PathBuf> {
    let name = format!("adrkit-{:016x}", fingerprint());
    let dir = std::path::absolute(cache)?.join(&name);
    if is_intact(&dir) {
        return Ok(dir);
    }
    create_private(cache)?;
    // Written aside and moved, so that another process never sees a part of it.
    let fresh = private_temp(&name, Some(cache))?;
    write(fresh.path())?;
    if dir.symlink_metadata().is_ok() {
        // Not ours any more: out of the way, and removed with the temporary folder.
        let aside = private_temp(&name, Some(cache))?;
        std::fs::rename(&dir, aside.path().join("old"))?;
    }
    match std::fs::rename(fresh.path(), &dir) {
        Ok(()) => drop(fresh.keep()),
        // Another process was faster.
        Err(_) if is_intact(&dir) => {}
        Err(error) => return Err(error),
    }
    Ok(dir)
}

/// Whether the folder holds exactly the plugin.
fn is_intact(dir: &Path) -> bool {
    let same = |(path, text): &(&str, &str)| std::fs::read(dir.join(path)).is_ok_and(|bytes| bytes == text.as_bytes());
    let real = dir.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
    real && FILES.iter().all(same) && count(dir).is_ok_and(|found| found == FILES.len())
}

fn count(dir: &Path) -> io::Result<usize> {
    let mut files = 0;
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        files += if entry.file_type()?.is_dir() { count(&entry.path())? } else { 1 };
    }
    Ok(files)
}

/// A number that differs where the content does. Not a defence: [`is_intact`] compares the bytes.
fn fingerprint() -> u64 {
    let bytes = FILES.iter().flat_map(|(path, text)| path.bytes().chain(text.bytes()));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

fn write(dir: &Path) -> io::Result<()> {
    for (path, text) in FILES {
        let path = dir.join(path);
        if let Some(parent) = path.parent() {
            create_private(parent)?;
        }
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        io::Write::write_all(&mut options.open(&path)?, text.as_bytes())?;
    }
    Ok(())
}

/// A fresh folder below `parent`, or in the system's place. The mode is set, since by default it is the umask's.
fn private_temp(prefix: &str, parent: Option<&Path>) -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    match parent {
        Some(parent) => builder.tempdir_in(parent),
        None => builder.tempdir(),
    }
}

fn create_private(dir: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_are_those_of_the_source_folder_without_its_tests() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("adapters/copilot/plugin");
        let tests = count(&source.join("test")).unwrap();
        assert_eq!(count(&source).unwrap() - tests, FILES.len());
    }

    #[test]
    fn an_exported_plugin_can_be_read_and_goes_with_its_owner() {
        let exported = ExportedPlugin::adrkit().unwrap();
        let plugin = Plugin::read(exported.path()).unwrap();
        let manifest = plugin.manifest().unwrap();
        assert_eq!((manifest.name.as_str(), &manifest.extensions[..]), ("adrkit", &["adrkit".to_owned()][..]));
        assert!(manifest.keeps_file_hooks_out);
        let names: Vec<_> = manifest.tools.iter().map(|tool| (tool.name.as_str(), tool.skip_permission)).collect();
        assert_eq!(names, [("adr_check", true), ("adr_explain", true), ("adr_lint", true)]);
        let path = exported.path().to_owned();
        drop(exported);
        assert!(!path.exists());
    }

    #[cfg(unix)]
    #[test]
    fn what_is_written_is_for_this_user_alone() {
        use std::os::unix::fs::PermissionsExt;
        let top = tempfile::tempdir().unwrap();
        for dir in [export_adrkit(&top.path().join("a/b")).unwrap(), adrkit_path(&top.path().join("cache")).unwrap()] {
            for (path, mode) in [("", 0o700), ("extensions/adrkit", 0o700), ("extensions/adrkit/cli.mjs", 0o600)] {
                assert_eq!(dir.join(path).metadata().unwrap().permissions().mode() & 0o777, mode, "{path}");
            }
        }
    }

    #[test]
    fn a_folder_that_holds_something_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("mine"), "").unwrap();
        assert_eq!(export_adrkit(dir.path()).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(count(dir.path()).unwrap(), 1);
    }

    #[test]
    fn the_cached_plugin_is_written_once_and_repaired_where_it_was_changed() {
        let cache = tempfile::tempdir().unwrap();
        let dir = adrkit_path(cache.path()).unwrap();
        let file = dir.join("extensions/adrkit/cli.mjs");
        let before = file.metadata().unwrap().modified().unwrap();
        assert_eq!(adrkit_path(cache.path()).unwrap(), dir);
        assert_eq!(file.metadata().unwrap().modified().unwrap(), before);
        std::fs::write(&file, "changed").unwrap();
        std::fs::write(dir.join("added"), "").unwrap();
        assert_eq!(adrkit_path(cache.path()).unwrap(), dir);
        assert!(is_intact(&dir));
        assert_eq!(std::fs::read_dir(cache.path()).unwrap().count(), 1);
    }
}
