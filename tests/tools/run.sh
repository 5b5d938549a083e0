#!/usr/bin/env bash
# tools/run in a tree of its own, with stand-ins that write down how they were called: what it installs, builds and checks.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
wrong=0
mkdir -p "$dir/bin" "$dir/tools" "$dir/suite" "$dir/litmus/classic"
cp "$top/tools/run" "$top/tools/lib.sh" "$dir/tools"
printf 'build g++\nbuild absent-one\nci absent-two\n' >"$dir/tools/packages.txt"
stand_in() { printf '#!/usr/bin/env bash\necho "%s $*" >>"%s/calls"\n%s\n' "$1" "$dir" "$2" >"$dir/bin/$1"; chmod +x "$dir/bin/$1"; }
stand_in dpkg-query '[[ "$*" == *absent* ]] && exit 1; printf installed'
stand_in apt-get ''
stand_in sudo '"$@"'
stand_in cmake "mkdir -p '$dir/build/release'; touch '$dir/build/release/build.ninja'"
stand_in ninja "printf '#!/usr/bin/env bash\necho \"ptxmc \$*\" >>\"$dir/calls\"\n' >'$dir/build/release/ptxmc'; chmod +x '$dir/build/release/ptxmc'"
export PATH=$dir/bin:$PATH
cd "$dir"
touch a.test b.litmus mine.cat
default=$dir/litmus/classic/MP+release.gpu+acquire.gpu.litmus

# expect WHAT PATTERN...: the calls since the last time hold these, and, behind !, do not hold them.
expect() {
  local what=$1 pattern calls
  shift
  calls=$(cat calls 2>/dev/null || true)
  for pattern in "$@"; do
    if [[ $pattern == !* ]]; then
      [[ $calls != *"${pattern#!}"* ]] || { echo "$what: called ${pattern#!}"; wrong=1; }
    else
      [[ $calls == *"$pattern"* ]] || { echo "$what: no call of $pattern in"; echo "$calls"; wrong=1; }
    fi
  done
  rm -f calls
}

help=$(tools/run --help) && [[ $help == *"tools/run [TEST"*"not built yet"* ]] || { echo "--help: $help"; wrong=1; }
expect --help '!ninja' '!apt-get' '!cmake'
tools/run a.test 2>log </dev/null
expect a.test 'install --no-install-recommends absent-one' '!absent-two --' 'cmake -S' 'ninja -C' "ptxmc check a.test" "!$default"
tools/run 2>log </dev/null
expect nothing "ptxmc check $default"
grep -q '^Next: ' log || { echo "after a first test, nothing of what is next:"; cat log; wrong=1; }
tools/run --model mine.cat -o b.litmus 2>log </dev/null
expect options "ptxmc check --model mine.cat -o b.litmus $default"
tools/run suite --quiet 2>log </dev/null
expect folder 'ptxmc check suite --quiet' "!$default"
tools/run --help >help </dev/null
expect 'built --help' 'ptxmc check --help' '!ninja'

# How far a build is, without a terminal: each tenth of the way, every ten seconds at most; and what fails.
far=$(
  source tools/lib.sh
  { printf '@%s/100@%s Building one.o\n' 5 4 10 9 20 16 21 30 40 60 45 400 100 500; echo 'FAILED: one.o'; } | told
)
diff - <(echo "$far") <<'END' || { echo "how far a build is"; wrong=1; }
[ 20%] 64 s left
[ 40%] 2 min left
FAILED: one.o
END

# With a terminal it asks; `no` installs nothing and builds nothing.
if command -v script >/dev/null; then
  for answer in n y; do
    echo $answer | script -qec 'tools/run a.test' /dev/null >terminal 2>&1 || true
    grep -q 'install absent-one?' terminal || { echo "did not ask:"; cat terminal; wrong=1; }
    if [[ $answer == n ]]; then expect "answer n" '!apt-get' '!ninja'; else expect "answer y" 'install --no-install' 'ninja -C' '!--quiet'; fi
  done
else
  echo "SKIPPED: no script here (Debian: bsdutils): whether it asks on a terminal was not tested"
fi
exit $wrong
