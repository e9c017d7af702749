// Finds and runs the two programs the extension uses: `adr` and `git`. The only place that starts a process, and never
// through a shell.

import { execFile } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { Failure, usageMessage } from "./text.mjs";

export const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** The deepest nesting of a report. Real ones have about six levels. */
const MAX_DEPTH = 500;

function isFile(path) {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return isFile(path);
  } catch {
    return false;
  }
}

/**
 * The absolute path of a program on `PATH`, or null.
 *
 * Looked up here and not by the system: a relative entry, or on Windows the working directory, would let the
 * repository provide the program. A `.cmd` cannot run without a shell, so on Windows only an `.exe` counts.
 */
export function findOnPath(name, env) {
  const windows = process.platform === "win32";
  const path = env.PATH ?? (windows ? env.Path : undefined) ?? "";
  for (const folder of path.split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const candidate = join(folder, windows ? `${name}.exe` : name);
    if (isExecutable(candidate)) return candidate;
  }
  return null;
}

/**
 * Which `adr` runs, as `{ file, args }`. The environment alone decides; no argument of a tool or workflow can.
 *
 * 1. `ADRKIT_CLI`, made absolute; a `.js`, `.mjs` or `.cjs` file runs under `node` (`process.execPath` is the Copilot
 *    binary inside an extension, and cannot run a script). A missing file is an error, never a reason to look further.
 * 2. `node_modules/.bin/adr` of the repository, only where `ADRKIT_ALLOW_REPO_CLI` is exactly `1`.
 * 3. `adr` on `PATH`.
 */
export function resolveCli({ env = process.env, cwd = process.cwd() } = {}) {
  if (env.ADRKIT_CLI) {
    // Relative to where the process started, so that moving to another repository never changes what runs.
    const file = resolve(env.ADRKIT_CLI);
    if (!isFile(file)) throw new Failure("cli-unresolved");
    if (!/\.[mc]?js$/i.test(file)) return { file, args: [] };
    const node = findOnPath("node", env);
    if (node === null) throw new Failure("node-unresolved");
    return { file: node, args: [file] };
  }
  if (env.ADRKIT_ALLOW_REPO_CLI === "1") {
    const local = join(cwd, "node_modules", ".bin", "adr");
    if (isFile(local)) return { file: local, args: [] };
  }
  const found = findOnPath("adr", env);
  if (found === null) throw new Failure("cli-unresolved");
  return { file: found, args: [] };
}

/**
 * Runs a program to its end: `{ exitCode, stdout, stderr }`. Whatever keeps it from exiting by itself is a `Failure`.
 */
export function run(file, args, { cwd, env, signal, maxBuffer = MAX_OUTPUT_BYTES }) {
  return new Promise((done, fail) => {
    if (signal?.aborted) return fail(new Failure("aborted"));
    // Both programs only read, so a stopped one need not be asked: one that ignored the question would live on.
    const options = { cwd, env, maxBuffer, encoding: "utf8", windowsHide: true, shell: false, killSignal: "SIGKILL" };
    const finished = (error, stdout, stderr) => {
      if (error === null) return done({ exitCode: 0, stdout, stderr });
      if (typeof error.code === "number") return done({ exitCode: error.code, stdout, stderr });
      fail(new Failure(failureCode(error, signal)));
    };
    try {
      const child = execFile(file, args, options, finished);
      // Nothing is ever written to it; a program that reads must see the end at once.
      child.stdin?.end();
      // Not by `options.signal`, which Node passes on without the `killSignal`.
      const stop = () => {
        child.kill("SIGKILL");
        // What the child has started may keep the pipes open; the call ends all the same.
        child.stdout?.destroy();
        child.stderr?.destroy();
        fail(new Failure("aborted"));
      };
      signal?.addEventListener("abort", stop, { once: true });
      child.once("close", () => signal?.removeEventListener("abort", stop));
    } catch (error) {
      // Too long a command line is thrown at once, not reported.
      fail(new Failure(failureCode(error, signal)));
    }
  });
}

function failureCode(error, signal) {
  if (signal?.aborted) return "aborted";
  if (error.code === "ERR_CHILD_PROCESS_STDIO_MAXBUFFER") return "output-too-large";
  if (error.code === "E2BIG" || error.code === "ENAMETOOLONG") return "command-line-too-long";
  if (error.signal) return "killed-by-signal";
  return "cannot-start";
}

/** Whether no list or object in `value` lies more than `levels` deep: what is walked later must not exhaust the stack. */
function isShallow(value, levels) {
  if (value === null || typeof value !== "object") return true;
  return levels > 0 && Object.values(value).every((entry) => isShallow(entry, levels - 1));
}

/** What an `adr` exit means: a report is data, whatever the exit code; everything else is a failure. */
export function readReport({ exitCode, stdout, stderr }) {
  if (exitCode === 2) throw new Failure("usage-exit", { exitCode, detail: usageMessage(stderr) });
  if (exitCode === 0 || exitCode === 1) {
    try {
      const report = JSON.parse(stdout);
      if (!isShallow(report, MAX_DEPTH)) throw new Failure("unexpected-report");
      if (report !== null && typeof report === "object" && !Array.isArray(report)) return { exitCode, report };
    } catch (error) {
      if (error instanceof Failure) throw error;
      // Told below: what a crashed program printed may name install paths.
    }
  }
  throw new Failure("no-report", { exitCode });
}

/** The arguments of the three read-only commands. Nothing else is ever run. */
export const adrArgs = {
  check: (dir, files) => ["check", "--json", "--dir", dir, "--", ...files],
  explain: (dir, path) => ["explain", "--json", "--dir", dir, "--", path],
  lint: (dir) => ["lint", "--json", "--dir", dir],
};
