//! `plugin`: the plugin that ships with this command, written to where an agent can read it.

use std::path::PathBuf;

use agent_launcher::{HostEnv, adrkit_path, export_adrkit};
use clap::{Args, Subcommand};

use super::exit::Exit;
use super::output::{Refusal, finish, pretty};
use super::style::Style;

/// Flags of `plugin`.
#[derive(Debug, Args)]
pub(super) struct PluginArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Prints the folder of the `adrkit` plugin, for `--plugin-dir`; writes it to this user's cache first where needed.
    Path {
        /// Prints an object.
        #[arg(long)]
        json: bool,
    },
    /// Writes the `adrkit` plugin into a folder, which must be missing or empty, and prints its full path.
    Export {
        /// Prints an object.
        #[arg(long)]
        json: bool,
        /// The folder.
        #[arg(value_name = "DIR")]
        dir: PathBuf,
    },
}

pub(super) fn run(args: &PluginArgs, host: &HostEnv, style: &Style) -> Exit {
    let (json, written) = match &args.action {
        Action::Path { json } => (*json, path(host)),
        Action::Export { json, dir } => (*json, export(dir)),
    };
    match written {
        Ok(dir) if json => finish(&pretty(&serde_json::json!({ "plugin": "adrkit", "path": dir })), style),
        Ok(dir) => finish(&format!("{}\n", dir.display()), style),
        Err(refusal) => refusal.report(json, style),
    }
}

fn path(host: &HostEnv) -> Result<PathBuf, Refusal> {
    let cache = host.cache_dir().ok_or_else(|| {
        Refusal::new(Exit::Failed, "this user has no folder for caches")
            .hint("`agent-launcher plugin export DIR` writes the plugin where you say")
    })?;
    let cache = cache.join("agent-launcher");
    adrkit_path(&cache).map_err(|error| {
        Refusal::new(Exit::Failed, format!("the plugin cannot be written below `{}`: {error}", cache.display()))
    })
}

fn export(dir: &std::path::Path) -> Result<PathBuf, Refusal> {
    export_adrkit(dir).map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => Refusal::usage(format!("`{}` is not an empty folder", dir.display()))
            .hint("name a folder that is empty or does not exist yet"),
        _ => Refusal::new(Exit::Failed, format!("the plugin cannot be written to `{}`: {error}", dir.display())),
    })
}
