#!/usr/bin/env bash
# zsh.sh PTXMC: zsh loads the script, and completes in a terminal.
set -euo pipefail
command -v zsh >/dev/null || { echo "SKIPPED: no zsh here" >&2; exit 77; }
ptxmc=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$ptxmc" completions zsh >"$work/_ptxmc"
zsh -n "$work/_ptxmc"
# A shell of its own at the end of a pseudo-terminal, into which a line and a tab are typed.
cat >"$work/type.zsh" <<'ZSH'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; compdef _ptxmc ptxmc; zstyle ':completion:*' list-colors; LISTMAX=0"
sleep 1
zpty -w -n shell $'ptxmc '"$2"$'\t'
sleep 1
zpty -r -t shell output '*' 2>/dev/null
all=$output
while zpty -r -t shell output; do all+=$output; done
print -r -- $all
ZSH
failed=0
completes() {
  local typed=$1 expected=$2 shown
  shown=$(zsh -f "$work/type.zsh" "$work" "$typed" </dev/null)
  [[ $shown == *"$expected"* ]] || { printf 'error: %q does not complete to %q: %q\n' "$typed" "$expected" "$shown"; failed=1; }
}
completes "verify --form" "verify --format"
completes "races --engine sm" "--engine smt"
completes "expl" "ain"  # the terminal shows what was added
exit $failed
