//! What a request to a described agent becomes, and what is refused.

use agent_launcher::{EnvChange, EnvValue, Error, McpServer, Mode, Plan, Request, Stdin};
use serde_json::{Value, json};

use super::{PLAIN, SCRIBE, bench, launcher, request, with};
use crate::support::Bench;

async fn plan(bench: &Bench, definition: &str, request: Request) -> Result<Plan, Error> {
    launcher(bench, definition).plan(&request).await
}

fn printed(plan: &Plan) -> Value {
    serde_json::to_value(plan).unwrap()
}

fn args(plan: &Plan) -> Vec<String> {
    printed(plan)["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap().to_owned()).collect()
}

fn server(bench: &Bench) -> McpServer {
    std::fs::create_dir_all(bench.bin()).unwrap();
    let node = bench.bin().join("node");
    if !node.exists() {
        crate::support::fake::install(&bench.bin(), "node");
    }
    McpServer::stdio("tolaria", node).arg("a b").env("VAULT", "/v")
}

const FILE: &str = "form = \"file\"\nargs = [\"--mcp-config\", \"{mcp_config}\"]";

#[tokio::test]
async fn every_option_has_its_arguments_only_where_it_is_asked_for() {
    let bench = bench("");
    let bare = plan(&bench, SCRIBE, request(&bench, "hi")).await.unwrap();
    let session = "--session=0f8fad5b-d9cb-469f-a165-70867728950e";
    assert_eq!(args(&bare), ["write", "--json", "--tools", "read,edit", session, "--prompt=hi"]);
    assert_eq!(bare.session_id(), Some("0f8fad5b-d9cb-469f-a165-70867728950e"));
    let full =
        request(&bench, "/init").model("big").resume("s-1").system_prompt("Be brief.").extra_arg("--effort=high");
    let full = plan(&bench, SCRIBE, full).await.unwrap();
    let expected = [
        "write",
        "--json",
        "--tools",
        "read,edit",
        "--model",
        "big",
        "--resume=s-1",
        "--system=Be brief.",
        "--effort=high",
        "--prompt=User request:\n/init",
    ];
    assert_eq!(args(&full), expected);
    assert_eq!((full.session_id(), full.stdin()), (Some("s-1"), &Stdin::Null));
    assert!(
        full.notices()[0].starts_with("The prompt begins with `/`, which Scribe could take"),
        "{:?}",
        full.notices()
    );
}

#[tokio::test]
async fn planning_the_same_twice_gives_the_same_and_the_modes_differ() {
    let bench = bench("");
    let launcher = launcher(&bench, SCRIBE);
    let safe = request(&bench, "hi").stream_id("s");
    let (one, two) = (launcher.plan(&safe).await.unwrap(), launcher.plan(&safe).await.unwrap());
    assert_eq!(one, two);
    assert_ne!(one, launcher.plan(&safe.mode(Mode::PowerUser)).await.unwrap());
}

#[tokio::test]
async fn what_a_definition_does_not_describe_is_refused() {
    let bench = Bench::new().fake("plain", "probe out plain 1.0.0");
    let bare = || Request::new(agent_launcher::AgentId::new("plain"), bench.vault(), "hi");
    let cases = [
        (bare().mode(Mode::PowerUser), "run in this mode: its definition has no `[modes.power_user]`"),
        (bare().model("m"), "choose a model: its definition has no `options.model`"),
        (bare().resume("s"), "continue a session: its definition has no `options.resume`"),
        (
            bare().system_prompt("x"),
            "follow a system prompt: its definition has neither `options.system_prompt` nor `options.system_in_prompt`",
        ),
        (bare().mcp_server(server(&bench)), "use MCP servers: its definition has no `[mcp]`, or the form `none`"),
        (bare().plugin_dir(bench.vault()), ""),
    ];
    for (request, what) in cases {
        let error = plan(&bench, PLAIN, request).await.unwrap_err();
        match error {
            Error::Unsupported { what: said, .. } => assert_eq!(said, what),
            Error::InvalidPlugin { .. } if what.is_empty() => {}
            other => panic!("{other:?}"),
        }
    }
    let error = plan(&bench, PLAIN, bare().extra_arg("--x")).await.unwrap_err();
    assert_eq!(error.to_string(), "`--x` is refused: the agent's definition does not name it under `options.extra`");
    let no_servers = format!("{PLAIN}\n[mcp]\nform = \"none\"\n");
    assert!(plan(&bench, &no_servers, bare().mcp_server(server(&bench))).await.is_err());
    // A prompt on stdin is private as it is.
    assert!(plan(&bench, PLAIN, bare().private_prompt(true)).await.is_ok());
}

#[tokio::test]
async fn a_request_cannot_widen_a_mode_by_words_flags_or_variables() {
    let bench = bench("");
    let scribe = |request: Request| plan(&bench, SCRIBE, request);
    let bare = || request(&bench, "hi");
    // As a separate argument, a value that begins with a dash would be a flag.
    let error = scribe(bare().model("--yolo")).await.unwrap_err();
    assert_eq!(error.to_string(), "the model begins with `-`, and the agent would read it as a flag");
    for arg in ["--yolo", "--allow-all", "--effort=danger-full-access", "--tools=all", "all"] {
        assert!(matches!(scribe(bare().extra_arg(arg)).await, Err(Error::Forbidden { .. })), "{arg}");
    }
    for name in ["SCRIBE_PERMISSIONS", "SCRIBE_HOME_ROOT", "NODE_OPTIONS"] {
        assert!(matches!(scribe(bare().env(name, "x")).await, Err(Error::Forbidden { .. })), "{name}");
    }
    assert!(matches!(scribe(bare().remove_env("SCRIBE_HOME_ROOT")).await, Err(Error::Forbidden { .. })));
    // What the definition only sets for looks, the request may set.
    let plan = scribe(bare().env("SCRIBE_UI", "some").secret_env("KEY", "canary-key")).await.unwrap();
    assert_eq!(plan.env()["SCRIBE_UI"], EnvChange::Set(EnvValue::Plain("some".into())));
    assert!(!format!("{plan:?}{plan}{}", printed(&plan)).contains("canary"));
}

#[tokio::test]
async fn a_long_or_private_prompt_is_refused_where_it_would_be_an_argument() {
    let bench = bench("");
    let long = request(&bench, &"x".repeat(200 * 1024));
    let error = plan(&bench, SCRIBE, long).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the prompt is longer than 98304 bytes, and Scribe takes it as an argument; shorten it"
    );
    let error = plan(&bench, SCRIBE, request(&bench, "hi").private_prompt(true)).await.unwrap_err();
    assert!(matches!(error, Error::Unsupported { .. }), "{error}");
    // The same on stdin.
    let stdin = with(SCRIBE, "by = \"argument\", args = [\"--prompt={prompt}\"],", "by = \"stdin\",");
    let long = request(&bench, &"x".repeat(200 * 1024)).private_prompt(true);
    let Stdin::Bytes(bytes) = plan(&bench, &stdin, long).await.unwrap().stdin().clone() else { panic!("no stdin") };
    assert_eq!(bytes.len(), 200 * 1024);
    // An argument of its own must not look like a flag, unless two dashes stand before it.
    let alone = with(SCRIBE, "[\"--prompt={prompt}\"]", "[\"-p\", \"{prompt}\"]");
    let error = plan(&bench, &alone, request(&bench, "-x")).await.unwrap_err();
    assert_eq!(error.to_string(), "the prompt begins with `-`, and the agent would read it as a flag");
    let dashes = with(SCRIBE, "[\"--prompt={prompt}\"]", "[\"--\", \"{prompt}\"]");
    assert_eq!(args(&plan(&bench, &dashes, request(&bench, "-x")).await.unwrap()).last().unwrap(), "-x");
}

