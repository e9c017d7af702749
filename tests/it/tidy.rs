//! The project's own order: sizes, links, names of tests, no trace of one machine. Offline and quick.

use std::path::{Path, PathBuf};

/// Files of an adapter that are a list of facts, which may be as long as it takes.
const LISTS: &[&str] = &["environment.rs", "permissions.rs", "sources.rs", "wire.rs"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every file of the project, as paths below its folder: what is built, installed or recorded aside.
fn files() -> Vec<String> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(root().join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let path = folder.join(&name);
            let kind = entry.file_type().unwrap();
            if kind.is_dir() && !["target", "node_modules", ".git", "recordings"].contains(&name.as_str()) {
                folders.push(path);
            } else if kind.is_file() && name != ".git" {
                found.push(path.to_str().unwrap().to_owned());
            }
        }
    }
    found.sort();
    found
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The texts for people.
fn documents() -> Vec<String> {
    files().into_iter().filter(|path| path.ends_with(".md") && !path.starts_with("tests/")).collect()
}

/// What stands between backticks in a text, code blocks aside.
fn quoted(text: &str) -> Vec<&str> {
    let outside = text.split("```").step_by(2);
    outside.flat_map(|part| part.split('`').skip(1).step_by(2)).collect()
}

#[test]
fn no_file_is_above_its_size() {
    let mut above = Vec::new();
    let is_code = |path: &&String| path.ends_with(".rs") && !path.ends_with("_tests.rs");
    let is_list =
        |path: &str| path.starts_with("adapters/") && path.rsplit('/').next().is_some_and(|name| LISTS.contains(&name));
    for path in files().iter().filter(is_code).filter(|path| !is_list(path)) {
        let text = read(path);
        // Tests beside the code do not count: what is read together is the code.
        let code = text.split("#[cfg(test)]\nmod ").next().unwrap();
        let lines = code.lines().count();
        let bar = match path.as_str() {
            "src/lib.rs" => 80,
            _ => 430,
        };
        if lines > bar {
            above.push(format!("{path}: {lines} lines, bar {bar}"));
        }
    }
    assert!(above.is_empty(), "{above:#?}");
}

#[test]
fn every_link_in_the_documents_leads_to_a_file() {
    let mut broken = Vec::new();
    for document in documents() {
        let folder = Path::new(&document).parent().unwrap();
        let text = read(&document);
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap();
            if !target.is_empty() && !link.contains("://") && !root().join(folder).join(target).exists() {
                broken.push(format!("{document}: {link}"));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn every_file_that_the_documents_name_exists() {
    let folders = ["src/", "adapters/", "tests/", "docs/", "fake-bins/", "scripts/", "benches/", ".ci/"];
    let mut missing = Vec::new();
    for document in documents() {
        for name in quoted(&read(&document)) {
            let is_path = folders.iter().any(|folder| name.starts_with(folder)) && !name.contains([' ', '*', '<', '{']);
            if is_path && !root().join(name).exists() {
                missing.push(format!("{document}: {name}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn every_test_that_the_guarantees_name_exists() {
    let sources: String =
        files().iter().filter(|path| path.ends_with(".rs") || path.ends_with(".mjs")).map(|path| read(path)).collect();
    let guarantees = read("docs/GUARANTEES.md");
    let tests: Vec<&str> = quoted(&guarantees)
        .into_iter()
        .filter(|name| {
            name.contains('_') && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        })
        .filter(|name| name.matches('_').count() > 2)
        .collect();
    assert!(tests.len() > 20, "the list of promises names its tests: {tests:?}");
    let missing: Vec<&&str> = tests.iter().filter(|name| !sources.contains(&format!("fn {name}("))).collect();
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn the_version_stands_in_the_changelog() {
    assert!(read("CHANGELOG.md").contains(&format!("\n## {}", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn no_file_names_a_registry_or_a_folder_of_one_machine() {
    // Put together here, so that this file does not name them itself.
    let mut names = vec![["registry.", "npmjs"].concat(), ["registry.", "yarnpkg"].concat()];
    names.push(format!("{}/", root().display()));
    // A home such as `/root` is on every machine and in many an example; one below a folder of people is somebody's.
    let home = std::env::home_dir().filter(|home| home.components().count() > 2);
    names.extend(home.map(|home| format!("{}/", home.display())));
    let mut found = Vec::new();
    for path in files() {
        // A file that is no text names nothing.
        let Ok(text) = std::fs::read_to_string(root().join(&path)) else { continue };
        found.extend(names.iter().filter(|name| text.contains(name.as_str())).map(|name| format!("{path}: {name}")));
    }
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn ci_runs_the_command_of_the_readme() {
    let readme = read("README.md");
    let line = readme.lines().find(|line| line.starts_with("scripts/install-agents.sh && cargo test")).unwrap();
    let ci = read(".ci/run");
    for part in line.split(" && ") {
        assert!(ci.lines().any(|line| line.replace(" --locked", "") == part), "`.ci/run` does not run `{part}`");
    }
}
