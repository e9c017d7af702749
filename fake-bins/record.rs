//! Writes down what a fake was given: one JSON file a call in `calls/` beside it, complete whenever it is there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;

/// One call of a fake.
#[derive(Debug)]
pub(crate) struct Call {
    path: PathBuf,
    folder: PathBuf,
    file: PathBuf,
    name: String,
    stdin: Option<Vec<u8>>,
    children: Vec<u32>,
    tokens: u32,
}

impl Call {
    /// A call that has just begun. Files sort by their begin.
    pub(crate) fn new(path: &Path, name: &str) -> Call {
        let folder = crate::folder(path).join("calls");
        if let Err(error) = std::fs::create_dir_all(&folder) {
            crate::bad_setup(&format!("cannot write down the call in `{}`: {error}", folder.display()));
        }
        let begin = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let file = folder.join(format!("{begin:020}-{}.json", std::process::id()));
        Call {
            path: path.to_owned(),
            folder,
            file,
            name: name.to_owned(),
            stdin: None,
            children: Vec::new(),
            tokens: 0,
        }
    }

    /// The path the fake was started by.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of all calls.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// A number that no other child of this call has.
    pub(crate) fn next_token(&mut self) -> u32 {
        self.tokens += 1;
        self.tokens
    }

    /// Notes what came on stdin.
    pub(crate) fn stdin(&mut self, bytes: Vec<u8>) {
        self.stdin.get_or_insert_default().extend(bytes);
        self.write();
    }

    /// Notes a child.
    pub(crate) fn child(&mut self, pid: u32) {
        self.children.push(pid);
        self.write();
    }

    /// Writes the file anew. A reader sees the old or the new one, never a part.
    pub(crate) fn write(&self) {
        let text = |os: std::ffi::OsString| os.to_string_lossy().into_owned();
        let env: BTreeMap<String, String> = std::env::vars_os().map(|(key, value)| (text(key), text(value))).collect();
        let record = json!({
            "name": self.name,
            "path": self.path.to_string_lossy(),
            "pid": std::process::id(),
            "argv": std::env::args_os().map(text).collect::<Vec<_>>(),
            "env": env,
            "cwd": std::env::current_dir().map(|cwd| cwd.to_string_lossy().into_owned()).ok(),
            "stdin": self.stdin.as_ref().map(|bytes| String::from_utf8_lossy(bytes)),
            "stdin_bytes": self.stdin.as_ref().map(Vec::len),
            "children": self.children,
        });
        write_whole(&self.file, record.to_string().as_bytes());
    }
}

/// Notes a process that a fake started: a file named by a token of its starter, with its pid and what it is.
pub(crate) fn child(folder: &Path, token: &str, what: &str) {
    let record = json!({ "pid": std::process::id(), "what": what });
    write_whole(&child_file(folder, token), record.to_string().as_bytes());
}

/// Where a child notes itself.
pub(crate) fn child_file(folder: &Path, token: &str) -> PathBuf {
    folder.join(format!("{token}.child"))
}

fn write_whole(file: &Path, bytes: &[u8]) {
    let part = file.with_extension("part");
    if let Err(error) = std::fs::write(&part, bytes).and_then(|()| std::fs::rename(&part, file)) {
        crate::bad_setup(&format!("cannot write `{}`: {error}", file.display()));
    }
}
