#!/bin/sh
# Installs the real agent CLIs that `tests/real` runs, in the versions that tests/real/npm/package-lock.json pins.
#
# Needs Node 20 or newer with npm, and some 7 GB of disk. Installs nothing outside tests/real/npm/node_modules, and is done
# at once where that is up to date. No sign-in is needed: the tests run the CLIs on a scripted local model server.
set -eu

project=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$project/tests/real/npm"

fail() {
    printf 'install-agents: %s\n' "$1" >&2
    exit 1
}

command -v node >/dev/null 2>&1 || fail '`node` is not on the PATH. Install Node 20 or newer, then run this again.'
command -v npm >/dev/null 2>&1 || fail '`npm` is not on the PATH. It comes with Node; install Node 20 or newer, then run this again.'
major=$(node -p 'process.versions.node.split(".")[0]')
[ "$major" -ge 20 ] || fail "Node $(node --version) is too old: the pinned CLIs need Node 20 or newer."

# Prints the version of every installed CLI, from the program itself; fails where one is missing or another version.
check() {
    node ./check.mjs
}

# The stamp is the lockfile itself, copied after an install that passed the check.
stamp=node_modules/.installed-lock.json
if cmp -s package-lock.json "$stamp" && check; then
    echo 'install-agents: up to date'
    exec "$project/scripts/install-layouts.sh"
fi

echo "install-agents: installing into tests/real/npm/node_modules with npm $(npm --version)"
npm ci --no-audit --no-fund || fail '`npm ci` failed; its message is above. Is the registry of your npm configuration reachable?'
check || fail 'npm finished, but a CLI is missing or does not start; see above. Does your npm configuration omit optional packages?'
cp package-lock.json "$stamp"
echo 'install-agents: installed'
exec "$project/scripts/install-layouts.sh"
