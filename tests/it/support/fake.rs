//! Puts fakes into folders and reads what they wrote down.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The scripted fake that `cargo test` built.
pub(crate) const FAKE: &str = env!("CARGO_BIN_EXE_fake-agent");

/// A new temporary folder on the file system of the build, so that the fake can be hard-linked into it: a copy that was
/// just written cannot be started while another thread of the test forks (`ETXTBSY`).
pub(crate) fn temp_dir() -> tempfile::TempDir {
    tempfile::Builder::new().prefix("it-").tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder")
}

/// Puts the fake into a folder under an agent's name; returns its path.
pub(crate) fn install(folder: &Path, name: &str) -> PathBuf {
    std::fs::create_dir_all(folder).expect("the folder of a fake");
    let path = folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    if std::fs::hard_link(FAKE, &path).is_err() {
        std::fs::copy(FAKE, &path).expect("a copy of the fake");
    }
    path
}

/// Writes the scenario of a fake that is, or will be, in this folder under this name.
pub(crate) fn scenario(folder: &Path, name: &str, text: &str) {
    std::fs::create_dir_all(folder).expect("the folder of a fake");
    std::fs::write(folder.join(format!("{name}.scenario")), text).expect("a scenario");
}

/// One call of a fake, as it wrote it down.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Call {
    /// Whom it played.
    pub(crate) name: String,
    /// Its process.
    pub(crate) pid: u32,
    /// The arguments, the program's name first.
    pub(crate) argv: Vec<String>,
    /// Its whole environment.
    pub(crate) env: BTreeMap<String, String>,
    /// Its working directory.
    pub(crate) cwd: String,
    /// What it read from stdin; `None` where it did not read.
    pub(crate) stdin: Option<String>,
    /// How many bytes that was.
    pub(crate) stdin_bytes: Option<usize>,
    /// The processes it started itself.
    pub(crate) children: Vec<u32>,
}

impl Call {
    /// The arguments without the program's name.
    pub(crate) fn args(&self) -> Vec<&str> {
        self.argv.iter().skip(1).map(String::as_str).collect()
    }

    /// Whether it was only asked for its version.
    pub(crate) fn is_probe(&self) -> bool {
        self.args() == ["--version"]
    }
}

/// All calls of the fakes in a folder, in order. Each is complete.
pub(crate) fn calls(folder: &Path) -> Vec<Call> {
    let mut files = files(folder, "json");
    files.sort();
    files.iter().map(|file| parse(file)).collect()
}

/// The pids of all processes that fakes in this folder started: children, grandchildren and so on.
pub(crate) fn child_pids(folder: &Path) -> Vec<u32> {
    #[derive(Deserialize)]
    struct Child {
        pid: u32,
    }
    let mut pids: Vec<u32> = calls(folder).into_iter().flat_map(|call| call.children).collect();
    pids.extend(files(folder, "child").iter().map(|file| parse::<Child>(file).pid));
    pids.sort_unstable();
    pids.dedup();
    pids
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder.join("calls")) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect()
}

fn parse<T: serde::de::DeserializeOwned>(file: &Path) -> T {
    let text = std::fs::read_to_string(file).expect("a record of a fake");
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("`{}`: {error}: {text}", file.display()))
}
