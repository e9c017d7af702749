use std::path::{Path, PathBuf};

use super::{FakeDisk, copilot, host, native};
use crate::adapters::Spec;
use crate::discover::shim::{Target, targets};
use crate::env::{Arch, HostEnv, Os};
use crate::request::AgentId;

/// An agent like Copilot, with another package.
fn agent(id: &'static str, package: &'static str, native: Option<(&'static str, &'static str)>) -> Spec {
    let copilot = copilot();
    Spec {
        id: AgentId::new(id),
        name: id,
        programs: &["agent"],
        npm_package: Some(package),
        npm_native: native,
        floor: crate::adapters::Floor { ..copilot.floor },
        ..*copilot
    }
}

fn run(program: &str, args: &[&str]) -> Target {
    Target { program: PathBuf::from(program), first_args: args.iter().map(Into::into).collect() }
}

#[track_caller]
fn check(disk: &FakeDisk, host: &HostEnv, spec: &Spec, found: &str, expected: &[Target]) {
    assert_eq!(targets(disk, host, spec, Path::new(found)), expected);
}

fn loader(disk: FakeDisk, package: &str) -> FakeDisk {
    disk.file(&format!("{package}/npm-loader.js"), "#!/usr/bin/env node\n")
        .plain(&format!("{package}/package.json"), r#"{"name":"@github/copilot","version":"1.0.102"}"#)
}

#[test]
fn an_npm_link_leads_to_the_native_binary_hoisted_or_nested() {
    let package = "/p/lib/node_modules/@github/copilot";
    let disk = || loader(FakeDisk::new(Os::Linux).link("/p/bin/copilot", &format!("{package}/npm-loader.js")), package);
    let direct = run("/p/bin/copilot", &[]);
    for native_package in [
        "/p/lib/node_modules/@github/copilot-linux-x64/copilot",
        "/p/lib/node_modules/@github/copilot/node_modules/@github/copilot-linux-x64/copilot",
    ] {
        let disk = disk().file(native_package, native(Os::Linux, Arch::X64));
        check(&disk, &host(Os::Linux, &[]), copilot(), "/p/bin/copilot", &[run(native_package, &[]), direct.clone()]);
    }
    // D17: without it, the loader is started and says so itself.
    check(&disk(), &host(Os::Linux, &[]), copilot(), "/p/bin/copilot", &[direct]);
}

#[test]
fn the_binary_for_musl_is_taken_where_its_linker_is() {
    let package = "/p/lib/node_modules/@github/copilot";
    let musl = "/p/lib/node_modules/@github/copilot-linuxmusl-x64/copilot";
    let disk = loader(FakeDisk::new(Os::Linux), package).file(musl, native(Os::Linux, Arch::X64));
    let found = format!("{package}/npm-loader.js");
    check(&disk, &host(Os::Linux, &[]), copilot(), &found, &[run(musl, &[]), run(&found, &[])]);
    // For another processor, or without the linker that it names, it does not fit.
    let foreign = loader(FakeDisk::new(Os::Linux), package).file(musl, native(Os::Linux, Arch::Arm64));
    check(&foreign, &host(Os::Linux, &[]), copilot(), &found, &[run(&found, &[])]);
}

#[test]
fn a_package_of_another_name_is_left_alone() {
    let package = "/p/lib/node_modules/@github/copilot";
    let disk = FakeDisk::new(Os::Linux)
        .file(&format!("{package}/npm-loader.js"), "#!/usr/bin/env node\n")
        .plain(&format!("{package}/package.json"), r#"{"name":"copilot-impostor"}"#)
        .file("/p/lib/node_modules/@github/copilot-linux-x64/copilot", native(Os::Linux, Arch::X64));
    let found = format!("{package}/npm-loader.js");
    check(&disk, &host(Os::Linux, &[]), copilot(), &found, &[run(&found, &[])]);
}

#[test]
fn pnpms_sh_shim_leads_to_the_native_binary() {
    let store = "/h/pnpm/global/5/.pnpm/@github+copilot@1.0.102/node_modules/@github";
    let shim = "#!/bin/sh\nbasedir=$(dirname \"$(echo \"$0\" | sed -e 's,\\\\,/,g')\")\n\
        if [ -z \"$NODE_PATH\" ]; then\n  export NODE_PATH=\"/h/pnpm/global/5/node_modules/@github/copilot/node_modules:/x\"\nfi\n\
        if [ -x \"$basedir/node\" ]; then\n  exec \"$basedir/node\"  \"$basedir/global/5/node_modules/@github/copilot/npm-loader.js\" \"$@\"\n\
        else\n  exec node  \"$basedir/global/5/node_modules/@github/copilot/npm-loader.js\" \"$@\"\nfi\n";
    let disk = loader(FakeDisk::new(Os::Linux), &format!("{store}/copilot"))
        .link("/h/pnpm/global/5/node_modules/@github/copilot", &format!("{store}/copilot"))
        .file("/h/pnpm/copilot", shim)
        .file(&format!("{store}/copilot-linux-x64/copilot"), native(Os::Linux, Arch::X64));
    let program = format!("{store}/copilot-linux-x64/copilot");
    check(
        &disk,
        &host(Os::Linux, &[]),
        copilot(),
        "/h/pnpm/copilot",
        &[run(&program, &[]), run("/h/pnpm/copilot", &[])],
    );
}

const CMD: &str = "@ECHO off\r\nGOTO start\r\n:find_dp0\r\nSET dp0=%~dp0\r\nEXIT /b\r\n:start\r\nSETLOCAL\r\nCALL :find_dp0\r\n\r\n\
    IF EXIST \"%dp0%\\node.exe\" (\r\n  SET \"_prog=%dp0%\\node.exe\"\r\n) ELSE (\r\n  SET \"_prog=node\"\r\n)\r\n\r\n\
    endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & \"%_prog%\"  \"%dp0%\\node_modules\\@github\\copilot\\npm-loader.js\" %*\r\n";

fn windows() -> FakeDisk {
    let package = r"C:\npm\node_modules\@github\copilot";
    FakeDisk::new(Os::Windows)
        .file(r"C:\npm\copilot.cmd", CMD)
        .file(&format!(r"{package}\npm-loader.js"), "")
        .plain(&format!(r"{package}\package.json"), r#"{"name":"@github/copilot"}"#)
}

#[test]
fn i01_i02_a_cmd_shim_leads_to_the_native_binary() {
    let native_path = r"C:\npm\node_modules\@github\copilot-win32-x64\copilot.exe";
    let disk = windows().file(native_path, native(Os::Windows, Arch::X64));
    let targets = targets(&disk, &host(Os::Windows, &[]), copilot(), Path::new(r"C:\npm\copilot.cmd"));
    assert_eq!(targets[0].program.to_str().map(str::to_lowercase), Some(native_path.to_lowercase()));
    assert_eq!(targets[0].first_args, Vec::<std::ffi::OsString>::new());
}

#[test]
fn i01_i02_a_cmd_shim_without_a_native_binary_is_node_and_its_script() {
    let script = r"C:\npm\node_modules\@github\copilot\npm-loader.js";
    let direct = run(r"C:\npm\copilot.cmd", &[]);
    let on_path = host(Os::Windows, &[("Path", r"C:\Windows;C:\nodejs")]);
    // The `node` beside it comes first, as in the batch file itself.
    let beside = windows().file(r"C:\npm\node.exe", "MZ").file(r"C:\nodejs\node.exe", "MZ");
    check(&beside, &on_path, copilot(), r"C:\npm\copilot.cmd", &[run(r"C:\npm\node.exe", &[script]), direct.clone()]);
    let elsewhere = windows().file(r"C:\nodejs\node.exe", "MZ").file(r"C:\Windows\node.cmd", "");
    check(
        &elsewhere,
        &on_path,
        copilot(),
        r"C:\npm\copilot.cmd",
        &[run(r"C:\nodejs\node.exe", &[script]), direct.clone()],
    );
    // In doubt, the shim.
    check(&windows(), &on_path, copilot(), r"C:\npm\copilot.cmd", std::slice::from_ref(&direct));
    let gone = FakeDisk::new(Os::Windows).file(r"C:\npm\copilot.cmd", CMD).file(r"C:\npm\node.exe", "MZ");
    check(&gone, &on_path, copilot(), r"C:\npm\copilot.cmd", &[direct]);
}

#[test]
fn on_windows_on_arm_the_binary_for_x64_serves_where_it_is_the_only_one() {
    let mut arm = host(Os::Windows, &[]);
    arm.arch = Arch::Arm64;
    let x64 = r"C:\npm\node_modules\@github\copilot-win32-x64\copilot.exe";
    let arm64 = r"C:\npm\node_modules\@github\copilot-win32-arm64\copilot.exe";
    let program = |disk: &FakeDisk| {
        targets(disk, &arm, copilot(), Path::new(r"C:\npm\copilot.cmd"))[0].program.to_str().map(str::to_lowercase)
    };
    let one = windows().file(x64, native(Os::Windows, Arch::X64));
    assert_eq!(program(&one), Some(x64.to_lowercase()));
    assert_eq!(program(&one.file(arm64, native(Os::Windows, Arch::Arm64))), Some(arm64.to_lowercase()));
}

#[test]
fn a_native_program_is_started_as_it_is() {
    // Claude Code 2.1: the npm link leads to a hard link of the native binary.
    let claude = agent(
        "claude-code",
        "@anthropic-ai/claude-code",
        Some(("@anthropic-ai/claude-code-{os}-{arch}{libc}", "claude")),
    );
    let package = "/p/lib/node_modules/@anthropic-ai/claude-code";
    let inside = "/p/lib/node_modules/@anthropic-ai/claude-code-linux-x64/claude";
    let disk = |content: &[u8]| {
        FakeDisk::new(Os::Linux)
            .link("/p/bin/claude", &format!("{package}/bin/claude.exe"))
            .file(&format!("{package}/bin/claude.exe"), content)
            .plain(&format!("{package}/package.json"), r#"{"name":"@anthropic-ai/claude-code"}"#)
            .file(inside, native(Os::Linux, Arch::X64))
    };
    let linux = host(Os::Linux, &[]);
    check(&disk(&native(Os::Linux, Arch::X64)), &linux, &claude, "/p/bin/claude", &[run("/p/bin/claude", &[])]);
    // Installed with `--ignore-scripts` it is a text without a first line, and the binary is only in its package.
    let stub = disk(b"echo 'claude native binary not installed' >&2; exit 1\n");
    check(&stub, &linux, &claude, "/p/bin/claude", &[run(inside, &[]), run("/p/bin/claude", &[])]);
    // The binary for musl has the C library at the end of its package's name.
    let musl = "/p/lib/node_modules/@anthropic-ai/claude-code-linux-x64-musl/claude";
    let disk = FakeDisk::new(Os::Linux)
        .file(&format!("{package}/bin/claude.exe"), "text\n")
        .plain(&format!("{package}/package.json"), r#"{"name":"@anthropic-ai/claude-code"}"#)
        .file(musl, native(Os::Linux, Arch::X64));
    let found = format!("{package}/bin/claude.exe");
    check(&disk, &linux, &claude, &found, &[run(musl, &[]), run(&found, &[])]);
}

#[test]
fn codex_keeps_its_binary_in_a_folder_of_the_platform() {
    let codex = agent("codex", "@openai/codex", Some(("@openai/codex-{os}-{arch}", "vendor/{triple}/bin/codex")));
    let package = "/p/lib/node_modules/@openai/codex";
    let binary = format!("{package}/node_modules/@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex");
    let disk = FakeDisk::new(Os::Linux)
        .link("/p/bin/codex", &format!("{package}/bin/codex.js"))
        .file(&format!("{package}/bin/codex.js"), "#!/usr/bin/env node\n")
        .plain(&format!("{package}/package.json"), r#"{"name":"@openai/codex"}"#)
        .file(&binary, native(Os::Linux, Arch::X64));
    check(&disk, &host(Os::Linux, &[]), &codex, "/p/bin/codex", &[run(&binary, &[]), run("/p/bin/codex", &[])]);
}

#[test]
fn an_agent_without_a_native_binary_is_started_by_its_link() {
    let gemini = agent("gemini", "@google/gemini-cli", None);
    let disk = FakeDisk::new(Os::Linux)
        .link("/p/bin/gemini", "/p/lib/node_modules/@google/gemini-cli/dist/index.js")
        .file("/p/lib/node_modules/@google/gemini-cli/dist/index.js", "#!/usr/bin/env node\n")
        .plain("/p/lib/node_modules/@google/gemini-cli/package.json", r#"{"name":"@google/gemini-cli"}"#);
    check(&disk, &host(Os::Linux, &[]), &gemini, "/p/bin/gemini", &[run("/p/bin/gemini", &[])]);
}

/// OpenCode: packages with an end for the processor and the C library, and `windows` for the system.
fn opencode() -> Spec {
    agent("opencode", "opencode-ai", Some(("opencode-{system}-{arch}{flavour}", "bin/opencode")))
}

const OPENCODE: &str = "/p/lib/node_modules/opencode-ai";

/// A disk on which npm ran no script: the program is a text without a first line.
fn opencode_disk() -> FakeDisk {
    FakeDisk::new(Os::Linux)
        .link("/p/bin/opencode", &format!("{OPENCODE}/bin/opencode.exe"))
        .file(&format!("{OPENCODE}/bin/opencode.exe"), "echo \"Error: postinstall was not run.\" >&2\nexit 1\n")
        .plain(&format!("{OPENCODE}/package.json"), r#"{"name":"opencode-ai"}"#)
}

#[test]
fn opencodes_binary_for_older_processors_comes_after_the_one_for_new_ones() {
    let linux = host(Os::Linux, &[]);
    let inside = |name: &str| format!("/p/lib/node_modules/{name}/bin/opencode");
    let (fast, baseline) = (inside("opencode-linux-x64"), inside("opencode-linux-x64-baseline"));
    let direct = run("/p/bin/opencode", &[]);
    let x64 = || native(Os::Linux, Arch::X64);
    // npm installs both. Which of them the processor can run shows when they are asked for their version.
    let both = opencode_disk().file(&baseline, x64()).file(&fast, x64());
    let expected = [run(&fast, &[]), run(&baseline, &[]), direct.clone()];
    check(&both, &linux, &opencode(), "/p/bin/opencode", &expected);
    let one = opencode_disk().file(&baseline, x64());
    check(&one, &linux, &opencode(), "/p/bin/opencode", &[run(&baseline, &[]), direct.clone()]);
    let musl = inside("opencode-linux-x64-baseline-musl");
    let disk = opencode_disk().file(&musl, x64());
    check(&disk, &linux, &opencode(), "/p/bin/opencode", &[run(&musl, &[]), direct]);
    // Where a script ran, the program itself is the binary.
    let made = FakeDisk::new(Os::Linux).file("/h/.opencode/bin/opencode", x64());
    check(&made, &linux, &opencode(), "/h/.opencode/bin/opencode", &[run("/h/.opencode/bin/opencode", &[])]);
}

#[test]
fn opencodes_packages_are_named_for_each_system() {
    for (os, arch, package) in [
        (Os::Linux, Arch::Arm64, "opencode-linux-arm64"),
        (Os::Linux, Arch::Arm64, "opencode-linux-arm64-musl"),
        (Os::MacOs, Arch::Arm64, "opencode-darwin-arm64"),
        (Os::MacOs, Arch::X64, "opencode-darwin-x64-baseline"),
    ] {
        let binary = format!("/p/lib/node_modules/{package}/bin/opencode");
        let disk = FakeDisk::new(os)
            .file(&format!("{OPENCODE}/bin/opencode.exe"), "text\n")
            .plain(&format!("{OPENCODE}/package.json"), r#"{"name":"opencode-ai"}"#)
            .file(&binary, native(os, arch));
        let mut machine = host(os, &[]);
        machine.arch = arch;
        let found = format!("{OPENCODE}/bin/opencode.exe");
        check(&disk, &machine, &opencode(), &found, &[run(&binary, &[]), run(&found, &[])]);
    }
    let cmd = CMD
        .replace(r"@github\\copilot\\npm-loader.js", "")
        .replace(r"@github\copilot\npm-loader.js", r"opencode-ai\bin\opencode.exe");
    for package in ["opencode-windows-x64", "opencode-windows-x64-baseline"] {
        let binary = format!(r"C:\npm\node_modules\{package}\bin\opencode.exe");
        let disk = FakeDisk::new(Os::Windows)
            .file(r"C:\npm\opencode.cmd", &*cmd)
            .file(r"C:\npm\node_modules\opencode-ai\bin\opencode.exe", "text\n")
            .plain(r"C:\npm\node_modules\opencode-ai\package.json", r#"{"name":"opencode-ai"}"#)
            .file(&binary, native(Os::Windows, Arch::X64));
        let targets = targets(&disk, &host(Os::Windows, &[]), &opencode(), Path::new(r"C:\npm\opencode.cmd"));
        assert_eq!(targets[0].program.to_str().map(str::to_lowercase), Some(binary.to_lowercase()), "{package}");
    }
}
