#!/usr/bin/env bash
# stated_for.sh PTXMC MODEL FOLDER: checks under MODEL, on both engines, the files that have a Verdict[MODEL] line.
set -euo pipefail
mapfile -t files < <(grep -rlF --include='*.litmus' "Verdict[$2]=" "$3" | sort)
((${#files[@]})) || { echo "no file in $3 has a Verdict[$2] line"; exit 1; }
exec "$1" check --model "$2" --engine both --recheck all --require-verdict "${files[@]}"
