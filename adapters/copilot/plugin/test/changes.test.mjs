// The changed files, on real Git repositories.

import assert from "node:assert/strict";
import { chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { changedFiles } from "../extensions/adrkit/changes.mjs";
import { codeOf, contentOf, gitIn, workspace } from "./support/workspace.mjs";

const filesChecked = (space) => space.calls().at(-1).argv.slice(5);

/** A repository with a change of every kind since `origin/main`. */
function changed(t) {
  const space = workspace(t);
  space.git("update-ref", "refs/remotes/origin/main", "HEAD");
  space.write("committed.txt");
  space.git("rm", "-q", "gone.txt");
  space.git("add", "-A");
  space.git("commit", "-q", "-m", "change");
  space.write("staged.txt");
  space.git("add", "staged.txt");
  space.write("kept.txt", "edited\n");
  space.write("folder/untracked.txt");
  space.write("ignored.txt");
  return space;
}
const ALL = ["committed.txt", "folder/untracked.txt", "gone.txt", "kept.txt", "staged.txt"];

test("checklist 22: the union of commits, uncommitted edits and untracked files; deletions in, ignored files out", async (t) => {
  const space = changed(t);
  for (const args of [{}, { base: "origin/main" }, { base: "HEAD~1" }]) {
    assert.equal((await space.tool("adr_check")(args)).resultType, "success");
    assert.deepEqual(filesChecked(space), ALL, JSON.stringify(args));
  }
  const { result } = await space.review({});
  assert.deepEqual([result.files, result.filesSource, result.status], [ALL, "default-base", "ok"]);
  assert.deepEqual((await space.review({ base: "HEAD~1" })).result.filesSource, "base");
});

test("checklist 22: an uncommitted deletion counts, and so does the old name of a moved file", async (t) => {
  const space = workspace(t);
  space.git("update-ref", "refs/remotes/origin/main", "HEAD");
  rmSync(join(space.root, "gone.txt"));
  space.git("mv", "kept.txt", "moved.txt");
  await space.tool("adr_check")({});
  assert.deepEqual(filesChecked(space), ["gone.txt", "kept.txt", "moved.txt"]);
});

test("checklist 22: the whole repository counts, named from its root, also from a folder of it and against its settings", async (t) => {
  const space = changed(t);
  mkdirSync(join(space.root, "folder/docs/adr"), { recursive: true });
  for (const [key, value] of [["diff.relative", "true"], ["diff.renames", "copies"], ["diff.noprefix", "true"], ["core.quotePath", "true"]]) {
    space.git("config", key, value);
  }
  space.write("top.txt");
  await space.tool("adr_check", { dir: () => join(space.root, "folder") })({});
  assert.deepEqual(filesChecked(space), [...ALL, "top.txt"]);
});

test("checklist 23: names with spaces, newlines, quotes and dashes survive", async (t) => {
  const space = workspace(t);
  space.git("update-ref", "refs/remotes/origin/main", "HEAD");
  const odd = ["-dash.txt", "a b.txt", "a\nb.txt", 'q"uote.txt', "tab\t.txt", "ü.txt"];
  for (const name of odd.slice(0, 3)) space.write(name);
  space.git("add", "-A");
  space.git("commit", "-q", "-m", "odd");
  for (const name of odd.slice(3)) space.write(name);
  await space.tool("adr_check")({});
  assert.deepEqual(filesChecked(space), [...odd].sort());
});

test("checklist 24: a base that cannot be compared is a fixed failure without a fallback, worded unlike the default's", async (t) => {
  const space = workspace(t);
  space.write("kept.txt", "edited\n");
  const given = await space.tool("adr_check")({ base: "nosuchbranch" });
  assert.equal(codeOf(given), "base-unresolved");
  assert.ok(!given.textResultForLlm.includes("nosuchbranch"));
  const named = await space.tool("adr_check")({ base: "origin/main" });
  assert.equal(codeOf(named), "base-unresolved", "also where the default is given by name");
  const { result, agents } = await space.review({ base: "nosuchbranch" });
  assert.equal(result.status, "usage-error");
  assert.ok(result.notes.join("\n").includes("nosuchbranch"), "the workflow names the ref");
  assert.deepEqual([result.files, agents], [[], []]);

  space.git("checkout", "-q", "--", "kept.txt");
  const byDefault = await space.tool("adr_check")({});
  assert.equal(codeOf(byDefault), "default-base-unresolved");
  assert.notEqual(byDefault.textResultForLlm, given.textResultForLlm);
  assert.deepEqual(space.calls(), []);

  // No common ancestor.
  space.git("checkout", "-q", "--orphan", "apart");
  space.git("commit", "-q", "-m", "apart");
  assert.equal(codeOf(await space.tool("adr_check")({ base: "main" })), "base-unresolved");
});

test("checklist 25: only the default falls back to the work tree; the workflow says so and is incomplete at best", async (t) => {
  const space = workspace(t);
  space.write("kept.txt", "edited\n");
  space.write("untracked.txt");
  space.write("ignored.txt");
  const answer = await space.tool("adr_check")({});
  assert.deepEqual(filesChecked(space), ["kept.txt", "untracked.txt"]);
  assert.match(contentOf(answer).note, /origin\/main/);

  const { result } = await space.review({});
  assert.equal(result.status, "incomplete");
  assert.equal(result.filesSource, "working-tree");
  assert.match(result.notes.join("\n"), /origin\/main.*incomplete/s);
  assert.equal(result.unverified.length, 0, "incomplete although everything was judged");
});

test("checklist 25: in a repository without a commit everything that would be committed counts", async (t) => {
  const space = workspace(t, { git: false });
  space.git("init", "-q");
  space.write("staged.txt");
  space.git("add", "staged.txt");
  space.write("untracked.txt");
  await space.tool("adr_check")({});
  assert.deepEqual(filesChecked(space), ["staged.txt", "untracked.txt"]);
});

test("checklist 26: outside a work tree, and inside .git, it is not-work-tree", async (t) => {
  const space = workspace(t);
  const bare = join(space.top, "bare.git");
  mkdirSync(bare);
  space.git("init", "-q", "--bare", bare);
  for (const root of [space.top, bare, join(space.root, ".git")]) {
    mkdirSync(join(root, "docs/adr"), { recursive: true });
    for (const args of [{}, { base: "HEAD" }]) {
      const answer = await space.tool("adr_check", { dir: () => root })(args);
      assert.equal(codeOf(answer), "not-work-tree");
    }
    const { result } = await space.review({}, { dir: () => root });
    assert.equal(result.status, "usage-error");
    assert.match(result.notes[0], /^not-work-tree: /);
  }
  assert.deepEqual(space.calls(), []);
});

test("checklist 27: a folder that Git refuses for its owner is git-unsafe-directory, whatever the language", async (t) => {
  const space = workspace(t);
  if (process.getuid?.() === 0) {
    chownSync(space.root, 12345, 12345);
    chownSync(join(space.root, ".git"), 12345, 12345);
  }
  const env = { LC_ALL: "de_DE.UTF-8", LANGUAGE: "de", GIT_TEST_ASSUME_DIFFERENT_OWNER: "1" };
  const answer = await space.tool("adr_check", { env })({});
  assert.equal(codeOf(answer), "git-unsafe-directory");
  assert.ok(!answer.textResultForLlm.includes(space.root));
  const { result } = await space.review({}, { env });
  assert.match(result.notes[0], /^git-unsafe-directory: /);
});

test("checklist 27: Git runs in English, runs no program of the repository's settings, and writes nothing", async (t) => {
  const space = changed(t);
  const marker = join(space.top, "ran");
  const program = join(space.top, "program");
  // With the shell's own words alone: on the `PATH` of a workspace there is no `touch`.
  writeFileSync(program, `#!/bin/sh\n: > "${marker}"\n`, { mode: 0o755 });
  for (const key of ["core.fsmonitor", "diff.external", "core.pager", "diff.x.textconv"]) space.git("config", key, program);
  space.write(".gitattributes", "*.txt diff=x\n");
  space.git("status");
  assert.ok(existsSync(marker), "the control: Git does run it, else this test proves nothing");
  rmSync(marker);
  const index = readFileSync(join(space.root, ".git/index"));
  const { files } = await changedFiles({ cwd: space.root, env: space.env });
  assert.deepEqual(files, [".gitattributes", ...ALL]);
  assert.ok(!existsSync(marker));
  assert.deepEqual(readFileSync(join(space.root, ".git/index")), index);
  await assert.rejects(changedFiles({ cwd: space.root, env: { PATH: "" } }), { code: "git-unresolved" });
});

test("checklist 46: nothing changed at all is a failure, never a clean-looking review", async (t) => {
  const space = workspace(t);
  space.git("update-ref", "refs/remotes/origin/main", "HEAD");
  assert.equal(codeOf(await space.tool("adr_check")({})), "no-changes");
  assert.equal((await space.review({})).result.status, "usage-error");
  space.git("update-ref", "-d", "refs/remotes/origin/main");
  const { result } = await space.review({});
  assert.equal(result.status, "usage-error");
  assert.match(result.notes[0], /^default-base-unresolved: /);
  assert.deepEqual(space.calls(), []);
});

test("checklist 27: no filter of the repository's settings runs, whatever its name; the user's own do", async (t) => {
  for (const scope of ["--local", "--global"]) {
    for (const [key, name] of [["clean", "x"], ["process", "x"], ["clean", "a=b"]]) {
      // A process that does not speak the protocol is an error of Git's.
      if (scope === "--global" && key === "process") continue;
      const space = workspace(t);
      const env = { ...space.env, GIT_CONFIG_GLOBAL: join(space.home, "config"), GIT_CONFIG_COUNT: "1", GIT_CONFIG_KEY_0: "core.excludesFile", GIT_CONFIG_VALUE_0: join(space.home, "ignore") };
      writeFileSync(join(space.home, "ignore"), "mine.txt\n");
      space.write("mine.txt");
      const marker = join(space.top, "ran");
      const program = join(space.top, "program");
      writeFileSync(program, `#!/bin/sh\n: > "${marker}"\n`, { mode: 0o755 });
      gitIn(space.root, env, ["config", scope, `filter.${name}.${key}`, program]);
      gitIn(space.root, env, ["config", scope, `filter.${name}.required`, scope === "--local" ? "true" : "false"]);
      space.write(".gitattributes", `*.txt filter=${name}\n`);
      // Of the same length, so that Git has to look into it.
      space.write("kept.txt", "tixt\n");
      const { files } = await changedFiles({ cwd: space.root, env });
      assert.ok(!files.includes("mine.txt"), "the user's own settings in variables stay");
      assert.ok(files.includes("kept.txt"), `${scope} ${key} ${name}`);
      assert.equal(existsSync(marker), scope === "--global", `${scope} ${key} ${name}`);
    }
  }
});

test("checklist 27: a submodule's settings run no program, and its new commit counts although the settings hide it", async (t) => {
  const space = workspace(t);
  const marker = join(space.top, "ran");
  const program = join(space.top, "program");
  writeFileSync(program, `#!/bin/sh\n: > "${marker}"\n`, { mode: 0o755 });
  const inner = join(space.root, "sub");
  mkdirSync(inner);
  const git = (...args) => gitIn(inner, space.env, ["-c", "user.name=Test", "-c", "user.email=test@example.invalid", ...args]);
  git("init", "-q");
  writeFileSync(join(inner, "a.txt"), "a\n");
  writeFileSync(join(inner, ".gitattributes"), "*.txt filter=x\n");
  git("add", "-A");
  git("commit", "-q", "-m", "a");
  space.write(".gitmodules", '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n');
  space.git("-c", "advice.addEmbeddedRepo=false", "add", "-f", "sub", ".gitmodules");
  space.git("commit", "-q", "-m", "sub");
  space.git("update-ref", "refs/remotes/origin/main", "HEAD");
  git("config", "filter.x.clean", program);
  // Of the same length, so that Git has to look into it.
  writeFileSync(join(inner, "a.txt"), "b\n");
  space.git("status");
  assert.ok(existsSync(marker), "the control: Git does run it, else this test proves nothing");
  rmSync(marker);
  await assert.rejects(changedFiles({ cwd: space.root, env: space.env }), { code: "no-changes" });
  assert.ok(!existsSync(marker));

  git("config", "--unset", "filter.x.clean");
  git("commit", "-q", "--allow-empty", "-m", "b");
  space.git("config", "submodule.sub.ignore", "all");
  const { files } = await changedFiles({ cwd: space.root, env: space.env });
  assert.deepEqual(files, ["sub"]);
});

test("checklist 27: nothing that a partial clone lacks is fetched", async (t) => {
  const space = workspace(t);
  const marker = join(space.top, "ran");
  const program = join(space.top, "program");
  writeFileSync(program, `#!/bin/sh\n: > "${marker}"\n`, { mode: 0o755 });
  for (const [key, value] of [["core.repositoryformatversion", "1"], ["extensions.partialClone", "origin"], ["remote.origin.promisor", "true"],
    ["remote.origin.url", space.top], ["remote.origin.uploadpack", program]]) space.git("config", key, value);
  space.git("update-ref", "refs/heads/side", "HEAD");
  const tree = space.git("rev-parse", "HEAD^{tree}").trim();
  rmSync(join(space.root, ".git/objects", tree.slice(0, 2), tree.slice(2)));
  await assert.rejects(changedFiles({ base: "side", cwd: space.root, env: space.env }));
  assert.ok(!existsSync(marker));
});

test("checklist 27: every call of Git is in English, without the monitor, without locks, questions and fetches", async (t) => {
  const space = changed(t);
  const log = join(space.top, "git.log");
  const real = readFileSync(join(space.bin, "git"), "utf8").split("\n")[1];
  const seen = '"$LC_ALL $LANGUAGE $GIT_OPTIONAL_LOCKS $GIT_TERMINAL_PROMPT $GIT_NO_LAZY_FETCH $1 $2"';
  writeFileSync(join(space.bin, "git"), `#!/bin/sh\necho ${seen} >> "${log}"\n${real}\n`, { mode: 0o755 });
  await changedFiles({ cwd: space.root, env: { ...space.env, LC_ALL: "de_DE.UTF-8", LANGUAGE: "de", GIT_OPTIONAL_LOCKS: "1" } });
  const lines = readFileSync(log, "utf8").trim().split("\n");
  assert.ok(lines.length >= 4);
  assert.deepEqual([...new Set(lines)], ["C C 0 0 1 -c core.fsmonitor=false"]);
});
