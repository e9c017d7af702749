// The extension in the real Copilot CLI: through the SDK host, and in `-p` with a model on this machine. No login.

import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { copilot, model, session, skip, unpack, until } from "./support/real.mjs";
import { plugin, recorded, workspace } from "./support/workspace.mjs";

let cli;
before(() => {
  if (!skip) cli = unpack();
});
const TOOLS = ["adr_check", "adr_explain", "adr_lint"];
const GRANT = "--allow-tool=extension-permission-access(plugin:adrkit:adrkit)";

test("real: an SDK host lists, executes and follows a change of folder, with one permission request in all", { skip }, async (t) => {
  const space = workspace(t);
  const other = join(space.top, "other");
  mkdirSync(join(other, "docs/adr"), { recursive: true });
  const host = await session({ ...cli, env: { ...space.env, ...cli.env, ADRKIT_CLI: space.cli }, plugin, root: space.root });
  t.after(() => host.close());
  await host.ready();
  const ours = (await host.tools()).filter(({ name }) => TOOLS.includes(name));
  assert.deepEqual(ours.map(({ name }) => name).sort(), TOOLS);
  assert.ok(ours.every((tool) => !tool.deferLoading), "offered directly");

  const explained = await host.execute("adr_explain", { path: "packages/cli/src/index.ts" });
  assert.equal(explained.resultType, "success");
  assert.deepEqual(JSON.parse(explained.textResultForLlm), { exitCode: 0, report: recorded("explain") });
  const checked = JSON.parse((await host.execute("adr_check", { paths: ["a.ts"] })).textResultForLlm);
  assert.deepEqual(checked.report, { ...recorded("check"), changedFiles: ["a.ts"] });
  assert.deepEqual(JSON.parse((await host.execute("adr_lint", {})).textResultForLlm).report, recorded("lint"));
  for (const [name, args, code] of [
    ["adr_explain", { path: "/etc/passwd" }, "invalid-path"],
    ["adr_explain", { path: "../x" }, "invalid-path"],
    ["adr_lint", { cli: "/bin/evil" }, "unknown-argument"],
    ["adr_check", { base: "nowhere" }, "base-unresolved"],
    ["adr_lint", { dir: "nowhere" }, "usage-exit"],
  ]) {
    const answer = await host.execute(name, args);
    assert.equal(answer.resultType, "failure", name);
    assert.ok(answer.textResultForLlm.startsWith(`${code}: `), answer.textResultForLlm);
  }

  assert.equal(space.calls().at(-1).cwd, space.root);
  await host.changeDirectory(other);
  await host.ready();
  await until(async () => {
    await host.execute("adr_lint", {});
    return space.calls().at(-1).cwd === other;
  }, "the tools to follow the session");
  assert.deepEqual(host.permissions.map(({ kind, extensionName }) => [kind, extensionName]), [["extension-permission-access", "plugin:adrkit:adrkit"]]);
});

/** `copilot -p` in Safe mode's manner, on a model that makes `turns`. */
async function asked(t, turns, { grant = true, env = {}, tools = TOOLS, folder = plugin, prepare = () => {} } = {}) {
  const space = workspace(t);
  prepare(space);
  const server = await model(turns);
  t.after(() => server.close());
  // Without the flag the CLI loads no extension at all.
  const flags = { COPILOT_CLI_ENABLED_FEATURE_FLAGS: "EXTENSIONS" };
  const provider = { COPILOT_OFFLINE: "true", COPILOT_PROVIDER_BASE_URL: server.url, COPILOT_MODEL: "mock", ...flags };
  const args = ["-p", "Which decisions govern this?", "-s", "--no-ask-user", "--output-format=json", "--plugin-dir", folder,
    ...(grant ? [GRANT] : []), `--available-tools=${["view", "glob", "grep", ...tools].join(",")}`, "--deny-tool=shell",
    "--disable-builtin-mcps", "--disallow-temp-dir", "--no-custom-instructions", "--no-auto-update", "--no-color"];
  const ended = await copilot(args, { cwd: space.root, env: { ...space.env, ...cli.env, ...provider, ADRKIT_CLI: space.cli, ...env } });
  const offered = new Set(server.requests.flatMap(({ tools }) => (tools ?? []).map((tool) => tool.function.name)));
  const told = server.requests.at(-1).messages.filter(({ role }) => role === "tool").map(({ content }) => content);
  return { ...ended, space, offered, told, requests: server.requests };
}

