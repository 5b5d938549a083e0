#!/usr/bin/env bash
# wheel.sh PYTHON BUILD SOURCES: a wheel of what is in BUILD, installed into a folder of its own, answers and has the program. Where
# git tracks SOURCES, an archive of them is on the way.
# Status 77: Python has no pip.
set -euo pipefail
python=$1 build=$2 sources=$3
"$python" -m pip --version >/dev/null 2>&1 || { echo "SKIPPED: Python has no pip (Debian: python3-pip)" >&2; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export PTXMC_WHEEL_BUILD=$build PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PYTHONDONTWRITEBYTECODE=1
from=$sources
if [[ -e $sources/.git ]]; then  # by way of an archive of the sources
  PYTHONPATH=$from/tools/wheel "$python" -c "import backend; backend.build_sdist('$folder')"
  from=$(echo "$folder"/ptxmc-*.tar.gz)
fi
"$python" -m pip install -q --no-index --no-deps --target "$folder/installed" "$from"
cd "$folder"
env -u PTXMC_PROGRAM PATH=/usr/bin:/bin PYTHONPATH="$folder/installed" "$python" - "$sources" <<'END'
import pathlib, subprocess, sys
import ptxmc
from ptxmc import _program
sources, here = pathlib.Path(sys.argv[1]), pathlib.Path(ptxmc.__file__).parent
test = sources / "litmus/classic/MP+weak.litmus"
assert ptxmc.check(test).answer == ptxmc.Answer.allowed
assert _program.program() == str(here / "bin/ptxmc"), _program.program()
assert ptxmc.__version__ in subprocess.run([_program.program(), "--version"], capture_output=True, text=True, check=True).stdout
assert (here / "bin/record/libcuda.so.1").is_file()
assert ptxmc.repair(test).name == "MP+weak"
END
[[ $("$folder/installed/bin/ptxmc" --version 2>/dev/null || PYTHONPATH=$folder/installed "$python" -c 'from ptxmc._program import main; import sys; sys.argv = ["ptxmc", "--version"]; main()') == ptxmc\ * ]]
echo "a wheel installs, and answers"
