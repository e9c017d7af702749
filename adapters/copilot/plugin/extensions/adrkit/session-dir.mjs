// The session's working directory as the extension knows it.
//
// A tool call names no directory, and `process.cwd()` stays where the process started when the session moves on
// (measured on Copilot CLI 1.0.93 and 1.0.102). So the extension follows the session's own event.

import { isAbsolute } from "node:path";

/**
 * Where the session begins: the process's own directory. A launcher that keeps the agent out of the folder it works on
 * (an untrusted one, whose settings would run programs) names that folder in the environment.
 */
function startDir(env = process.env) {
  const named = env.AGENT_LAUNCHER_VAULT;
  return named && isAbsolute(named) ? named : process.cwd();
}

/**
 * A tracker that starts at `start` and follows `session.context_changed`.
 *
 * `own` is where the process runs. Where a launcher named another folder, that one stands for it: a session that comes
 * back to the launcher's empty folder is in the folder it works on.
 */
export function createSessionDir(start = startDir(), own = process.cwd()) {
  let current = start;
  return {
    /** The directory now. */
    get: () => current,
    /**
     * Takes one session event; give it to `joinSession` as `onEvent`, so that a change that arrives while the join is
     * under way is kept. Anything but an absolute path is ignored.
     */
    onEvent(event) {
      if (event?.type !== "session.context_changed") return;
      const cwd = event.data?.cwd;
      if (typeof cwd === "string" && isAbsolute(cwd)) current = cwd === own ? start : cwd;
    },
  };
}
