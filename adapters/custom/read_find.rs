//! Reads where an agent is installed, how it is known, and what a person does to have it.

use semver::Version as Semver;

use super::definition::{Find, Setup, Version};
use super::forbidden::Where;
use super::read::{MOST, Result, below, plain, regex};
use super::read_environment::{set, variable_name};
use super::reader::{At, Table};
use super::shown;

pub(super) fn find(root: &Table<'_>) -> Result<Find> {
    let Some(table) = root.child("find", &["home_dirs", "npm_package", "npm_native"])? else {
        return Ok(Find::default());
    };
    let home_dirs = table.texts("home_dirs", 16)?;
    for dir in &home_dirs {
        below(&table, dir, "a folder below the home folder, such as `.local/bin`")?;
    }
    let npm_package = table.text("npm_package")?;
    if let Some(package) = &npm_package {
        package_name(&table, package)?;
    }
    let npm_native = match table.child("npm_native", &["package", "program"])? {
        None => None,
        Some(native) => {
            if npm_package.is_none() {
                return Err(table.error(native.at(), "`find.npm_native` needs `find.npm_package` beside it"));
            }
            let package = native.need("package", "package = \"my-agent-{os}-{arch}\"")?;
            package_name(
                &native,
                &At { value: package.value.replace("{os}", "os").replace("{arch}", "arch"), at: package.at },
            )?;
            let program = native.need("program", "program = \"bin/my-agent\"")?;
            below(&native, &program, "a file below the package's folder, such as `bin/my-agent`")?;
            Some((package.value, program.value))
        }
    };
    Ok(Find { home_dirs: plain(home_dirs), npm_package: npm_package.map(|package| package.value), npm_native })
}

fn package_name(table: &Table<'_>, package: &At<String>) -> Result<()> {
    let name = package.value.strip_prefix('@').unwrap_or(&package.value);
    let parts: Vec<&str> = name.split('/').collect();
    let plain = |part: &&str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
    };
    let scoped = package.value.starts_with('@');
    if parts.len() != if scoped { 2 } else { 1 } || !parts.iter().all(plain) {
        return Err(table.error(package.at, format!("`{}` is no name of an npm package", shown(&package.value))));
    }
    Ok(())
}

pub(super) fn version(root: &Table<'_>) -> Result<Version> {
    let keys = &["args", "env", "identity", "example", "near_miss", "install_prompts", "floor", "tested"];
    let example = r"[version] with identity = '^my-agent (\d+\.\d+\.\d+)$'";
    let table = root.child("version", keys)?.ok_or_else(|| root.missing("version", example))?;
    let mut args = plain(table.texts("args", 8)?);
    if args.is_empty() {
        args.push("--version".into());
    }
    let identity = table.need("identity", r"identity = '^my-agent (\d+\.\d+\.\d+)$'")?;
    // The output ends with a line end, and nobody thinks of it.
    let identity = At { value: format!("(?m){}", identity.value), at: identity.at };
    let regex = regex(&table, &identity)?;
    if regex.captures_len() < 2 {
        return Err(table.error(identity.at, "`version.identity` has no group; put the version into one: `(…)`"));
    }
    let shows =
        table.long_text("example", 4096)?.ok_or_else(|| table.missing("example", "example = \"my-agent 1.2.3\""))?;
    let told = regex.captures(&shows.value).and_then(|found| found.get(1)).map(|found| found.as_str().to_owned());
    let Some(told) = told.filter(|told| !told.is_empty()) else {
        return Err(table.error(shows.at, "`version.identity` finds no version in this example of the output"));
    };
    let near = table.long_text("near_miss", 4096)?;
    let near = near.ok_or_else(|| table.missing("near_miss", "near_miss = \"another-program 1.2.3\""))?;
    if regex.is_match(&near.value) {
        let problem =
            "`version.identity` takes this for the agent, which it is not; hold the pattern to the agent's own words";
        return Err(table.error(near.at, problem));
    }
    let (floor, tested) = (table.text("floor")?, table.text("tested")?);
    for text in floor.iter().chain(&tested) {
        if Semver::parse(&text.value).is_err() {
            return Err(table.error(text.at, format!("`{}` is no version; one is `1.2.3`", shown(&text.value))));
        }
    }
    if let Some(floor) = floor.as_ref().filter(|_| Semver::parse(&told).is_err()) {
        let problem = format!("a floor needs versions such as `1.2.3`, and the example has `{}`", shown(&told));
        return Err(table.error(floor.at, problem));
    }
    let env = set(&table, "env", Where::Safe)?;
    let install_prompts = plain(table.texts("install_prompts", MOST)?);
    let text = |text: Option<At<String>>| text.map(|text| text.value);
    Ok(Version { args, env, identity: identity.value, install_prompts, floor: text(floor), tested: text(tested) })
}

pub(super) fn setup(root: &Table<'_>) -> Result<Setup> {
    let keys = &["install", "install_url", "update", "login", "auth_variables"];
    let example = "[setup] with install = \"npm install -g my-agent\"";
    let table = root.child("setup", keys)?.ok_or_else(|| root.missing("setup", example))?;
    let text = |key: &str| Ok(table.text(key)?.map(|text| text.value).unwrap_or_default());
    let url = table.text("install_url")?;
    if let Some(url) = url.as_ref().filter(|url| !url.value.starts_with("https://") || url.value.contains(' ')) {
        return Err(table.error(url.at, "`setup.install_url` must begin with `https://` and hold no space"));
    }
    let (install, install_url) = (text("install")?, url.map(|url| url.value).unwrap_or_default());
    if install.is_empty() && install_url.is_empty() {
        return Err(table
            .missing("install", "install = \"npm install -g my-agent\"` or `install_url = \"https://example.org\""));
    }
    let update = table.text("update")?.map_or_else(|| install.clone(), |text| text.value);
    let auth_variables = table.texts("auth_variables", MOST)?;
    auth_variables.iter().try_for_each(|name| variable_name(&table, name))?;
    Ok(Setup { install, install_url, update, login: text("login")?, auth_variables: plain(auth_variables) })
}
