#!/usr/bin/env bash
# script_on_fake.sh PTXMC DRIVER LITMUS: run.sh, on a driver that pretends. Its outcomes mean nothing: a test that allows
# all of them must do, and one that does not must be found.
set -euo pipefail
export PTXMC=$1 LD_LIBRARY_PATH=$2 PTXMC_FAKE_LAUNCH_MS=5
litmus=$3
script=$(cd "$(dirname "$0")" && pwd)/run.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() {
  echo "FAILED: $1"
  cat "$work"/*.txt out/* 2> /dev/null
  exit 1
}
mkdir -p good/family bad/family
cp "$litmus/classic/MP+relaxed.gpu.litmus" good/family
cp "$litmus/classic/CoRR+relaxed.gpu.litmus" bad/family

"$script" 0.5 out good > said.txt 2>&1 || fail "allowed outcomes: exit status $?"
grep -q '^| family | 1 | 4 | 4 | 0 | 0 |' out/table.md || fail "no line for the family"
grep -q 'No forbidden outcome' said.txt || fail "no last line"
lines=$(wc -l < out/campaign.jsonl)
"$script" 0.5 out good > said.txt 2>&1 || fail "started again: exit status $?"
[ "$(wc -l < out/campaign.jsonl)" -eq "$lines" ] || fail "a campaign that was over went on"

status=0
"$script" 0.5 out-bad bad > said.txt 2>&1 || status=$?
[ "$status" -eq 1 ] || fail "forbidden outcomes: exit status $status"
grep -q 'FORBIDDEN BUT OBSERVED' out-bad/compare.txt || fail "no violation in compare.txt"

status=0
PTXMC_FAKE_GPUS=0 "$script" 0.5 out-none good > said.txt 2>&1 || status=$?
[ "$status" -eq 2 ] || fail "no GPU: exit status $status"
grep -q 'needs a GPU and its driver' said.txt || fail "no word about the missing GPU"
