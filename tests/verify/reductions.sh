#!/usr/bin/env bash
# reductions.sh VERIFIED_REDUCTIONS DRAW REDUCTIONS COUNT [SEED]: random programs of words.py or branches.py (from a fresh seed, which
# is printed, unless it is given), verified with the reductions of `verify` and without these, or any.
set -euo pipefail
compare=$1 draw=$2 reductions=$3 count=$4
seed=${5:-$(($(od -An -N6 -tu8 /dev/urandom)))}
echo "$count programs from seed $seed"
programs=$(mktemp -d)
trap 'rm -rf "$programs"' EXIT
"$draw" --seed "$seed" --count "$count" --write "$programs"
# shellcheck disable=SC2086
"$compare" "$programs" $reductions
