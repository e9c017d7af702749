#!/bin/sh
# Runs every bench in turn and prints everything. Some ten minutes on two cores, the building aside; for a machine that does
# nothing else. As root, the programs run at real-time priority, so that whatever else the machine does weighs less.
#
# `scripts/bench.sh NAME...` runs those benches alone. `startup` needs what `scripts/install-agents.sh` installs.
set -eu

cd "$(dirname -- "$0")/.."
[ "$#" -gt 0 ] || set -- decode stream cancel matrix discovery startup soak

printf 'building\n'
cargo bench --locked --no-run
first=
if chrt -f 10 true 2>/dev/null; then
    first='chrt -f 10'
fi
printf '%s, load %s, %s\n' "$(uname -srm)" "$(cut -d ' ' -f 1-3 /proc/loadavg 2>/dev/null || printf unknown)" "${first:-usual priority}"
failed=
for bench in "$@"; do
    begin=$(date +%s)
    # Cargo itself only looks whether all is built; what it starts has its priority.
    $first cargo bench --locked --bench "$bench" || failed="$failed $bench"
    printf '(%s: %s s)\n' "$bench" "$(($(date +%s) - begin))"
done
if [ -n "$failed" ]; then
    printf 'failed:%s\n' "$failed" >&2
    exit 1
fi
