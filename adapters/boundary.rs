//! Where the vault ends, by the letter of a path: for the plans that name it and the tripwires that watch it.

use std::path::{Component, Path, PathBuf};

use crate::survey::Survey;

/// A path as given and as it really is.
pub(crate) fn both(path: &Path, survey: &Survey) -> Vec<PathBuf> {
    let real = survey.real(path).filter(|real| *real != path).map(Path::to_path_buf);
    std::iter::once(path.to_path_buf()).chain(real).collect()
}

/// Whether `place` is `folder` or below it. Case is ignored: some disks do, and too much care costs little here.
pub(crate) fn lies_in(place: &Path, folder: &Path) -> bool {
    // Where paths begin with `/`, `\` is a sign of a name like any other.
    let separates = !folder.to_string_lossy().starts_with('/');
    let lower = |path: &Path| {
        let text = path.to_string_lossy().to_lowercase();
        PathBuf::from(if separates { text.replace('\\', "/") } else { text })
    };
    lower(place).starts_with(lower(folder))
}

/// Why a vault, in every spelling known, is no folder to be edited as notes: it holds a home folder, or lies in the agent's own.
pub(crate) fn unfit(vaults: &[PathBuf], homes: &[PathBuf], own: &Path, agent: &str, survey: &Survey) -> Option<String> {
    let vault = vaults.first()?.display();
    let holds = |home: &&PathBuf| both(home, survey).iter().any(|home| vaults.iter().any(|vault| lies_in(home, vault)));
    let own_folder = own.to_path_buf();
    if let Some(held) = homes.iter().chain([&own_folder]).find(holds) {
        let held = held.display();
        return Some(format!(
            "`{vault}` holds `{held}`, with your keys, sign-ins and settings; choose a folder of notes below it"
        ));
    }
    let within = both(own, survey).iter().any(|own| vaults.iter().any(|vault| lies_in(vault, own)));
    within.then(|| format!("`{vault}` lies in {agent}'s own folder; choose another vault"))
}

/// A path with `.` and `..` resolved by the letter: links within a vault that lead out of it are Copilot's to refuse.
pub(crate) fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// What a file operation breaks, in words: something outside of every folder, or a hidden file that was written. Other
/// programs run or obey what lies in hidden files (`.git/hooks`, `.mcp.json`, `.claude`). A relative path counts from the
/// first folder; without folders nothing is watched.
pub(crate) fn breach(folders: &[PathBuf], path: &Path, writes: bool) -> Option<String> {
    let full = without_dots(&folders.first()?.join(path));
    let Some(below) = folders.iter().find(|folder| lies_in(&full, folder)) else {
        let how = if writes { "written" } else { "read" };
        return Some(format!("`{}` was {how}, which is outside the vault", full.display()));
    };
    let hidden = full.components().skip(below.components().count());
    let hidden = hidden.filter_map(|part| part.as_os_str().to_str()).any(|part| part.starts_with('.'));
    (writes && hidden).then(|| format!("the hidden file `{}` was written", full.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_beside_the_vault_is_not_in_it_whatever_its_name_goes_on_with() {
        let vault = [PathBuf::from("/home/user/Notes")];
        for path in [r"/home/user/Notes\sub/a.md", "/home/user/Notes2/a.md", "/home/user/Notes/../a.md"] {
            assert!(
                breach(&vault, Path::new(path), true).is_some_and(|what| what.contains("outside the vault")),
                "{path}"
            );
        }
        assert_eq!(breach(&vault, Path::new(r"/home/user/NOTES/a\b.md"), true), None);
        assert!(lies_in(Path::new(r"C:\users\user\notes\a.md"), Path::new(r"C:\Users\user\Notes")));
    }
}
