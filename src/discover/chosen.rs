//! The path that a person chose for an agent: read as people write it, and refused in words that help.

use std::path::{Path, PathBuf};

use super::disk::{Disk, Look};
use super::{Verdict, paths, walk};
use crate::env::{HostEnv, Os};

/// The path as it is meant: without the quotes that "Copy as path" puts around it, and with `~` as the home folder.
pub(super) fn written(host: &HostEnv, chosen: &Path) -> PathBuf {
    let bare = chosen.to_str().map(str::trim);
    let bare = bare.and_then(|text| text.strip_prefix('"')?.strip_suffix('"').or(Some(text))).or(bare);
    let path = bare.map_or_else(|| chosen.to_path_buf(), PathBuf::from);
    match (path.to_str().and_then(|text| text.strip_prefix("~/")), &host.home) {
        (Some(below), Some(home)) => paths::below(host.os, home, below),
        _ => path,
    }
}

/// Why the path cannot be a program to start, if so.
pub(super) fn refuse(host: &HostEnv, disk: &dyn Disk, path: &Path) -> Option<(Verdict, String)> {
    let text = path.to_string_lossy();
    let missing = |what: &str| Some((Verdict::Missing, what.to_owned()));
    if host.os == Os::Windows && is_wsl(&text) {
        return missing("it is a program of Linux (WSL), which cannot be started from Windows; install it for Windows");
    }
    if !paths::is_absolute(host.os, path) {
        return missing(if text.trim().is_empty() {
            "it is empty"
        } else if text.contains(char::is_whitespace) {
            "it is a command or a sentence; give the absolute path of the program alone"
        } else {
            "it is not an absolute path"
        });
    }
    match disk.look(path) {
        Look::File { executable: true } => {
            let name = paths::name(host.os, path).to_lowercase();
            let extensions = walk::extensions(host);
            let runnable = extensions.is_empty() || extensions.iter().any(|end| name.ends_with(end.as_str()));
            (!runnable).then(|| {
                let what = format!("not a file that Windows runs by its extension ({})", extensions.join(", "));
                (Verdict::NotExecutable, what)
            })
        }
        Look::File { executable: false } => Some((Verdict::NotExecutable, "not marked as executable".into())),
        Look::Other => Some((Verdict::NotAFile, "it is a folder, not a program".into())),
        Look::Unreadable(reason) => Some((Verdict::Missing, format!("it cannot be looked at: {reason}"))),
        Look::Missing { dangling: true } => missing("it is a link to a file that is gone"),
        Look::Missing { dangling: false } => {
            // `/usr/bin/copilot --flag`: what stands before a space is a program.
            let starts = text.match_indices(char::is_whitespace).map(|(at, _)| PathBuf::from(&text[..at]));
            let command = starts.into_iter().any(|first| matches!(disk.look(&first), Look::File { .. }));
            missing(if command { "it is a command with arguments; give the path alone" } else { "nothing is there" })
        }
    }
}

/// Whether a path on Windows leads into its Linux.
fn is_wsl(text: &str) -> bool {
    let lower = text.replace('/', "\\").to_lowercase();
    lower.starts_with("\\\\wsl$\\")
        || lower.starts_with("\\\\wsl.localhost\\")
        || ["\\home\\", "\\usr\\", "\\root\\", "\\opt\\"].iter().any(|root| lower.starts_with(root))
}
