// The corpus folder and the exact arguments of the three commands.

import assert from "node:assert/strict";
import { mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { codeOf, contentOf, workspace } from "./support/workspace.mjs";

const dirOf = (call) => call.argv[call.argv.indexOf("--dir") + 1];

test("checklist 17: the folder is the argument, else a non-empty ADRKIT_DIR, else docs/adr, and goes to --dir", async (t) => {
  const space = workspace(t);
  for (const folder of ["one", "two"]) mkdirSync(join(space.root, folder));
  const cases = [
    [{ dir: "one" }, { ADRKIT_DIR: "two" }, "one"],
    [{}, { ADRKIT_DIR: "two" }, "two"],
    [{}, { ADRKIT_DIR: "" }, "docs/adr"],
    [{}, {}, "docs/adr"],
  ];
  for (const [args, env, expected] of cases) {
    await space.tool("adr_lint", { env })(args);
    await space.tool("adr_explain", { env })({ path: "a", ...args });
    await space.tool("adr_check", { env })({ paths: ["a"], ...args });
    const { result } = await space.review({ files: ["a"], ...args }, { env });
    assert.notEqual(result.status, "usage-error");
    assert.deepEqual(space.calls().slice(-5).map(dirOf), Array(5).fill(expected));
  }
});

test("checklist 18: ADRKIT_DIR may be absolute, outside, or a link out; empty means the default", async (t) => {
  const space = workspace(t);
  const outside = join(space.top, "outside");
  mkdirSync(outside);
  symlinkSync(outside, join(space.root, "link"));
  for (const value of [outside, "../outside", "link"]) {
    assert.equal((await space.tool("adr_lint", { env: { ADRKIT_DIR: value } })({})).resultType, "success", value);
    assert.equal(dirOf(space.calls().at(-1)), value);
  }
  await space.tool("adr_lint", { env: { ADRKIT_DIR: "" } })({});
  assert.equal(dirOf(space.calls().at(-1)), "docs/adr");
});

test("checklist 19: a folder that leaves the repository through a link is refused, and nothing is spawned", async (t) => {
  const space = workspace(t);
  const outside = join(space.top, "outside/adr");
  mkdirSync(outside, { recursive: true });
  rmSync(join(space.root, "docs"), { recursive: true });
  const refusedEverywhere = async (args = {}) => {
    for (const [name, more] of [["adr_lint", {}], ["adr_explain", { path: "a" }], ["adr_check", { paths: ["a"] }]]) {
      const answer = await space.tool(name)({ ...more, ...args });
      assert.equal(codeOf(answer), "symlink-escape");
      assert.ok(!answer.textResultForLlm.includes(space.top));
    }
    const { result, agents } = await space.review({ files: ["a"], ...args });
    assert.equal(result.status, "usage-error");
    assert.match(result.notes[0], /^symlink-escape: /);
    assert.deepEqual(agents, []);
  };
  // The parent is the link.
  symlinkSync(join(space.top, "outside"), join(space.root, "docs"));
  await refusedEverywhere();
  rmSync(join(space.root, "docs"));
  // The folder itself is the link; then a link to what does not exist yet; then the `dir` argument.
  mkdirSync(join(space.root, "docs"));
  symlinkSync(outside, join(space.root, "docs/adr"));
  await refusedEverywhere();
  rmSync(join(space.root, "docs/adr"));
  symlinkSync(join(space.top, "later"), join(space.root, "docs/adr"));
  await refusedEverywhere();
  rmSync(join(space.root, "docs"), { recursive: true });
  symlinkSync("../outside/adr", join(space.root, "records"));
  await refusedEverywhere({ dir: "records" });
  await refusedEverywhere({ dir: "records/below" });
  // A sibling whose name begins like the repository's is outside too.
  mkdirSync(`${space.root}-other`);
  symlinkSync(`${space.root}-other`, join(space.root, "sibling"));
  await refusedEverywhere({ dir: "sibling" });
  assert.deepEqual(space.calls(), []);
});

test("checklist 20: a link that stays inside is fine, also where the repository itself is reached by one", async (t) => {
  const space = workspace(t);
  renameSync(join(space.root, "docs/adr"), join(space.root, "records"));
  symlinkSync("../records", join(space.root, "docs/adr"));
  assert.equal((await space.tool("adr_lint")({})).resultType, "success");
  symlinkSync(space.root, join(space.top, "way"));
  assert.equal((await space.tool("adr_lint", { dir: () => join(space.top, "way") })({})).resultType, "success");
  mkdirSync(join(space.root, "..adr"));
  assert.equal((await space.tool("adr_lint")({ dir: "..adr" })).resultType, "success", "a name below the root");
  assert.equal((await space.tool("adr_lint")({ dir: "..missing" })).resultType, "failure");
  assert.equal(dirOf(space.calls().at(-1)), "..missing", "refused by the command, which looks for it below the root");
});

test("checklist 20: path arguments are not resolved; the command refuses links itself", async (t) => {
  const space = workspace(t);
  symlinkSync("/etc", join(space.root, "out"));
  assert.equal((await space.tool("adr_explain")({ path: "out/passwd" })).resultType, "success");
  assert.equal((await space.tool("adr_check")({ paths: ["out/passwd", "kept.txt"] })).resultType, "success");
  assert.deepEqual(space.calls().map(({ argv }) => argv.slice(argv.indexOf("--") + 1)), [["out/passwd"], ["out/passwd", "kept.txt"]]);
});

test("checklist 21: the exact arguments, and the report that comes back", async (t) => {
  const space = workspace(t);
  const check = contentOf(await space.tool("adr_check")({ paths: ["a b", "c"] }));
  const explain = contentOf(await space.tool("adr_explain")({ path: "a" }));
  const lint = contentOf(await space.tool("adr_lint")({}));
  assert.deepEqual(space.calls().map((call) => call.argv), [
    ["check", "--json", "--dir", "docs/adr", "--", "a b", "c"],
    ["explain", "--json", "--dir", "docs/adr", "--", "a"],
    ["lint", "--json", "--dir", "docs/adr"],
  ]);
  assert.deepEqual(check.report.changedFiles, ["a b", "c"]);
  assert.equal(explain.report.path, "a");
  assert.deepEqual(lint, { exitCode: 0, report: { checked: 31, findings: [] } });
});