#[tokio::test]
async fn servers_travel_in_each_form() {
    let bench = bench("");
    let node = bench.bin().join("node");
    let entry = json!({"command": node, "args": ["a b"], "env": {"VAULT": "/v"}});
    let asked = || request(&bench, "hi").mcp_server(server(&bench));

    let file = plan(&bench, SCRIBE, asked()).await.unwrap();
    assert!(args(&file).windows(2).any(|pair| pair == ["--mcp-config", "<mcp-config>"]), "{:?}", args(&file));
    let bytes = json!({"mcpServers": {"tolaria": entry}}).to_string().len();
    assert_eq!(printed(&file)["files"], json!([{"purpose": "mcp-config", "bytes": bytes}]));

    let inline = with(
        SCRIBE,
        FILE,
        "form = \"argument\"\nargs = [\"--mcp={mcp_config}\"]\nservers = \"mcp.all\"\nnames = \"mcp.allowed\"\nserver = { type = \"stdio\" }\nrest = { hooks = false }",
    );
    let plan_inline = plan(&bench, &inline, asked()).await.unwrap();
    let text = args(&plan_inline).into_iter().find_map(|arg| arg.strip_prefix("--mcp=").map(str::to_owned)).unwrap();
    let mut typed = entry.clone();
    typed["type"] = "stdio".into();
    let expected = json!({"hooks": false, "mcp": {"all": {"tolaria": typed}, "allowed": ["tolaria"]}});
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), expected);
    // In an argument a secret would be there for all to read.
    let secret = || request(&bench, "hi").mcp_server(server(&bench).secret_env("TOKEN", "canary-mcp"));
    let error = plan(&bench, &inline, secret()).await.unwrap_err();
    assert!(error.to_string().contains("keep a secret of an MCP server") && !error.to_string().contains("canary"));

    let variable = with(
        SCRIBE,
        FILE,
        "form = \"variable\"\nvariable = \"SCRIBE_CONFIG\"\ncommand_line = true\nenv = \"environment\"\nalways = true",
    );
    let plain = plan(&bench, &variable, asked()).await.unwrap();
    let EnvChange::Set(EnvValue::Plain(text)) = &plain.env()["SCRIBE_CONFIG"] else { panic!("{plain:?}") };
    let expected = json!({"mcpServers": {"tolaria": {"command": [node, "a b"], "environment": {"VAULT": "/v"}}}});
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), expected);
    let hidden = plan(&bench, &variable, secret()).await.unwrap();
    assert_eq!(printed(&hidden)["env"]["secret"], json!(["SCRIBE_CONFIG"]));
    assert!(!format!("{hidden:?}{hidden}{}", printed(&hidden)).contains("canary"));
    // Handed over without servers, too, where the definition says so.
    let none = plan(&bench, &variable, request(&bench, "hi")).await.unwrap();
    assert_eq!(printed(&none)["env"]["set"]["SCRIBE_CONFIG"], json!("{\"mcpServers\":{}}"));

    // A text in a variable has a bound, a file has none.
    let long = || request(&bench, "hi").mcp_server(server(&bench).arg("x".repeat(96 * 1024)));
    let error = plan(&bench, &variable, long()).await.unwrap_err();
    assert!(error.to_string().ends_with(" bytes of MCP servers in one text; at most 98304"), "{error}");
    assert!(plan(&bench, SCRIBE, long()).await.is_ok());

    let each = with(SCRIBE, FILE, &format!("{FILE}\neach = [\"--allow\", \"mcp:{{server}}\"]"));
    let two = asked().mcp_server(McpServer::stdio("other", node.clone()));
    let args_of_two = args(&plan(&bench, &each, two).await.unwrap());
    let expected = ["--mcp-config", "<mcp-config>", "--allow", "mcp:tolaria", "--allow", "mcp:other", "--prompt=hi"];
    assert_eq!(args_of_two[args_of_two.len() - 7..], expected);
    assert!(!args(&plan(&bench, &each, request(&bench, "hi")).await.unwrap()).contains(&"--allow".to_owned()));

    let signs = with(SCRIBE, FILE, &format!("{FILE}\nexpands = [\"$\"]"));
    let error =
        plan(&bench, &signs, request(&bench, "hi").mcp_server(server(&bench).env("A", "$HOME"))).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "MCP server `tolaria`: holds `$`, which the agent replaces by something else; leave it out"
    );
}

