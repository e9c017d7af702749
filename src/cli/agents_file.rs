//! `--agents-file`: agents that are described in files. The format is `docs/CUSTOM.md`.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use agent_launcher::{CustomAgent, HostEnv, LauncherBuilder};

use super::output::Refusal;

/// Files that are read where the flag is not given, separated as in `PATH`.
const VARIABLE: &str = "AGENT_LAUNCHER_AGENTS_FILE";

/// More than any definition has, so that a file that is none is not read to its end.
const READ: u64 = 1024 * 1024;

/// Adds the agents of all files. The flag wins over the variable as a whole.
pub(super) fn add(mut builder: LauncherBuilder, files: &[PathBuf], host: &HostEnv) -> Result<LauncherBuilder, Refusal> {
    let named: Vec<PathBuf> = match host.var(VARIABLE) {
        Some(paths) if files.is_empty() => {
            std::env::split_paths(paths).filter(|path| !path.as_os_str().is_empty()).collect()
        }
        _ => files.to_vec(),
    };
    for file in &named {
        let text = text(file)?;
        let wrong = |error| {
            Refusal::usage(format!("`{}`, {error}", file.display())).hint("the format is described in docs/CUSTOM.md")
        };
        builder = CustomAgent::from_toml(&text).and_then(|agent| builder.clone().agent(agent)).map_err(wrong)?;
    }
    Ok(builder)
}

fn text(path: &Path) -> Result<String, Refusal> {
    let unread = |why: String| Refusal::usage(format!("--agents-file: `{}` cannot be read: {why}", path.display()));
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(READ).read_to_end(&mut bytes));
    read.map_err(|error| unread(error.to_string()))?;
    String::from_utf8(bytes).map_err(|error| unread(format!("it is not UTF-8: {}", error.utf8_error())))
}
