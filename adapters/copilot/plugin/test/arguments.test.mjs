// What is refused before anything is spawned. The host does not enforce the schemas, so these are the only checks.

import assert from "node:assert/strict";
import { test } from "node:test";
import { codeOf, workspace } from "./support/workspace.mjs";

/** Every place that takes a path: `[what, call with a path, the code of its refusal]`. */
function places(space) {
  return [
    ["paths", (path) => space.tool("adr_check")({ paths: [path] }), "invalid-path"],
    ["path", (path) => space.tool("adr_explain")({ path }), "invalid-path"],
    ["dir of adr_check", (dir) => space.tool("adr_check")({ paths: ["a"], dir }), "invalid-dir"],
    ["dir of adr_explain", (dir) => space.tool("adr_explain")({ path: "a", dir }), "invalid-dir"],
    ["dir of adr_lint", (dir) => space.tool("adr_lint")({ dir }), "invalid-dir"],
    ["files of adr-review", (file) => reviewAnswer(space, { files: [file] }), "invalid-path"],
    ["dir of adr-review", (dir) => reviewAnswer(space, { files: ["a"], dir }), "invalid-dir"],
  ];
}

/** The workflow's answer in a tool's form. */
async function reviewAnswer(space, args) {
  const { result } = await space.review(args);
  return { resultType: result.status === "usage-error" ? "failure" : "success", textResultForLlm: result.notes.join("\n") };
}

async function refused(space, value) {
  for (const [what, call, code] of places(space)) {
    const answer = await call(value);
    assert.equal(answer.resultType, "failure", `${what}: ${JSON.stringify(value)}`);
    assert.equal(codeOf(answer), code, `${what}: ${JSON.stringify(value)}`);
    if (typeof value === "string" && value.length > 3) assert.ok(!answer.textResultForLlm.includes(value), `${what} echoes`);
  }
}

function nothingRan(space) {
  assert.deepEqual(space.calls(), []);
}

test("checklist 7: a path that is not a string, or empty, is refused", async (t) => {
  const space = workspace(t);
  for (const value of [5, true, {}, ["a"], ""]) {
    // An array is no path at all for adr_explain, which has its own words for it (checklist 15).
    for (const [what, call, code] of places(space)) {
      if (what === "path" && Array.isArray(value)) continue;
      assert.equal(codeOf(await call(value)), code, `${what}: ${JSON.stringify(value)}`);
    }
  }
  assert.equal(codeOf(await space.tool("adr_explain")({ path: null })), "invalid-path");
  nothingRan(space);
});

test("checklist 8: absolute paths of every system are refused", async (t) => {
  const space = workspace(t);
  for (const value of ["/etc/passwd", "/", "C:\\a", "c:/a", "C:foo", "\\\\host\\share", "\\a", "//host/share"]) await refused(space, value);
  nothingRan(space);
});

test("checklist 9: any .. segment is refused, with either separator; a..b is a name", async (t) => {
  const space = workspace(t);
  for (const value of ["..", "../a", "a/../b", "a/..", "a\\..\\b", "..\\a", "a/..\\b"]) await refused(space, value);
  nothingRan(space);
  for (const value of ["a..b", "..a", "a..", "a/...", "a/..b/c"]) {
    assert.equal((await space.tool("adr_explain")({ path: value })).resultType, "success", value);
  }
  assert.deepEqual(space.calls().map((call) => call.argv.at(-1)), ["a..b", "..a", "a..", "a/...", "a/..b/c"]);
});

test("checklist 10: control, separator and bidirectional characters are refused", async (t) => {
  const space = workspace(t);
  const ranges = [[0x00, 0x1f], [0x7f, 0x9f], [0x2028, 0x2029], [0x202a, 0x202e], [0x2066, 0x2069]];
  const explain = space.tool("adr_explain");
  for (const [first, last] of ranges) {
    for (let code = first; code <= last; code += 1) {
      assert.equal(codeOf(await explain({ path: `a${String.fromCodePoint(code)}b` })), "invalid-path", code.toString(16));
    }
    await refused(space, `ab${String.fromCodePoint(first)}cd`);
  }
  nothingRan(space);
  for (const path of ["a b", "ü", "\u{1f600}", "a\u00a0b", "a\u200bb"]) assert.equal((await explain({ path })).resultType, "success");
});

