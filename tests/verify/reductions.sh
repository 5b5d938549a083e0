#!/usr/bin/env bash
# reductions.sh VERIFIED_REDUCTIONS DRAW COUNT [SEED]: random programs of words.py (from a fresh seed, which is printed, unless
# it is given), verified with the reductions of `verify` and without.
set -euo pipefail
compare=$1 draw=$2 count=$3
seed=${4:-$(($(od -An -N6 -tu8 /dev/urandom)))}
echo "$count programs from seed $seed"
programs=$(mktemp -d)
trap 'rm -rf "$programs"' EXIT
"$draw" --seed "$seed" --count "$count" --write "$programs"
"$compare" "$programs"
