#!/usr/bin/env bash
# bash.sh PTXMC: what bash completes.
set -uo pipefail
ptxmc=$1
source /dev/stdin <<<"$("$ptxmc" completions bash)"
compopt() { files=yes; }  # outside of a completion there is none
failed=0
# completes EXPECTED WORD...: the words of a command line, of which the last is completed. EXPECTED: words that are offered; "FILES":
# files are.
completes() {
  local expected=$1 word
  COMP_WORDS=(ptxmc "${@:2}")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  files=no COMPREPLY=()
  _ptxmc
  for word in $expected; do
    if [[ $word == FILES ]]; then
      [[ $files == yes ]] && continue
    elif [[ " ${COMPREPLY[*]} " == *" $word "* ]]; then
      continue
    fi
    echo "error: ${COMP_WORDS[*]@Q} does not complete to $word: ${COMPREPLY[*]} (files: $files)"
    failed=1
  done
}
completes "check compare completions" c
completes "--engine" check --eng
completes "--engine" --eng
completes "explicit smt auto both" check --engine ""
completes "smt" races -e s
completes "smt" races --engine = s
completes "FILES" check -o ""
completes "FILES" check ""
completes "FILES" tests
completes "list show" model ""
completes "bash zsh fish" completions ""
COMP_WORDS=(ptxmc verify --form) COMP_CWORD=2
_ptxmc
[[ ${COMPREPLY[*]} == --format ]] || { echo "error: --form completes to ${COMPREPLY[*]}"; failed=1; }
exit $failed
