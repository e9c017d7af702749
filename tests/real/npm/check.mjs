// Checks that every CLI of package.json is installed, starts, and is the pinned version. Prints a line for each.
//
// An alias `copilot-1.0.102` is the npm package `@github/copilot` at 1.0.102. Its native program must be there too, in
// the same version, since that is what the launcher starts. Each gets a home folder of its own below node_modules: the
// program unpacks itself there at its first start, which the tests then need not wait for, and a program that finds a
// newer version unpacked in its home would run that one instead.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
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

/** The native program of a Copilot package, with its version, or undefined. */
function nativeCopilot(folder) {
  const systems = process.platform === 'linux' ? ['linux', 'linuxmusl'] : [process.platform];
  for (const system of systems) {
    const found = packageFolder(`@github/copilot-${system}-${process.arch}`, folder);
    const program = found && join(found, process.platform === 'win32' ? 'copilot.exe' : 'copilot');
    if (program && existsSync(program)) {
      return { program, version: JSON.parse(readFileSync(join(found, 'package.json'), 'utf8')).version };
    }
  }
  return undefined;
}

for (const [alias, spec] of Object.entries(dependencies)) {
  const version = spec.slice(spec.lastIndexOf('@') + 1);
  const problem = (() => {
    const folder = join(process.cwd(), 'node_modules', alias);
    if (!existsSync(join(folder, 'package.json'))) return 'not installed';
    if (!alias.startsWith('copilot-')) return undefined;
    const native = nativeCopilot(folder);
    if (!native) return `no native program for ${process.platform}-${process.arch}`;
    if (native.version !== version) return `its native program is ${native.version}`;
    const home = join(process.cwd(), 'node_modules', '.homes', alias);
    mkdirSync(home, { recursive: true });
    const env = { HOME: home, USERPROFILE: home, PATH: process.env.PATH, SystemRoot: process.env.SystemRoot };
    const run = spawnSync(native.program, ['--version'], { encoding: 'utf8', env, timeout: 60_000 });
    if (!run.stdout?.includes(version)) return `its native program does not start: ${run.stderr || run.error?.message}`;
    return undefined;
  })();
  console.log(`  ${alias}: ${problem ?? 'ok'}`);
  if (problem) missing += 1;
}
process.exit(missing === 0 ? 0 : 1);
