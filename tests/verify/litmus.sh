#!/usr/bin/env bash
# litmus.sh PTXMC DENIED FLAGGED FOLDER...: verifies the litmus tests of the folders. What `verify` claims of all schedules must be what
# `races` finds, and no litmus test of a finding may be denied by the exact engine but those of the files that DENIED lists,
# which must be. What else the exact engine flags where `verify` claims all schedules, FLAGGED lists, and no more.
set -euo pipefail
ptxmc=$1 denied=$2 flagged=$3
shift 3
least=400  # tests with a claim about all schedules; fewer: the comparison would say little

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
find "$@" -name '*.litmus' | sort >"$out/all"
mapfile -t files <"$out/all"
"$ptxmc" verify --timeout 20 --format json "${files[@]}" >"$out/verified" 2>"$out/refused" || (($? <= 3))

# The files of the reports that say so.
files_of() { grep -F "$1" "$out/verified" | sed 's/.*"file":"\([^"]*\)".*/\1/'; }

# The axioms order nothing by an exit, which a claim names.
mapfile -t exact < <(grep -vF '"exit-order"' "$out/verified" | grep -F '"answer":"exact"' | sed 's/.*"file":"\([^"]*\)".*/\1/')
((${#exact[@]} >= least)) || { echo "only ${#exact[@]} tests with a claim about all schedules"; exit 1; }
"$ptxmc" races --quiet --timeout 20 "${exact[@]}" >"$out/races" 2>"$out/stated" || (($? <= 3))
status=0
if grep -E '^Test .* Racy' "$out/races"; then
  echo "verify claims that these are without race or deadlock in any schedule"
  status=1
fi

files_of '"confirmed":false' | sed 's|.*/||' | sort -u >"$out/denied" || true
{ grep -v '^#' "$denied" || true; } | sort -u >"$out/known"
if ! diff "$out/known" "$out/denied"; then
  echo "the exact engine denies findings of other tests than $denied lists"
  status=1
fi
printf '%s\n' "${exact[@]}" | "$(dirname "$0")/flagged.sh" "$ptxmc" | sed 's|.*/||' | sort >"$out/flagged"
grep -v '^#' "$flagged" | sort >"$out/listed"
if ! diff "$out/listed" "$out/flagged"; then
  echo "the exact engine flags other tests whose claim is about all schedules than $flagged lists"
  status=1
fi
echo "${#files[@]} tests, $(wc -l <"$out/verified") verified, ${#exact[@]} with a claim about all schedules," \
  "$(files_of '"confirmed":true' | wc -l) with races that are confirmed"
exit "$status"
