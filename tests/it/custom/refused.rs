//! Bad definitions: each is refused with its line and what to do. One case a mistake.

use agent_launcher::CustomAgent;

use super::{PLAIN, SCRIBE, bench, with};

/// Part of `scribe.toml`, what stands there instead, where the error points to (the first such text), and what it says.
type Case = (&'static str, &'static str, &'static str, &'static str);

const CASES: &[Case] = &[
    // The shape.
    ("format = 1", "format = 1\nid = ", "id = ", "this is not TOML: "),
    ("format = 1", "format = 1\nid = 'a'", "id = \"scribe\"", "this is not TOML: duplicate key"),
    ("format = 1", "format = 2", "2", "`format` must be a whole number from 1 to 1, and is an integer"),
    ("format = 1", "", "# An agent", "a definition needs `format`, such as `format = 1`"),
    (
        "name = \"Scribe\"",
        "nane = \"Scribe\"",
        "nane",
        "a definition has no key `nane`; it may have `format`, `id`, `name`",
    ),
    ("name = \"Scribe\"", "name = 3", "3", "`name` must be a text, and is an integer"),
    ("name = \"Scribe\"", "name = \" \"", "\" \"", "`name` is empty; leave the key out, or say something"),
    ("name = \"Scribe\"", "name = \"a\\nb\"", "\"a\\nb\"", "`name` must stand on one line"),
    ("name = \"Scribe\"", "name = \"a\\u0007\"", "\"a\\u", "`name` holds a control character; take it out"),
    // Who and where.
    ("id = \"scribe\"", "id = \"Scribe\"", "\"Scribe\"", "`Scribe` is no id; one is lower-case letters"),
    ("id = \"scribe\"", "id = \"copilot\"", "\"copilot\"", "`copilot` is an agent that the launcher knows itself"),
    ("id = \"scribe\"", "id = \"codex\"", "\"codex\"", "`codex` is an agent that the launcher knows itself"),
    ("id = \"scribe\"", "id = \"a23456789012345678901234567890123\"", "\"a2345", "is longer than 32 characters"),
    ("[\"scribe\", \"scribe-cli\"]", "[]", "[]\n", "a definition needs `programs`"),
    (
        "[\"scribe\", \"scribe-cli\"]",
        "[\"bin/scribe\"]",
        "\"bin/scribe\"",
        "`bin/scribe` is a path; give the name alone",
    ),
    (
        "[\"scribe\", \"scribe-cli\"]",
        "[\"scribe.exe\"]",
        "\"scribe.exe\"",
        "`scribe.exe` has an extension; leave it out",
    ),
    ("[\"scribe\", \"scribe-cli\"]", "[\"a\", \"a\"]", "\"a\"", "`programs` names one twice"),
    ("stop_signal = \"int\"", "stop_signal = \"kill\"", "\"kill\"", "`stop_signal` is `\"term\"` or `\"int\"`"),
    ("[\".scribe/bin\"]", "[\"../bin\"]", "\"../bin\"", "`../bin` is not a folder below the home folder"),
    ("[\".scribe/bin\"]", "[\"/usr/bin\"]", "\"/usr/bin\"", "`/usr/bin` is not a folder below the home folder"),
    ("[find]", "[find]\nnpm_package = \"@a\"", "\"@a\"", "`@a` is no name of an npm package"),
    ("[find]", "[find]\nnpm_native = { package = \"a\", program = \"b\" }", "{ package", "needs `find.npm_package`"),
    // The version.
    ("(\\d+\\.\\d+\\.\\d+)$", "\\d+$", "'^scribe \\d+$'", "`version.identity` has no group"),
    ("'^scribe (\\d", "'^scribe ((\\d", "'^scribe ((", "the expression does not compile: unclosed group"),
    (
        "'^scribe (\\d+\\.\\d+\\.\\d+)$'",
        "'(a{1000}){1000}'",
        "'(a{1000}){1000}'",
        "the expression does not compile: Compiled regex exceeds size limit",
    ),
    (
        "example = \"scribe 2.1.0\"",
        "example = \"scriba 2.1.0\"",
        "\"scriba 2.1.0\"",
        "finds no version in this example",
    ),
    (
        "near_miss = \"scribes 2.1.0\"",
        "near_miss = \"scribe 9.9.9\"",
        "\"scribe 9.9.9\"",
        "takes this for the agent, which it is not",
    ),
    ("near_miss = \"scribes 2.1.0\"\n", "", "[version]", "`version` needs `near_miss`"),
    ("floor = \"2.0.0\"", "floor = \"2\"", "\"2\"", "`2` is no version; one is `1.2.3`"),
    // The person's part.
    (
        "install = \"brew install scribe\"\ninstall_url = \"https://example.org/scribe\"\n",
        "",
        "[setup]",
        "`setup` needs `install`",
    ),
    ("https://example.org/scribe", "http://example.org/scribe", "\"http://", "must begin with `https://`"),
    ("[\"SCRIBE_TOKEN\"]", "[\"SCRIBE-TOKEN\"]", "\"SCRIBE-TOKEN\"", "is no name of a variable"),
    // The environment.
    ("safe = [\"SCRIBE_REGION\"]", "safe = [\"*\"]", "\"*\"", "`*` stands for too much; name at least three letters"),
    ("safe = [\"SCRIBE_REGION\"]", "safe = [\"GO*\"]", "\"GO*\"", "`GO*` stands for too much"),
    ("safe = [\"SCRIBE_REGION\"]", "safe = [\"NODE_OPTIONS\"]", "\"NODE_OPTIONS\"", "`NODE_OPTIONS` reaches no agent"),
    ("SCRIBE_UI = \"none\"", "LD_PRELOAD = \"/x.so\"", "LD_PRELOAD", "`LD_PRELOAD` must not be set: it loads code"),
    ("SCRIBE_UI = \"none\"", "PATH = \"/x\"", "PATH = \"/x\"", "`PATH` is the launcher's to set"),
    (
        "SCRIBE_UI = \"none\"",
        "SCRIBE_API_KEY = \"canary\"",
        "SCRIBE_API_KEY",
        "has the name of a secret, and a definition is no place for one",
    ),
    (
        "SCRIBE_HOME_ROOT = ",
        "GOOSE_MODE = \"auto\", SCRIBE_HOME_ROOT = ",
        "GOOSE_MODE",
        "`GOOSE_MODE` must not have this value: Goose runs every tool",
    ),
    // How it is run.
    ("by = \"argument\"", "by = \"file\"", "\"file\"", "`run.prompt.by` is `\"stdin\"` or `\"argument\"`"),
    ("by = \"argument\"", "by = \"stdin\"", "\"stdin\"", "a prompt on stdin has no `args`"),
    (
        "args = [\"--prompt={prompt}\"]",
        "args = [\"{prompt}\"], text = \"{prompt}\"",
        "\"{prompt}\"], text",
        "`run.prompt.text` is for a prompt on stdin",
    ),
    (
        "by = \"argument\", args = [\"--prompt={prompt}\"]",
        "by = \"stdin\", text = \"say\"",
        "\"say\"",
        "`run.prompt.text` holds `{prompt}` or `{prompt_json}` once",
    ),
    ("[\"--prompt={prompt}\"]", "[\"--prompt\"]", "{ by", "`run.prompt` needs `args`, such as"),
    (
        "[\"--prompt={prompt}\"]",
        "[\"--prompt={promt}\"]",
        "\"--prompt={promt}\"",
        "`{promt}` is no placeholder; known here: `{prompt}`, `{vault}`",
    ),
    ("[\"write\", \"--json\"]", "[\"write\", \"{model}\"]", "\"{model}\"", "`{model}` is not known here"),
    (
        "[\"write\", \"--json\"]",
        "[\"write\", \"{file.x}\"]",
        "\"{file.x}\"",
        "`{file.x}` names no file; a file is described under `[files.x]`",
    ),
    (
        "[\"write\", \"--json\"]",
        "[\"write\", \"--yolo\"]",
        "\"--yolo\"",
        "`--yolo` must not be passed where Safe mode uses it",
    ),
    ("[\"--model\", \"{model}\"]", "[\"--model\"]", "[\"--model\"]", "`options.model` has no `{model}` in it"),
    (
        "system_prompt = [",
        "system_in_prompt = true\nsystem_prompt = [",
        "[options]",
        "has both `system_prompt` and `system_in_prompt`",
    ),
    ("extra = [\"--effort\"]", "extra = [\"--effort=x\"]", "\"--effort=x\"", "`--effort=x` is no name of a flag"),
    ("[run]", "[run]\ncwd = \"home\"", "\"home\"", "`run.cwd` is `\"vault\"` or `\"scratch\"`"),
    // The modes.
    (
        "\"--tools\", \"read,edit\"",
        "\"--allow-all-tools\"",
        "\"--allow-all-tools\"",
        "`--allow-all-tools` must not be passed where Safe mode uses it",
    ),
    (
        "\"--tools\", \"read,edit\"",
        "\"--permission-mode\", \"bypassPermissions\"",
        "\"bypassPermissions\"",
        "Claude Code and Qwen ask nobody",
    ),
    ("\"--tools\", \"all\"", "\"--allow-all\"", "\"--allow-all\"", "`--allow-all` must not be passed in any mode"),
    (
        "\"--tools\", \"all\"",
        "\"-c\", \"sandbox_mode=danger-full-access\"",
        "\"sandbox_mode",
        "must not be passed in any mode: Codex drops",
    ),
    (
        "source = \"the fake of this test, 2026-11-30\"\n\n[modes.power",
        "\n[modes.power",
        "[modes.safe]",
        "`modes.safe` needs `source`",
    ),
    ("writers = [\"edit\"]", "writers = [\"save\"]", "\"save\"", "`save` is not among the mode's `tools`"),
    (
        "[modes.power_user]",
        "[modes.power_user]\ntools = [\"all\"]",
        "[modes.power_user]",
        "`tools` and `writers` belong to `modes.safe`",
    ),
    (
        "event = \"tool_done\"\nid = \"id\"\noutput = \"output\"\nok = { failed = false }\ndenied = { reason = \"refused\" }",
        "event = \"ignore\"",
        "[modes.safe]",
        "no rule of `output.rules` tells which tools run",
    ),
    ("path = \"arguments.path\"\n", "", "[modes.safe]", "no rule for `tool_start` or `tool` has the `path`"),
    // The servers.
    ("form = \"file\"", "form = \"flag\"", "\"flag\"", "`flag` is no form; one is `argument`, `file`"),
    ("form = \"file\"", "form = \"variable\"", "\"variable\"", "the form `variable` has no `args`"),
    ("[\"--mcp-config\", \"{mcp_config}\"]", "[\"--mcp-config\"]", "[\"--mcp-config\"]", "`mcp` needs `args`, such as"),
    ("\"{mcp_config}\"", "\"{mcp_config}.json\"", "\"{mcp_config}.json\"", "is the path of a file and must be the end"),
    ("[\"--model\", \"{model}\"]", "[\"--{model}\"]", "\"--{model}", "a request would choose the flag"),
    ("tools = \"mcp__{server}__\"", "tools = \"{server}\"", "\"{server}\"", "`mcp.tools` must end in the sign"),
    ("tools = \"mcp__{server}__\"", "tools = \"mcp__\"", "\"mcp__\"", "`mcp.tools` has no `{server}` in it"),
    ("tools = \"mcp__{server}__\"\n", "", "[mcp]", "`modes.safe.tools` is given, so `mcp` needs `tools`"),
    // The output.
    ("form = \"jsonl\"", "form = \"xml\"", "\"xml\"", "`xml` is no form; one is `text` or `jsonl`"),
    ("form = \"jsonl\"", "form = \"text\"", "[[output.rules]]", "text is shown as it is, without rules"),
    ("event = \"session\"", "event = \"start\"", "\"start\"", "`start` is no event; one is `text`, `thinking`"),
    (
        "event = \"session\"",
        "event = \"break\"",
        "\"break\"",
        "a rule for `break` has no `id`; its keys are none of its own",
    ),
    ("id = \"session\"", "id = \"a..b\"", "\"a..b\"", "`a..b` is no path; one is names with dots between"),
    ("id = \"session\"\n", "", "[[output.rules]]", "`output.rules` needs `id`, such as `id = \"path.to.it\"`"),
    ("when = { type = \"hello\" }", "when = { type = { a = 1 } }", "{ a = 1 }", "(a path with dots stands in quotes"),
    ("when = { type = \"hello\" }\n", "", "[[output.rules]]", "`output.rules` needs `when`"),
    ("when = { type = \"hello\" }", "when = { type = [] }", "type = []", "`type` can be none of an empty list"),
    (
        "each = \"content\"\nonly",
        "only",
        "[[output.rules]]\nwhen = { type = \"message\" }",
        "`only` looks at the entries of a list",
    ),
    // The guidance.
    (
        "code = \"not_signed_in\"",
        "code = \"login\"",
        "\"login\"",
        "`login` is no code for a rule; one is `not_signed_in`",
    ),
    (
        "example = \"Error: Nobody is",
        "example = \"Error: Somebody is",
        "\"Error: Somebody",
        "the phrase does not begin a line of this example",
    ),
    (
        "near_miss = \"The diary says that Nobody",
        "near_miss = \"Nobody",
        "\"Nobody is",
        "the rule takes this for its cause, which it is not",
    ),
    ("'Nobody is logged in to Scribe'", "'.*'", "'.*'", "the expression matches nothing at all, and so everything"),
    (
        "'Nobody is logged in to Scribe'",
        "'(?P<who>Nobody) is'",
        "'(?P<who>",
        "the group `who` fills nothing in; known: `address`",
    ),
    ("exit_code = 9", "exit_code = 0", "0\ncode", "`guidance.exit_code` must be a whole number from 1 to 255"),
    ("exit_code = 9", "exit_code = 9\nphrase = 'x'", "[[guidance]]\nexit_code", "a rule has one signal"),
    ("exit_code = 9", "status = [500, 400]", "500", "`status` is one, or the first and the last of a range"),
    ("exit_code = 9", "exit_code = 9\nexample = 'x'", "'x'", "only a `phrase` or an `answer` has an example"),
    (
        "error_type = [\"slow_down\"]\ncode = \"rate_limited\"\nsource = \"the fake of this test, 2026-11-30\"",
        "error_type = []\ncode = \"rate_limited\"\nsource = \"x\"",
        "[[guidance]]\nerror_type",
        "the rule's signal is empty",
    ),
];

