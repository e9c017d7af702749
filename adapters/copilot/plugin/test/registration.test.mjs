// Joining the session.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { register, rungs } from "../extensions/adrkit/register.mjs";
import { createJoin } from "../extensions/adrkit/rejoin.mjs";
import { createReview, meta } from "../extensions/adrkit/review.mjs";
import { createSessionDir } from "../extensions/adrkit/session-dir.mjs";
import { createTools } from "../extensions/adrkit/tools.mjs";
import { plugin } from "./support/workspace.mjs";

const parts = (config) => Object.keys(config).filter((name) => name !== "onEvent" && name !== "enableFileHooks").sort();

/** Joins with a runtime that refuses as `refuse` says; tells every attempt and log line. */
async function joined({ refuse = () => null, ...factories } = {}) {
  const attempts = [];
  const lines = [];
  const session = { name: "session" };
  const outcome = await register({
    joinSession: async (config) => {
      attempts.push(config);
      const message = refuse(parts(config), attempts.length);
      if (message) throw new Error(message);
      return session;
    },
    onEvent: () => {},
    workflows: () => ["review"],
    tools: () => ["tool"],
    log: (line) => lines.push(line),
    ...factories,
  }).then((value) => ({ value }), (error) => ({ error }));
  return { ...outcome, attempts: attempts.map(parts), configs: attempts, lines };
}

test("checklist 36: the event handler is in the config of every join, so an event before it resolves is kept", async () => {
  const dir = createSessionDir("/start");
  const { configs } = await joined({ onEvent: dir.onEvent, refuse: (names) => (names.includes("tools") ? "no" : null) });
  assert.equal(configs.length, 2);
  for (const config of configs) assert.equal(config.onEvent, dir.onEvent);
  for (const config of configs) assert.equal(config.enableFileHooks, false, "no join brings in the repository's hooks");

  await register({
    joinSession: async (config) => {
      config.onEvent({ type: "session.context_changed", data: { cwd: "/early" } });
      return {};
    },
    onEvent: dir.onEvent,
    workflows: () => [],
    log: () => {},
  });
  assert.equal(dir.get(), "/early");
});

test("checklist 38: exactly three tools, without a question at each call, deferral unset, none describing a writing command", () => {
  const tools = createTools({ sessionDir: createSessionDir() });
  assert.deepEqual(tools.map((tool) => tool.name), ["adr_check", "adr_explain", "adr_lint"]);
  for (const tool of tools) {
    assert.deepEqual(Object.keys(tool).sort(), ["description", "handler", "name", "parameters", "skipPermission"]);
    assert.equal(tool.skipPermission, true);
    assert.match(tool.name, /^[A-Za-z0-9_-]+$/);
    assert.match(tool.description, /Read-only\./);
    assert.ok(!/\badr\s+(new|accept|migrate)\b/.test(JSON.stringify(tool)));
    assert.equal(tool.parameters.type, "object");
    assert.equal(tool.parameters.additionalProperties, false);
    assert.ok(tool.parameters.properties.dir && !tool.parameters.properties.cli);
  }
  assert.deepEqual(tools.map((tool) => tool.parameters.required), [[], ["path"], []]);
});

test("checklist 39: a throwing factory of the tools leaves the workflow and the canvas joined, and is logged", async () => {
  const boom = () => {
    throw new Error("boom");
  };
  const { value, attempts, lines } = await joined({ tools: boom, canvases: () => ["canvas"] });
  assert.deepEqual([value, attempts], [{ name: "session" }, [["canvases", "workflows"]]]);
  assert.equal(lines.length, 1);
  assert.match(lines[0], /tools.*boom/);
  assert.deepEqual((await joined({ canvases: boom, hooks: boom })).attempts, [["tools", "workflows"]]);
});

test("checklist 40: the ladder leaves out hooks, tools, both, the canvas alone, then all but the workflow", async () => {
  const all = { canvases: () => ["c"], hooks: () => ({}) };
  const refuseAll = () => "no";
  assert.deepEqual((await joined({ ...all, refuse: refuseAll })).attempts, [
    ["canvases", "hooks", "tools", "workflows"],
    ["canvases", "tools", "workflows"],
    ["canvases", "hooks", "workflows"],
    ["canvases", "workflows"],
    ["hooks", "tools", "workflows"],
    ["workflows"],
  ]);
  const withoutHooks = await joined({ canvases: all.canvases, refuse: refuseAll });
  assert.deepEqual(withoutHooks.attempts, [
    ["canvases", "tools", "workflows"],
    ["canvases", "workflows"],
    ["tools", "workflows"],
    ["workflows"],
  ]);
  assert.deepEqual((await joined({ refuse: refuseAll })).attempts, [["tools", "workflows"], ["workflows"]]);
  assert.deepEqual(rungs({ workflows: [] }), [[]]);

  // A runtime that knows no canvas keeps the tools.
  const kept = await joined({ canvases: all.canvases, refuse: (names) => (names.includes("canvases") ? "unknown canvas" : null) });
  assert.deepEqual(kept.attempts.at(-1), ["tools", "workflows"]);
});

