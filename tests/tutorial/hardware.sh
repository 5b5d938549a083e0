#!/usr/bin/env bash
# hardware.sh PTXMC PAGE CORPUS DRIVER: the commands of a page about GPUs, on the driver in the folder DRIVER, which pretends to have one.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ln -s "$3" "$work/litmus"
LD_LIBRARY_PATH=$4 "$here/page.sh" "$1" "$2" "$work"
