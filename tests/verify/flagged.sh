#!/usr/bin/env bash
# flagged.sh PTXMC: of the litmus tests that standard input names, those that some execution of the exact engines flags for
# more than a race, each with the flag: "FILE FLAG". That a value is unknown is no misuse.
set -euo pipefail
{ xargs -r "$1" check --flags --recheck off --quiet --timeout 20 --format json 2>/dev/null || (($? <= 123)); } |
  sed -nE 's/.*"file":"([^"]*)".*"flags":\{([^}]*)\}.*/\1 \2/p' |
  while read -r file flags; do
    { grep -oE '"[a-z-]+":true' <<<"$flags" || true; } | cut -d'"' -f2 | grep -v '^depends-on-unknown$' | sed "s|^|$file |" || true
  done
