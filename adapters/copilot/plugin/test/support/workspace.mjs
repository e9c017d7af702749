// A repository of its own for a test, with a recorded `adr`, its own home and its own Git settings. Nothing of the
// person's machine is read or written but the programs `node` and `git`.

import { execFileSync } from "node:child_process";
import { copyFileSync, chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTools } from "../../extensions/adrkit/tools.mjs";
import { createReview } from "../../extensions/adrkit/review.mjs";

const here = dirname(fileURLToPath(import.meta.url));
export const plugin = join(here, "..", "..");
export const recordings = join(here, "..", "recordings");
export const recorded = (name) => JSON.parse(readFileSync(join(recordings, `${name}.json`), "utf8"));

function onPath(name) {
  return process.env.PATH.split(delimiter).map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Makes the workspace; `t.after` removes it. */
export function workspace(t, { git = true } = {}) {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "adrkit-test-")));
  t.after(() => rmSync(top, { recursive: true, force: true }));
  const [root, home, bin] = ["repo", "home", "bin"].map((name) => join(top, name));
  for (const folder of [root, home, bin, join(root, "docs/adr")]) mkdirSync(folder, { recursive: true });
  const cli = join(top, "adr.mjs");
  copyFileSync(join(here, "adr-stand-in"), cli);
  const log = join(top, "adr.log");
  // Only `node` and `git`, so that no `adr` of the machine is ever found.
  for (const name of ["node", "git"]) {
    writeFileSync(join(bin, name), `#!/bin/sh\nexec "${onPath(name)}" "$@"\n`, { mode: 0o755 });
  }
  const env = {
    PATH: bin,
    HOME: home,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    ADRKIT_CLI: cli,
    FAKE_ADR_LOG: log,
    FAKE_ADR_REPORTS: recordings,
  };
  const space = {
    top, root, home, bin, cli, env,
    /** Every call of the stand-in so far: the whole lines, since the last one may just be being written. */
    calls: () => (existsSync(log) ? readFileSync(log, "utf8").split("\n").slice(0, -1).map((line) => JSON.parse(line)) : []),
    write(name, text = "text\n") {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), text);
    },
    git: (...args) => gitIn(root, env, args),
    /** An executable `adr` in a folder, that logs like the stand-in. */
    installAdr(folder, name = "adr") {
      mkdirSync(folder, { recursive: true });
      const path = join(folder, name);
      writeFileSync(path, `#!/bin/sh\nexec "${onPath("node")}" "${cli}" "$@"\n`);
      chmodSync(path, 0o755);
      return path;
    },
    tool: (name, { env: more = {}, dir = () => root } = {}) => {
      const found = createTools({ sessionDir: { get: dir }, env: clean({ ...env, ...more }) }).find((tool) => tool.name === name);
      return (args, invocation = {}) => found.handler(args, invocation);
    },
    /** Runs the workflow's body with a scripted host. */
    async review(args, { agent = async () => ({ verdict: "consistent", evidence: "a.ts:1" }), env: more = {}, dir = () => root, ctx = {} } = {}) {
      const seen = { phases: [], logs: [], agents: [] };
      const context = {
        args,
        phase: (title) => seen.phases.push(title),
        log: (line) => seen.logs.push(line),
        agent: async (prompt, options) => {
          seen.agents.push({ prompt, options });
          return agent(prompt, options);
        },
        ...ctx,
      };
      const run = createReview({ sessionDir: { get: dir }, env: clean({ ...env, ...more }) });
      return { result: await run(context), ...seen };
    },
  };
  if (git) {
    space.git("init", "-q", "-b", "main");
    space.git("config", "user.email", "test@example.invalid");
    space.git("config", "user.name", "Test");
    space.write("docs/adr/0001-a.md");
    space.write("kept.txt");
    space.write("gone.txt");
    space.write(".gitignore", "ignored.txt\n");
    space.git("add", "-A");
    space.git("commit", "-q", "-m", "start");
  }
  return space;
}

const clean = (env) => Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));

export function gitIn(cwd, env, args) {
  return execFileSync("git", args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** The code of a failed tool's answer. */
export const codeOf = (answer) => answer.textResultForLlm.split(":", 1)[0];
/** The content of a successful tool's answer. */
export const contentOf = (answer) => JSON.parse(answer.textResultForLlm);
