use std::path::{Path, PathBuf};

use super::{FakeDisk, copilot, host};
use crate::discover::disk::Disk;
use crate::discover::places::{Place, places, ranks_last};
use crate::discover::{Via, walk};
use crate::env::{HostEnv, Os};

/// Where Copilot is found first on such a machine.
fn first(host: &HostEnv, disk: &FakeDisk) -> Option<(Via, PathBuf)> {
    all(host, disk).into_iter().next()
}

fn all(host: &HostEnv, disk: &FakeDisk) -> Vec<(Via, PathBuf)> {
    let mut found = Vec::new();
    for place in places(host, &host.vars, disk, copilot()) {
        let steps = walk::walk(disk, host, &[place.folder], "copilot");
        found.extend(steps.into_iter().filter(|step| step.refused.is_none()).map(|step| (place.via, step.path)));
    }
    found
}

/// On a machine with these variables and only this program, it is found by this way.
#[track_caller]
fn finds(os: Os, vars: &[(&str, &str)], program: &str, via: Via) {
    let disk = FakeDisk::with(os, &[program]);
    assert_eq!(first(&host(os, vars), &disk), Some((via, PathBuf::from(program))));
}

#[test]
fn d01_d16_every_place_of_linux_is_looked_at() {
    let no = &[];
    for (program, via) in [
        ("/home/u/.local/bin/copilot", Via::Native),
        ("/home/u/.copilot/bin/copilot", Via::Native),
        ("/home/u/.npm-global/bin/copilot", Via::Npm),
        ("/home/u/.npm-packages/bin/copilot", Via::Npm),
        ("/home/u/.npm/bin/copilot", Via::Npm),
        ("/home/u/.local/share/pnpm/copilot", Via::Pnpm),
        ("/home/u/.local/share/pnpm/bin/copilot", Via::Pnpm),
        ("/home/u/.bun/bin/copilot", Via::Bun),
        ("/home/u/.yarn/bin/copilot", Via::Yarn),
        ("/home/u/.config/yarn/global/node_modules/.bin/copilot", Via::Yarn),
        ("/home/u/.volta/bin/copilot", Via::Volta),
        ("/home/u/.local/share/mise/shims/copilot", Via::Mise),
        ("/home/u/.local/share/mise/installs/node/22.1.0/bin/copilot", Via::Mise),
        ("/home/u/.asdf/shims/copilot", Via::Asdf),
        ("/home/u/.asdf/installs/nodejs/22.1.0/bin/copilot", Via::Asdf),
        ("/home/u/.nvm/versions/node/v22.1.0/bin/copilot", Via::Nvm),
        ("/home/u/.config/nvm/versions/node/v22.1.0/bin/copilot", Via::Nvm),
        ("/home/u/.local/share/fnm/aliases/default/bin/copilot", Via::Fnm),
        ("/home/u/.local/share/fnm/node-versions/v22.1.0/installation/bin/copilot", Via::Fnm),
        ("/home/u/.fnm/node-versions/v22.1.0/installation/bin/copilot", Via::Fnm),
        ("/home/linuxbrew/.linuxbrew/bin/copilot", Via::Linuxbrew),
        ("/home/linuxbrew/.linuxbrew/Cellar/node/22.1.0/bin/copilot", Via::Linuxbrew),
        ("/home/linuxbrew/.linuxbrew/Caskroom/copilot-cli/1.0.102/copilot", Via::Linuxbrew),
        ("/usr/local/bin/copilot", Via::System),
        ("/usr/bin/copilot", Via::System),
        ("/snap/bin/copilot", Via::System),
        ("/home/u/.nix-profile/bin/copilot", Via::System),
    ] {
        finds(Os::Linux, no, program, via);
    }
}

