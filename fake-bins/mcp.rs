//! A small MCP server on stdin and stdout, for the tests of the real CLIs.
//!
//! Its one tool `note_info` answers with the vault that its environment names and the note asked for. It writes what it
//! was given (pid, arguments, working directory, the whole environment) and every message to the file of `--log`, so
//! that a test can read them. `--mode` makes it fail in the ways that servers do.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::{Value, json};

/// Whether the program was started to be this server: by its name, or by its first argument.
pub(crate) fn is_meant(args: &[String]) -> bool {
    let name = args.first().and_then(|program| Path::new(program).file_stem());
    name.is_some_and(|name| name == "fake-mcp") || args.get(1).is_some_and(|first| first == "--fake-mcp")
}

/// Serves until stdin ends. `args` are the program's own, its name included.
pub(crate) fn run(args: &[String]) -> ExitCode {
    let value = |flag: &str| args.iter().skip_while(|arg| *arg != flag).nth(1).cloned();
    let mut server = Server { log: value("--log"), mode: value("--mode").unwrap_or_else(|| String::from("ok")) };
    server.log(&json!({
        "started": {
            "pid": std::process::id(),
            "args": args,
            "cwd": std::env::current_dir().ok(),
            "env": std::env::vars_os()
                .map(|(name, value)| (name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned().into()))
                .collect::<serde_json::Map<_, _>>(),
        }
    }));
    if server.mode == "crash" {
        eprintln!("fake-mcp: cannot open its database");
        return ExitCode::from(3);
    }
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
        server.log(&json!({ "received": message }));
        if let Some(id) = message.get("id") {
            let method = message["method"].as_str().unwrap_or_default();
            server.answer(id, method, &message["params"]);
        }
    }
    server.log(&json!({ "ended": "stdin" }));
    ExitCode::SUCCESS
}

struct Server {
    log: Option<String>,
    mode: String,
}

impl Server {
    /// Answers one request, or does not, as the mode says.
    fn answer(&mut self, id: &Value, method: &str, params: &Value) {
        let result = match method {
            "initialize" => {
                match self.mode.as_str() {
                    "hang" => forever(),
                    "slow" => std::thread::sleep(Duration::from_secs(3)),
                    _ => {}
                }
                json!({
                    "protocolVersion": params["protocolVersion"],
                    "capabilities": { "tools": {} },
                    "serverInfo": { "name": "fake-mcp", "version": "1.0.0" },
                })
            }
            "tools/list" => json!({ "tools": [{
                "name": "note_info",
                "description": "Tells what the app knows of a note.",
                "inputSchema": {
                    "type": "object",
                    "properties": { "note": { "type": "string" } },
                    "required": ["note"],
                },
            }] }),
            "tools/call" => {
                if self.mode == "busy" {
                    self.log(&json!({ "busy": true }));
                    forever();
                }
                let vault = std::env::var("VAULT_PATH").unwrap_or_else(|_| String::from("no vault"));
                let note = params["arguments"]["note"].as_str().unwrap_or("no note");
                json!({ "content": [{ "type": "text", "text": format!("{note} in {vault}") }] })
            }
            "ping" => json!({}),
            _ => {
                return send(
                    &json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": "no such method" } }),
                );
            }
        };
        send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
    }

    /// Appends one line to the log, in one write.
    fn log(&mut self, entry: &Value) {
        let Some(path) = &self.log else { return };
        let file: std::io::Result<File> = OpenOptions::new().create(true).append(true).open(path);
        if let Ok(mut file) = file {
            let _ = file.write_all(format!("{entry}\n").as_bytes());
        }
    }
}

fn send(message: &Value) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(format!("{message}\n").as_bytes());
    let _ = stdout.flush();
}

/// Ignores the end of stdin: only a signal ends it.
fn forever() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(3600));
    }
}
