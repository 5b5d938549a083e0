#!/usr/bin/env bash
# man.sh PTXMC: groff finds nothing wrong with any page, and they say what --help says.
set -euo pipefail
command -v groff >/dev/null || { echo "SKIPPED: no groff here (Debian: groff-base)" >&2; exit 77; }
ptxmc=$1
failed=0
verbs=$("$ptxmc" --help | sed -n 's/^  \([a-z]\+\) .*/\1/p' | grep -v '^ptxmc$')
[[ $(wc -w <<<"$verbs") -gt 8 ]]
for verb in "" $verbs; do
  page=$("$ptxmc" man $verb)
  warnings=$(groff -man -Tutf8 -ww -z 2>&1 <<<"$page")
  [[ -z $warnings ]] || { echo "error: the page of ${verb:-ptxmc}: $warnings"; failed=1; }
  shown=$(groff -man -Tascii -P-cbou 2>/dev/null <<<"$page")
  for section in NAME SYNOPSIS DESCRIPTION "SEE ALSO"; do
    grep -q "^$section$" <<<"$shown" || { echo "error: the page of ${verb:-ptxmc} has no $section"; failed=1; }
  done
done
grep -q -- "--engine explicit|smt|auto|both" <<<"$("$ptxmc" man check | groff -man -Tascii -P-cbou)" || { echo "error: check has no --engine"; failed=1; }
exit $failed