#[test]
fn every_variable_of_unix_names_its_place() {
    for os in [Os::Linux, Os::MacOs] {
        for (name, program, via) in [
            ("NPM_CONFIG_PREFIX", "/x/bin/copilot", Via::Npm),
            ("npm_config_prefix", "/x/bin/copilot", Via::Npm),
            ("N_PREFIX", "/x/bin/copilot", Via::Npm),
            ("PNPM_HOME", "/x/copilot", Via::Pnpm),
            ("PNPM_HOME", "/x/bin/copilot", Via::Pnpm),
            ("XDG_DATA_HOME", "/x/pnpm/copilot", Via::Pnpm),
            ("BUN_INSTALL", "/x/bin/copilot", Via::Bun),
            ("BUN_INSTALL_BIN", "/x/copilot", Via::Bun),
            ("YARN_PREFIX", "/x/bin/copilot", Via::Yarn),
            ("VOLTA_HOME", "/x/bin/copilot", Via::Volta),
            ("MISE_DATA_DIR", "/x/shims/copilot", Via::Mise),
            ("XDG_DATA_HOME", "/x/mise/shims/copilot", Via::Mise),
            ("ASDF_DATA_DIR", "/x/shims/copilot", Via::Asdf),
            ("ASDF_DIR", "/x/shims/copilot", Via::Asdf),
            ("NVM_BIN", "/x/copilot", Via::Nvm),
            ("NVM_DIR", "/x/versions/node/v22.1.0/bin/copilot", Via::Nvm),
            ("XDG_CONFIG_HOME", "/x/nvm/versions/node/v22.1.0/bin/copilot", Via::Nvm),
            ("FNM_MULTISHELL_PATH", "/x/bin/copilot", Via::Fnm),
            ("FNM_DIR", "/x/aliases/default/bin/copilot", Via::Fnm),
            ("FNM_DIR", "/x/node-versions/v22.1.0/installation/bin/copilot", Via::Fnm),
        ] {
            finds(os, &[(name, "/x")], program, via);
        }
    }
    finds(Os::Linux, &[("HOMEBREW_PREFIX", "/x")], "/x/bin/copilot", Via::Linuxbrew);
    finds(Os::MacOs, &[("HOMEBREW_PREFIX", "/x")], "/x/bin/copilot", Via::Homebrew);
    finds(Os::Linux, &[("USER", "u")], "/etc/profiles/per-user/u/bin/copilot", Via::System);
}

#[test]
fn d16_every_place_of_macos_is_looked_at() {
    let no = &[];
    for (program, via) in [
        ("/Users/u/.local/bin/copilot", Via::Native),
        ("/opt/homebrew/bin/copilot", Via::Homebrew),
        ("/usr/local/bin/copilot", Via::Homebrew),
        ("/opt/homebrew/Caskroom/copilot-cli/1.0.102/copilot", Via::Homebrew),
        ("/opt/homebrew/Cellar/node/22.1.0/bin/copilot", Via::Homebrew),
        ("/usr/local/Cellar/node/22.1.0/bin/copilot", Via::Homebrew),
        ("/Users/u/.npm-global/bin/copilot", Via::Npm),
        ("/Users/u/Library/pnpm/copilot", Via::Pnpm),
        ("/Users/u/Library/pnpm/bin/copilot", Via::Pnpm),
        ("/Users/u/Library/Application Support/fnm/aliases/default/bin/copilot", Via::Fnm),
        ("/Users/u/Library/Application Support/fnm/node-versions/v22.1.0/installation/bin/copilot", Via::Fnm),
        ("/opt/local/bin/copilot", Via::System),
        ("/usr/bin/copilot", Via::System),
    ] {
        finds(Os::MacOs, no, program, via);
    }
}

#[test]
fn d01_d05_d14_every_place_of_windows_is_looked_at() {
    let vars: &[(&str, &str)] = &[
        ("APPDATA", r"C:\Users\u\AppData\Roaming"),
        ("LOCALAPPDATA", r"C:\Users\u\AppData\Local"),
        ("ProgramFiles", r"C:\Program Files"),
        ("ProgramFiles(x86)", r"C:\Program Files (x86)"),
        ("ProgramData", r"C:\ProgramData"),
    ];
    for (program, via) in [
        (r"C:\Users\u\.local\bin\copilot.exe", Via::Native),
        (r"C:\Users\u\AppData\Local\Programs\copilot\copilot.exe", Via::Native),
        (r"C:\Users\u\AppData\Local\Programs\copilot\bin\copilot.exe", Via::Native),
        (r"C:\Users\u\AppData\Local\copilot\bin\copilot.exe", Via::Native),
        (r"C:\Users\u\AppData\Local\Microsoft\WinGet\Links\copilot.exe", Via::Winget),
        (r"C:\Program Files\WinGet\Links\copilot.exe", Via::Winget),
        (r"C:\Users\u\scoop\shims\copilot.exe", Via::Scoop),
        (r"C:\ProgramData\scoop\shims\copilot.exe", Via::Scoop),
        (r"C:\Users\u\AppData\Roaming\npm\copilot.cmd", Via::Npm),
        (r"C:\Program Files\nodejs\copilot.cmd", Via::Npm),
        (r"C:\Program Files (x86)\nodejs\copilot.cmd", Via::Npm),
        (r"C:\Users\u\AppData\Local\pnpm\copilot.cmd", Via::Pnpm),
        (r"C:\Users\u\AppData\Local\pnpm\bin\copilot.cmd", Via::Pnpm),
        (r"C:\Users\u\.bun\bin\copilot.exe", Via::Bun),
        (r"C:\Users\u\AppData\Local\Yarn\bin\copilot.cmd", Via::Yarn),
        (r"C:\Users\u\AppData\Local\Volta\bin\copilot.exe", Via::Volta),
        (r"C:\Users\u\AppData\Local\mise\shims\copilot.cmd", Via::Mise),
        (r"C:\Users\u\AppData\Roaming\fnm\aliases\default\copilot.cmd", Via::Fnm),
        (r"C:\Users\u\AppData\Roaming\nvm\v24.12.0\copilot.cmd", Via::Nvm),
        (r"C:\ProgramData\chocolatey\bin\copilot.exe", Via::System),
    ] {
        finds(Os::Windows, vars, program, via);
    }
    for (name, program, via) in [
        ("NPM_CONFIG_PREFIX", r"D:\x\copilot.cmd", Via::Npm),
        ("PNPM_HOME", r"D:\x\copilot.cmd", Via::Pnpm),
        ("BUN_INSTALL", r"D:\x\bin\copilot.exe", Via::Bun),
        ("VOLTA_HOME", r"D:\x\bin\copilot.exe", Via::Volta),
        ("SCOOP", r"D:\x\shims\copilot.exe", Via::Scoop),
        ("SCOOP_GLOBAL", r"D:\x\shims\copilot.exe", Via::Scoop),
        ("NVM_SYMLINK", r"D:\x\copilot.cmd", Via::Nvm),
        ("NVM_HOME", r"D:\x\v24.12.0\copilot.cmd", Via::Nvm),
        ("FNM_DIR", r"D:\x\aliases\default\copilot.cmd", Via::Fnm),
        ("FNM_MULTISHELL_PATH", r"D:\x\copilot.cmd", Via::Fnm),
        ("MISE_DATA_DIR", r"D:\x\shims\copilot.cmd", Via::Mise),
    ] {
        finds(Os::Windows, &[(name, r"D:\x")], program, via);
    }
}

