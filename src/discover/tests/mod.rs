//! The tables and rules of every system, tested on this one: on listings, never on the disk.

mod chosen;
mod environment;
mod format;
mod places;
mod probe;
mod shell;
mod shim;
mod walk;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::disk::{Disk, Look};
use crate::adapters::{self, Spec};
use crate::env::{Arch, HostEnv, Os};
use crate::request::AgentId;

/// A disk of a listing. Paths of Windows are compared without regard to case.
pub(super) struct FakeDisk {
    os: Os,
    nodes: BTreeMap<String, Node>,
}

enum Node {
    File { executable: bool, content: Vec<u8> },
    Link(String),
    Folder,
    Locked,
}

impl FakeDisk {
    pub(super) fn new(os: Os) -> FakeDisk {
        FakeDisk { os, nodes: BTreeMap::new() }
    }

    pub(super) fn with(os: Os, programs: &[&str]) -> FakeDisk {
        programs.iter().fold(FakeDisk::new(os), |disk, path| disk.file(path, "#!/usr/bin/env node\n"))
    }

    fn node(mut self, path: &str, node: Node) -> FakeDisk {
        self.nodes.insert(self.key(Path::new(path)), node);
        self
    }

    /// An executable file.
    pub(super) fn file(self, path: &str, content: impl AsRef<[u8]>) -> FakeDisk {
        self.node(path, Node::File { executable: true, content: content.as_ref().to_vec() })
    }

    /// A file that may not be run.
    pub(super) fn plain(self, path: &str, content: &str) -> FakeDisk {
        self.node(path, Node::File { executable: false, content: content.into() })
    }

    pub(super) fn link(self, path: &str, target: &str) -> FakeDisk {
        self.node(path, Node::Link(target.into()))
    }

    pub(super) fn folder(self, path: &str) -> FakeDisk {
        self.node(path, Node::Folder)
    }

    /// A place that may not be looked at.
    pub(super) fn locked(self, path: &str) -> FakeDisk {
        self.node(path, Node::Locked)
    }

    fn key(&self, path: &Path) -> String {
        let text = path.to_str().expect("text").to_owned();
        if self.os == Os::Windows { text.replace('/', "\\").to_lowercase() } else { text }
    }

    fn slash(&self) -> char {
        if self.os == Os::Windows { '\\' } else { '/' }
    }

    /// The path with links replaced, also those of folders above.
    fn resolve(&self, path: &Path) -> String {
        let mut path = self.key(path);
        for _ in 0..16 {
            let link = self.nodes.iter().find_map(|(key, node)| match node {
                Node::Link(target) if path == *key => Some(target.clone()),
                Node::Link(target) => {
                    let rest = path.strip_prefix(key.as_str())?.strip_prefix(self.slash())?;
                    Some(format!("{target}{}{rest}", self.slash()))
                }
                _ => None,
            });
            match link {
                Some(target) => path = self.key(Path::new(&target)),
                None => break,
            }
        }
        path
    }

    fn content(&self, path: &Path) -> Option<&[u8]> {
        match self.nodes.get(&self.resolve(path))? {
            Node::File { content, .. } => Some(content),
            _ => None,
        }
    }
}

impl Disk for FakeDisk {
    fn look(&self, path: &Path) -> Look {
        match self.nodes.get(&self.resolve(path)) {
            Some(Node::File { executable, .. }) => Look::File { executable: *executable },
            Some(Node::Folder) => Look::Other,
            Some(Node::Locked) => Look::Unreadable("permission denied".into()),
            Some(Node::Link(_)) | None => Look::Missing { dangling: self.nodes.contains_key(&self.key(path)) },
        }
    }

    fn names(&self, folder: &Path) -> Vec<OsString> {
        let inside = format!("{}{}", self.resolve(folder), self.slash());
        let mut names: Vec<OsString> = Vec::new();
        for key in self.nodes.keys() {
            let name = key.strip_prefix(&inside).and_then(|rest| rest.split(self.slash()).next());
            names.extend(name.filter(|name| names.last().is_none_or(|last| last != name)).map(OsString::from));
        }
        names
    }

    fn text(&self, file: &Path) -> Option<String> {
        self.content(file).map(|content| String::from_utf8_lossy(content).into_owned())
    }

    fn head(&self, file: &Path) -> Vec<u8> {
        self.content(file).unwrap_or_default().to_vec()
    }

    fn real(&self, path: &Path) -> Option<PathBuf> {
        let path = self.resolve(path);
        self.nodes.contains_key(&path).then(|| path.into())
    }
}

/// A host of this system with these variables; its home is the usual one.
pub(super) fn host(os: Os, vars: &[(&str, &str)]) -> HostEnv {
    let home = match os {
        Os::Linux => "/home/u",
        Os::MacOs => "/Users/u",
        Os::Windows => r"C:\Users\u",
    };
    let vars = vars.iter().map(|(name, value)| (name.into(), value.into()));
    HostEnv::new(os, Arch::X64, Some(home.into()), vars)
}

pub(super) fn copilot() -> &'static Spec {
    adapters::find(&AgentId::COPILOT).expect("Copilot is there").spec()
}

/// The first bytes of a native program.
pub(super) fn native(os: Os, arch: Arch) -> Vec<u8> {
    let mut head = vec![0; 64];
    match os {
        Os::Linux => {
            head[..6].copy_from_slice(b"\x7fELF\x02\x01");
            head[18] = if arch == Arch::X64 { 62 } else { 183 };
        }
        Os::MacOs => head[..5].copy_from_slice(&[0xcf, 0xfa, 0xed, 0xfe, if arch == Arch::X64 { 7 } else { 12 }]),
        Os::Windows => {
            head[..2].copy_from_slice(b"MZ");
            head[0x3c] = 0x30;
            head[0x34..0x36].copy_from_slice(if arch == Arch::X64 { &[0x64, 0x86] } else { &[0x64, 0xaa] });
        }
    }
    head
}
