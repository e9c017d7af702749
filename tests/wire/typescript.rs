//! `docs/events.ts` is what the types say. To renew it: `UPDATE=1 cargo test --all-features --test wire`.

use std::path::Path;

use agent_launcher::{
    Code, Event, EventKind, Gate, Guidance, NoticeLevel, Outcome, Status, Step, Usage, WorkflowOutcome,
};
use ts_rs::{Config, TS};

const HEAD: &str = "\
// The events of a run, as `agent-launcher ask --json` prints them: one object a line.
// Generated from the library's types; `UPDATE=1 cargo test --all-features --test wire` renews it.
// Kinds, codes and fields may be added: ignore those that you do not know.
";

fn declaration<T: TS>(config: &Config) -> String {
    format!("\n{}export {}\n", T::docs().unwrap_or_default(), T::decl(config))
}

/// The same types, laid out for readers: fields indented, one variant a paragraph, short comments on one line.
fn laid_out(text: &str) -> String {
    let mut out = String::new();
    let mut lines = text.lines().peekable();
    let mut inside = false;
    while let Some(line) = lines.next() {
        let indent = if inside { "  " } else { "" };
        if line == "/**" {
            let mut comment: Vec<&str> = lines.by_ref().take_while(|line| *line != " */").collect();
            comment.iter_mut().for_each(|line| *line = line.trim_start_matches(" *").trim());
            match comment.as_slice() {
                [only] => out += &format!("{indent}/** {only} */\n"),
                several => {
                    let body: String = several
                        .iter()
                        .map(|line| format!("{indent} *{:1$}{line}\n", "", usize::from(!line.is_empty())))
                        .collect();
                    out += &format!("{indent}/**\n{body}{indent} */\n");
                }
            }
            continue;
        }
        // A field that may be absent is left out, never null: its name carries the question mark.
        let line = if line.contains("?: ") { line.replacen(" | null,", ",", 1) } else { line.to_owned() };
        let line = line.replace("} | {", "}\n  | {").replace("} & Usage | {", "} & Usage\n  | {");
        let line = line.replace(" = { \"kind\"", " =\n  | { \"kind\"");
        let at = if line.starts_with("export") { "" } else { indent };
        out += at;
        out += line.trim_end();
        out.push('\n');
        inside = !line.is_empty() && !line.ends_with(';');
    }
    out
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the one switch of this test: to renew the file instead of comparing it")]
fn the_published_types_are_current() {
    let config = Config::new().with_large_int("number");
    // The kind is flat in the JSON, so its type comes inlined: its name says the same.
    let event = declaration::<Event>(&config).replace(&format!("({})", EventKind::inline(&config)), "EventKind");
    let text = [
        event,
        declaration::<EventKind>(&config),
        declaration::<NoticeLevel>(&config),
        declaration::<Outcome>(&config),
        declaration::<Status>(&config),
        declaration::<Usage>(&config),
        declaration::<WorkflowOutcome>(&config),
        declaration::<Gate>(&config),
        declaration::<Guidance>(&config),
        declaration::<Step>(&config),
        declaration::<Code>(&config),
    ]
    .concat();
    let text = format!("{HEAD}{}", laid_out(&text));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/events.ts");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let published = std::fs::read_to_string(&path).unwrap();
    assert!(published == text, "docs/events.ts is stale: UPDATE=1 cargo test --all-features --test wire");
}
