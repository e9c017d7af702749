//! Plugins in a request: the least grant, the tools that are offered, and what is refused.

use std::path::{Path, PathBuf};

use agent_launcher::{AgentId, Code, Error, ExportedPlugin, Mode, Plugin, Request};
use serde_json::{Value, json};

use crate::support::{Bench, check, collect};

/// A plugin folder on the bench with one extension named like it.
fn plugin(bench: &Bench, name: &str, own: &Value) -> PathBuf {
    let dir = bench.root().join(name);
    std::fs::create_dir_all(dir.join(".claude-plugin")).unwrap();
    let manifest = json!({"name": name, "version": "1.0.0", "agentLauncher": own});
    std::fs::write(dir.join(".claude-plugin/plugin.json"), manifest.to_string()).unwrap();
    let extension = dir.join("extensions").join(name);
    std::fs::create_dir_all(&extension).unwrap();
    std::fs::write(extension.join("extension.mjs"), "").unwrap();
    dir
}

/// The arguments that a flag got, in all its uses, joined.
fn values<'a>(args: &[&'a str], flag: &str) -> Vec<&'a str> {
    args.iter().filter_map(|arg| arg.strip_prefix(flag)?.strip_prefix('=')).flat_map(|value| value.split(',')).collect()
}

async fn refusal(bench: &Bench, request: Request) -> Error {
    let error = bench.launcher().plan(&request).await.expect_err("refused");
    assert!(bench.runs().is_empty());
    error
}

#[tokio::test]
async fn the_shipped_plugin_gets_its_grant_and_its_three_tools_in_safe_mode_and_nothing_else() {
    let bench = Bench::copilot("").var("ADRKIT_CLI", "/opt/adr").var("ADRKIT_ALLOW_REPO_CLI", "1").var("OTHER", "x");
    let exported = ExportedPlugin::adrkit().unwrap();
    let without = {
        let mut run = bench.start(&bench.launcher(), &bench.request("hello")).await;
        check(&collect(&mut run).await);
        bench.runs().pop().unwrap()
    };
    let request = bench.request("hello").plugin_dir(exported.path());
    let mut run = bench.start(&bench.launcher(), &request).await;
    check(&collect(&mut run).await);
    let with = bench.runs().pop().unwrap();

    let tools = ["adr_check", "adr_explain", "adr_lint"];
    let (before, after) = (without.args(), with.args());
    let added = |flag: &str| {
        let before = values(&before, flag);
        values(&after, flag).into_iter().filter(|value| !before.contains(value)).collect::<Vec<_>>()
    };
    assert_eq!(added("--available-tools"), tools);
    assert_eq!(added("--allow-tool"), ["extension-permission-access(plugin:adrkit:adrkit)"]);
    assert_eq!(values(&before, "--deny-tool"), values(&after, "--deny-tool"));
    let at = after.iter().position(|arg| *arg == "--plugin-dir").expect("the flag");
    assert_eq!(Path::new(after[at + 1]), exported.path());

    let env = |name: &str| (without.env.get(name).cloned(), with.env.get(name).cloned());
    assert_eq!(env("COPILOT_CLI_ENABLED_FEATURE_FLAGS"), (None, Some("EXTENSIONS".into())));
    // The user's choice of the CLI reaches the plugin; an inherited variable cannot make it run a vault's program.
    assert_eq!(env("ADRKIT_CLI"), (None, Some("/opt/adr".into())));
    assert_eq!((env("ADRKIT_ALLOW_REPO_CLI"), env("OTHER")), ((None, None), (None, None)));
}

#[tokio::test]
async fn a_request_can_set_or_remove_what_the_plugin_reads() {
    let bench = Bench::copilot("").var("ADRKIT_CLI", "/opt/adr").var("ADRKIT_DIR", "/records");
    let exported = ExportedPlugin::adrkit().unwrap();
    let request = bench.request("hello").plugin(exported.plugin()).env("ADRKIT_CLI", "/mine").remove_env("ADRKIT_DIR");
    let mut run = bench.start(&bench.launcher(), &request).await;
    check(&collect(&mut run).await);
    let call = bench.runs().pop().unwrap();
    assert_eq!((call.env.get("ADRKIT_CLI").map(String::as_str), call.env.get("ADRKIT_DIR")), (Some("/mine"), None));
}

