#!/bin/sh
# limits.sh PTXMC LIVENESS: programs that are too much for what they are given. Each must end soon after its time, with an
# answer or without (3), and neither with an error (2) nor by a signal. How soon is no matter of seconds here: where a
# limit does not hold, these take minutes, hours or all memory.
ptxmc=$1
lockstep=$2
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
failed=0

# allowed STATUSES COMMAND...
allowed() {
  wanted=$1
  shift
  timeout 100 "$@" >"$dir/out" 2>"$dir/err"
  status=$?
  case " $wanted " in
    *" $status "*) ;;
    *) echo "status $status, expected one of $wanted: $*"; cat "$dir/out" "$dir/err" | tail -n 5; failed=1 ;;
  esac
}

{
  echo 'PTX stores'; echo '{ .global .u32 x = 0; }'; echo 'P0 @ cta 0 {'
  i=0; while [ $i -lt 1000 ]; do i=$((i + 1)); echo "  st.weak.global.u32 [x], $i;"; done
  echo '}'; echo 'forall (x == 1000)'
} >"$dir/stores.litmus"
allowed '0 3' "$ptxmc" check -t 2 --recheck all "$dir/stores.litmus"
allowed '0 3' "$ptxmc" check -t 2 --sensitivity "$dir/stores.litmus"

cat >"$dir/loop.litmus" <<'END'
PTX loop
{ .global .u32 x = 0; .global .u32 y = 0; }
P0 @ cta 0 { L: atom.relaxed.gpu.add.u32 %r0, [x], 1; st.weak.u32 [y], %r0; setp.ne.u32 %p0, %r0, 90; @%p0 bra L; }
P1 @ cta 1 { L: atom.relaxed.gpu.add.u32 %r0, [x], 1; ld.weak.u32 %r1, [y]; setp.ne.u32 %p0, %r0, 90; @%p0 bra L; }
exists (P1:%r1 == 77)
END
allowed '0 3' "$ptxmc" check -t 2 --sensitivity --unroll 100 "$dir/loop.litmus"
allowed '0 3' "$ptxmc" explain -t 2 --unroll 100 "$dir/loop.litmus"
allowed '0 1 3' "$ptxmc" races -t 2 --unroll 100 "$dir/loop.litmus"

# A sum over loads, each of which may see one of several values; and one that feeds nothing that is asked.
accumulate() {
  echo 'PTX accumulate'; echo '{ .global .u32 x = 0; .global .u32 y = 0; }'; echo 'P0 @ cta 0 {'
  i=0; while [ $i -lt 8 ]; do i=$((i + 1)); echo "  ld.relaxed.gpu.u32 %r0, [x]; mad.lo.u32 %r1, %r1, 3, %r0;"; done
  echo "$1"; echo '}'; echo 'P1 @ cta 1 {'
  i=0; while [ $i -lt 8 ]; do i=$((i + 1)); echo "  st.relaxed.gpu.u32 [x], $i;"; done
  echo '}'; echo "$2"
}
accumulate 'st.relaxed.gpu.u32 [y], %r1;' 'exists (y == 3)' >"$dir/sum.litmus"
accumulate '' 'exists (x == 8)' >"$dir/nothing.litmus"
for engine in explicit smt auto; do
  allowed '0 3' "$ptxmc" check -t 3 --memory 2000 --engine $engine "$dir/sum.litmus"
done
allowed 0 "$ptxmc" check -t 60 --verdict --engine explicit "$dir/nothing.litmus"

{
  echo 'PTX copy'; echo '{'
  printf '  .global .align 16 .b32 g[1024] = {0'
  i=1; while [ $i -lt 1024 ]; do printf ', %d' $i; i=$((i + 1)); done
  echo '};'; echo '  .shared .align 16 .b32 s[1024];'; echo '  .shared .b64 bar = 1;'; echo '}'
  echo 'P0 @ cta 0 {'
  echo '  mbarrier.arrive.expect_tx.shared::cta.b64 _, [bar], 4096;'
  echo '  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [g], 4096, [bar];'
  echo '  L: mbarrier.try_wait.parity.shared::cta.b64 %p0, [bar], 0;'; echo '  @!%p0 bra L;'
  echo '  ld.shared.u32 %r0, [s + 4];'; echo '}'; echo 'exists (P0:%r0 == 1)'
} >"$dir/copy.litmus"
allowed '0 3' "$ptxmc" check -t 3 "$dir/copy.litmus"

{
  echo 'PTX atoms'; echo '{ .global .u32 x = 0; }'
  i=0; while [ $i -lt 64 ]; do echo "P$i @ cta $i { atom.relaxed.gpu.add.u32 %r0, [x], 1; }"; i=$((i + 1)); done
  echo 'forall (x == 64)'
} >"$dir/atoms.litmus"
allowed 0 "$ptxmc" check -t 60 --engine explicit "$dir/atoms.litmus"
allowed '0 3' "$ptxmc" check -t 2 --engine smt "$dir/atoms.litmus"
allowed '0 3' "$ptxmc" check -t 20 --memory 200 --engine smt "$dir/atoms.litmus"

allowed 0 "$ptxmc" check -t 90 --property liveness "$lockstep"

# Interrupted while the solver runs: it ends at once, as any program.
timeout -s INT 1 "$ptxmc" check --engine smt "$dir/atoms.litmus" >/dev/null 2>&1
[ $? -eq 124 ] || { echo 'an interrupted program does not end'; failed=1; }

exit $failed
