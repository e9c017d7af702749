//! The private files of a run: readable by this user alone, gone with the run.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::plan::{Arg, PrivateFile, Scratch};

/// The files as written. Dropping it removes them.
#[derive(Debug)]
pub(crate) struct PrivateFiles {
    folder: Option<TempDir>,
    paths: Vec<PathBuf>,
    scratch: Option<PathBuf>,
    result: Option<usize>,
    leftovers: Vec<PathBuf>,
}

impl Drop for PrivateFiles {
    fn drop(&mut self) {
        self.sweep();
    }
}

/// A result larger than this is not read, in bytes.
const LARGEST_RESULT: u64 = 16 * 1024 * 1024;

impl PrivateFiles {
    /// Writes the files into a fresh folder (0700, each file 0600 on unix), but the `result` one, which is the agent's.
    ///
    /// With `scratch` there is an empty folder of that name beside them, to work from. A file whose name has folders lies below
    /// it.
    pub(crate) fn write(
        files: &[PrivateFile],
        scratch: Option<&Scratch>,
        result: Option<usize>,
    ) -> io::Result<PrivateFiles> {
        let stays = scratch.filter(|scratch| scratch.stays).map(stays).transpose()?;
        let scratch = scratch.filter(|scratch| !scratch.stays);
        if files.is_empty() && scratch.is_none() {
            return Ok(PrivateFiles {
                folder: None,
                paths: Vec::new(),
                scratch: stays,
                result: None,
                leftovers: Vec::new(),
            });
        }
        let mut builder = tempfile::Builder::new();
        builder.prefix("agent-launcher-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        let folder = match scratch.and_then(|scratch| scratch.below.as_deref()) {
            Some(below) => builder.tempdir_in(below)?,
            None => builder.tempdir()?,
        };
        let scratch = scratch.map(|scratch| folder.path().join(&scratch.name));
        scratch.as_ref().map_or(Ok(()), std::fs::create_dir)?;
        let mut paths = Vec::new();
        for (index, file) in files.iter().enumerate() {
            let name = PathBuf::from(&file.name);
            let below = name.parent().filter(|parent| !parent.as_os_str().is_empty() && is_below(&name));
            let own = match (&scratch, below) {
                (Some(scratch), Some(below)) => scratch.join(below),
                // Each in a folder of its own, as names may be alike.
                _ => folder.path().join(index.to_string()),
            };
            std::fs::create_dir_all(&own)?;
            let path = own.join(name.file_name().unwrap_or_else(|| "file".as_ref()));
            if result == Some(index) {
                paths.push(path);
                continue;
            }
            let mut options = std::fs::OpenOptions::new();
            options.write(true).create_new(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            options.open(&path)?.write_all(&file.bytes)?;
            paths.push(path);
        }
        let scratch = stays.or(scratch);
        Ok(PrivateFiles { folder: Some(folder), paths, scratch, result, leftovers: Vec::new() })
    }

    /// With what the agent's sandbox may leave behind. What is there already is somebody's, and stays.
    pub(crate) fn and_leftovers(mut self, leftovers: &[PathBuf]) -> PrivateFiles {
        let is_free =
            |path: &&PathBuf| path.symlink_metadata().is_err_and(|error| error.kind() == io::ErrorKind::NotFound);
        self.leftovers = leftovers.iter().filter(is_free).cloned().collect();
        self
    }

    /// Takes away what the agent's sandbox left behind: empty files and folders that were not there before. For when nothing
    /// of the agent is left.
    pub(crate) fn sweep(&mut self) {
        for path in std::mem::take(&mut self.leftovers) {
            // What cannot be looked at or taken away stays; a folder that is not empty cannot.
            let Ok(found) = path.symlink_metadata() else { continue };
            let _ = match (found.is_dir(), found.is_file() && found.len() == 0) {
                (true, _) => std::fs::remove_dir(&path),
                (_, true) => std::fs::remove_file(&path),
                _ => Ok(()),
            };
        }
    }

    /// The folder that all of it is in.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.folder.as_ref().map(TempDir::path)
    }

    /// The empty folder to work from, where the plan has one.
    pub(crate) fn scratch(&self) -> Option<&Path> {
        self.scratch.as_deref()
    }

    /// What the agent wrote into the result file; `None` where it wrote none, or something else stands there.
    pub(crate) fn result(&self) -> Option<Vec<u8>> {
        let path = self.paths.get(self.result?)?;
        let found = path.symlink_metadata().ok()?;
        if !found.is_file() || found.len() > LARGEST_RESULT {
            return None;
        }
        std::fs::read(path).ok()
    }

    /// The arguments with the paths of the files filled in.
    pub(crate) fn args(&self, args: &[Arg]) -> io::Result<Vec<OsString>> {
        let fill = |arg: &Arg| match arg {
            Arg::Text(text) => Ok(text.into()),
            Arg::File { prefix, file } => {
                let path =
                    self.paths.get(*file).ok_or_else(|| io::Error::other("the plan names a file it does not hold"))?;
                let mut arg = OsString::from(prefix);
                arg.push(path);
                Ok(arg)
            }
        };
        args.iter().map(fill).collect()
    }
}

/// Whether a name stays below the folder it is put into.
fn is_below(name: &Path) -> bool {
    name.components().all(|part| matches!(part, std::path::Component::Normal(_)))
}

