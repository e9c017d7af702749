// Checks that every CLI of package.json is installed, starts, and is the pinned version. Prints a line for each.
//
// An alias `copilot-1.0.102` is the npm package `@github/copilot` at 1.0.102. Its native program must be there too and tell
// the same version, since that is what the launcher starts. Each gets a home folder of its own below node_modules: the
// program unpacks itself there at its first start, which the tests then need not wait for, and a program that finds a
// newer version unpacked in its home would run that one instead.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
let missing = 0;

/** The folder of a package as Node would find it from `from`, or undefined. */
function packageFolder(name, from) {
  for (const root of createRequire(join(from, 'x.js')).resolve.paths(name) ?? []) {
    if (existsSync(join(root, name, 'package.json'))) return join(root, name);
  }
  return undefined;
}

const windows = process.platform === 'win32';
const exe = windows ? '.exe' : '';
const triples = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
  'win32-x64': 'x86_64-pc-windows-msvc',
  'win32-arm64': 'aarch64-pc-windows-msvc',
};
const here = `${process.platform}-${process.arch}`;

/** Per agent, the packages that may hold its native program and where in them it is. */
const natives = {
  copilot: [[`@github/copilot-${here}`, `@github/copilot-linuxmusl-${process.arch}`], `copilot${exe}`],
  'claude-code': [[`@anthropic-ai/claude-code-${here}`, `@anthropic-ai/claude-code-${here}-musl`], `claude${exe}`],
  codex: [[`@openai/codex-${here}`], join('vendor', triples[here] ?? here, 'bin', `codex${exe}`)],
  opencode: [[`opencode-${windows ? 'windows' : process.platform}-${process.arch}`], join('bin', `opencode${exe}`)],
};

/** The native program of a package, or undefined. */
function nativeProgram(agent, folder) {
  const [packages, place] = natives[agent];
  for (const name of packages) {
    const found = packageFolder(name, folder);
    if (found && existsSync(join(found, place))) return join(found, place);
  }
  return undefined;
}

/** Removes every other version that a Copilot has unpacked, or has fetched as an update of itself, in this home. */
function forgetOthers(home, version) {
  const unpacked = join(home, '.cache', 'copilot', 'pkg', here);
  for (const name of existsSync(unpacked) ? readdirSync(unpacked) : []) {
    if (name !== version) rmSync(join(unpacked, name), { recursive: true });
  }
}

for (const [alias, spec] of Object.entries(dependencies)) {
  const version = spec.slice(spec.lastIndexOf('@') + 1);
  const problem = (() => {
    const folder = join(process.cwd(), 'node_modules', alias);
    if (!existsSync(join(folder, 'package.json'))) return 'not installed';
    const program = nativeProgram(alias.slice(0, alias.lastIndexOf('-')), folder);
    if (!program) return `no native program for ${here}`;
    // npm makes a package's programs executable; of two versions that have a program of the same name only the one.
    const { bin } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    for (const file of Object.values(bin ?? {})) chmodSync(join(folder, file), 0o755);
    const home = join(process.cwd(), 'node_modules', '.homes', alias);
    mkdirSync(home, { recursive: true });
    forgetOthers(home, version);
    const env = { HOME: home, USERPROFILE: home, PATH: process.env.PATH, SystemRoot: process.env.SystemRoot };
    const run = spawnSync(program, ['--version'], { encoding: 'utf8', env, timeout: 60_000 });
    if (!run.stdout?.includes(version)) return `its native program does not start: ${run.stderr || run.error?.message}`;
    return undefined;
  })();
  console.log(`  ${alias}: ${problem ?? 'ok'}`);
  if (problem) missing += 1;
}
process.exit(missing === 0 ? 0 : 1);
