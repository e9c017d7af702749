//! From a found file to what it really runs: the native binary behind an npm shim, or `node` and the script.
//!
//! A shim costs a start of Node, quotes arguments anew and keeps signals from the agent. Reads files, starts nothing.
//! In doubt there is no answer and the found file itself is started.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::disk::{Disk, Look};
use super::format::Format;
use super::{paths, walk};
use crate::adapters::Spec;
use crate::env::{Arch, HostEnv, Os};

/// What to start in place of a shim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The program.
    pub(crate) program: PathBuf,
    /// Its first arguments.
    pub(crate) first_args: Vec<OsString>,
}

/// What to start for `found`, best first: the native binary behind it, `node` with its script, the file itself.
pub(crate) fn targets(disk: &dyn Disk, host: &HostEnv, spec: &Spec, found: &Path) -> Vec<Target> {
    let direct = Target { program: found.to_path_buf(), first_args: Vec::new() };
    if matches!(Format::of(&disk.head(found)), Format::Native { .. }) {
        return vec![direct];
    }
    let mut targets = Vec::new();
    let natives = native(disk, host.os, host.arch, spec, found);
    targets.extend(natives.into_iter().map(|program| Target { program, first_args: Vec::new() }));
    targets.extend(script(disk, host, spec, found));
    targets.push(direct);
    targets
}

/// `node` and the script, for a batch file of npm's (Windows): a prompt must never pass through `cmd`.
fn script(disk: &dyn Disk, host: &HostEnv, spec: &Spec, found: &Path) -> Option<Target> {
    let os = host.os;
    let name = paths::name(os, found).to_lowercase();
    if os != Os::Windows || !(name.ends_with(".cmd") || name.ends_with(".bat")) {
        return None;
    }
    let script = shim_script(disk, os, spec.npm_package?, found)?;
    let is_script = [".js", ".mjs", ".cjs"].iter().any(|end| paths::name(os, &script).ends_with(end));
    if !is_script || !matches!(disk.look(&script), Look::File { .. }) {
        return None;
    }
    // As the batch file itself does: the `node` beside it, else the one on the PATH.
    let beside = paths::below(os, &paths::parent(os, found)?, "node.exe");
    let node = if matches!(disk.look(&beside), Look::File { .. }) {
        beside
    } else {
        let folders = paths::split_list(os, host.var("PATH")?);
        let steps = walk::walk(disk, host, &folders, "node");
        steps.into_iter().find(|step| step.refused.is_none() && step.path.to_string_lossy().ends_with(".exe"))?.path
    };
    Some(Target { program: node, first_args: vec![script.into()] })
}

/// The native binary behind `found`, where it is the npm shim or loader of the agent's package and has one. Several, best
/// first, where one platform has several: whether the processor can run the first shows when it is started.
fn native(disk: &dyn Disk, os: Os, arch: Arch, spec: &Spec, found: &Path) -> Vec<PathBuf> {
    let (Some(package), Some((template, binary))) = (package_folder(disk, os, spec, found), spec.npm_native) else {
        return Vec::new();
    };
    for platform in platforms(os, arch) {
        let mut inside = platform.fill(binary, "");
        if os == Os::Windows && !inside.ends_with(".exe") {
            inside.push_str(".exe");
        }
        let names = platform.flavours(template).iter().map(|flavour| platform.fill(template, flavour));
        let files: Vec<PathBuf> =
            names.filter_map(|name| in_package(disk, os, arch, &package, &format!("{name}/{inside}"))).collect();
        if !files.is_empty() {
            return files;
        }
    }
    Vec::new()
}

/// A binary of another package, looked for in Node's way: in `node_modules` of the package itself, then of each folder above.
fn in_package(disk: &dyn Disk, os: Os, arch: Arch, package: &Path, inside: &str) -> Option<PathBuf> {
    let mut folder = Some(package.to_path_buf());
    while let Some(here) = folder {
        if paths::name(os, &here) != "node_modules" {
            let file = paths::below(os, &here, &format!("node_modules/{inside}"));
            if matches!(disk.look(&file), Look::File { executable: true }) && fits(disk, os, arch, &file) {
                return Some(file);
            }
        }
        folder = paths::parent(os, &here).filter(|parent| *parent != here);
    }
    None
}

/// Whether this machine has what the binary needs: its processor, and its C library's linker.
fn fits(disk: &dyn Disk, os: Os, arch: Arch, file: &Path) -> bool {
    let format = Format::of(&disk.head(file));
    if format.is_foreign(os, arch) {
        return false;
    }
    match format {
        Format::Native { linker: Some(linker), .. } => matches!(disk.look(Path::new(&linker)), Look::File { .. }),
        _ => true,
    }
}

