// Joins the session with as many of the extension's parts as the runtime accepts.
//
// The runtime can refuse the whole join over one part (a tool definition, a canvas it does not know, a permission that
// was not granted). The workflow needs none of that, so a refused join is tried again with less.

/**
 * The parts to try, in order. Only `tools` and the workflow exist today; the places of the session hooks and of the
 * canvas are kept, so that adding one of them changes no order.
 */
const LADDER = [
  [],
  ["hooks"],
  ["tools"],
  ["hooks", "tools"],
  ["canvases"],
  ["canvases", "hooks", "tools"],
];

/**
 * Where an extension joins a headless run, the CLI runs the shell commands of the repository's `.github/hooks`, even in a
 * folder nobody trusts; this keeps it from that, also beside other extensions (measured on 1.0.102).
 */
const NO_FILE_HOOKS = { enableFileHooks: false };

/**
 * Builds every part in a `try` of its own and joins. Returns the session.
 *
 * @param parts `{ joinSession, onEvent, workflows, tools?, canvases?, hooks?, log }`; the four are factories.
 * @throws the first refusal, where even the workflow alone was refused; the first part's error, where none could be built.
 */
export async function register({ joinSession, onEvent, workflows, tools, canvases, hooks, log }) {
  const built = {};
  let broken;
  for (const [name, factory] of Object.entries({ workflows, tools, canvases, hooks })) {
    if (factory === undefined) continue;
    try {
      built[name] = factory();
    } catch (error) {
      log(`adrkit: ${name} could not be built and are left out: ${reason(error)}`);
      broken ??= error;
    }
  }
  if (Object.keys(built).length === 0) throw broken;

  const refusals = [];
  for (const left of rungs(built)) {
    const config = Object.fromEntries(Object.entries(built).filter(([name]) => !left.includes(name)));
    try {
      // In the config and not added later: an event that arrives before the join resolves must not be lost.
      const session = await joinSession({ ...config, ...NO_FILE_HOOKS, onEvent });
      if (refusals.length > 0) log(`adrkit: joined without ${left.join(", ")}. Refused before: ${quoted(refusals)}`);
      return session;
    } catch (error) {
      refusals.push(error);
    }
  }
  log(`adrkit: every join was refused: ${quoted(refusals)}`);
  throw refusals[0];
}

/** The distinct steps of the ladder for the parts that there are: what each leaves out. */
export function rungs(built) {
  const steps = new Map();
  for (const step of LADDER) {
    const left = step.filter((name) => name in built);
    // Without a workflow the last step would join with nothing.
    if (left.length === Object.keys(built).length) continue;
    const key = left.join();
    if (!steps.has(key)) steps.set(key, left);
  }
  return [...steps.values()];
}

const reason = (error) => (error instanceof Error ? error.message : String(error));
const quoted = (refusals) => refusals.map((error, index) => `${index + 1}. "${reason(error)}"`).join(" ");