test("checklist 41: when every join is refused, the first refusal is thrown", async () => {
  const { error, lines } = await joined({ refuse: (_, attempt) => `refusal ${attempt}` });
  assert.equal(error.message, "refusal 1");
  assert.match(lines[0], /refusal 1.*refusal 2/);
});

test("checklist 42: the log names what was left out and quotes each refusal", async () => {
  const { lines } = await joined({
    canvases: () => ["c"],
    refuse: (names, attempt) => (names.length > 1 ? `refusal ${attempt}` : null),
  });
  assert.equal(lines.length, 1);
  assert.match(lines[0], /without canvases, tools/);
  for (const attempt of [1, 2, 3]) assert.ok(lines[0].includes(`"refusal ${attempt}"`));
  assert.deepEqual((await joined()).lines, [], "an accepted join is silent");
});

test("checklist 42: nothing in the extension writes to stdout", () => {
  const folder = join(plugin, "extensions/adrkit");
  for (const name of readdirSync(folder)) {
    assert.ok(!/console\.|process\.stdout/.test(readFileSync(join(folder, name), "utf8")), name);
  }
});

test("checklist 43: where the permission is denied, the workflow alone joins", async () => {
  const denied = 'Extension "plugin:adrkit:adrkit" was denied permission access and will not be loaded.';
  const { value, attempts, lines } = await joined({ refuse: (names) => (names.includes("tools") ? denied : null) });
  assert.deepEqual([value, attempts.at(-1)], [{ name: "session" }, ["workflows"]]);
  assert.ok(lines[0].includes(denied) && /without tools/.test(lines[0]));
});

test("checklist 43: a refused join reads nothing any more, and the next one misses nothing", async () => {
  const stdin = new PassThrough();
  const heard = { first: [], second: [], other: [] };
  stdin.on("data", (part) => heard.other.push(String(part)));
  const join = createJoin(async ({ name, refuse }) => {
    await new Promise((done) => setImmediate(done));
    stdin.on("data", (part) => heard[name].push(String(part)));
    stdin.on("close", () => {});
    await new Promise((done) => setImmediate(done));
    if (refuse) throw new Error("refused");
    return name;
  }, stdin);
  stdin.write("a");
  await assert.rejects(join({ name: "first", refuse: true }), /refused/);
  stdin.write("b");
  assert.equal(await join({ name: "second" }), "second");
  stdin.write("c");
  await new Promise((done) => setImmediate(done));
  assert.deepEqual(heard.second, ["b", "c"]);
  assert.ok(!heard.first.includes("b") && !heard.first.includes("c"));
  assert.deepEqual(heard.other.slice(-2), ["b", "c"], "readers that were there before stay");
  assert.deepEqual([stdin.listenerCount("data"), stdin.listenerCount("newListener")], [2, 0]);
});

test("checklist 54: the workflow's own data: three phases, no limits, no pause", () => {
  assert.equal(meta.name, "adr-review");
  assert.deepEqual(meta.phases.map(({ title }) => title), ["Collect", "Check", "Judge"]);
  assert.ok(!("limits" in meta));
  assert.deepEqual(Object.keys(meta.argsSchema.properties), ["files", "base", "dir"]);
  assert.ok(!/\.pause\(/.test(readFileSync(join(plugin, "extensions/adrkit/review.mjs"), "utf8")));
  assert.equal(typeof createReview({ sessionDir: createSessionDir() }), "function");
});

test("checklist 39: a workflow that cannot be built leaves the tools joined; with nothing at all its error is thrown", async () => {
  const boom = () => {
    throw new Error("defineWorkflow is not a function");
  };
  const { value, attempts, lines } = await joined({ workflows: boom });
  assert.deepEqual([value, attempts], [{ name: "session" }, [["tools"]]]);
  assert.match(lines[0], /workflows.*defineWorkflow/);
  const refused = await joined({ workflows: boom, refuse: () => "no" });
  assert.deepEqual([refused.error.message, refused.attempts], ["no", [["tools"]]], "never a join with nothing");
  const nothing = await joined({ workflows: boom, tools: boom });
  assert.deepEqual([nothing.error.message, nothing.attempts], ["defineWorkflow is not a function", []]);
});
