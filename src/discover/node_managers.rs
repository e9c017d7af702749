//! What npm and nvm keep in files: the prefix in `.npmrc`, the default alias. Pure over the disk handed in.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::disk::Disk;
use super::{environment, paths};
use crate::env::{HostEnv, Os};

type Vars = BTreeMap<OsString, OsString>;

/// The prefixes that npm's own files name, the person's before the machine's.
pub(crate) fn npm_prefixes(host: &HostEnv, vars: &Vars, disk: &dyn Disk) -> Vec<PathBuf> {
    let variable = |name: &str| environment::lookup(host.os, vars, name).map(PathBuf::from);
    let in_home = host.home.as_ref().map(|home| paths::below(host.os, home, ".npmrc"));
    let files = [
        variable("NPM_CONFIG_USERCONFIG"),
        variable("npm_config_userconfig"),
        in_home,
        variable("NPM_CONFIG_GLOBALCONFIG"),
    ];
    let machine: &[&str] = match host.os {
        Os::Windows => &[],
        _ => &["/usr/local/etc/npmrc", "/etc/npmrc", "/opt/homebrew/etc/npmrc"],
    };
    let files = files.into_iter().flatten().chain(machine.iter().map(PathBuf::from));
    files.filter_map(|file| npmrc_prefix(host, vars, &disk.text(&file)?)).collect()
}

/// The value of `prefix` in the text of an `.npmrc`.
fn npmrc_prefix(host: &HostEnv, vars: &Vars, text: &str) -> Option<PathBuf> {
    let mut values = text.lines().filter_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "prefix").then(|| value.trim().trim_matches(['"', '\'']))
    });
    let mut value = values.next_back()?.to_owned();
    // npm expands `${NAME}` and a leading `~/`.
    while let Some(start) = value.find("${") {
        let end = start + value[start..].find('}')?;
        let name = &value[start + 2..end];
        let known = environment::lookup(host.os, vars, name);
        let known = known.or_else(|| if name == "HOME" { host.home.clone().map(Into::into) } else { None })?;
        value.replace_range(start..=end, known.to_str().filter(|text| !text.contains("${"))?);
    }
    match value.strip_prefix("~/") {
        Some(below) => Some(paths::below(host.os, host.home.as_ref()?, below)),
        None => paths::is_absolute(host.os, Path::new(&value)).then(|| PathBuf::from(value)),
    }
}

/// The `bin` folder of nvm's default version, for each place where nvm may be.
pub(crate) fn nvm_defaults(host: &HostEnv, vars: &Vars, disk: &dyn Disk) -> Vec<PathBuf> {
    let variable = |name: &str| environment::lookup(host.os, vars, name).map(PathBuf::from);
    let home = |below: &str| host.home.as_ref().map(|home| paths::below(host.os, home, below));
    let config = variable("XDG_CONFIG_HOME").map(|config| paths::below(host.os, &config, "nvm"));
    let roots = [variable("NVM_DIR"), config, home(".nvm"), home(".config/nvm")];
    roots.into_iter().flatten().filter_map(|root| nvm_default(host.os, disk, &root)).collect()
}

fn nvm_default(os: Os, disk: &dyn Disk, root: &Path) -> Option<PathBuf> {
    let versions = paths::below(os, root, "versions/node");
    let names = disk.names(&versions).into_iter().filter_map(|name| name.into_string().ok());
    let mut installed: Vec<String> = names.filter(|name| name.starts_with('v')).collect();
    installed.sort_by_key(|name| std::cmp::Reverse(numbers(name)));
    let mut wanted = String::from("default");
    // An alias may name another: `default` → `lts/*` → `lts/jod` → `v22.14.0`. The bound ends circles.
    for _ in 0..8 {
        if matches!(wanted.as_str(), "node" | "stable") {
            return installed.first().map(|name| paths::below(os, &versions, &format!("{name}/bin")));
        }
        let own = wanted.trim_start_matches('v');
        if own.starts_with(|c: char| c.is_ascii_digit()) {
            let parts = numbers(own);
            let version = installed.iter().find(|name| numbers(name).starts_with(&parts))?;
            return Some(paths::below(os, &versions, &format!("{version}/bin")));
        }
        if wanted.contains("..") {
            return None;
        }
        wanted = disk.text(&paths::below(os, root, &format!("alias/{wanted}")))?.lines().next()?.trim().to_owned();
    }
    None
}

/// The numbers of a version's name, for comparing `v9.1.0` with `v22.14.0`.
pub(crate) fn numbers(name: &str) -> Vec<u64> {
    let digits = name.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty());
    digits.map(|part| part.parse().unwrap_or(u64::MAX)).collect()
}