#[tokio::test]
async fn a_tool_that_would_wait_for_ever_is_refused_until_the_host_allows_it() {
    let bench = Bench::copilot("");
    let own = json!({"keepsFileHooksOut": true, "tools": [{"name": "fast", "skipPermission": true}, {"name": "asks"}]});
    let dir = plugin(&bench, "p", &own);
    let error = refusal(&bench, bench.request("x").plugin_dir(&dir)).await;
    assert!(error.to_string().contains("`asks`") && error.to_string().contains("for ever"), "{error}");
    assert!(error.is_usage());

    let request = bench.request("x").plugin(Plugin::new(&dir).tool("asks").tool("extra"));
    let mut run = bench.start(&bench.launcher(), &request).await;
    check(&collect(&mut run).await);
    let call = bench.runs().pop().unwrap();
    let args = call.args();
    let allowed = values(&args, "--allow-tool");
    for grant in ["custom-tool(asks)", "custom-tool(extra)", "extension-permission-access(plugin:p:p)"] {
        assert!(allowed.contains(&grant), "{grant}: {allowed:?}");
    }
    assert!(!allowed.contains(&"custom-tool(fast)"));
    let available = values(&args, "--available-tools");
    assert!(["fast", "asks", "extra"].iter().all(|tool| available.contains(tool)), "{available:?}");
}

#[tokio::test]
async fn a_plugin_that_names_no_tool_gets_no_grant_in_safe_mode_and_says_so() {
    let bench = Bench::copilot("");
    let dir = plugin(&bench, "quiet", &json!({"keepsFileHooksOut": true}));
    let mut run = bench.start(&bench.launcher(), &bench.request("x").plugin_dir(&dir)).await;
    let events = collect(&mut run).await;
    assert!(format!("{events:?}").contains("names no tools"), "{events:?}");
    assert!(!bench.runs().pop().unwrap().args().iter().any(|arg| arg.contains("extension-permission-access")));
}

#[tokio::test]
async fn an_extension_that_lets_the_vaults_hooks_run_is_refused_in_safe_mode_and_told_in_power_user_mode() {
    let bench = Bench::copilot("");
    let dir = plugin(&bench, "open", &json!({"tools": [{"name": "t", "skipPermission": true}]}));
    let error = refusal(&bench, bench.request("x").plugin_dir(&dir)).await;
    assert!(error.to_string().contains("hooks") && error.to_string().contains("keepsFileHooksOut"), "{error}");
    let request = bench.request("x").plugin_dir(&dir).mode(Mode::PowerUser);
    let mut run = bench.start(&bench.launcher(), &request).await;
    assert!(format!("{:?}", collect(&mut run).await).contains("`.github/hooks`"));
}

#[tokio::test]
async fn names_that_copilot_would_refuse_or_confuse_are_refused_first() {
    let bench = Bench::copilot("");
    let keeps = json!({"keepsFileHooksOut": true});
    let (one, two) = (plugin(&bench, "one", &keeps), plugin(&bench, "two", &keeps));
    for name in ["bash", "view", "bad name!", "", "a,b", "x)", "write,shell"] {
        let error = refusal(&bench, bench.request("x").plugin(Plugin::new(&one).tool(name))).await;
        assert!(matches!(error, Error::InvalidPlugin { .. }), "{name}: {error}");
    }
    let twice = bench.request("x").plugin(Plugin::new(&one).tool("t")).plugin(Plugin::new(&two).tool("t"));
    assert!(refusal(&bench, twice).await.to_string().contains("given twice"));
    let same = bench.request("x").plugin_dir(&one).plugin_dir(&one);
    assert!(refusal(&bench, same).await.to_string().contains("another plugin"));
    assert!(matches!(refusal(&bench, bench.request("x").plugin_dir("relative")).await, Error::InvalidPlugin { .. }));
    assert!(matches!(refusal(&bench, bench.request("x").plugin_dir(bench.vault())).await, Error::InvalidPlugin { .. }));
}

#[tokio::test]
async fn an_agent_or_version_without_plugins_is_refused_and_not_given_them_silently() {
    let old = Bench::copilot("version 1.0.91");
    let exported = ExportedPlugin::adrkit().unwrap();
    let error = refusal(&old, old.request("x").plugin(exported.plugin())).await;
    assert!(matches!(&error, Error::Setup(guidance) if guidance.code == Code::VersionUnsupported), "{error}");

    let bench = Bench::new();
    let launcher = bench.builder().program(AgentId::DEMO, crate::support::command::COMMAND).build();
    let request = Request::new(AgentId::DEMO, bench.vault(), "x").plugin(exported.plugin());
    let error = launcher.plan(&request).await.expect_err("refused");
    assert!(matches!(error, Error::Unsupported { .. }), "{error}");
}