/// The folder of the agent's npm package that `found` leads into: as a link, or as a shim that names the script.
fn package_folder(disk: &dyn Disk, os: Os, spec: &Spec, found: &Path) -> Option<PathBuf> {
    let package = spec.npm_package?;
    let real = disk.real(found)?;
    let script = shim_script(disk, os, package, &real).and_then(|script| disk.real(&script)).unwrap_or(real);
    let mut folder = paths::parent(os, &script);
    // The loader lies at most a few folders below its package's own.
    for _ in 0..4 {
        let here = folder?;
        let text = disk.text(&paths::below(os, &here, "package.json"));
        if let Some(name) = text.and_then(|text| package_name(&text)) {
            return (name == package).then_some(here);
        }
        folder = paths::parent(os, &here);
    }
    None
}

/// The script that a `.cmd` or sh shim of npm, pnpm, Yarn or Bun runs: the quoted path into the package.
fn shim_script(disk: &dyn Disk, os: Os, package: &str, file: &Path) -> Option<PathBuf> {
    let text = disk.text(file).filter(|text| text.len() < 16 * 1024)?;
    let inside = format!("node_modules/{package}/");
    for quoted in text.split(['"', '\'']) {
        let written = quoted.replace('\\', "/");
        let Some(at) = written.find(&inside) else { continue };
        if written[at..].contains(['$', '%', '\n', ' ', ':']) {
            continue;
        }
        // What stands before is the shim's own folder, in one of its spellings, or an absolute path.
        let below = ["$basedir/", "%dp0%/", "%~dp0/", "%~dp0", "$PSScriptRoot/"]
            .iter()
            .find_map(|own| written.strip_prefix(own));
        return match below {
            Some(below) => Some(paths::below(os, &paths::parent(os, file)?, below.trim_start_matches('/'))),
            None => paths::is_absolute(os, Path::new(&written)).then(|| PathBuf::from(written)),
        };
    }
    None
}

fn package_name(text: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    value.get("name")?.as_str().map(str::to_owned)
}

/// The words for a platform in package names.
struct Platform {
    os: &'static str,
    arch: &'static str,
    triple: &'static str,
    libc: &'static str,
}

impl Platform {
    fn fill(&self, template: &str, flavour: &str) -> String {
        // A package that marks the C library at the end names its system plainly.
        let plain = self.os.trim_end_matches("musl");
        let os = if template.contains("{libc}") { plain } else { self.os };
        let system = if plain == "win32" { "windows" } else { plain };
        let filled = template.replace("{os}", os).replace("{system}", system).replace("{arch}", self.arch);
        filled.replace("{triple}", self.triple).replace("{libc}", self.libc).replace("{flavour}", flavour)
    }

    /// What `{flavour}` stands for, best first: for an older processor (`-baseline`, x64 alone) and for the C library. As the
    /// installer of `opencode-ai` 1.18.33 names and orders them.
    fn flavours(&self, template: &str) -> &'static [&'static str] {
        match (template.contains("{flavour}"), self.arch, self.libc) {
            (false, ..) | (_, "arm64", "") => &[""],
            (_, "arm64", _) => &["-musl"],
            (_, _, "") => &["", "-baseline"],
            _ => &["-musl", "-baseline-musl"],
        }
    }
}

/// The platforms whose binaries may run here, best first.
fn platforms(os: Os, arch: Arch) -> Vec<Platform> {
    let (own, other) = match arch {
        Arch::X64 => ("x64", "arm64"),
        Arch::Arm64 => ("arm64", "x64"),
        Arch::Other => return Vec::new(),
    };
    let platform = |os, arch, libc, triple| Platform { os, arch, triple, libc };
    match os {
        Os::Linux => {
            let triple = if own == "x64" { "x86_64-unknown-linux-musl" } else { "aarch64-unknown-linux-musl" };
            vec![platform("linux", own, "", triple), platform("linuxmusl", own, "-musl", triple)]
        }
        // These run each other's processors: an app for one may meet a Node for the other.
        Os::MacOs | Os::Windows => [own, other]
            .into_iter()
            .map(|arch| match (os, arch) {
                (Os::MacOs, "x64") => platform("darwin", arch, "", "x86_64-apple-darwin"),
                (Os::MacOs, _) => platform("darwin", arch, "", "aarch64-apple-darwin"),
                (_, "x64") => platform("win32", arch, "", "x86_64-pc-windows-msvc"),
                _ => platform("win32", arch, "", "aarch64-pc-windows-msvc"),
            })
            .collect(),
    }
}
