//! Plays the `adr` command from recorded reports, as strictly as the real one.
//!
//! An unknown command, option or number of paths, and a missing corpus folder, are refused with exit code 2 and a usage
//! text. Reports are `check.json`, `explain.json` and `lint.json` beside it. `adr.json` beside it may say for each command
//! what to do instead: `{"lint":{"exit":3,"stdout":"…","stderr":"…","report":{…},"fill":BYTES,"signal":9,"hang":true}}`.

use std::io::Write as _;
use std::path::Path;

use serde_json::{Map, Value};

/// Plays one call and ends the process.
pub(crate) fn play(args: &[String], call: &mut crate::record::Call) -> ! {
    let (command, rest) = args.split_first().map_or(("", args), |(first, rest)| (first.as_str(), rest));
    let bounds = match command {
        "check" => 1..=usize::MAX,
        "explain" => 1..=1,
        "lint" => 0..=0,
        _ => usage(command, &format!("Unknown command \"{command}\"")),
    };
    let parsed = Parsed::new(rest).unwrap_or_else(|why| usage(command, &why));
    if !bounds.contains(&parsed.paths.len()) {
        usage(command, &format!("Wrong number of paths: {}", parsed.paths.len()));
    }
    if !parsed.json {
        usage(command, "Only --json is played");
    }
    if !Path::new(&parsed.dir).is_dir() {
        usage(command, &format!("Corpus directory not found: \"{}\".", parsed.dir));
    }
    answer(command, &parsed, call)
}

fn answer(command: &str, parsed: &Parsed, call: &mut crate::record::Call) -> ! {
    let folder = crate::folder(call.path()).to_owned();
    let plays = read(&folder.join("adr.json")).unwrap_or_default();
    let play = plays.get(command).and_then(Value::as_object).cloned().unwrap_or_default();
    let text = |name: &str| play.get(name).and_then(Value::as_str);
    let number = |name: &str| play.get(name).and_then(Value::as_u64);
    if play.get("hang").is_some_and(|hang| *hang == true) {
        // Bounded, so that a failed test leaves nothing.
        std::thread::sleep(std::time::Duration::from_secs(600));
    }
    if let Some(signal) = number("signal") {
        crate::faults::run(&[crate::scenario::Step::Signal(signal as i32)], call, &Default::default());
    }
    eprint!("{}", text("stderr").unwrap_or_default());
    let out = match (text("stdout"), number("fill")) {
        (_, Some(bytes)) => "x".repeat(bytes as usize),
        (Some(text), None) => text.to_owned(),
        (None, None) => {
            let file = folder.join(format!("{command}.json"));
            let Some(mut report) = read(&file) else {
                crate::bad_setup(&format!("no recorded report `{}`", file.display()))
            };
            match command {
                "check" => drop(report.insert("changedFiles".into(), parsed.paths.clone().into())),
                "explain" => drop(report.insert("path".into(), parsed.paths[0].clone().into())),
                _ => {}
            }
            report.extend(play.get("report").and_then(Value::as_object).cloned().unwrap_or_default());
            format!("{}\n", serde_json::to_string_pretty(&report).expect("a map of JSON values is JSON"))
        }
    };
    // A reader that has gone away is no reason to fail differently from the real one.
    let _ = std::io::stdout().write_all(out.as_bytes());
    std::process::exit(number("exit").unwrap_or(0) as i32)
}

/// The arguments after the command.
struct Parsed {
    json: bool,
    dir: String,
    paths: Vec<String>,
}

impl Parsed {
    fn new(args: &[String]) -> Result<Parsed, String> {
        let mut parsed = Parsed { json: false, dir: "docs/adr".into(), paths: Vec::new() };
        let mut args = args.iter();
        let mut options = true;
        while let Some(arg) = args.next() {
            match arg.as_str() {
                "--" if options => options = false,
                "--json" if options => parsed.json = true,
                "--dir" if options => {
                    let value = args.next().filter(|value| !value.starts_with('-'));
                    parsed.dir = value.ok_or("Option '--dir <value>' argument is missing or ambiguous")?.clone();
                }
                option if options && option.starts_with('-') && option != "-" => {
                    return Err(format!("Unknown option '{option}'"));
                }
                path => parsed.paths.push(path.to_owned()),
            }
        }
        Ok(parsed)
    }
}

fn read(file: &Path) -> Option<Map<String, Value>> {
    serde_json::from_str(&std::fs::read_to_string(file).ok()?).ok()
}

fn usage(command: &str, message: &str) -> ! {
    eprint!("Error: {message}\n\nUsage: adr {command} [options]\nRun 'adr help {command}' for more information.\n");
    std::process::exit(2)
}
