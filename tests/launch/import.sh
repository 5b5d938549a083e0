#!/usr/bin/env bash
# import.sh PTXMC FOLDER: what `import` writes of each launch of FOLDER/launches.txt is a litmus test with the launch's
# states, races, hangs and claims. Lines of the text differ, and so do times, names and what rests on them.
set -euo pipefail
ptxmc=$1 folder=$2
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

said() { # FILE COMMAND...: what it says that is the same of both, and its exit status
  local file=$1 status=0
  shift
  "$ptxmc" "$@" --timeout 20 -q >"$file.all" 2>"$file.errors" || status=$?
  sed -E -e '/^(Time|Hash|Test)/d' -e 's/^[^<: ]+<<<[^>]*>>>: //' -e 's/^[^ ]+: //' -e 's/this (launch|test)/this/' -e 's/(Condition|Observation).*//' -e 's/\((P[0-9]+):[0-9]+\)/(\1)/g' \
    -e 's/(P[0-9]+):[0-9]+/\1/g' -e 's/(, )?line [0-9]+/LINE/g' -e 's/(LINE)+/LINE/g' -e 's/ at ([a-z0-9_]+)(\+[0-9]+ \(.-byte element ([0-9]+)\)|\[([0-9]+)\])/ at \1[\3\4]/' \
    -e '/^ /d' "$file.all" >"$file"
  echo "status $status" >>"$file"
}

failures=0 launches=0
while read -r entry options; do
  [[ $entry && $entry != '#'* ]] || continue
  read -ra words <<<"$options"
  launch=("$folder/kernels.ptx" --entry "$entry" "${words[@]}")
  launches=$((launches + 1))
  if ! "$ptxmc" import "${launch[@]}" -o "$out/imported.litmus"; then
    failures=$((failures + 1))
    continue
  fi
  for verb in check races "check --property liveness" verify; do
    read -ra verbs <<<"$verb"
    said "$out/launch" "${verbs[@]}" "${launch[@]}"
    said "$out/test" "${verbs[@]}" "$out/imported.litmus"
    diff "$out/launch" "$out/test" >"$out/difference" && continue
    echo "$entry $options: $verb differs"
    cat "$out/difference" "$out/test.errors"
    failures=$((failures + 1))
  done
done <"$folder/launches.txt"
echo "$launches launches, $failures failures"
((launches > 0 && failures == 0))
