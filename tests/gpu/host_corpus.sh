#!/usr/bin/env bash
# host_corpus.sh PTXMC LITMUS FAMILY...: the tests of these families with all threads on the host (scope .sys), as far as they
# can be there, run on the CPU alone; nothing that the model forbids is observed. Fewer than MOST of them run: fails, too.
set -u
ptxmc=$1 litmus=$2
shift 2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/tests"
for family in "$@"; do
  for file in "$litmus/$family"/*.litmus; do
    name=$family-$(basename "$file" .litmus)
    sed -E "1s/.*/PTX $name/
      /^ *(Verdict|scopes:)/d
      s/(^|[|] *| )(P[0-9]+) *@[^|;{]*/\1\2 @ host /g
      s/^( *P[0-9]+ *)([|;{])/\1@ host \2/
      :columns
      s/([|] *P[0-9]+ *)([|;])/\1@ host \2/
      t columns
      s/\.(cta|cluster|gpu)([.; ]|\$)/.sys\2/g
      s/membar\.(cta|gl)/membar.sys/" "$file" > "$dir/tests/$name.litmus"
  done
done
"$ptxmc" run --quiet --size 1 --batch 256 -o "$dir/log" "$dir/tests" 2> "$dir/errors"
ran=$(grep -c '^Observation' "$dir/log")
all=$(find "$dir/tests" -name '*.litmus' | wc -l)
echo "$ran of $all tests ran on the host"
if [ "$ran" -lt $((all * 3 / 4)) ]; then
  cat "$dir/errors"
  exit 1
fi
# Tests that cannot be on the host are errors of input (2), outcomes that the model leaves open unknown (3).
"$ptxmc" compare --timeout 20 --quiet --log "$dir/log" "$dir/tests" > "$dir/compared" 2>&1
status=$?
if [ "$status" -eq 1 ] || [ "$status" -eq 4 ]; then
  cat "$dir/compared"
  exit 1
fi
tail -n 3 "$dir/compared"
grep -q 'No forbidden outcome was observed' "$dir/compared"
