#!/usr/bin/env bash
# readings.sh PTXMC LITMUS: verifies tests by default and in the reading that they are about. Each line below has the reading, the test,
# and the answers; the exact engine must not deny what is found, nor find a race where none is claimed.
set -euo pipefail
ptxmc=$1 litmus=$2 here=$(dirname "$0")/readings
status=0

# answer PTXMC-OPTION... FILE: what verify says of it, and whether a finding was denied.
answer() {
  local line
  line=$("$ptxmc" verify --format json "$@" 2>/dev/null) || (($? <= 3)) || { echo failed; return; }
  [[ $line != *'"confirmed":false'* ]] || { echo denied; return; }
  sed -n 's/.*"answer":"\([a-z]*\)".*/\1/p' <<<"$line"
}

# expect WHAT ANSWER WANTED
expect() {
  [[ $2 == "$3" ]] && return
  echo "$1: $2, expected $3"
  status=1
}

count=0
while read -r reading test by_default in_reading; do
  [[ $test == here/* ]] && file=$here/${test#here/} || file=$litmus/readings/$test.litmus
  expect "$test" "$(answer "$file")" "$by_default"
  now=$(answer --reading "$reading" "$file")
  expect "$test with $reading" "$now" "$in_reading"
  if [[ $now == exact && $file == *.litmus ]] && [[ $("$ptxmc" races --quiet --reading "$reading" "$file") == *' Racy'* ]]; then
    echo "$test with $reading: claimed to be free of races, and has one"
    status=1
  fi
  count=$((count + 1))
done <<'END'
remote-arrive=cluster here/remote_arrive.litmus finding exact
init-visible=fenced init-visible.fenced+mbar-init-no-fence-tma+buggy exact bounded
wait-read=sources wait-read.sources+map-in-flight+store-wait-read exact finding
tcgen05-pairs=9.1 tcgen05-pairs.9.1+pair-ld-st exact finding
strong-proxies=race ../async/bulk-reduce+strong-read bounded finding
strong-proxies=none ../async/bulk-reduce+strong-read bounded finding
async-patterns=none ../async/MP+fence.release+bulk-reduce bounded finding
async-patterns=same-proxy ../async/MP+fence.release+bulk-reduce bounded finding
async-patterns=none ../async/MP+strong-copy-in+fence.acquire bounded finding
async-patterns=same-proxy ../async/MP+strong-copy-in+fence.acquire bounded finding
async-patterns=none ../async/MP+fence.release+strong-copy+strong-copy-in+fence.acquire bounded finding
async-patterns=same-proxy ../async/MP+fence.release+strong-copy+strong-copy-in+fence.acquire bounded bounded
tcgen05-pairs=9.1 ../tcgen05/pair-st-ld exact finding
tcgen05-pairs=9.1 ../tcgen05/pair-mma-mma+two-threads finding bounded
launch-dependents-edge=none launch-dependents-edge.none+griddepcontrol.launch_dependents+fence exact finding
map-at-start=both-fences map-at-start.both-fences+map+kernels+acquire exact finding
bulk-reduce-scope=gpu bulk-reduce-scope.gpu+bulk-reduce+two-gpus exact finding
scale-factors=apart scale-factors.apart+cp-mma bounded finding
tensor-reduce-scope=sys tensor-reduce-scope.sys+reduce-add+other-gpu finding exact
read-fence=cumulative read-fence.cumulative+one-way-fences+read+other-thread finding exact
restricted-fence=own restricted-fence.own+WRC+sync_restrict exact finding
wgmma-first-fence=free here/first_fence.json finding exact
proxy-fence=anywhere ../tensor/map+acquire-at-writer finding exact
wgmma-groups=warp here/one_warp_waits.json exact finding
aligned-barrier=cta aligned-barrier.cta+two-places exact finding
aligned-barrier=cta here/two_places.json exact finding
tmem-lane=named tmem-lane.named+first-lanes exact finding
test-wait=may-fail test-wait.may-fail+test_wait+own-arrival exact exact
END

# What clocks do not express is refused, by name.
for refused in --reading=coherence=total --model=ptx-7.5 --model=sc; do
  "$ptxmc" verify "$refused" "$here/remote_arrive.litmus" >/dev/null 2>&1 &&
    { echo "$refused is taken"; status=1; }
done
echo "$count tests by default and in their reading"
exit "$status"
