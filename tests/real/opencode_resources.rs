//! Resources of the app's server on the real OpenCode: tools that count as reading.

use agent_launcher::{McpServer, Status};
use serde_json::json;

use crate::opencode_ground::with;
use crate::support::machine::skipped;
use crate::support::model::{Model, text, tool};
use crate::support::told;

/// A server that offers one resource and no tool.
const SERVER: &str = r#"
const answers = {
  initialize: { protocolVersion: '2025-06-18', capabilities: { resources: {}, tools: {} }, serverInfo: { name: 'r', version: '1' } },
  'tools/list': { tools: [] },
  'resources/list': { resources: [{ uri: 'note://one', name: 'one' }] },
  'resources/templates/list': { resourceTemplates: [] },
  'resources/read': { contents: [{ uri: 'note://one', text: 'WHAT-THE-RESOURCE-SAYS' }] },
};
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method] ?? {} }));
});
"#;

#[tokio::test]
async fn resources_of_the_apps_server_are_read_in_safe_mode_and_trip_no_wire() {
    if skipped() {
        return;
    }
    let model = Model::empty().await;
    let machine = with(&model).await;
    machine.write("server.js", SERVER);
    model.script([
        tool("list_mcp_resources", json!({}))
            .tool("read_mcp_resource", json!({ "server": "tolaria", "uri": "note://one" })),
        text("Done."),
    ]);
    let server = McpServer::stdio("tolaria", "node").arg(machine.root().join("server.js").display().to_string());
    let told = told::run(&machine.launcher(), &machine.request("Go.").mcp_server(server)).await;
    assert_eq!(told.outcome().status, Status::Completed, "{told:#?}");
    assert_eq!(told.text(), "Done.");
    let [(ok, _, answer)] = &told.tool("read_mcp_resource")[..] else { panic!("one call: {told:#?}") };
    assert!(*ok && answer.contains("WHAT-THE-RESOURCE-SAYS"), "{answer}");
}
