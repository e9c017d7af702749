//! A person's machine with the real OpenCode, whose model is a local server.

use serde_json::json;

use crate::support::machine::Machine;
use crate::support::model::Model;

/// The version that the tests run.
pub const VERSION: &str = "1.18.33";

/// A machine whose OpenCode asks `url`.
pub async fn machine(url: &str) -> Machine {
    // The list of models, and the package that OpenCode installs for plugins, are on the network.
    let machine = Machine::of("opencode", VERSION, &[("OPENCODE_MODELS_URL", "http://127.0.0.1:9")]).await;
    machine.write("home/.npmrc", "registry=http://127.0.0.1:9/\nfetch-retries=0\n");
    settings(&machine, url, json!({}));
    machine
}

pub async fn with(model: &Model) -> Machine {
    machine(&model.url()).await
}

/// The person's settings: a provider of their own, and `more`.
pub fn settings(machine: &Machine, url: &str, more: serde_json::Value) {
    let limit = json!({ "context": 1_000_000, "output": 4096 });
    let mut settings = json!({ "$schema": "https://opencode.ai/config.json", "model": "local/mock", "provider": { "local": {
        "npm": "@ai-sdk/openai-compatible", "name": "Local", "options": { "baseURL": url, "apiKey": "dummy" },
        "models": { "mock": { "name": "Mock", "tool_call": true, "reasoning": true, "limit": limit } },
    } } });
    let all = settings.as_object_mut().expect("an object");
    all.extend(more.as_object().expect("an object").clone());
    machine.write("home/.config/opencode/opencode.json", &settings.to_string());
}

/// Code that leaves a mark when it is loaded.
pub fn script(machine: &Machine, mark: &str) -> String {
    let path = machine.root().join("marks").join(mark).display().to_string();
    format!(
        "import fs from 'node:fs'; fs.writeFileSync({path:?}, 'x');\n\
         export default {{ id: {mark:?}, description: 'x', args: {{}}, execute: async () => 'mine', server: async () => ({{}}) }}\n"
    )
}

/// A command that leaves a mark when it is started.
pub fn command(machine: &Machine, mark: &str) -> serde_json::Value {
    json!(["/bin/sh", "-c", format!("touch {}", machine.root().join("marks").join(mark).display())])
}

/// The marks that were left, sorted.
pub fn marks(machine: &Machine) -> Vec<String> {
    let files = machine.files("marks");
    files.keys().map(|path| path.trim_start_matches("marks/").to_owned()).collect()
}
