# shellcheck shell=bash
# Shared by the scripts of this folder and by .ci/run: set-up and build. To be sourced.
# root: the top of the source tree; jobs: parallel jobs.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=${PTXMC_JOBS:-$(nproc)}

say() { printf '== %s\n' "$*" >&2; }
die() { printf 'error: %s\n' "$*" >&2; exit 2; }

# agreed QUESTION: asks where somebody is there to answer; else yes.
agreed() {
  local answer
  [[ -t 0 && -t 2 ]] || return 0
  read -r -p "$1 [Y/n] " answer || return 1
  [[ -z $answer || $answer == [yY]* ]]
}

# setup GROUP...: installs the packages of tools/packages.txt in these groups that are missing; does nothing else.
setup() {
  local group package missing=() sudo=()
  while read -r group package _; do
    [[ " $* " == *" $group "* ]] || continue
    [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
  done < "$root/tools/packages.txt"
  ((${#missing[@]})) || return 0
  if ((EUID != 0)); then
    command -v sudo >/dev/null || die "these packages are missing, and there is no sudo to install them: ${missing[*]}"
    sudo=(sudo)
  fi
  agreed "install ${missing[*]}?" || die "not installed: ${missing[*]}"
  say "installing ${missing[*]}"
  local apt=("${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y)
  "${apt[@]}" update >&2 </dev/null || die "apt-get update failed"
  "${apt[@]}" install --no-install-recommends "${missing[@]}" >&2 </dev/null || die "could not install ${missing[*]}"
}

# configure FOLDER CMAKE-OPTION...: configures build/FOLDER unless that was done; CMake re-runs itself when its files change. The
# files of a folder are compiled together; with -DPTXMC_UNITY=OFF a build after a small change takes less time.
configure() {
  local folder=$root/build/$1 python
  shift
  [[ -f $folder/build.ninja ]] && return 0
  say "configuring ${folder#"$root"/}"
  # Debian's Python has the modules that setup installs; one that comes before it on the path may lack them.
  for python in python3 /usr/bin/python3; do
    "$python" -c 'import pytest' 2>/dev/null || continue
    set -- -DPython_EXECUTABLE="$(command -v "$python")" "$@"
    break
  done
  cmake -S "$root" -B "$folder" -G Ninja -DPTXMC_WERROR=ON -DPTXMC_UNITY=ON "$@" >&2 </dev/null || die "CMake failed"
}

# told: what ninja prints, with how far it is at each tenth of the way, but every ten seconds at most.
told() {
  local line finished all seconds left tenth=1 next=10
  while IFS= read -r line; do
    if [[ ! $line =~ ^@([0-9]+)/([0-9]+)@([0-9]+) ]]; then
      [[ $line == 'ninja: Entering directory'* || $line == 'ninja: no work to do.' ]] || printf '%s\n' "$line"
      continue
    fi
    finished=${BASH_REMATCH[1]} all=${BASH_REMATCH[2]} seconds=${BASH_REMATCH[3]}
    ((seconds >= next && finished * 10 >= all * tenth && finished < all)) || continue
    next=$((seconds + 10)) tenth=$((finished * 10 / all + 1)) left=$((seconds * (all - finished) / finished))
    if ((left >= 90)); then left="$(((left + 30) / 60)) min"; else left="$left s"; fi
    printf '[%3d%%] %s left\n' $((finished * 100 / all)) "$left"
  done
}

# build FOLDER TARGET...: builds; without a target everything. What it prints goes to standard error: how far it is, on a terminal
# in one line, and what fails.
build() {
  local folder=$root/build/$1
  shift
  if [[ -t 2 ]]; then
    ninja -C "$folder" -j "$jobs" "$@" >&2 </dev/null || die "the build failed"
  else
    [[ $(ninja -C "$folder" -n "$@" 2>/dev/null) == *"no work to do"* ]] || say "building $*"
    NINJA_STATUS='@%f/%t@%e ' ninja -C "$folder" -j "$jobs" "$@" 2>&1 </dev/null | told >&2 || die "the build failed"
  fi
}

# sanitized FOLDER TARGETS CMAKE-OPTION...: in build/FOLDER with clang++, AddressSanitizer and UndefinedBehaviorSanitizer these targets,
# one word with spaces between them.
sanitized() {
  local folder=$1 targets
  read -ra targets <<< "$2"
  shift 2
  configure "$folder" "$@" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -gline-tables-only" \
    -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld -DPTXMC_SANITIZE=ON -DPTXMC_FUZZ=ON -DPTXMC_BENCH=OFF
  build "$folder" "${targets[@]}"
}

# sanitized_tests FOLDER NAMES: those of them that CTest runs, by a regular expression; what the limits hold is time, and that of
# another build.
sanitized_tests() {
  ctest --test-dir "$root/build/$1" -j "$jobs" --output-on-failure --no-tests=error -R "^($2)\$" -E '^litmus_limits$' -LE nightly
}