test("checklist 11: a leading dash is refused; 1024 characters are fine and 1025 are not", async (t) => {
  const space = workspace(t);
  for (const value of ["-", "-rf", "--dir=/", "-a/b", "a".repeat(1025)]) await refused(space, value);
  nothingRan(space);
  assert.equal((await space.tool("adr_explain")({ path: "a".repeat(1024) })).resultType, "success");
  assert.equal((await space.tool("adr_explain")({ path: "a/-b" })).resultType, "success");
});

test("checklist 12: paths holds 1 to 200 entries", async (t) => {
  const space = workspace(t);
  const check = space.tool("adr_check");
  const many = (count) => Array.from({ length: count }, (_, index) => `f${index}`);
  for (const paths of [[], many(201), "a", { 0: "a", length: 1 }, null, 5]) {
    assert.equal(codeOf(await check({ paths })), "invalid-paths", JSON.stringify(paths));
    assert.equal(codeOf(await reviewAnswer(space, { files: paths })), "invalid-paths");
  }
  assert.equal(codeOf(await check({ paths: ["a", "../b"] })), "invalid-path");
  nothingRan(space);
  for (const paths of [many(1), many(200)]) {
    assert.equal((await check({ paths })).resultType, "success");
    assert.deepEqual(space.calls().at(-1).argv, ["check", "--json", "--dir", "docs/adr", "--", ...paths]);
  }
});

test("checklist 13: a base is a plain revision of at most 256 characters", async (t) => {
  const space = workspace(t);
  const check = space.tool("adr_check");
  const bad = ["", "-x", "--output=x", "a b", "a;b", "a\nb", "a\u0000b", "a`b", "a$b", "a..b", "a...b", "HEAD:x", "^main", "a*", "a?", "a[0]", "a\\b", "ü", "a".repeat(257), 5, null, ["HEAD"], {}];
  for (const base of bad) {
    assert.equal(codeOf(await check({ base })), "invalid-base", JSON.stringify(base));
    assert.equal(codeOf(await reviewAnswer(space, { base })), "invalid-base", JSON.stringify(base));
  }
  nothingRan(space);
  space.git("branch", "feature/x+1.2");
  space.git("update-ref", "refs/remotes/origin/main", "HEAD");
  space.write("new.txt");
  space.git("add", "-A");
  space.git("commit", "-q", "-m", "more");
  for (const base of ["HEAD~1", "origin/main", "HEAD^", "main~1", "feature/x+1.2", "HEAD@{1}", space.git("rev-parse", "HEAD~1").trim()]) {
    assert.equal((await check({ base })).resultType, "success", base);
  }
  assert.equal(codeOf(await check({ base: "a".repeat(256) })), "base-unresolved", "of a good form, though unknown");
});

test("checklist 14: paths and base together are refused", async (t) => {
  const space = workspace(t);
  assert.equal(codeOf(await space.tool("adr_check")({ paths: ["a"], base: "HEAD" })), "paths-and-base");
  nothingRan(space);
});

test("checklist 15: adr_explain needs exactly one path", async (t) => {
  const space = workspace(t);
  for (const args of [undefined, null, {}, { path: undefined }, { path: ["a"] }, { path: [] }]) {
    assert.equal(codeOf(await space.tool("adr_explain")(args)), "path-required", JSON.stringify(args));
  }
  assert.equal(codeOf(await space.tool("adr_explain")({ paths: ["a"] })), "unknown-argument");
  nothingRan(space);
});

test("checklist 16: dir follows the rules for paths", async (t) => {
  const space = workspace(t);
  for (const dir of ["/a", "C:\\a", "a/../..", "a\u202eb", "-d", "", "a".repeat(1025), 5, null]) {
    assert.equal(codeOf(await space.tool("adr_lint")({ dir })), "invalid-dir", JSON.stringify(dir));
  }
  nothingRan(space);
  space.write("decisions/0001.md");
  assert.equal((await space.tool("adr_lint")({ dir: "decisions" })).resultType, "success");
});