#[tokio::test]
async fn private_files_are_filled_in_with_the_vault() {
    let definition = with(
        SCRIBE,
        "[modes.safe]\nargs = [",
        "[files.rules]\nname = \"rules.json\"\ntext = '{\"root\":\"{vault_json}\",\"{x}\":1}'\n\n[modes.safe]\nargs = [\"--rules={file.rules}\", ",
    );
    let bench = bench("");
    let plan = plan(&bench, &definition, request(&bench, "hi").mcp_server(server(&bench))).await.unwrap();
    assert_eq!(args(&plan)[2], "--rules=<rules>");
    let size = json!({"root": bench.vault(), "{x}": 1}).to_string().len();
    assert_eq!((plan.files()[0].name.as_str(), plan.files()[0].len()), ("rules.json", size));
    assert_eq!(plan.files()[1].purpose, "mcp-config");
}

#[tokio::test]
async fn a_prompt_on_stdin_may_be_a_message_in_json() {
    let bench = Bench::new().fake("plain", "probe out plain 1.0.0");
    let text = "by = \"stdin\", text = '{\"event\":\"user\",\"content\":\"{prompt_json}\"}'";
    let definition = with(PLAIN, "by = \"stdin\"", text);
    let request = Request::new(agent_launcher::AgentId::new("plain"), bench.vault(), "say \"{prompt}\"\n{vault}");
    let plan = plan(&bench, &definition, request).await.unwrap();
    let Stdin::Bytes(bytes) = plan.stdin() else { panic!("no stdin") };
    let line = bytes.strip_suffix(b"\n").unwrap();
    let expected = json!({"event": "user", "content": "say \"{prompt}\"\n{vault}"});
    assert_eq!(serde_json::from_slice::<Value>(line).unwrap(), expected);
}

