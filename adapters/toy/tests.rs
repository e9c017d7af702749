//! A whole run of the toy through the engine, which knows nothing of it but its folder and its line in the registry.

#![cfg(unix)]

use std::path::Path;

use super::SPEC;
use crate::event::{Event, EventKind, Status};
use crate::guidance::Code;
use crate::{Arch, HostEnv, Launcher, McpServer, Mode, Os, Request};

/// A machine whose program `toy` does this with its prompt in `$prompt`.
fn machine(does: &str) -> (tempfile::TempDir, Launcher) {
    let root = tempfile::tempdir().unwrap();
    for folder in ["home", "bin", "vault"] {
        std::fs::create_dir(root.path().join(folder)).unwrap();
    }
    let toy = root.path().join("bin/toy");
    let script =
        format!("#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'toy 1.2.3'; exit 0; fi\nprompt=$(cat)\n{does}\n");
    write(&toy, &script);
    let path = format!("{}:/usr/bin:/bin", root.path().join("bin").display());
    let home = root.path().join("home");
    let vars = [("PATH", path), ("HOME", home.display().to_string()), ("TOY_KEY", "key".into()), ("OTHER", "x".into())];
    let vars = vars.map(|(name, value)| (name.into(), value.into()));
    let host = HostEnv::new(Os::Linux, Arch::X64, Some(home), vars);
    (root, Launcher::builder().app("Tolaria").host(host).program(SPEC.id.clone(), toy).build())
}

/// Writes a program by another process: one that this process has written cannot be started while another thread forks.
#[expect(clippy::disallowed_methods, reason = "a test starts what it needs by hand")]
fn write(program: &Path, script: &str) {
    let mut shell = std::process::Command::new("/bin/sh");
    shell.args(["-c", "printf %s \"$2\" > \"$1\" && chmod 755 \"$1\"", "sh"]).arg(program).arg(script);
    assert!(shell.status().unwrap().success());
}

fn request(root: &Path, prompt: &str) -> Request {
    Request::new(SPEC.id.clone(), root.join("vault"), prompt)
}

async fn ask(launcher: &Launcher, request: &Request) -> Vec<EventKind> {
    let plan = launcher.plan(request).await.unwrap();
    let mut run = launcher.start(plan).unwrap();
    let mut kinds = Vec::new();
    while let Some(Event { kind, .. }) = run.next().await {
        kinds.push(kind);
    }
    kinds
}

#[tokio::test]
async fn a_new_agent_is_found_planned_run_and_read_by_its_folder_alone() {
    let does = r#"echo list > list.md
echo '{"tool":"edit","file":"list.md"}'
printf '{"say":"%s %s %s"}\n' "$prompt" "$*" "$TOY_KEY$OTHER"
echo '{"end":0}'"#;
    let (root, launcher) = machine(does);
    let server = McpServer::stdio("tolaria", "sh").arg("x");
    let told = ask(&launcher, &request(root.path(), "hello").mcp_server(server)).await;
    let [
        EventKind::Init { agent_version, mode: Mode::Safe, .. },
        EventKind::ToolStart { .. },
        EventKind::ToolDone { ok: true, .. },
        EventKind::TextDelta { text },
        EventKind::Done { outcome },
    ] = &told[..]
    else {
        panic!("{told:#?}")
    };
    assert_eq!((agent_version.as_deref(), outcome.status), (Some("1.2.3"), Status::Completed));
    assert!(text.starts_with("hello --jsonl --tools=read,edit --servers=/") && text.ends_with(" key"), "{text}");
    assert_eq!(std::fs::read_to_string(root.path().join("vault/list.md")).unwrap(), "list\n");
}

#[tokio::test]
async fn a_new_agent_has_the_tripwire_the_watch_and_the_guidance() {
    let (root, launcher) =
        machine("mkdir .claude; echo x > .claude/settings.json\necho '{\"tool\":\"shell\"}'\nsleep 60");
    let told = ask(&launcher, &request(root.path(), "hello")).await;
    let [.., EventKind::Notice { message, .. }, EventKind::Error { guidance, .. }, EventKind::Done { .. }] = &told[..]
    else {
        panic!("{told:#?}")
    };
    assert!(message.contains("`.claude/settings.json` (new)") && message.contains("gives Toy no"), "{message}");
    assert_eq!(guidance.code, Code::PermissionBypassed);

    let (root, launcher) = machine("echo 'toy: nobody is signed in' >&2; exit 1");
    let told = ask(&launcher, &request(root.path(), "hello")).await;
    let Some(EventKind::Error { guidance, .. }) = told.iter().rev().nth(1) else { panic!("{told:#?}") };
    assert_eq!((guidance.code, guidance.title.as_str()), (Code::NotSignedIn, "Sign in to Toy"));
    let steps = serde_json::to_string(&guidance.steps).unwrap();
    assert!(steps.contains(SPEC.login_command), "{steps}");
}

#[tokio::test]
async fn a_new_agent_that_is_another_program_is_not_started() {
    let (root, launcher) = machine("");
    write(&root.path().join("bin/toy"), "#!/bin/sh\necho 'Toys R Us 1.2.3'\n");
    let error = launcher.plan(&request(root.path(), "hello")).await.unwrap_err();
    assert_eq!(launcher.guidance(&error).code, Code::BrokenInstall, "{error}");
}
