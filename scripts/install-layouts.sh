#!/bin/sh
# Installs the pinned agents globally with npm, pnpm and Bun, each as its own manual says, for the tests of the search.
#
# Needs Node 20 or newer with npm, and some 4 GB of disk. Installs nothing outside tests/real/npm/node_modules/.layouts,
# and is done at once where that is up to date. Called by scripts/install-agents.sh.
set -eu

copilot=1.0.102
claude_code=2.1.332
codex=0.171.0
opencode=1.18.33
pnpm=10.34.9
bun=1.4.5

project=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
layouts=$project/tests/real/npm/node_modules/.layouts
stamp=$layouts/.installed-$copilot-$claude_code-$codex-$opencode-$pnpm-$bun
if [ -e "$stamp" ]; then
    echo 'install-layouts: up to date'
    exit 0
fi
set -- "@github/copilot@$copilot" "@anthropic-ai/claude-code@$claude_code" "@openai/codex@$codex" "opencode-ai@$opencode"
rm -rf "$layouts"
mkdir -p "$layouts/home"

echo 'install-layouts: npm'
npm install --global --prefix "$layouts/npm" --no-audit --no-fund "$@"

echo 'install-layouts: pnpm and Bun themselves'
npm install --prefix "$layouts/tools" --ignore-scripts --no-audit --no-fund "pnpm@$pnpm" "bun@$bun"
node "$layouts/tools/node_modules/bun/install.js"
tools=$layouts/tools/node_modules/.bin

echo 'install-layouts: pnpm'
HOME=$layouts/home PNPM_HOME=$layouts/pnpm PATH="$layouts/pnpm:$tools:$PATH" pnpm add --global "$@"

echo 'install-layouts: Bun'
HOME=$layouts/home BUN_INSTALL=$layouts/bun PATH="$tools:$PATH" bun add --global "$@"

rm -rf "$layouts/tools"
: >"$stamp"
echo 'install-layouts: installed'
