// The changed files, from Git alone and without changing anything.

import { findOnPath, run } from "./cli.mjs";
import { Failure } from "./text.mjs";

export const DEFAULT_BASE = "origin/main";

// In a submodule Git would start a second Git, which would run that one's filters. A new commit of it counts all the same.
const SUBMODULES = "--ignore-submodules=dirty";
// `--no-renames` names the old path of a renamed file too: a decision may govern that one. The rest overrides settings
// that would change the output or run a program.
const DIFF = ["diff", "-z", "--name-only", "--no-renames", "--no-relative", "--no-ext-diff", "--no-textconv", SUBMODULES];
const UNTRACKED = ["ls-files", "-z", "--full-name", "--others", "--exclude-standard"];
const TRACKED = ["ls-files", "-z", "--full-name", "--cached"];
// The whole work tree, also where the session is in a folder of it.
const EVERYWHERE = ["--", ":/"];

/**
 * The files that a change consists of, as `{ files, source, fallback }`, relative to the repository.
 *
 * With a base that Git can compare: the union of the commits since it, what is uncommitted, and what is untracked and
 * not ignored. Only the default base falls back, to what is uncommitted and untracked; then `fallback` is true.
 */
export async function changedFiles({ base, cwd, env = process.env, signal }) {
  const program = findOnPath("git", env);
  if (program === null) throw new Failure("git-unresolved");
  let quiet = {};
  const git = (args) =>
    run(program, ["-c", "core.fsmonitor=false", "-c", "core.quotePath=false", ...args], {
      cwd,
      signal,
      // Messages are read below, so they must be in English; and Git must not refresh its index, which is a write.
      // And it must not fetch what a partial clone lacks: the repository says from where, and by which program.
      env: { ...env, ...quiet, LC_ALL: "C", LANGUAGE: "C", GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0", GIT_NO_LAZY_FETCH: "1" },
    });

  await requireWorkTree(git);
  quiet = await withoutFilters(git, env);
  const range = await git([...DIFF, `${base ?? DEFAULT_BASE}...HEAD`, "--"]);
  const fallback = range.exitCode !== 0;
  if (fallback && base !== undefined) throw new Failure("base-unresolved");

  const edited = await uncommitted(git);
  const untracked = names(must(await git([...UNTRACKED, ...EVERYWHERE])));
  const files = [...new Set([...(fallback ? [] : names(range)), ...edited, ...untracked])].sort();
  if (files.length === 0) throw new Failure(fallback ? "default-base-unresolved" : "no-changes");
  const source = fallback ? "working-tree" : base === undefined ? "default-base" : "base";
  return { files, source, fallback };
}

async function requireWorkTree(git) {
  const answer = await git(["rev-parse", "--is-inside-work-tree"]);
  if (answer.exitCode === 0) {
    // Inside `.git` the answer is `false`, with exit code 0.
    if (answer.stdout.trim() === "true") return;
    throw new Failure("not-work-tree");
  }
  throw new Failure(/dubious ownership|unsafe repository/.test(answer.stderr) ? "git-unsafe-directory" : "not-work-tree");
}

/**
 * The environment that switches off the filters of the repository's own settings, which Git would run on an edited file.
 * A file that only its filter makes equal then counts as changed. The user's own filters stay.
 */
async function withoutFilters(git, env) {
  const listed = await git(["config", "-z", "--show-scope", "--name-only", "--get-regexp", "^filter\\..*\\.(clean|process|required)$"]);
  const parts = listed.exitCode === 0 ? names(listed) : [];
  let count = Number.parseInt(env.GIT_CONFIG_COUNT ?? "0", 10) || 0;
  const quiet = {};
  for (let at = 0; at + 1 < parts.length; at += 2) {
    if (parts[at] !== "local" && parts[at] !== "worktree") continue;
    // In variables and not as `-c name=value`: a filter's name can hold a `=`.
    quiet[`GIT_CONFIG_KEY_${count}`] = parts[at + 1];
    quiet[`GIT_CONFIG_VALUE_${count}`] = parts[at + 1].endsWith(".required") ? "false" : "";
    count += 1;
  }
  return count > 0 ? { ...quiet, GIT_CONFIG_COUNT: String(count) } : {};
}

/** What differs from the last commit; in a repository without one, all that is staged. */
async function uncommitted(git) {
  const edited = await git([...DIFF, "HEAD", "--"]);
  if (edited.exitCode === 0) return names(edited);
  const head = await git(["rev-parse", "--verify", "--quiet", "HEAD"]);
  if (head.exitCode === 0) throw new Failure("git-failed");
  return names(must(await git([...TRACKED, ...EVERYWHERE])));
}

function must(answer) {
  if (answer.exitCode !== 0) throw new Failure("git-failed");
  return answer;
}

const names = ({ stdout }) => stdout.split("\0").filter((name) => name !== "");
