// What an argument may be. The host shows the schemas to the model but does not enforce them, and the model may have
// just read text that an attacker wrote, so nothing is spawned before every argument has passed here.

import { realpathSync, lstatSync } from "node:fs";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { Failure } from "./text.mjs";

export const MAX_PATH = 1024;
export const MAX_PATHS = 200;
export const MAX_BASE = 256;
export const DEFAULT_DIR = "docs/adr";

// C0, DEL, C1, the line and paragraph separators, and the bidirectional embeddings, overrides and isolates.
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;
// What names a commit in practice, and nothing that Git reads as a range, a path or an option.
const REVISION = /^[A-Za-z0-9_@.\/][A-Za-z0-9_@.\/~^{}+-]*$/;

/** The arguments as an object with none but the `allowed` keys. */
export function checkKeys(args, allowed) {
  if (args === undefined || args === null) return {};
  if (typeof args !== "object" || Array.isArray(args)) throw new Failure("invalid-arguments");
  for (const key of Object.keys(args)) if (!allowed.includes(key)) throw new Failure("unknown-argument");
  return args;
}

/** A path below the repository, by its form alone. */
export function checkPath(value, code = "invalid-path") {
  const bad =
    typeof value !== "string" ||
    value === "" ||
    value.length > MAX_PATH ||
    value.startsWith("-") ||
    value.startsWith("/") ||
    value.startsWith("\\") ||
    /^[A-Za-z]:/.test(value) ||
    value.split(/[\/\\]/).includes("..") ||
    CONTROL.test(value);
  if (bad) throw new Failure(code);
  return value;
}

/** 1 to 200 such paths. */
export function checkPaths(value) {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_PATHS) throw new Failure("invalid-paths");
  return value.map((entry) => checkPath(entry));
}

/** A Git revision. */
export function checkBase(value) {
  const good = typeof value === "string" && value.length <= MAX_BASE && REVISION.test(value) && !value.includes("..");
  if (!good) throw new Failure("invalid-base");
  return value;
}

/**
 * The corpus folder: the argument, else a non-empty `ADRKIT_DIR`, else `docs/adr`. Computed once; the CLI gets exactly
 * what was checked.
 *
 * The argument and the default must not leave `root` through a symbolic link: a committed link would otherwise list
 * the files of a folder outside. `ADRKIT_DIR` is the user's own choice and may lie anywhere.
 */
export function corpusDir(argument, env, root) {
  if (argument !== undefined) checkPath(argument, "invalid-dir");
  else if (env.ADRKIT_DIR) return env.ADRKIT_DIR;
  const dir = argument ?? DEFAULT_DIR;
  let base;
  let real;
  try {
    base = realpathSync(root);
    real = realExisting(resolve(root, dir));
  } catch (error) {
    throw error instanceof Failure ? error : new Failure("corpus-unresolvable");
  }
  const way = relative(base, real);
  if (way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way)) throw new Failure("symlink-escape");
  return dir;
}

/** Where `path`, or its nearest existing parent, really is: a missing folder is the CLI's to report. */
function realExisting(path) {
  try {
    return realpathSync(path);
  } catch (error) {
    const missing = error?.code === "ENOENT" || error?.code === "ENOTDIR";
    if (!missing || dirname(path) === path) throw error;
    // A link whose target is missing could be made to point anywhere by creating the target.
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) throw new Failure("symlink-escape");
    return realExisting(dirname(path));
  }
}
