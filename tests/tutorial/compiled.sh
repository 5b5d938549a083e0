#!/usr/bin/env bash
# compiled.sh FOLDER...: the PTX beside each .cu file of the folders is what nvcc makes of it, but for the paths of files and
# the names of functions that were inlined, which have a hash of such a path. Other releases of nvcc write other PTX.
set -euo pipefail
release=13.0
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
"$nvcc" --version 2>/dev/null | grep -q "release $release," || { echo "SKIPPED: no nvcc $release"; exit 0; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
told() { sed -E -e '/^\.b8 /d' -e 's|^(.*\.file.*")[^"]*/|\1|' "$1"; }

wrong=0 files=0
for source in $(find "$@" -name '*.cu' | sort); do
  files=$((files + 1))
  "$nvcc" -arch=sm_90a -lineinfo -ptx -o "$dir/new.ptx" "$source"
  diff <(told "${source%.cu}.ptx") <(told "$dir/new.ptx") || { echo "${source%.cu}.ptx is not what nvcc makes of it"; wrong=$((wrong + 1)); }
done
((files > 0)) || { echo "no .cu files"; exit 1; }
((wrong == 0)) || exit 1
echo "$files modules are as nvcc makes them"
