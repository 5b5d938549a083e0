#!/usr/bin/env bash
# tests/gpu/run.sh [TIME] [OUT] [FOLDER]: on a machine with a GPU, builds ptxmc, sweeps over the tests of FOLDER (default
# litmus) for TIME (10m; an hour is 1h) as a campaign, compares with the model, and leaves in OUT (default gpu-logs):
# campaign.jsonl (every result), run.txt (what did not run, and why), compare.txt (the model beside it, test by test),
# table.md (a line a family). Started again, it goes on where it stopped. Exits with 1 when a forbidden outcome was observed.
# PTXMC names a program that was built elsewhere.
set -euo pipefail
time=${1:-10m}
out=${2:-gpu-logs}
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=${3:-$root/litmus}
ptxmc=${PTXMC:-$root/build/release/ptxmc}
if [ ! -x "$ptxmc" ]; then "$root/tools/run" --help > /dev/null; fi
mkdir -p "$out"

echo "tests of $folder, for $time; results appear in $out/campaign.jsonl"
ran=0
"$ptxmc" run --campaign "$folder" --time "$time" -o "$out/campaign.jsonl" 2> "$out/run.txt" || ran=$?
tail -n 3 "$out/run.txt"
if ! grep -q '"states"' "$out/campaign.jsonl"; then exit "$ran"; fi  # nothing ran

compared=0
"$ptxmc" compare --timeout 60 --log "$out/campaign.jsonl" -o "$out/compare.txt" "$folder" || compared=$?
# The columns of the last table: family, tests, states allowed, observed, ...
awk '$1 == "family" { gsub(/per second/, "per-second"); rows = 0; wanted = NF }
     wanted && NF == wanted {
       line = "|"; for (i = 1; i <= NF; ++i) line = line " " $i " |"; print line
       if (rows++ == 0) { line = "|"; for (i = 1; i <= NF; ++i) line = line "---|"; print line }
     }' "$out/compare.txt" > "$out/table.md"
cat "$out/table.md"
tail -n 1 "$out/compare.txt"
echo "run: exit status $ran, compare: exit status $compared; logs and tables in $out"
if [ "$compared" -eq 1 ] || [ "$compared" -eq 4 ]; then exit 1; fi