test("real: in a headless run the model calls the three tools and gets their reports", { skip }, async (t) => {
  const run = await asked(t, [
    { call: "adr_check", args: { paths: ["a.ts"] } },
    { call: "adr_explain", args: { path: "packages/cli/src/index.ts" } },
    { call: "adr_lint", args: {} },
    { text: "four decisions" },
  ]);
  assert.equal(run.code, 0, run.stderr);
  assert.deepEqual([...run.offered].sort(), [...TOOLS, "glob", "grep", "view"].sort());
  assert.deepEqual(run.told.map((text) => JSON.parse(text)), [
    { exitCode: 0, report: { ...recorded("check"), changedFiles: ["a.ts"] } },
    { exitCode: 0, report: recorded("explain") },
    { exitCode: 0, report: recorded("lint") },
  ]);
  assert.deepEqual(run.space.calls().map(({ argv, cwd }) => [argv[0], cwd]), ["check", "explain", "lint"].map((name) => [name, run.space.root]));
  assert.ok(run.stdout.includes("four decisions"));
  assert.equal(run.space.git("status", "--porcelain", "--ignored"), "");
});

test("real: what fails reaches the model as the fixed text, and exit code 1 as data", { skip }, async (t) => {
  const run = await asked(
    t,
    [{ call: "adr_explain", args: { path: "../secret" } }, { call: "adr_lint", args: {} }, { call: "adr_lint", args: { dir: "nowhere" } }, { text: "end" }],
    { env: { FAKE_ADR: JSON.stringify({ lint: { exit: 1 } }) } },
  );
  assert.equal(run.code, 0, run.stderr);
  assert.match(run.told[0], /^invalid-path: /);
  assert.ok(!run.told[0].includes("secret"));
  assert.deepEqual(JSON.parse(run.told[1]), { exitCode: 1, report: recorded("lint") });
  assert.match(run.told[2], /^usage-exit: .*Exit code: 2.*Corpus directory not found/s);
});

test("real: a report beyond the CLI's limit reaches the model cut and whole JSON, not spooled to a file", { skip }, async (t) => {
  const findings = Array.from({ length: 2000 }, (_, index) => ({ rule: "r", message: `message ${index}` }));
  const run = await asked(t, [{ call: "adr_lint", args: {} }, { text: "end" }], { env: { FAKE_ADR: JSON.stringify({ lint: { report: { findings } } }) } });
  const content = JSON.parse(run.told[0]);
  assert.equal(content.report.findings.length + content.truncated.omitted.findings, 2000);
});

test("real: checklist 43: without the grant the run goes on without the tools and does not hang", { skip }, async (t) => {
  const run = await asked(t, [{ text: "no tools" }], { grant: false });
  assert.equal(run.code, 0, run.stderr);
  assert.deepEqual([...run.offered].sort(), ["glob", "grep", "view"]);
  assert.ok(run.stdout.includes("no tools"));
  assert.deepEqual(run.space.calls(), []);
});

test("real: without the EXTENSIONS feature flag the CLI loads no extension in -p", { skip }, async (t) => {
  const run = await asked(t, [{ text: "none" }], { env: { COPILOT_CLI_ENABLED_FEATURE_FLAGS: "" } });
  assert.equal(run.code, 0, run.stderr);
  assert.deepEqual([...run.offered].sort(), ["glob", "grep", "view"]);
});

test("real: the plugin does not bring in the hooks of an untrusted repository, which any extension's join otherwise does", { skip }, async (t) => {
  const hooked = (space) => {
    const command = { type: "command", bash: `touch "${join(space.top, "hook-ran")}"`, timeoutSec: 5 };
    space.write(".github/hooks/x.json", JSON.stringify({ version: 1, hooks: { sessionStart: [command] } }));
  };
  const ours = await asked(t, [{ call: "adr_lint", args: {} }, { text: "end" }], { prepare: hooked });
  assert.equal(JSON.parse(ours.told[0]).exitCode, 0, "the tools work");
  assert.ok(!existsSync(join(ours.space.top, "hook-ran")));

  // The control: the same plugin without the one setting.
  const copy = join(ours.space.top, "copy");
  cpSync(plugin, copy, { recursive: true, filter: (path) => !path.startsWith(join(plugin, "test")) });
  const file = join(copy, "extensions/adrkit/register.mjs");
  writeFileSync(file, readFileSync(file, "utf8").replace("enableFileHooks: false", ""));
  const without = await asked(t, [{ text: "end" }], { prepare: hooked, folder: copy });
  assert.ok(existsSync(join(without.space.top, "hook-ran")), "else this test proves nothing");
});