#[tokio::test]
async fn a_servers_name_cannot_give_a_tool() {
    let bench = bench("");
    let each = with(SCRIBE, FILE, &format!("{FILE}\neach = [\"--allow={{server}}\"]\nreserved = [\"scribble\"]"));
    for name in ["bash", "Shell", "write", "edit", "scribble"] {
        let request = request(&bench, "hi").mcp_server(McpServer::stdio(name, bench.bin().join("scribe")));
        let error = plan(&bench, &each, request).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("MCP server `{name}`: is what the agent calls a tool or a permission; choose another name")
        );
    }
    // Where the name stands in no argument, only what the definition names is refused.
    let bash = request(&bench, "hi").mcp_server(McpServer::stdio("bash", bench.bin().join("scribe")));
    assert!(plan(&bench, SCRIBE, bash).await.is_ok());
    let edit = request(&bench, "hi").mcp_server(McpServer::stdio("edit", bench.bin().join("scribe")));
    assert!(plan(&bench, SCRIBE, edit).await.is_err());
}

#[tokio::test]
async fn a_server_whose_tools_would_begin_like_the_agents_own_is_refused() {
    let bench = bench("");
    let short = with(SCRIBE, "tools = \"mcp__{server}__\"", "tools = \"{server}_\"");
    let named = |name: &str| {
        server(&bench);
        let node = bench.bin().join("node");
        plan(&bench, &short, request(&bench, "hi").mcp_server(McpServer::stdio(name, node)))
    };
    for name in ["run", "web", "Apply"] {
        let refused = named(name).await;
        assert!(
            matches!(&refused, Err(Error::InvalidServer { name: told, .. }) if told == name),
            "{name}: {refused:?}"
        );
    }
    named("tolaria").await.expect("its tools begin like none of the agent's");
}
