//! The definitions that the documents show: read, planned, and held to recordings where there are some.

use agent_launcher::{AgentId, CustomAgent, Error, EventKind, Mode, Request, Status};
use serde_json::json;

use super::launcher;
use crate::support::{Bench, check, collect, text};

const GEMINI: &str = include_str!("../../../docs/examples/gemini.toml");
const GOOSE: &str = include_str!("../../../docs/examples/goose.toml");
const RECORDED: &[(&str, &[u8])] = &[
    ("full.jsonl", include_bytes!("gemini/full.jsonl")),
    ("denied.jsonl", include_bytes!("gemini/denied.jsonl")),
    ("unauthorized.jsonl", include_bytes!("gemini/unauthorized.jsonl")),
];

fn gemini(scenario: &str) -> Bench {
    let bench = Bench::new().fake("gemini", &format!("probe out 0.61.0\nread-stdin\n{scenario}"));
    for (name, bytes) in RECORDED {
        std::fs::write(bench.bin().join(name), bytes).unwrap();
    }
    bench
}

fn request(bench: &Bench, agent: &str) -> Request {
    Request::new(AgentId::new(agent.to_owned()), bench.vault(), "hi").stream_id("s")
}

#[tokio::test]
async fn the_example_of_gemini_plans_both_modes() {
    let bench = gemini("");
    let launcher = launcher(&bench, GEMINI);
    let printed = |plan| serde_json::to_value::<agent_launcher::Plan>(plan).unwrap();
    let safe = printed(launcher.plan(&request(&bench, "gemini").model("flash")).await.unwrap());
    let dirs = format!("--include-directories={}", bench.vault().display());
    let args = json!([
        "--output-format",
        "stream-json",
        dirs,
        "--approval-mode",
        "auto_edit",
        "--policy=<policy>",
        "--model=flash"
    ]);
    assert_eq!(safe["args"], args);
    assert_eq!(safe["cwd"], "<private folder .agent-launcher-empty>");
    assert_eq!(safe["files"][1]["purpose"], "mcp-config");
    assert_eq!(safe["env"]["set"]["GEMINI_CLI_TRUST_WORKSPACE"], "true");
    let power = printed(launcher.plan(&request(&bench, "gemini").mode(Mode::PowerUser)).await.unwrap());
    assert_eq!(power["args"], json!(["--output-format", "stream-json", dirs, "--approval-mode", "yolo"]));
}

#[tokio::test]
async fn the_example_of_gemini_reads_what_the_real_one_printed() {
    let bench = gemini("recorded full.jsonl");
    let run = launcher(&bench, GEMINI).plan(&request(&bench, "gemini")).await.unwrap();
    let events = collect(&mut launcher(&bench, GEMINI).start(run).unwrap()).await;
    let outcome = check(&events);
    assert_eq!(outcome.status, Status::Completed);
    assert_eq!(text(&events), "First message before tools. \n\nSecond and final message. ");
    let usage = outcome.usage.clone().unwrap();
    assert_eq!((usage.input_tokens, usage.output_tokens), (Some(500), Some(35)));
    let unread: Vec<_> = events.iter().filter(|event| matches!(event.kind, EventKind::Unrecognized { .. })).collect();
    assert!(unread.is_empty(), "{unread:?}");

    let bench = gemini("recorded denied.jsonl");
    let run = launcher(&bench, GEMINI).plan(&request(&bench, "gemini")).await.unwrap();
    let events = collect(&mut launcher(&bench, GEMINI).start(run).unwrap()).await;
    assert_eq!((check(&events).status, check(&events).denied_tools), (Status::Completed, 1));

    let bench = gemini("recorded unauthorized.jsonl\nexit 145");
    let run = launcher(&bench, GEMINI).plan(&request(&bench, "gemini")).await.unwrap();
    let events = collect(&mut launcher(&bench, GEMINI).start(run).unwrap()).await;
    assert_eq!(check(&events).status, Status::Failed);
    let EventKind::Error { guidance, .. } = &events[events.len() - 2].kind else { panic!("{events:?}") };
    assert_eq!(guidance.code.as_str(), "token_rejected");
}

#[tokio::test]
async fn the_example_of_goose_has_no_safe_mode_and_says_so() {
    let bench = Bench::new().fake("goose", "probe out 1.20.1\nread-stdin\nout Hello");
    let launcher = launcher(&bench, GOOSE);
    let error = launcher.plan(&request(&bench, "goose")).await.unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }), "{error}");
    let power = request(&bench, "goose").mode(Mode::PowerUser);
    let events = collect(&mut bench.start(&launcher, &power).await).await;
    assert_eq!((check(&events).status, text(&events).as_str()), (Status::Completed, "Hello"));
    let runs = bench.runs();
    assert_eq!((runs[0].args(), runs[0].stdin.as_deref()), (vec!["run", "--no-session", "-i", "-"], Some("hi")));
    assert_eq!(runs[0].env["GOOSE_MODE"], "auto");
}

#[test]
fn every_example_is_read_and_none_claims_to_be_verified() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/examples");
    let mut count = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        CustomAgent::from_toml(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert!(!text.contains("verified = true"), "{}", path.display());
        count += 1;
    }
    assert!(count >= 2);
}

#[test]
fn the_full_example_of_the_document_is_read() {
    let document = include_str!("../../../docs/CUSTOM.md");
    let blocks: Vec<&str> = document.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(blocks.len(), 1);
    let agent = CustomAgent::from_toml(blocks[0]).unwrap();
    assert_eq!(agent.id().as_str(), "my-agent");
    // Every section has its place in it.
    for section in
        ["find", "version", "setup", "environment", "run", "options", "modes.safe", "modes.power_user", "mcp"]
    {
        assert!(blocks[0].contains(&format!("\n[{section}]\n")), "{section}");
    }
}
