//! Paths of any system as data: joined, split and compared by the rules of the host described, not of the host compiled for.
//!
//! Reads no file, so that the rules of every system are tested on each.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::env::Os;

/// Whether a path stands for the same file whatever the working directory.
pub(crate) fn is_absolute(os: Os, path: &Path) -> bool {
    if os != Os::Windows {
        return path.has_root();
    }
    let bytes = path.as_os_str().as_encoded_bytes();
    let slash = |byte: Option<&u8>| matches!(byte, Some(b'\\' | b'/'));
    let drive = bytes.first().is_some_and(u8::is_ascii_alphabetic) && bytes.get(1) == Some(&b':');
    (drive && slash(bytes.get(2))) || (slash(bytes.first()) && slash(bytes.get(1)))
}

/// `base` with `below`, written with `/`, appended.
pub(crate) fn below(os: Os, base: &Path, below: &str) -> PathBuf {
    if below.is_empty() {
        return base.to_path_buf();
    }
    if os != Os::Windows {
        return base.join(below);
    }
    let mut joined = base.as_os_str().to_owned();
    if !matches!(joined.as_encoded_bytes().last(), Some(b'\\' | b'/')) {
        joined.push("\\");
    }
    joined.push(below.replace('/', "\\"));
    PathBuf::from(joined)
}

/// The last name of a path.
pub(crate) fn name(os: Os, path: &Path) -> String {
    let text = path.to_string_lossy();
    let cut = |c: char| c == '/' || (os == Os::Windows && c == '\\');
    text.trim_end_matches(cut).rsplit(cut).next().unwrap_or_default().to_owned()
}

/// The folder that a path is in.
pub(crate) fn parent(os: Os, path: &Path) -> Option<PathBuf> {
    if os != Os::Windows || cfg!(windows) {
        return path.parent().map(Path::to_path_buf);
    }
    let text = path.to_string_lossy();
    text.rfind(['\\', '/']).map(|cut| PathBuf::from(&text[..cut]))
}

/// The absolute folders of a `PATH`, in order and once each.
///
/// Empty and relative entries mean the working directory, which is the vault or chance: they are left out.
pub(crate) fn split_list(os: Os, list: &OsStr) -> Vec<PathBuf> {
    let all: Vec<PathBuf> = if os == Os::Windows && !cfg!(windows) {
        list.to_string_lossy().split(';').map(|entry| PathBuf::from(entry.trim_matches('"'))).collect()
    } else {
        std::env::split_paths(list).collect()
    };
    let mut seen = std::collections::HashSet::new();
    all.into_iter().filter(|folder| is_absolute(os, folder) && seen.insert(key(os, folder))).collect()
}

/// A `PATH` of these folders. Those that cannot be written in one are left out.
pub(crate) fn join_list(os: Os, folders: &[PathBuf]) -> OsString {
    let separator = if os == Os::Windows { b';' } else { b':' };
    let mut list = OsString::new();
    for folder in folders {
        let bytes = folder.as_os_str().as_encoded_bytes();
        if bytes.is_empty() || bytes.contains(&separator) || bytes.contains(&0) {
            continue;
        }
        if !list.is_empty() {
            list.push(if os == Os::Windows { ";" } else { ":" });
        }
        list.push(folder);
    }
    list
}

/// What two paths have in common where they name the same folder: case on Windows and a last separator do not count.
pub(crate) fn key(os: Os, path: &Path) -> OsString {
    if os == Os::Windows {
        let text = path.to_string_lossy().replace('/', "\\").to_lowercase();
        return OsString::from(text.trim_end_matches('\\'));
    }
    // Comparing components drops a last separator and keeps bytes that are not UTF-8.
    path.components().as_path().as_os_str().to_owned()
}

/// Whether `path` is `folder` or in it, at a boundary of names.
pub(crate) fn is_within(os: Os, path: &Path, folder: &Path) -> bool {
    if os != Os::Windows {
        return path.starts_with(folder);
    }
    let (path, folder) = (key(os, path), key(os, folder));
    let (path, folder) = (path.to_string_lossy(), folder.to_string_lossy());
    path.strip_prefix(&*folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('\\'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d21_empty_relative_and_dot_entries_of_a_path_are_left_out() {
        let split = |os, list: &str| split_list(os, OsStr::new(list));
        let paths = |list: &[&str]| list.iter().map(PathBuf::from).collect::<Vec<_>>();
        assert_eq!(split(Os::Linux, ":/usr/bin:.:bin:./x:~/bin:/bin:"), paths(&["/usr/bin", "/bin"]));
        assert_eq!(split(Os::Linux, ""), paths(&[]));
        assert_eq!(
            split(Os::Windows, r#";.;C:\a;C:b;\c;"D:\e f";\\server\share;C:/g"#),
            paths(&[r"C:\a", r"D:\e f", r"\\server\share", "C:/g"])
        );
    }

    #[test]
    fn a_folder_counts_once_and_the_first_place_is_kept() {
        let split = split_list(Os::Linux, OsStr::new("/b:/a:/b/:/a"));
        assert_eq!(split, [PathBuf::from("/b"), PathBuf::from("/a")]);
        let split = split_list(Os::Windows, OsStr::new(r"C:\B;c:\b\;C:\a"));
        assert_eq!(split, [PathBuf::from(r"C:\B"), PathBuf::from(r"C:\a")]);
    }

    #[test]
    fn windows_paths_are_joined_with_backslashes() {
        assert_eq!(below(Os::Windows, Path::new(r"C:\Users\u"), "AppData/npm"), Path::new(r"C:\Users\u\AppData\npm"));
        assert_eq!(below(Os::Windows, Path::new(r"C:\"), "npm"), Path::new(r"C:\npm"));
        assert_eq!(name(Os::Windows, Path::new(r"C:\a\b.cmd")), "b.cmd");
        assert_eq!(parent(Os::Windows, Path::new(r"C:\a\b.cmd")), Some(PathBuf::from(r"C:\a")));
    }

    #[test]
    fn a_folder_ends_at_a_boundary_of_names() {
        assert!(is_within(Os::Linux, Path::new("/tmp/.mount_a/usr"), Path::new("/tmp/.mount_a")));
        assert!(!is_within(Os::Linux, Path::new("/tmp/.mount_ab"), Path::new("/tmp/.mount_a")));
        assert!(is_within(Os::Windows, Path::new(r"c:\A\b"), Path::new(r"C:\a\")));
        assert!(!is_within(Os::Windows, Path::new(r"c:\Ab"), Path::new(r"C:\a")));
    }
}
