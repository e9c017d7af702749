// The workflow in the CLI's own extension process and SDK, with this test as the host. No login, no model.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { skip, stubHost, unpack, until } from "./support/real.mjs";
import { plugin, recorded, workspace } from "./support/workspace.mjs";

let bundle;
before(() => {
  if (!skip) ({ bundle } = unpack());
});
const extension = join(plugin, "extensions/adrkit/extension.mjs");
const json = (value) => ({ result: value });

/** A host whose extension has joined; ended with the test. */
async function hosted(t, { play, env = {}, joins = true, ...more } = {}) {
  const space = workspace(t);
  const host = stubHost({ bundle, extension, root: space.root, env: { ...space.env, ...(play && { FAKE_ADR: JSON.stringify(play) }), ...env }, ...more });
  t.after(() => host.stop());
  if (joins) await until(() => host.joined, `the join: ${host.stderr}`);
  return { space, host };
}
const consistent = () => json({ verdict: "consistent", evidence: "src/a.ts:1" });

test("real: the join carries the workflow and three tools, and nothing that needs more", { skip }, async (t) => {
  const { host } = await hosted(t);
  const [join] = host.joins;
  assert.deepEqual(join.workflows.map(({ name }) => name), ["adr-review"]);
  assert.deepEqual(join.workflows[0].phases.map(({ title }) => title), ["Collect", "Check", "Judge"]);
  assert.equal(join.workflows[0].limits, undefined);
  assert.deepEqual(join.tools.map(({ name, skipPermission }) => [name, skipPermission]), [["adr_check", true], ["adr_explain", true], ["adr_lint", true]]);
  assert.deepEqual([join.requestPermission, join.hooks], [false, false]);
});

test("real: ok, with every governing decision judged by the namespaced agent under a label of its own", { skip }, async (t) => {
  const { host } = await hosted(t, { agent: consistent });
  const { result } = await host.start({ files: ["packages/cli/src/index.ts"] }).result;
  assert.equal(result.status, "ok");
  assert.deepEqual(result.governing, recorded("check").governing);
  assert.equal(result.verdicts.length, 4);
  assert.deepEqual(host.agents.map(({ opts }) => opts.agent), Array(4).fill("adrkit:decision-checker"));
  assert.equal(new Set(host.agents.map(({ opts }) => opts.label)).size, 4);
  const lines = host.logs.map(({ kind, text }) => [kind, text]);
  assert.deepEqual(lines.filter(([kind]) => kind === "phase").map(([, text]) => text), ["Collect", "Check", "Judge"]);
  assert.ok(lines.some(([kind, text]) => kind === "log" && text.includes("0031")));
});

test("real: findings by a conflict, and by exit code 1", { skip }, async (t) => {
  const conflict = (params) => json({ verdict: params.prompt.includes("0024") ? "conflicts" : "consistent", evidence: "x" });
  const first = await hosted(t, { agent: conflict });
  assert.equal((await first.host.start({ files: ["a"] }).result).result.status, "findings");
  const second = await hosted(t, { agent: consistent, play: { check: { exit: 1 } } });
  const { result } = await second.host.start({ files: ["a"] }).result;
  assert.deepEqual([result.status, result.checkExitCode], ["findings", 1]);
});

test("real: incomplete, where the agent answers null and where only uncommitted edits were reviewed", { skip }, async (t) => {
  const { host } = await hosted(t, { agent: () => ({}) });
  const { result } = await host.start({ files: ["a"] }).result;
  assert.deepEqual([result.status, result.verdicts, result.unverified.length], ["incomplete", [], 4]);
  assert.deepEqual(new Set(result.unverified.map(({ reason }) => reason)), new Set(["no-answer"]));

  const { host: second, space } = await hosted(t, { agent: consistent });
  space.write("edited.txt");
  const fallback = (await second.start({}).result).result;
  assert.deepEqual([fallback.status, fallback.filesSource, fallback.files], ["incomplete", "working-tree", ["edited.txt"]]);
});

test("real: usage-error for arguments, base and CLI, as a result and never thrown", { skip }, async (t) => {
  const { host } = await hosted(t, { agent: consistent, play: { lint: { exit: 3 } } });
  for (const args of [{ cli: "/bin/evil" }, { files: ["../a"] }, { base: "nowhere" }, { files: ["a"] }]) {
    const { result } = await host.start(args).result;
    assert.equal(result.status, "usage-error", JSON.stringify(args));
  }
  assert.deepEqual(host.agents, []);
  const missing = await hosted(t, { env: { ADRKIT_CLI: "/none" } });
  assert.match((await missing.host.start({ files: ["a"] }).result).result.notes[0], /^cli-unresolved/);
});

test("real: a hard failure of the host while judging ends the run without a result", { skip }, async (t) => {
  const agent = () => {
    throw Object.assign(new Error("limit"), { code: -32000, data: { code: "workflow_limit_reached" } });
  };
  const { host } = await hosted(t, { agent });
  await assert.rejects(host.start({ files: ["a"] }).result, { code: -32000 });
});

test("real: an abort ends the child and the run, without a result", { skip }, async (t) => {
  const { host, space } = await hosted(t, { agent: consistent, play: { check: { hang: true } } });
  const run = host.start({ files: ["a"] });
  const rejected = assert.rejects(run.result, /abort/);
  await until(() => space.calls().length > 0, "the check to start");
  await run.stop();
  await rejected;
  assert.equal(space.calls().length, 1, "nothing is started after the abort");
});

test("real: a refused join is tried again with the workflow alone, quoting the refusal on stderr", { skip }, async (t) => {
  const refusal = 'Extension "plugin:adrkit:adrkit" was denied permission access and will not be loaded.';
  const onJoin = (params) => {
    if (params.tools?.length) throw new Error(refusal);
  };
  const { host } = await hosted(t, { agent: consistent, onJoin });
  assert.equal(host.joins.length, 2);
  assert.deepEqual((await host.start({ files: ["a"] }).result).result.status, "ok");
  assert.ok(host.stderr.includes("joined without tools") && host.stderr.includes(refusal));
});

test("real: where every join is refused the extension ends with the first refusal", { skip }, async (t) => {
  const onJoin = (_, host) => {
    throw new Error(`refusal ${host.joins.length}`);
  };
  const { host } = await hosted(t, { onJoin, joins: false });
  assert.deepEqual(await host.exited, { code: 1, signal: null });
  assert.equal(host.joins.length, 2);
  assert.match(host.stderr, /Failed to load extension:.*refusal 1/);
});

test("real: a change of folder while the join is under way is kept, and a later one is followed", { skip }, async (t) => {
  // Sent before the answer to the join.
  const onJoin = (_, host) => host.event("session.context_changed", { cwd: join(host.root, "early") });
  const { host, space } = await hosted(t, { agent: consistent, onJoin });
  for (const name of ["early", "later"]) mkdirSync(join(space.root, name, "docs/adr"), { recursive: true });
  await host.start({ files: ["a"] }).result;
  host.event("session.context_changed", { cwd: join(space.root, "later") });
  await host.start({ files: ["a"] }).result;
  assert.deepEqual(space.calls().map(({ cwd }) => cwd), ["early", "early", "later", "later"].map((name) => join(space.root, name)));
});
