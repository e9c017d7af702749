// Every text that leaves the extension: fixed messages by code, scrubbing, and cutting to size.

/** The most bytes a tool answers with. From 20,480 on, Copilot spools an answer to a file and shows 500 characters. */
export const MAX_RESULT_BYTES = 20_000;
/** The most bytes kept of the CLI's own usage message. */
export const MAX_USAGE_BYTES = 2048;

/**
 * What a person or a model is told, by code. No text here ever holds an argument, a path or an exception's message:
 * those can carry what an untrusted file says, or where things are installed.
 */
export const MESSAGES = Object.freeze({
  "invalid-arguments": "The arguments must be one object.",
  "unknown-argument": "An argument is not known here. The executable cannot be chosen by an argument.",
  "invalid-path":
    "A path is not acceptable: it must be a non-empty, relative path below the repository, without a `..` segment, " +
    "without control characters, not starting with `-`, and at most 1024 characters long.",
  "invalid-paths": "The list of files must be an array of 1 to 200 paths.",
  "invalid-base":
    "The base is not acceptable: it must be a plain Git revision of at most 256 characters that does not start with `-`.",
  "invalid-dir": "The corpus folder is not acceptable: the rules for paths hold for it too.",
  "paths-and-base": "Give the list of files or a base, not both.",
  "path-required": "Exactly one path is required.",
  "symlink-escape": "The corpus folder leaves the repository through a symbolic link, so nothing was run.",
  "corpus-unresolvable": "The corpus folder cannot be resolved, so nothing was run.",
  "cli-unresolved":
    "The adr command was not found. Install it on PATH, or let ADRKIT_CLI name an existing executable or .js file.",
  "node-unresolved": "ADRKIT_CLI names a script, and no `node` was found on PATH to run it.",
  "git-unresolved": "The git command was not found on PATH.",
  "cannot-start": "The process could not be started.",
  "output-too-large": "The output was larger than 64 MiB.",
  "command-line-too-long": "The list of files is too long for one command line. Give fewer files.",
  "killed-by-signal": "The process was ended by a signal before it finished.",
  aborted: "The call was stopped before it finished.",
  "not-work-tree": "The session's folder is not inside a Git work tree.",
  "git-unsafe-directory": "Git refuses this folder, since another user owns it. See `git help config`, safe.directory.",
  "git-failed": "Git could not list the changed files.",
  "base-unresolved": "Git cannot compare the given base with HEAD. Fetch it, or give another base or the files.",
  "default-base-unresolved":
    "Git cannot compare with origin/main, and the work tree has no uncommitted change. Give a base or the files.",
  "no-changes": "No file differs from the base, and nothing is uncommitted, so there is nothing to check.",
  "no-report": "The adr command ended without a report.",
  "usage-exit": "The adr command refused the call.",
  "unexpected-report": "The adr command's report does not have the expected form. A newer adr command may be needed.",
});

/** A failure that is told by its code alone. Its message is the fixed one, so printing it is always safe. */
export class Failure extends Error {
  constructor(code, { exitCode = null, detail = null } = {}) {
    super(MESSAGES[code]);
    this.name = "Failure";
    this.code = code;
    this.exitCode = exitCode;
    // Only ever the CLI's own usage message, cleaned.
    this.detail = detail;
  }

  /** The text for a model or a person. */
  text() {
    const exit = this.exitCode === null ? "" : ` Exit code: ${this.exitCode}.`;
    const detail = this.detail ? `\n${this.detail}` : "";
    return `${this.code}: ${this.message}${exit}${detail}`;
  }
}

// Built from parts, so that no file of the plugin holds a writing command as text.
const WRITING = ["new", "accept", "migrate"].join("|");
const WRITING_COMMAND = new RegExp(`\\badr[\\s\\p{Cf}]+(?:${WRITING})\\b`, "giu");

/** `text` without the commands that write records. The mark in their place keeps the rest from joining to a new one. */
export function scrub(text) {
  return text.replace(WRITING_COMMAND, "[removed]");
}

/**
 * `value` with every string scrubbed, keys too. Done before serialising: JSON would write a newline between the two
 * words as `\n`, which no longer looks like white space.
 */
export function scrubAll(value) {
  if (typeof value === "string") return scrub(value);
  if (Array.isArray(value)) return value.map(scrubAll);
  if (value === null || typeof value !== "object") return value;
  // `fromEntries` defines properties, so a key `__proto__` stays an ordinary key.
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [scrub(key), scrubAll(entry)]));
}

