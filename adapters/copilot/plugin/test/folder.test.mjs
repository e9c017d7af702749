// The session's directory.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { createReview } from "../extensions/adrkit/review.mjs";
import { createSessionDir } from "../extensions/adrkit/session-dir.mjs";
import { createTools } from "../extensions/adrkit/tools.mjs";
import { workspace } from "./support/workspace.mjs";

const moved = (cwd, more = {}) => ({ type: "session.context_changed", data: { cwd, ...more } });

test("checklist 35: it starts at process.cwd() and follows an absolute cwd of session.context_changed, nothing else", () => {
  const dir = createSessionDir();
  assert.equal(dir.get(), process.cwd());
  dir.onEvent(moved("/one", { pendingGitContext: true }));
  dir.onEvent(moved("/one"));
  assert.equal(dir.get(), "/one");
  const ignored = [moved("relative"), moved("./x"), moved(""), moved(undefined), moved(5), moved(null), { type: "session.context_changed" },
    { type: "session.tools_updated", data: { cwd: "/two" } }, null, undefined, "text"];
  for (const event of ignored) dir.onEvent(event);
  assert.equal(dir.get(), "/one");
  const { onEvent } = dir;
  onEvent(moved("/three"));
  assert.equal(dir.get(), "/three", "the handler works when it is passed on by itself");
});

test("checklist 35: a launcher that keeps the session out of the folder names it in the environment", (t) => {
  t.after(() => delete process.env.AGENT_LAUNCHER_VAULT);
  for (const [value, start] of [["/vault", "/vault"], ["relative", process.cwd()], ["", process.cwd()]]) {
    process.env.AGENT_LAUNCHER_VAULT = value;
    assert.equal(createSessionDir().get(), start);
  }
});

test("checklist 35: in a launcher's empty folder the named one counts; a change leaves it, and coming back returns to it", () => {
  const dir = createSessionDir("/vault", "/scratch/notes");
  const go = (cwd) => dir.onEvent({ type: "session.context_changed", data: { cwd } });
  assert.equal(dir.get(), "/vault");
  go("/scratch/notes");
  assert.equal(dir.get(), "/vault", "an event that only tells where the process runs");
  go("/elsewhere");
  assert.equal(dir.get(), "/elsewhere");
  go("/scratch/notes");
  assert.equal(dir.get(), "/vault");
});

test("checklist 37: after a change the tools use the new repository, and the workflow reads it when each run starts", async (t) => {
  const space = workspace(t);
  const other = join(space.top, "other");
  mkdirSync(join(other, "docs/adr"), { recursive: true });
  const sessionDir = createSessionDir(space.root);
  const tools = createTools({ sessionDir, env: space.env });
  const review = createReview({ sessionDir, env: space.env });
  const everything = async () => {
    for (const { name, handler } of tools) await handler({ adr_check: { paths: ["a"] }, adr_explain: { path: "a" }, adr_lint: {} }[name]);
    await review({ args: { files: ["a"] }, agent: async () => null });
    return space.calls().slice(-5).map((call) => call.cwd);
  };
  assert.deepEqual(await everything(), Array(5).fill(space.root));
  sessionDir.onEvent(moved(other));
  assert.deepEqual(await everything(), Array(5).fill(other));

  // A run that has begun stays where it began.
  let first = true;
  await review({
    args: { files: ["a"] },
    agent: async () => null,
    phase: () => first && ((first = false), sessionDir.onEvent(moved(space.root))),
  });
  assert.deepEqual(space.calls().slice(-2).map((call) => call.cwd), [other, other]);
});

test("checklist 37: ADRKIT_ALLOW_REPO_CLI takes the adr of the repository the session is in now", async (t) => {
  const space = workspace(t);
  space.installAdr(join(space.root, "node_modules/.bin"));
  const env = { ADRKIT_CLI: undefined, ADRKIT_ALLOW_REPO_CLI: "1" };
  assert.equal((await space.tool("adr_lint", { env })({})).resultType, "success");
  const other = join(space.top, "other");
  mkdirSync(join(other, "docs/adr"), { recursive: true });
  assert.equal((await space.tool("adr_lint", { env, dir: () => other })({})).resultType, "failure");
});
