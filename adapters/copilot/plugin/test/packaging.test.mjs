// What the plugin's folder holds.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { builtinModules } from "node:module";
import { join, relative } from "node:path";
import { test } from "node:test";
import { meta } from "../extensions/adrkit/review.mjs";
import { plugin, workspace } from "./support/workspace.mjs";

function files(folder = plugin) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? files(path) : [relative(plugin, path)];
  });
}
const shipped = files().filter((name) => !name.startsWith("test/"));
const text = (name) => readFileSync(join(plugin, name), "utf8");

test("checklist 57: the plugin is its manifest, one agent, and one extension at its root; no MCP servers", () => {
  assert.deepEqual(shipped.sort(), [
    ".claude-plugin/plugin.json",
    "agents/decision-checker.md",
    ...["changes", "cli", "extension", "register", "rejoin", "review", "session-dir", "text", "tools", "validate"].map((name) => `extensions/adrkit/${name}.mjs`),
  ]);
  assert.ok(!existsSync(join(plugin, ".mcp.json")) && !existsSync(join(plugin, "com.github.copilot")));
  const manifest = JSON.parse(text(".claude-plugin/plugin.json"));
  assert.equal(manifest.name, "adrkit");
  assert.ok(!("mcpServers" in manifest) && !("hooks" in manifest) && !("dependencies" in manifest));
  assert.match(text("agents/decision-checker.md"), /^---\nname: decision-checker\n/);
  assert.ok(meta.name === "adr-review");
});

test("checklist 57: Node's own modules and siblings only; the SDK is imported in extension.mjs alone; nothing of Bun", () => {
  for (const name of shipped.filter((file) => file.endsWith(".mjs"))) {
    const imports = [...text(name).matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map((match) => match[1]);
    for (const from of imports) {
      const good = from.startsWith("./") || (from.startsWith("node:") && builtinModules.includes(from.slice(5))) ||
        (from === "@github/copilot-sdk/extension" && name.endsWith("/extension.mjs"));
      assert.ok(good, `${name} imports ${from}`);
    }
    assert.ok(!/\bBun\b/.test(text(name)), name);
  }
});

test("checklist 57: no file of the plugin names a writing command", () => {
  for (const name of shipped) assert.ok(!/adr[\s\p{Cf}]+(new|accept|migrate)\b/u.test(text(name)), name);
});

test("checklist 57: the work tree is as clean after the tools and a review as before", async (t) => {
  const space = workspace(t);
  space.git("update-ref", "refs/remotes/origin/main", "HEAD");
  space.write("docs/adr/0002-b.md");
  space.git("add", "-A");
  space.git("commit", "-q", "-m", "b");
  assert.equal((await space.tool("adr_check")({})).resultType, "success");
  assert.equal((await space.tool("adr_explain")({ path: "kept.txt" })).resultType, "success");
  assert.equal((await space.tool("adr_lint")({})).resultType, "success");
  assert.equal((await space.review({})).result.status, "ok");
  assert.equal(space.git("status", "--porcelain", "--ignored"), "");
});
