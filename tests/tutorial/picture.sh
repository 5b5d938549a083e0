#!/usr/bin/env bash
# picture.sh [--update] PTXMC ROOT: the picture of the pages is the one that the program draws now.
set -euo pipefail
update=''
[[ $1 != --update ]] || { update=yes; shift; }
picture=$2/src/report/draw/MP.svg
drawn=$("$1" explain -q --format svg "$2/litmus/manual/MP.litmus")
if [[ $update ]]; then
  printf '%s\n' "$drawn" >"$picture"
elif ! diff <(printf '%s\n' "$drawn") "$picture"; then
  echo "$picture is not what ptxmc draws: write it by picture.sh --update"
  exit 1
fi
