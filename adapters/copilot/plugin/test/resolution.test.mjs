// Which `adr` runs, and how.

import assert from "node:assert/strict";
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import { test } from "node:test";
import { findOnPath, resolveCli } from "../extensions/adrkit/cli.mjs";
import { codeOf, contentOf, plugin, workspace } from "./support/workspace.mjs";

test("checklist 1: ADRKIT_CLI is used, made absolute, and scripts run under node and not under the host's own binary", (t) => {
  const space = workspace(t, { git: false });
  const node = join(space.bin, "node");
  for (const name of ["x.js", "x.mjs", "x.cjs"]) {
    const script = join(space.top, name);
    writeFileSync(script, "");
    assert.deepEqual(resolveCli({ env: { ...space.env, ADRKIT_CLI: script } }), { file: node, args: [script] });
  }
  const program = space.installAdr(space.top, "my-adr");
  assert.deepEqual(resolveCli({ env: { ...space.env, ADRKIT_CLI: relative(process.cwd(), program) } }), { file: program, args: [] });
  const noNode = { ADRKIT_CLI: space.cli, PATH: join(space.top, "empty") };
  assert.throws(() => resolveCli({ env: noNode }), { code: "node-unresolved" });
});

test("checklist 2: a missing ADRKIT_CLI is cli-unresolved and nothing else is tried", async (t) => {
  const space = workspace(t);
  space.installAdr(space.bin);
  space.installAdr(join(space.root, "node_modules/.bin"));
  for (const missing of [join(space.top, "none"), join(space.top, "none.js"), space.root]) {
    const env = { ADRKIT_CLI: missing, ADRKIT_ALLOW_REPO_CLI: "1" };
    const answer = await space.tool("adr_lint", { env })({});
    assert.equal(answer.resultType, "failure");
    assert.equal(codeOf(answer), "cli-unresolved");
    assert.ok(!answer.textResultForLlm.includes(missing));
  }
  assert.deepEqual(space.calls(), []);
});

test("checklist 3: the repository's own adr runs only where ADRKIT_ALLOW_REPO_CLI is exactly 1", (t) => {
  const space = workspace(t, { git: false });
  const local = space.installAdr(join(space.root, "node_modules/.bin"));
  const onPath = space.installAdr(space.bin);
  const chosen = (value) => resolveCli({ env: { PATH: space.bin, ADRKIT_ALLOW_REPO_CLI: value }, cwd: space.root }).file;
  assert.equal(chosen("1"), local);
  for (const value of ["true", "yes", "01", " 1", "", undefined]) assert.equal(chosen(value), onPath, `value ${value}`);
  assert.equal(resolveCli({ env: { PATH: space.bin, ADRKIT_ALLOW_REPO_CLI: "1" }, cwd: space.top }).file, onPath);
});

test("checklist 4: else adr on PATH, never through a relative entry; none is cli-unresolved", async (t) => {
  const space = workspace(t);
  const env = { ADRKIT_CLI: undefined };
  assert.equal(codeOf(await space.tool("adr_lint", { env })({})), "cli-unresolved");
  assert.equal(codeOf(await space.tool("adr_lint", { env: { ADRKIT_CLI: "" } })({})), "cli-unresolved");

  // Relative to this very process, the folder holds an executable `adr`.
  space.installAdr(join(space.root, "tools"));
  const way = relative(process.cwd(), join(space.root, "tools"));
  for (const path of [way, `.${delimiter}${way}`, "", "."]) assert.equal(findOnPath("adr", { PATH: path }), null, path);
  mkdirSync(join(space.top, "folder/adr"), { recursive: true });
  mkdirSync(join(space.top, "plain"));
  copyFileSync(space.cli, join(space.top, "plain/adr"));
  chmodSync(join(space.top, "plain/adr"), 0o644);
  const skipped = [join(space.top, "folder"), join(space.top, "plain")];
  assert.equal(findOnPath("adr", { PATH: skipped.join(delimiter) }), null, "a folder and a plain file are no programs");

  const found = space.installAdr(space.bin);
  assert.equal(findOnPath("adr", { PATH: [...skipped, space.bin].join(delimiter) }), found);
  assert.deepEqual(contentOf(await space.tool("adr_lint", { env })({})).exitCode, 0);
});

