#!/usr/bin/env bash
# tests/gpu/run.sh [SECONDS] [OUT]: on a machine with a GPU, builds, runs every test of litmus/ for SECONDS (default 1)
# and leaves the logs in OUT (default gpu-logs): FAMILY.log (histograms), FAMILY.skipped (what did not run, and why),
# FAMILY.compare (the model beside the log). Exits with 1 when a forbidden outcome was observed.
# PTXMC names a program that was built elsewhere.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-1}
out=${2:-gpu-logs}
ptxmc=${PTXMC:-build/release/ptxmc}
if [ ! -x "$ptxmc" ]; then tools/run --help > /dev/null; fi
mkdir -p "$out"
violated=0
for family in litmus/*/; do
  name=$(basename "$family")
  "$ptxmc" run --time "$seconds" -o "$out/$name.log" "$family" 2> "$out/$name.skipped" ||
    echo "$name: exit status $?"
  tail -n 1 "$out/$name.skipped"
  if ! grep -q '^Test' "$out/$name.log"; then continue; fi
  found=0
  "$ptxmc" compare --timeout 60 --log "$out/$name.log" "$family" > "$out/$name.compare" || found=$?
  tail -n 2 "$out/$name.compare"
  if [ "$found" -eq 1 ] || [ "$found" -eq 4 ]; then violated=1; fi
done
grep -h '^Observation\|^Rate\|^Hung\|^Unrecorded' "$out"/*.log > "$out/summary"
echo "logs in $out; summary: $out/summary"
exit "$violated"
