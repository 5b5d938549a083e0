#!/usr/bin/env bash
# grids.sh VERIFIED_GRIDS COUNT [SEED]: random launches of grids.py (from a fresh seed, which is printed, unless it is given), verified from
# some of their blocks, and whole.
set -euo pipefail
compare=$1 count=$2
seed=${3:-$(($(od -An -N4 -tu4 /dev/urandom)))}
echo "$count launches from seed $seed"
launches=$(mktemp -d)
trap 'rm -rf "$launches"' EXIT
"$(dirname "$0")/grids.py" --seed "$seed" --count "$count" --write "$launches"
"$compare" "$launches"