/** The first `max` bytes of `text`, without a broken character at the end. */
export function cutBytes(text, max) {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= max) return text;
  let end = max;
  while (end > 0 && (bytes[end] & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString("utf8");
}

/** Cut and scrubbed anew, since a cut can end a harmless word where a writing command ends. A few bytes over at most. */
const cutScrubbed = (text, max) => scrub(cutBytes(text, max));

// Escape sequences and control characters other than newline and tab, which could repaint a terminal.
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/gu;

/** The CLI's usage message, fit to be shown: no stack frame, no writing command, at most 2 KiB. */
export function usageMessage(stderr) {
  const plain = stderr.replace(/\r\n?/g, "\n").replace(ESCAPES, "");
  const lines = plain.split(/[\n\u2028\u2029]/).filter((line) => !/^\s+at /.test(line));
  return cutBytes(cutScrubbed(scrub(lines.join("\n")).trim(), MAX_USAGE_BYTES), MAX_USAGE_BYTES);
}

const size = (value) => Buffer.byteLength(JSON.stringify(value) ?? "", "utf8");

/**
 * A tool's answer as JSON text of at most `max` bytes. What is left out is named, with how much of it, so that a cut
 * answer never looks like a whole one.
 */
export function serialise(result, max = MAX_RESULT_BYTES) {
  const whole = JSON.stringify(result);
  if (Buffer.byteLength(whole, "utf8") <= max) return whole;
  const { report, ...rest } = result;
  let kept = report;
  const omitted = {};
  // `governedBy` only repeats the buckets that follow it.
  if (kept !== null && typeof kept === "object" && Array.isArray(kept.governing) && Array.isArray(kept.governedBy)) {
    const { governedBy, ...others } = kept;
    omitted.governedBy = governedBy.length;
    kept = others;
  }
  const note = "The report was cut to fit. `omitted` says how many entries or bytes are missing, and where.";
  for (let budget = max - size(rest) - 1500; budget > 64; budget = Math.floor(budget * 0.8)) {
    const seen = { ...omitted };
    const text = JSON.stringify({ ...rest, truncated: { note, omitted: seen }, report: fit(kept, budget, "", seen) });
    if (Buffer.byteLength(text, "utf8") <= max) return text;
  }
  return JSON.stringify({ exitCode: rest.exitCode, truncated: { note: "The report is too large to show.", omitted: {} } });
}

/** `value` in about `budget` bytes of JSON; adds to `omitted` what had to go. */
function fit(value, budget, path, omitted) {
  if (size(value) <= budget) return value;
  const told = (amount) => {
    if (amount === 0) return;
    // A report with thousands of cut places needs no list of them all.
    const key = path in omitted || Object.keys(omitted).length < 20 ? path : "elsewhere";
    omitted[key] = (omitted[key] ?? 0) + amount;
  };
  if (typeof value === "string") {
    const kept = cutScrubbed(value, Math.max(0, Math.floor(budget / 2) - 8));
    told(Math.max(1, Buffer.byteLength(value, "utf8") - Buffer.byteLength(kept, "utf8")));
    return `${kept}…`;
  }
  if (Array.isArray(value)) {
    const kept = [];
    let left = budget - 2;
    for (const entry of value) {
      const cost = size(entry) + 1;
      if (cost > left) break;
      kept.push(entry);
      left -= cost;
    }
    if (kept.length === 0 && value.length > 0 && budget > 256) kept.push(fit(value[0], budget - 64, `${path}[0]`, omitted));
    told(value.length - kept.length);
    return kept;
  }
  if (value === null || typeof value !== "object") return value;
  return fitObject(value, budget, path, omitted);
}

/** Small fields stay whole; the large ones share what is left, smallest first. */
function fitObject(value, budget, path, omitted) {
  const costs = Object.keys(value).map((key) => ({ key, cost: size(value[key]) + size(key) + 2 }));
  costs.sort((a, b) => a.cost - b.cost);
  const kept = new Map();
  let left = budget - 2;
  costs.forEach(({ key, cost }, index) => {
    const share = Math.floor(left / (costs.length - index));
    const place = path ? `${path}.${key}` : key;
    if (cost <= share) kept.set(key, value[key]);
    else if (share > 32 + size(key)) kept.set(key, fit(value[key], share - size(key) - 2, place, omitted));
    else {
      omitted.elsewhere = (omitted.elsewhere ?? 0) + 1;
      return;
    }
    left -= size(kept.get(key)) + size(key) + 2;
  });
  // In the report's own order.
  return Object.fromEntries(Object.keys(value).filter((key) => kept.has(key)).map((key) => [key, kept.get(key)]));
}
