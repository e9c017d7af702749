// The three read-only tools. Each checks its arguments, runs one `adr` command and answers with that command's report.

import { adrArgs, readReport, resolveCli, run } from "./cli.mjs";
import { changedFiles } from "./changes.mjs";
import { cutBytes, Failure, MAX_RESULT_BYTES, scrub, scrubAll, serialise } from "./text.mjs";
import { checkBase, checkKeys, checkPath, checkPaths, corpusDir } from "./validate.mjs";

const DIR = {
  type: "string",
  description: "The folder of the decision records, relative to the repository. Default: docs/adr.",
};
const FALLBACK_NOTE =
  "Git cannot compare with origin/main, so only uncommitted and untracked files were checked, which may not be the whole change.";

const schema = (properties, required = []) => ({ type: "object", properties, required, additionalProperties: false });

/** The definitions for `joinSession`, reading the session's directory from `sessionDir` at each call. */
export function createTools({ sessionDir, env = process.env }) {
  const tool = (name, description, parameters, work) => ({
    name,
    description,
    parameters,
    // Read-only, and the executable is the environment's choice: a question at each look-up would only train people
    // to say yes. Headless, such a question would never be answered.
    skipPermission: true,
    handler: (args, invocation) => answer(() => work(args, { root: sessionDir.get(), env, signal: invocation?.signal })),
  });

  return [
    tool(
      "adr_check",
      "Lists the architecture decisions that govern changed files, with findings about the records. Read-only. " +
        "exitCode 1 means that something was found; it is not an error.",
      schema({
        paths: {
          type: "array",
          items: { type: "string" },
          description: "1 to 200 files, relative to the repository. Without it, Git's changed files are taken.",
        },
        base: {
          type: "string",
          description: "The Git revision to compare with. Not together with paths. Default: origin/main.",
        },
        dir: DIR,
      }),
      async (args, call) => {
        const { paths, base, dir } = checkKeys(args, ["paths", "base", "dir"]);
        if (paths !== undefined && base !== undefined) throw new Failure("paths-and-base");
        if (paths !== undefined) checkPaths(paths);
        if (base !== undefined) checkBase(base);
        const corpus = corpusDir(dir, env, call.root);
        const cli = resolveCli({ env, cwd: call.root });
        const changes = paths === undefined ? await changedFiles({ base, cwd: call.root, env, signal: call.signal }) : null;
        const report = await runAdr(cli, adrArgs.check(corpus, paths ?? changes.files), call);
        return changes?.fallback ? { ...report, note: FALLBACK_NOTE } : report;
      },
    ),
    tool(
      "adr_explain",
      "Explains which architecture decisions govern one file, and why. Read-only.",
      schema({ path: { type: "string", description: "The file, relative to the repository." }, dir: DIR }, ["path"]),
      async (args, call) => {
        const { path, dir } = checkKeys(args, ["path", "dir"]);
        if (path === undefined || Array.isArray(path)) throw new Failure("path-required");
        checkPath(path);
        const corpus = corpusDir(dir, env, call.root);
        return runAdr(resolveCli({ env, cwd: call.root }), adrArgs.explain(corpus, path), call);
      },
    ),
    tool(
      "adr_lint",
      "Checks that the architecture decision records themselves are well formed. Read-only. exitCode 1 means that " +
        "something was found; it is not an error.",
      schema({ dir: DIR }),
      async (args, call) => {
        const { dir } = checkKeys(args, ["dir"]);
        const corpus = corpusDir(dir, env, call.root);
        return runAdr(resolveCli({ env, cwd: call.root }), adrArgs.lint(corpus), call);
      },
    ),
  ];
}

async function runAdr(cli, args, { root, env, signal }) {
  return readReport(await run(cli.file, [...cli.args, ...args], { cwd: root, env, signal }));
}

/** Turns what `work` returns or throws into a tool's result. Never throws, and never shows an exception's own text. */
async function answer(work) {
  try {
    return { resultType: "success", textResultForLlm: serialise(scrubAll(await work())) };
  } catch (error) {
    const failure = error instanceof Failure ? error : new Failure("cannot-start");
    return { resultType: "failure", textResultForLlm: cutBytes(scrub(failure.text()), MAX_RESULT_BYTES) };
  }
}