#[test]
fn every_mistake_is_told_by_its_line_and_what_to_do() {
    let mut wrong = Vec::new();
    for (part, by, marker, says) in CASES {
        let text = with(SCRIBE, part, by);
        let Err(error) = CustomAgent::from_toml(&text) else {
            wrong.push(format!("{by:?} was taken"));
            continue;
        };
        let at = text.find(marker).unwrap_or_else(|| panic!("{marker:?} is not in the definition"));
        let line = text[..at].matches('\n').count() + 1;
        // A table that is meant as a whole is shown by its head.
        if error.line != line || !error.problem.contains(says) {
            wrong.push(format!("{by:?}: wanted line {line}, {says:?}; got {error}"));
        }
        assert!(!error.to_string().contains("canary"), "a value of a variable is printed: {error}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(CASES.len() >= 25);
}

#[test]
fn tools_that_nobody_would_see_are_not_named() {
    let error = CustomAgent::from_toml(&with(PLAIN, "[modes.safe]", "[modes.safe]\ntools = [\"read\"]")).unwrap_err();
    assert!(error.problem.contains("no rule of `output.rules` tells which tools run"), "{error}");
    // What looks like a secret is in no error, wherever it stands.
    let key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789abcdefghijkl";
    let error = CustomAgent::from_toml(&with(PLAIN, "id = \"plain\"", &format!("id = \"{key}\""))).unwrap_err();
    assert!(!error.to_string().contains("abcdefghijkl"), "{error}");
}

#[test]
fn an_error_points_to_the_character() {
    let error = CustomAgent::from_toml("format = 1\nid = \"x\"\nname = \"é\"\n  odd = 1\n").unwrap_err();
    assert_eq!((error.line, error.column), (4, 3));
    assert!(error.to_string().starts_with("line 4, column 3: a definition has no key `odd`; "), "{error}");
}

/// `count` tables, each with its own number in place of `N`.
fn many(table: &str, count: usize) -> String {
    (0..count).map(|number| table.replace('N', &number.to_string())).collect()
}

#[test]
fn everything_has_a_bound() {
    let rule = "\n[[output.rules]]\nwhen = { type = \"N\" }\nevent = \"ignore\"\n";
    let meaning = "\n[[guidance]]\nexit_code = 1N\ncode = \"network\"\nsource = \"seen\"\n";
    let list = |count: usize| format!("[{}]", "\"x\",".repeat(count));
    let taken = |text: String| CustomAgent::from_toml(&text).map(|_| ()).map_err(|error| error.problem);
    let padded = |size: usize| format!("{PLAIN}#{}", "x".repeat(size - PLAIN.len() - 1));
    assert_eq!(taken(padded(64 * 1024)), Ok(()));
    assert_eq!(taken(padded(64 * 1024 + 1)), Err("a definition may have 65536 bytes, and this one has 65537".into()));
    // The definition has 11 rules for output, and 3 for guidance.
    assert_eq!(taken(format!("{SCRIBE}{}", many(rule, 53))), Ok(()));
    assert_eq!(
        taken(format!("{SCRIBE}{}", many(rule, 54))),
        Err("`output.rules` has 65 entries, and may have 64".into())
    );
    assert_eq!(taken(format!("{SCRIBE}{}", many(meaning, 61))), Ok(()));
    assert_eq!(
        taken(format!("{SCRIBE}{}", many(meaning, 62))),
        Err("`guidance` has 65 entries, and may have 64".into())
    );
    let args = |count| taken(with(SCRIBE, "[\"write\", \"--json\"]", &list(count)));
    assert_eq!(args(64), Ok(()));
    assert_eq!(args(65), Err("`run.args` has 65 entries, and may have 64".into()));
    let name = |count: usize| taken(with(SCRIBE, "\"Scribe\"", &format!("\"{}\"", "é".repeat(count))));
    assert_eq!(name(64), Ok(()));
    assert!(name(65).unwrap_err().ends_with("is longer than 64 characters"));
    let programs = |count: usize| {
        let names: String = (0..count).map(|number| format!("\"p{number}\",")).collect();
        taken(with(SCRIBE, "[\"scribe\", \"scribe-cli\"]", &format!("[{names}]")))
    };
    assert_eq!(programs(8), Ok(()));
    assert_eq!(programs(9), Err("`programs` has 9 entries, and may have 8".into()));
    let file = |bytes: usize| taken(format!("{SCRIBE}\n[files.a]\nname = \"a\"\ntext = \"{}\"\n", "x".repeat(bytes)));
    assert_eq!(file(16 * 1024), Ok(()));
    assert_eq!(file(16 * 1024 + 1), Err("`files.a.text` has 16385 bytes, and may have 16384".into()));
    let files = |count| taken(format!("{SCRIBE}{}", many("\n[files.aN]\nname = \"a\"\ntext = \"x\"\n", count)));
    assert_eq!(files(8), Ok(()));
    assert_eq!(files(9), Err("`files` has 9 entries, and may have 8".into()));
    let login = |bytes: usize| taken(with(SCRIBE, "\"scribe login\"", &format!("\"{}\"", "x".repeat(bytes))));
    assert_eq!(login(4096), Ok(()));
    assert_eq!(login(4097), Err("`setup.login` has 4097 bytes, and may have 4096".into()));
    let counted = |part: &str, begin: &str, item: &str, end: &str, most: usize, name: &str| {
        let text = |count: usize| {
            let items: String = (0..count).map(|number| item.replace('N', &number.to_string())).collect();
            taken(with(SCRIBE, part, &format!("{begin}{items}{end}")))
        };
        assert_eq!(text(most), Ok(()), "{name}");
        assert_eq!(text(most + 1), Err(format!("`{name}` has {} entries, and may have {most}", most + 1)));
    };
    counted("[\".scribe/bin\"]", "[", "\"aN\",", "]", 16, "find.home_dirs");
    counted("[\"--version\"]", "[", "\"N\",", "]", 8, "version.args");
    counted("[\"SCRIBE_TOKEN\"]", "[", "\"A_N\",", "]", 32, "setup.auth_variables");
    counted("[\"SCRIBE_REGION\"]", "[", "\"A_N\",", "]", 64, "environment.safe");
    counted("{ SCRIBE_UI = \"none\" }", "{ ", "A_N = \"1\", ", "}", 32, "environment.set");
    counted("[\"--effort\"]", "[", "\"--fN\",", "]", 32, "options.extra");
    counted("{ type = \"hello\" }", "{ ", "aN = 1, ", "}", 8, "output.rules.when");
    counted("{ type = \"hello\" }", "{ type = [", "N,", "] }", 16, "output.rules.when.type");
    counted("exit_code = 9", "exit_code = [", "1N,", "]", 16, "guidance.exit_code");
    let phrase = |bytes: usize| {
        let text = "x".repeat(bytes);
        let rule = format!(
            "\n[[guidance]]\nphrase = '{text}'\ncode = 'network'\nsource = 'seen'\nexample = '{text}'\nnear_miss = 'y'\n"
        );
        taken(format!("{SCRIBE}{rule}"))
    };
    assert_eq!(phrase(1024), Ok(()));
    assert_eq!(phrase(1025), Err("an expression may have 1024 bytes".into()));
}

#[test]
fn what_is_left_out_has_its_default() {
    // No `find`, `environment`, `options`, `mcp`, `guidance`; no arguments of the run, the mode or the version.
    let agent = CustomAgent::from_toml(PLAIN).unwrap();
    assert_eq!((agent.id().as_str(), agent.name()), ("plain", "Plain"));
    assert_eq!(format!("{agent:?}"), "CustomAgent(AgentId(\"plain\"))");
}

#[test]
fn an_id_is_added_once() {
    let bench = bench("");
    let scribe = CustomAgent::from_toml(SCRIBE).unwrap();
    let builder = bench.builder().agent(scribe).unwrap().agent(CustomAgent::from_toml(PLAIN).unwrap()).unwrap();
    let error = builder.agent(scribe).unwrap_err();
    assert_eq!(error.to_string(), "line 3, column 6: another definition has the id `scribe`; give each its own");
}