test("checklist 5: cli, allowRepoCli and any unknown key are refused before anything is spawned", async (t) => {
  const space = workspace(t);
  for (const key of ["cli", "allowRepoCli", "ADRKIT_CLI", "command", "__proto_"]) {
    for (const [name, args] of [["adr_check", { paths: ["a"] }], ["adr_explain", { path: "a" }], ["adr_lint", {}]]) {
      const answer = await space.tool(name)({ ...args, [key]: "/bin/evil" });
      assert.equal(answer.resultType, "failure");
      assert.equal(codeOf(answer), "unknown-argument");
      assert.ok(!answer.textResultForLlm.includes("evil") && !answer.textResultForLlm.includes(key));
    }
    const { result, agents } = await space.review({ files: ["a"], [key]: "/bin/evil" });
    assert.equal(result.status, "usage-error");
    assert.match(result.notes[0], /^unknown-argument: /);
    assert.deepEqual(agents, []);
  }
  for (const args of ["text", 5, ["a"]]) assert.equal(codeOf(await space.tool("adr_lint")(args)), "invalid-arguments");
  assert.deepEqual(space.calls(), []);
});

test("checklist 6: only execFile starts a process, never with a shell", async (t) => {
  const folder = join(plugin, "extensions/adrkit");
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), "utf8");
    const imported = text.match(/import \{([^}]*)\} from "node:child_process"/)?.[1].trim();
    assert.equal(imported, name === "cli.mjs" ? "execFile" : undefined, name);
    assert.ok(!/shell: true|\bspawn(Sync)?\(|\bexec(Sync|FileSync)?\(|\beval\(|require\(/.test(text), name);
  }
  const space = workspace(t);
  const marker = join(space.root, "marker");
  const answer = await space.tool("adr_explain")({ path: `$(touch marker);\`touch marker\`&touch marker` });
  assert.equal(answer.resultType, "success");
  assert.deepEqual(space.calls()[0].argv.at(-1), `$(touch marker);\`touch marker\`&touch marker`);
  assert.throws(() => readFileSync(marker), { code: "ENOENT" });
});

test("checklist 6: the invocation's signal and the workflow's signal end the child", async (t) => {
  const space = workspace(t);
  const env = { FAKE_ADR: JSON.stringify({ lint: { hang: true }, check: { hang: true } }) };
  const started = async () => {
    while (space.calls().length === 0) await new Promise((done) => setTimeout(done, 10));
  };
  const stop = new AbortController();
  const stopRun = new AbortController();
  // Whatever fails below: a child that hangs would keep the test runner from ending.
  t.after(() => [stop, stopRun].forEach((each) => each.abort()));
  const answer = space.tool("adr_lint", { env })({}, { signal: stop.signal });
  await started();
  stop.abort();
  assert.equal(codeOf(await answer), "aborted");

  const run = space.review({ files: ["a"] }, { env, ctx: { signal: stopRun.signal } });
  while (space.calls().length < 2) await new Promise((done) => setTimeout(done, 10));
  stopRun.abort();
  // A result here would let a stopped run look like a completed one.
  await assert.rejects(run);

  const before = space.calls().length;
  assert.equal(codeOf(await space.tool("adr_lint")({}, { signal: AbortSignal.abort() })), "aborted");
  assert.equal(space.calls().length, before, "nothing is spawned for a call that was stopped already");
});

test("checklist 6: a child that ignores a polite signal ends with the call too", { skip: process.platform === "win32" }, async (t) => {
  const space = workspace(t);
  const script = join(space.top, "stubborn.js");
  const file = join(space.top, "pid");
  writeFileSync(script, `process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); require("fs").writeFileSync(${JSON.stringify(`${file}.new`)}, String(process.pid)); require("fs").renameSync(${JSON.stringify(`${file}.new`)}, ${JSON.stringify(file)});`);
  const stop = new AbortController();
  const answer = space.tool("adr_lint", { env: { ADRKIT_CLI: script } })({}, { signal: stop.signal });
  while (!existsSync(file)) await new Promise((done) => setTimeout(done, 10));
  const pid = Number(readFileSync(file, "utf8"));
  t.after(() => { try { process.kill(pid, "SIGKILL"); } catch { /* It has ended, as it should. */ } });
  stop.abort();
  assert.equal(codeOf(await answer), "aborted");
  const deadline = Date.now() + 10_000;
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      break;
    }
    assert.ok(Date.now() < deadline, "the child lives on");
    await new Promise((done) => setTimeout(done, 10));
  }
});
