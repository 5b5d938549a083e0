#!/usr/bin/env bash
# script.sh SOURCES: what tools/install says, and what it refuses, without building anything.
set -euo pipefail
install=$1/tools/install
fail() { echo "error: $*" >&2; exit 1; }
[[ $("$install" --help) == 'tools/install [PREFIX]: sets up, builds and installs'* ]] || fail "--help"
out=$("$install" --prefix x 2>&1) && fail "an option is taken"
[[ $out == *'no such option: --prefix'* ]] || fail "$out"
out=$("$install" a b 2>&1) && fail "two folders are taken"
[[ $out == *'one folder at most'* ]] || fail "$out"
