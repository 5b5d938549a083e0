#!/bin/bash
# limits.sh PTXMC: whatever a limit of time or memory, Ctrl-C or a signal cuts, verify says what it had found, and names the cut.
# No bound here is near to what is measured: they hold on a machine that is busy, too.
set -euo pipefail
ptxmc=$1
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
failed=0

# expect WHAT STATUS FOUND WANTED-STATUS WORDS...: each of the words is in the file FOUND.
expect() {
  local what=$1 status=$2 found=$3 wanted=$4
  shift 4
  [[ $status == "$wanted" ]] || { echo "$what: status $status, expected $wanted"; failed=1; }
  for words in "$@"; do
    grep -qF -- "$words" "$found" || { echo "$what: no \"$words\" in:"; cat "$found"; failed=1; }
  done
}

# run WHAT WANTED-STATUS WORDS -- ARGUMENTS: ptxmc itself, for at most 60 s.
run() {
  local what=$1 wanted=$2 words=$3 status=0
  shift 4
  timeout 60 "$ptxmc" "$@" >"$out/found" 2>&1 || status=$?
  expect "$what" "$status" "$out/found" "$wanted" "$words"
}

head='.version 8.5
.target sm_90a
.address_size 64
'
# Two threads race, and one of them goes round for long.
cat >"$out/long.ptx" <<END
$head.visible .entry k(.param .u64 p, .param .u64 n)
{
  .reg .b32 %r<4>; .reg .b64 %d<6>; .reg .pred %q;
  ld.param.u64 %d0, [p]; ld.param.u64 %d1, [n]; mov.u32 %r0, %tid.x; mov.u64 %d2, 0;
  st.global.u32 [%d0], %r0;
again:
  add.u64 %d2, %d2, 1; setp.lt.u64 %q, %d2, %d1; @%q bra again;
  ret;
}
END
# The same, and each turn touches another page.
cat >"$out/large.ptx" <<END
$head.visible .entry k(.param .u64 p, .param .u64 n)
{
  .reg .b32 %r<4>; .reg .b64 %d<6>; .reg .pred %q;
  ld.param.u64 %d0, [p]; ld.param.u64 %d1, [n]; mov.u32 %r0, %tid.x; mov.u64 %d2, 0;
  st.global.u32 [%d0], %r0;
  mad.wide.u32 %d0, %r0, 8, %d0;
again:
  add.u64 %d0, %d0, 512; st.global.u32 [%d0], %r0;
  add.u64 %d2, %d2, 1; setp.lt.u64 %q, %d2, %d1; @%q bra again;
  ret;
}
END
long=(verify "$out/long.ptx" --block 32 --arg buffer:4K --arg 1000000000000)

run "time" 1 "--timeout ended the run" -- "${long[@]}" -t 1
run "time, before a race" 3 "--timeout ended the run" -- "${long[@]}" -t 1 --only misaligned
run "memory" 1 "--memory ended the run" -- verify "$out/large.ptx" --block 32 --arg buffer:16G --arg 20000000 --memory 256
run "a large buffer that is hardly used" 1 "race" -- \
  verify "$out/long.ptx" --block 32 --arg buffer:12G --arg 3 --memory 512
run "shared memory beyond the device's" 2 "has up to 232448 (227 KB)" -- "${long[@]}" --shared 4G

# As many ranges and fields as a recorded pool has: 60 s of the processor are many times what they take.
python3 - "$out/pool.json" <<'END'
import json, sys
count = 80000
ranges = {str(64 * i): {"bytes": 16, "type": "u32", "data": [1, 2, 3, 4]} for i in range(count)}
fields = {str(64 * i + 32): {"buffer": "A", "offset": 64 * i} for i in range(count)}
json.dump({"module": "long.ptx", "entry": "k", "block": 32,
           "memory": {"A": {"bytes": 64 * count, "data": "opaque", "ranges": ranges, "fields": fields}},
           "arguments": [{"buffer": "A"}, {"u64": 3}]}, open(sys.argv[1], "w"))
END
status=0
(ulimit -t 60 && "$ptxmc" verify "$out/pool.json") >"$out/found" 2>&1 || status=$?
expect "many ranges" $status "$out/found" 1 "race"

# Ctrl-C, and SIGTERM of a scheduler, as one process gets it; a terminal sends it to the child, too.
for signal in INT TERM; do
  "$ptxmc" "${long[@]}" >"$out/found" 2>&1 &
  process=$!
  for _ in $(seq 100); do pgrep -P $process >/dev/null && break; sleep 0.1; done
  sleep 2
  status=0
  kill -$signal $process
  timeout 30 tail --pid=$process -f /dev/null
  wait $process || status=$?
  expect "SIG$signal" $status "$out/found" 1 "interrupted"
done

# Another process ends the one that works: that is not lack of memory.
"$ptxmc" "${long[@]}" >"$out/found" 2>&1 &
process=$!
child=
for _ in $(seq 100); do child=$(pgrep -P $process) && break; sleep 0.1; done
sleep 1
kill -KILL "$child"
status=0
wait $process || status=$?
expect "SIGKILL" $status "$out/found" 3 "killed"

run "import within limits" 0 ".reg .pred" -- import "$out/long.ptx" --arg buffer:4K --arg 3 -t 60 --memory 1000
exit $failed
