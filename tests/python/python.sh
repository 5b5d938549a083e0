#!/usr/bin/env bash
# python.sh PYTHON FOLDER module|notebook|triton|types: tests of the Python module in FOLDER. Status 77: what it takes is not here.
set -euo pipefail
python=$1 part=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export PYTHONPATH=$2 PYTHONDONTWRITEBYTECODE=1
needs() {
  "$python" -c "import $1" 2>/dev/null || { echo "SKIPPED: Python has no module $1 (Debian: $2)" >&2; exit 77; }
}
case $part in
  module)
    needs pytest python3-pytest
    exec "$python" -m pytest -q -p no:cacheprovider "$here"
    ;;
  notebook)
    needs nbclient python3-nbclient
    needs ipykernel python3-ipykernel
    exec "$python" "$here/notebook.py" "$here/../../src/doc/example/ptxmc.ipynb"
    ;;
  triton)
    exec "$python" "$here/triton_on_gpu.py"
    ;;
  types)
    needs mypy mypy
    cache=$(mktemp -d)
    trap 'rm -rf "$cache"' EXIT
    cd "$PYTHONPATH"
    "$python" -m mypy --cache-dir "$cache" --strict ptxmc "$here"/test_*.py
    ;;
esac
