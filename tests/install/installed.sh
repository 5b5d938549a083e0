#!/usr/bin/env bash
# installed.sh CMAKE BUILD COMPILER LIBDIR PROGRAM PYTHON: installs BUILD into a new folder, builds and runs the example against it, and
# records PROGRAM (tests/record).
set -euo pipefail
cmake=$1 build=$2 compiler=$3 libdir=$4 program=$5 python=$6
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
fail() { echo "error: $*" >&2; exit 1; }

rm -f "$build"/texts/man/man1/ptxmc.1*  # after a build of the program alone, what is missing is built first
"$cmake" --install "$build" --prefix "$prefix" >"$work/log" || { cat "$work/log"; fail "cmake --install"; }
mv "$prefix" "$work/moved"  # an installation can be moved
prefix=$work/moved

# The program, and the libraries that programs load while it records them.
"$prefix/bin/ptxmc" --version
"$prefix/bin/ptxmc" check "$here/../../litmus/classic/MP+release.gpu+acquire.gpu.litmus" >/dev/null || fail "check"
"$prefix/bin/ptxmc" record --pretend -o "$work/recorded" -- "$program" all >"$work/log" 2>&1 || { cat "$work/log"; fail "record"; }
[[ -f $prefix/lib/ptxmc/record/runtime/libcudart.so.13 ]] || fail "no runtime to record with"

# The library shows its interface, and nothing else.
library=$prefix/$libdir/libptxmc.so
[[ $(objdump -p "$library") =~ SONAME\ +libptxmc\.so\.([0-9]+\.[0-9]+) ]] || fail "no soname with a version"
[[ -L $prefix/$libdir/libptxmc.so.${BASH_REMATCH[1]} ]] || fail "no file of that name"
others=$(nm -DC --defined-only "$library" | grep -v ' ptxmc::api::' || true)
[[ ! $others ]] || fail "exported, and no part of include/ptxmc: $others"

# A manual page a verb, and completions.
verbs=$("$prefix/bin/ptxmc" --help | sed -n 's/^  \([a-z]\+\) .*/\1/p' | grep -vx ptxmc)
for verb in "" $verbs; do
  case $verb in completions | man) continue ;; esac
  page=$prefix/share/man/man1/ptxmc${verb:+-$verb}.1
  [[ -s $page || -s $page.gz ]] || fail "no manual page of $verb (src/face/cli/program.cmake lists them)"
done
for file in schema.json launch.schema.json configuration.schema.json litmus/conformance.suite litmus/classic/MP+weak.litmus; do
  [[ -s $prefix/share/ptxmc/$file ]] || fail "no share/ptxmc/$file"
done
for file in bash-completion/completions/ptxmc zsh/site-functions/_ptxmc fish/vendor_completions.d/ptxmc.fish; do
  [[ -s $prefix/share/$file ]] || fail "no share/$file"
done

# The Python module, where it was built.
packages=$prefix/lib/python3/dist-packages
if [[ -d $packages ]]; then
  [[ $(PYTHONPATH=$packages "$python" -c 'import ptxmc; print(ptxmc.__version__)') == 0.* ]] || fail "import ptxmc"
fi

# By CMake.
"$cmake" -S "$here/example" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_CXX_COMPILER="$compiler" >"$work/log" 2>&1 ||
  { cat "$work/log"; fail "the example does not configure"; }
"$cmake" --build "$work/cmake" >"$work/log" 2>&1 || { cat "$work/log"; fail "the example does not build"; }
"$work/cmake/example"

# Tests of CTest.
verified=("$cmake" -S "$here/verified" -B "$work/verified" -DCMAKE_PREFIX_PATH="$prefix" -DPROGRAM="$program"
  -DSUM="$(realpath "$here/../../src/doc/example/sum.ptx")")
"${verified[@]}" >"$work/log" 2>&1 || { cat "$work/log"; fail "ptxmc_add_verify_test"; }
(cd "$work/verified" && "$(dirname "$cmake")/ctest" --output-on-failure) >"$work/log" 2>&1 || { cat "$work/log"; fail "tests of ptxmc_add_verify_test"; }
grep -q '100% tests passed, 0 tests failed out of 4' "$work/log" || { cat "$work/log"; fail "four tests"; }
[[ -f $work/verified/ptxmc/right/add/launch.json ]] || fail "what was recorded stays in the build folder"
"${verified[@]}" -DMISTAKE=ON >"$work/log" 2>&1 && fail "a test without a program"
grep -q 'no target has this name' "$work/log" || { cat "$work/log"; fail "says what is missing"; }

# By pkg-config.
read -ra flags < <(PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig pkg-config --cflags --libs ptxmc)
"$compiler" -std=c++20 "$here/example/main.cpp" "${flags[@]}" -o "$work/example"
LD_LIBRARY_PATH=$prefix/$libdir "$work/example"