/// The folder of a scratch that stays: made where it is missing, private, and empty.
///
/// What an agent left in it is put aside beside it: the next run must not find it (it might be an agent's settings), and it
/// might be a note that somebody misses.
fn stays(scratch: &Scratch) -> io::Result<PathBuf> {
    let below = scratch.below.as_deref().ok_or_else(|| io::Error::other("a folder that stays needs a place"))?;
    std::fs::create_dir_all(below)?;
    let folder = below.join(&scratch.name);
    make(&folder)?;
    if std::fs::read_dir(&folder)?.next().is_some() {
        let aside = tempfile::Builder::new().prefix(&format!("{}-left-", scratch.name)).tempdir_in(below)?.keep();
        std::fs::rename(&folder, aside.join("files"))?;
        make(&folder)?;
    }
    Ok(folder)
}

/// Makes a folder that only this user may enter. One that is there already must be such a folder, and no link.
fn make(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    let made = {
        use std::os::unix::fs::DirBuilderExt as _;
        std::fs::DirBuilder::new().mode(0o700).create(folder)
    };
    #[cfg(not(unix))]
    let made = std::fs::create_dir(folder);
    match made {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let found = folder.symlink_metadata()?;
    #[cfg(unix)]
    let private = {
        use std::os::unix::fs::MetadataExt as _;
        found.uid() == nix::unistd::geteuid().as_raw() && found.mode() & 0o022 == 0
    };
    #[cfg(not(unix))]
    let private = true;
    if found.is_dir() && private {
        return Ok(());
    }
    let problem = format!("`{}` is not a private folder of this user; remove it", folder.display());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, problem))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn scratch(below: &Path) -> Scratch {
        Scratch { name: "vault-1".into(), below: Some(below.join("caches/agent")), stays: true }
    }

    #[test]
    fn a_folder_that_stays_is_the_same_private_and_empty_in_every_run() {
        let place = tempfile::tempdir().expect("a temp folder can be made");
        let scratch = scratch(place.path());
        let folder = place.path().join("caches/agent/vault-1");
        for _ in 0..2 {
            let files = PrivateFiles::write(&[], Some(&scratch), None).expect("the folder can be made");
            assert_eq!(files.scratch(), Some(&*folder));
            drop(files);
            let found = std::fs::metadata(&folder).expect("it stays");
            assert_eq!(found.permissions().mode() & 0o777, 0o700);
        }
        // Settings that an agent left there would count in the next run; a note that it left there may be missed.
        std::fs::write(folder.join("opencode.json"), "{}").expect("the folder is ours");
        PrivateFiles::write(&[], Some(&scratch), None).expect("what was left is put aside");
        assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 0);
        let beside: Vec<PathBuf> = std::fs::read_dir(place.path().join("caches/agent"))
            .expect("a folder")
            .map(|entry| entry.expect("readable").path())
            .filter(|path| *path != folder)
            .collect();
        let [aside] = &beside[..] else { panic!("one folder beside it: {beside:?}") };
        assert_eq!(std::fs::read(aside.join("files/opencode.json")).expect("kept"), b"{}");
    }

    #[test]
    fn a_link_or_a_folder_that_others_may_write_is_no_folder_to_stay_in() {
        let place = tempfile::tempdir().expect("a temp folder can be made");
        let scratch = scratch(place.path());
        let folder = place.path().join("caches/agent/vault-1");
        std::fs::create_dir_all(folder.parent().expect("a parent")).expect("it can be made");
        std::os::unix::fs::symlink(place.path(), &folder).expect("the link is new");
        let error = PrivateFiles::write(&[], Some(&scratch), None).expect_err("a link leads elsewhere");
        assert!(error.to_string().contains("is not a private folder"), "{error}");
        std::fs::remove_file(&folder).expect("the link is ours");
        std::fs::create_dir(&folder).expect("it can be made");
        std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).expect("it is ours");
        PrivateFiles::write(&[], Some(&scratch), None).expect_err("anyone could put settings there");
    }

    #[test]
    fn leftovers_that_are_empty_and_new_are_taken_away_and_nothing_else() {
        let vault = tempfile::tempdir().expect("a folder can be made");
        let at = |name: &str| vault.path().join(name);
        std::fs::write(at("old-empty"), "").expect("the vault is writable");
        let names = ["old-empty", "file", "folder", "full", "full-folder", "link", "never"];
        let leftovers: Vec<_> = names.iter().map(|name| at(name)).collect();
        let files = PrivateFiles::write(&[], None, None).expect("nothing is written").and_leftovers(&leftovers);
        std::fs::write(at("file"), "").expect("the vault is writable");
        std::fs::create_dir(at("folder")).expect("the vault is writable");
        std::fs::write(at("full"), "mine").expect("the vault is writable");
        std::fs::create_dir(at("full-folder")).expect("the vault is writable");
        std::fs::write(at("full-folder/x"), "").expect("the vault is writable");
        #[cfg(unix)]
        std::os::unix::fs::symlink(at("old-empty"), at("link")).expect("the link is new");
        drop(files);
        let mut left: Vec<_> = std::fs::read_dir(vault.path())
            .expect("the vault is there")
            .flatten()
            .map(|entry| entry.file_name())
            .collect();
        left.sort();
        let expected: &[&str] = if cfg!(unix) {
            &["full", "full-folder", "link", "old-empty"]
        } else {
            &["full", "full-folder", "old-empty"]
        };
        assert_eq!(left, expected);
    }
}
