#!/usr/bin/env bash
# report.sh [--update] PTXMC ROOT: the picture of a report and its timeline in README.md is the one that the program draws now.
set -euo pipefail
update=''
[[ $1 != --update ]] || { update=yes; shift; }
cd "$2"
picture=src/report/draw/ring.svg
drawn=$("$1" verify --format svg --no-confirm src/doc/tutorial/ring-wrong.json) || (($? == 1))
if [[ $update ]]; then
  printf '%s\n' "$drawn" >"$picture"
elif ! diff <(printf '%s\n' "$drawn") "$picture"; then
  echo "$picture is not what ptxmc draws: write it by report.sh --update"
  exit 1
fi
