#!/usr/bin/env bash
# random.sh PTXMC DRAW COUNT [SEED]: random programs (of property_trace: tests/property/skeleton.h, the loose ones; or of
# contended.py, unsettled.py, told.py, loops.py, vectors.py, words.py, branches.py, places.py; from a fresh seed, which is printed, unless it is given). What `verify` claims of all schedules, `races` and `check --property liveness` must
# not deny: no race, no schedule that waits for ever, no misuse.
set -euo pipefail
ptxmc=$1 draw=$2 count=$3
seed=${4:-$(($(od -An -N6 -tu8 /dev/urandom)))}
echo "$count programs from seed $seed"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
mkdir "$out/programs"
"$draw" --seed "$seed" --count "$count" --write "$out/programs"
# ptxmc ARGUMENT...: of many files at once; what it says of single ones is in its output.
each() { xargs -r "$ptxmc" "$@" || (($? <= 123)); }
find "$out/programs" -name '*.litmus' | sort | each verify --no-confirm --timeout 20 --format json >"$out/verified" 2>"$out/refused"
# Writes of equal values that nothing orders are races that verify notes, and claims nothing about. The axioms order nothing by an exit.
grep -F '"answer":"exact"' "$out/verified" | grep -vF -e '"equal-bytes"' -e '"exit-order"' | sed 's/.*"file":"\([^"]*\)".*/\1/' >"$out/exact" || true
each races --quiet --timeout 20 <"$out/exact" >"$out/races" 2>>"$out/refused"
each check --property liveness --quiet --timeout 20 --format json <"$out/exact" >"$out/liveness" 2>>"$out/refused"
"$(dirname "$0")/flagged.sh" "$ptxmc" <"$out/exact" >"$out/flagged"
status=0
deny() {
  [[ -s $2 ]] || return 0
  echo "verify claims all schedules of programs that $1:"
  cat "$2"
  status=1
}
grep -E '^Test .* Racy' "$out/races" >"$out/racy" || true
grep -F '"answer":"Hangs"' "$out/liveness" | sed 's/.*"file":"\([^"]*\)".*/\1/' >"$out/hangs" || true
deny "have races" "$out/racy"
deny "may wait for ever" "$out/hangs"
deny "misuse what they synchronize by" "$out/flagged"
((status == 0)) || cp "$out"/programs/*.litmus "${TMPDIR:-/tmp}"
verified=$(wc -l <"$out/verified") exact=$(wc -l <"$out/exact")
echo "$verified verified, $exact with a claim about all schedules, $(grep -c '"answer":"finding"' "$out/verified" || true) with findings"
((exact * 20 >= count)) || { echo "too few claims to say much"; status=1; }
exit "$status"