#[test]
fn d14_nvm_for_windows_prefers_its_link_then_the_highest_version() {
    let vars = [("NVM_HOME", r"D:\nvm"), ("NVM_SYMLINK", r"D:\nodejs")];
    let folders = [r"D:\nvm\v9.11.2\copilot.cmd", r"D:\nvm\v24.12.0\copilot.cmd"];
    let host = host(Os::Windows, &vars);
    let versions = FakeDisk::with(Os::Windows, &folders);
    assert_eq!(first(&host, &versions), Some((Via::Nvm, r"D:\nvm\v24.12.0\copilot.cmd".into())));
    let active = versions.file(r"D:\nodejs\copilot.cmd", "");
    assert_eq!(first(&host, &active), Some((Via::Nvm, r"D:\nodejs\copilot.cmd".into())));
}

#[test]
fn d05_the_prefix_of_npmrc_is_looked_in() {
    let disk = || FakeDisk::with(Os::Linux, &["/data/npm/bin/copilot", "/home/u/n-g/bin/copilot"]);
    let linux = host(Os::Linux, &[("WHERE", "/data")]);
    for (text, program) in [
        ("prefix=/data/npm\n", "/data/npm/bin/copilot"),
        ("# prefix=/no\nregistry=x\nprefix = \"/data/npm\"", "/data/npm/bin/copilot"),
        ("prefix=${WHERE}/npm", "/data/npm/bin/copilot"),
        ("prefix=~/n-g", "/home/u/n-g/bin/copilot"),
        ("prefix=${HOME}/n-g", "/home/u/n-g/bin/copilot"),
    ] {
        let disk = disk().plain("/home/u/.npmrc", text);
        assert_eq!(first(&linux, &disk), Some((Via::Npm, program.into())), "{text}");
    }
    for text in ["prefix=relative", "prefix=${UNSET}/npm", "prefix=", "prefix=${WHERE", "noprefix=/data/npm"] {
        assert_eq!(first(&linux, &disk().plain("/home/u/.npmrc", text)), None, "{text}");
    }
    let elsewhere = host(Os::Linux, &[("NPM_CONFIG_USERCONFIG", "/etc/mine")]);
    let disk = disk().plain("/etc/mine", "prefix=/data/npm");
    assert_eq!(first(&elsewhere, &disk), Some((Via::Npm, "/data/npm/bin/copilot".into())));
    let program = r"D:\projects\npm\npm-global\copilot.cmd";
    let disk =
        FakeDisk::with(Os::Windows, &[program]).plain(r"C:\Users\u\.npmrc", "prefix=D:\\projects\\npm\\npm-global\r\n");
    assert_eq!(first(&host(Os::Windows, &[]), &disk), Some((Via::Npm, program.into())));
}

