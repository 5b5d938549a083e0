#!/usr/bin/env bash
# fish.sh PTXMC: what fish completes.
set -euo pipefail
command -v fish >/dev/null || { echo "SKIPPED: no fish here" >&2; exit 77; }
ptxmc=$1
script=$("$ptxmc" completions fish)
failed=0
completes() {
  local line=$1 shown word
  shown=$(HOME=$(mktemp -d) fish --no-config -c "$script
complete -C '$line'" | cut -f1)
  for word in "${@:2}"; do
    grep -qxF -- "$word" <<<"$shown" || { echo "error: '$line' does not complete to $word: $shown"; failed=1; }
  done
}
completes "ptxmc ver" verify
completes "ptxmc verify --form" --format
completes "ptxmc races --engine " explicit smt auto both
completes "ptxmc model " list show
exit $failed