#[tokio::test]
async fn planning_with_a_plugin_that_was_read_is_a_function() {
    let bench = Bench::copilot("");
    let launcher = bench.launcher();
    let binary = launcher.search(&AgentId::COPILOT).await.unwrap().binary.expect("a fake Copilot");
    let exported = ExportedPlugin::adrkit().unwrap();
    let request = bench.request("x").plugin(Plugin::read(exported.path()).unwrap());
    let plan = launcher.plan_with(&request, &binary).unwrap();
    assert_eq!(plan, launcher.plan_with(&request, &binary).unwrap());
    let unread = bench.request("x").plugin_dir(exported.path());
    assert!(launcher.plan_with(&unread, &binary).unwrap_err().to_string().contains("Plugin::read"));
}

#[test]
fn the_command_writes_the_plugin_where_it_says() {
    let bench = Bench::new();
    let path = bench.run(&["plugin", "path"]);
    assert_eq!(path.code, Some(0), "{path:?}");
    let dir = PathBuf::from(path.stdout.trim().replace("[ROOT]", &bench.root().display().to_string()));
    assert!(dir.starts_with(bench.home()), "{dir:?}");
    assert_eq!(Plugin::read(&dir).unwrap().name(), Some("adrkit"));
    assert_eq!(bench.run(&["plugin", "path"]), path, "the same folder again");
    let json = bench.run(&["plugin", "path", "--json"]).json();
    assert_eq!((json["plugin"].as_str(), json["path"].as_str()), (Some("adrkit"), Some(path.stdout.trim())));

    let target = bench.root().join("out");
    let target = target.to_str().unwrap();
    let exported = bench.run(&["plugin", "export", target]);
    assert_eq!((exported.code, exported.stdout.trim()), (Some(0), "[ROOT]/out"));
    assert_eq!(Plugin::read(target).unwrap().name(), Some("adrkit"));
    assert_eq!(bench.run(&["plugin", "export", target]).code, Some(2), "a folder that holds something is left alone");
}

#[test]
fn ask_takes_plugins() {
    let bench = Bench::copilot("");
    let exported = ExportedPlugin::adrkit().unwrap();
    let ended = bench.ask(&["--plugin-dir", exported.path().to_str().unwrap(), "--json", "hello"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let calls = bench.runs();
    assert!(calls[0].args().contains(&"--plugin-dir"));
}

/// The stand-in that the tests of the real CLI use must not be kinder than the command it plays.
#[test]
fn the_fake_adr_is_strict_and_plays_every_exit() {
    let bench = Bench::new();
    crate::support::fake::install(&bench.bin(), "adr");
    let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("adapters/copilot/plugin/test/recordings");
    for name in ["check.json", "explain.json", "lint.json"] {
        std::fs::copy(recordings.join(name), bench.bin().join(name)).unwrap();
    }
    std::fs::create_dir_all(bench.root().join("docs/adr")).unwrap();
    let adr = bench.bin().join("adr").display().to_string();
    let run = |args: &[&str]| bench.end(bench.program(&adr, args).spawn().expect("it starts"));

    for args in [
        &["lint", "--jsn"][..],
        &["lint", "--json", "a"],
        &["lint"],
        &["check", "--json", "--"],
        &["explain", "--json", "--", "a", "b"],
        &["lint", "--json", "--dir", "-x"],
        &["lint", "--json", "--dir"],
        &["graph", "--json"],
        &[],
    ] {
        let ended = run(args);
        assert_eq!((ended.code, &*ended.stdout), (Some(2), ""), "{args:?}: {ended:?}");
        assert!(ended.stderr.starts_with("Error: ") && ended.stderr.contains("Usage: adr"), "{ended:?}");
    }
    let missing = run(&["lint", "--json", "--dir", "nowhere"]);
    assert!(
        missing.code == Some(2) && missing.stderr.contains("Corpus directory not found: \"nowhere\"."),
        "{missing:?}"
    );
    let checked = run(&["check", "--json", "--dir", "docs/adr", "--", "-x", "a b"]);
    assert_eq!((checked.code, &checked.json()["changedFiles"]), (Some(0), &json!(["-x", "a b"])));
    assert_eq!(run(&["explain", "--json", "--", "p"]).json()["path"], "p");

    let plays = |play: Value| {
        std::fs::write(bench.bin().join("adr.json"), json!({"lint": play}).to_string()).unwrap();
        run(&["lint", "--json"])
    };
    assert_eq!(plays(json!({"exit": 1})).json(), json!({"checked": 31, "findings": []}));
    let crash = plays(json!({"exit": 3, "stdout": "", "stderr": "boom\n"}));
    assert_eq!((crash.code, &*crash.stdout, &*crash.stderr), (Some(3), "", "boom\n"));
    assert_eq!(plays(json!({"stdout": "junk"})).stdout, "junk");
    assert_eq!(plays(json!({"fill": 100_000})).stdout.len(), 100_000);
    assert_eq!(plays(json!({"signal": 9})).code, None);
}