#[test]
fn d13_nvm_the_active_version_then_the_default_then_the_highest() {
    let at = |version: &str| format!("/home/u/.nvm/versions/node/{version}/bin/copilot");
    let disk = || FakeDisk::with(Os::Linux, &[&at("v9.1.0"), &at("v18.20.8"), &at("v22.14.0"), &at("v22.9.0")]);
    let plain = host(Os::Linux, &[]);
    let found = |host: &HostEnv, disk: &FakeDisk| first(host, disk).expect("found").1;
    assert_eq!(found(&plain, &disk()), Path::new(&at("v22.14.0")));
    let active = host(Os::Linux, &[("NVM_BIN", "/home/u/.nvm/versions/node/v9.1.0/bin")]);
    assert_eq!(found(&active, &disk()), Path::new(&at("v9.1.0")));
    for (alias, version) in [
        ("v18.20.8\n", "v18.20.8"),
        ("18", "v18.20.8"),
        ("22.9", "v22.9.0"),
        ("22", "v22.14.0"),
        ("node", "v22.14.0"),
        ("stable", "v22.14.0"),
        ("lts/*", "v18.20.8"),
        ("lts/hydrogen", "v18.20.8"),
        // What leads nowhere, or in a circle, leaves the highest.
        ("system", "v22.14.0"),
        ("iojs", "v22.14.0"),
        ("default", "v22.14.0"),
        ("../../../etc/passwd", "v22.14.0"),
        ("", "v22.14.0"),
    ] {
        let disk = disk()
            .plain("/home/u/.nvm/alias/default", alias)
            .plain("/home/u/.nvm/alias/lts/*", "lts/hydrogen\n")
            .plain("/home/u/.nvm/alias/lts/hydrogen", "v18.20.8\n");
        assert_eq!(found(&plain, &disk), Path::new(&at(version)), "{alias}");
    }
}

#[test]
fn a_folder_is_looked_in_once_and_rows_without_their_variable_not_at_all() {
    let disk = FakeDisk::new(Os::Linux);
    let vars = [("NPM_CONFIG_PREFIX", "/home/u/.local"), ("PNPM_HOME", ""), ("VOLTA_HOME", "relative")];
    let host = host(Os::Linux, &vars);
    let places = places(&host, &host.vars, &disk, copilot());
    let mut folders: Vec<&PathBuf> = places.iter().map(|place| &place.folder).collect();
    assert!(folders.iter().all(|folder| folder.is_absolute() && !folder.to_string_lossy().contains(['{', '*'])));
    let count = folders.len();
    folders.sort();
    folders.dedup();
    assert_eq!(folders.len(), count);
    assert_eq!(places[0], Place { folder: "/home/u/.local/bin".into(), via: Via::Native });
}

#[test]
fn without_a_home_only_places_of_the_system_are_left() {
    for (os, vars) in [(Os::Linux, vec![]), (Os::Windows, vec![("APPDATA", r"C:\A")])] {
        let mut host = host(os, &vars);
        host.home = None;
        let places = places(&host, &host.vars, &FakeDisk::new(os), copilot());
        assert!(!places.is_empty());
        assert!(places.iter().all(|place| !place.folder.to_string_lossy().contains("/u/")));
    }
}

#[test]
fn an_unreadable_home_is_passed_over() {
    let disk = FakeDisk::with(Os::Linux, &["/usr/bin/copilot"])
        .locked("/home/u/.local/bin/copilot")
        .locked("/home/u/.npmrc")
        .locked("/home/u/.nvm");
    assert_eq!(disk.names(Path::new("/home/u/.nvm")), Vec::<std::ffi::OsString>::new());
    assert_eq!(first(&host(Os::Linux, &[]), &disk), Some((Via::System, "/usr/bin/copilot".into())));
}

#[test]
fn d20_in_wsl_programs_of_windows_rank_last() {
    let npm = Path::new("/mnt/c/Users/u/AppData/Roaming/npm");
    let wsl = host(Os::Linux, &[("WSL_DISTRO_NAME", "Ubuntu")]);
    assert!(ranks_last(&wsl, npm));
    assert!(!ranks_last(&wsl, Path::new("/mnt/data/bin")));
    assert!(!ranks_last(&wsl, Path::new("/home/u/mnt/c")));
    assert!(!ranks_last(&host(Os::Linux, &[]), npm));
}

#[test]
fn the_stub_folder_of_vs_code_ranks_last_on_every_system() {
    let stub = "Library/Application Support/Code/User/globalStorage/github.copilot-chat/copilotCli";
    assert!(ranks_last(&host(Os::MacOs, &[]), &Path::new("/Users/u").join(stub)));
    assert!(ranks_last(
        &host(Os::Linux, &[]),
        Path::new("/home/u/.vscode-server/data/User/globalStorage/github.copilot-chat/copilotCli")
    ));
    let windows = r"C:\Users\u\AppData\Roaming\Code\User\globalStorage\github.copilot-chat\copilotCli";
    assert!(ranks_last(&host(Os::Windows, &[]), Path::new(windows)));
}
