#!/usr/bin/env bash
# tools/tidy in a project of its own, with a stand-in for clang-tidy that finds the lines that say MISTAKE, those of the
# header that a file includes too: which files it takes, what it tells, and how it ends.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
wrong=0
mkdir -p "$dir/bin" "$dir/tools" "$dir/build/tidy"
cp "$top/tools/tidy" "$top/tools/lib.sh" "$dir/tools"
echo '[]' >"$dir/build/tidy/compile_commands.json"
touch "$dir/build/tidy/build.ninja"
cat >"$dir/bin/clang-tidy" <<'END'
#!/usr/bin/env bash
file=${!#}
echo "$*" >>"$(dirname "$0")/asked"
found=0
for read in "$file" $(sed -n 's/^#include //p' "$file"); do
  while IFS=: read -r line _; do
    printf '%s:%s:1: error: a mistake [check]\n  below it\n' "$read" "$line"
    found=1
  done < <(grep -n MISTAKE "$read")
done
echo '1 warning generated.' >&2
exit "$found"
END
chmod +x "$dir/bin/clang-tidy"
export PATH=$dir/bin:$PATH
cd "$dir"
commit() { git add ./*.cpp ./*.h && git -c user.name=t -c user.email=t@t commit -qm "$1"; }
git init -q
echo '// MISTAKE' >header.h
echo '#include header.h' >one.cpp
printf '#include header.h\n// MISTAKE\n' >two.cpp
echo '// well' >well.cpp
commit first
echo '// MISTAKE' >later.cpp
commit second
echo '// well yet' >well.cpp
commit third

# tidy STATUS OPTION...: it ends with this status; expects what it says on standard output, and leaves what was asked.
tidy() {
  local wanted=$1 status=0
  shift
  rm -f bin/asked
  touch bin/asked
  tools/tidy "$@" >out 2>err </dev/null || status=$?
  [[ $status == "$wanted" ]] || { echo "tidy $*: status $status, not $wanted"; cat out err; wrong=1; }
}
# says WHAT: the findings are those on standard input; asked FILE...: these files were, and in that order.
says() { diff - <(grep error: out | sort) || { echo "of $1"; wrong=1; }; }
asked() { diff <( (($# == 0)) || printf '%s\n' "$@") <(sed 's/.* //; s|.*/||' bin/asked) || { echo 'files that were asked about'; wrong=1; }; }
export PTXMC_JOBS=1

tidy 1
says 'all files, each finding once' <<'END'
header.h:1:1: error: a mistake [check]
later.cpp:1:1: error: a mistake [check]
two.cpp:2:1: error: a mistake [check]
END
asked later.cpp one.cpp two.cpp well.cpp
grep -q '4 files checked, 0 left out' err || { echo 'does not count'; cat err; wrong=1; }
[[ $(grep -c 'below it' out) == 3 ]] || { echo 'a finding is not told once'; cat out; wrong=1; }
! grep -q 'generated' out || { echo 'counts of warnings are told'; wrong=1; }

tidy 0 --since HEAD~1
asked well.cpp
tidy 1 --since HEAD~2
asked later.cpp well.cpp
tidy 0 well.cpp
asked well.cpp
! grep -q 'clang-analyzer' bin/asked || { echo 'a deep check without --deep'; wrong=1; }
tidy 0 --deep well.cpp
grep -q 'clang-analyzer' bin/asked || { echo '--deep: no deep check'; wrong=1; }

echo '// well still' >one.cpp
tidy 1 --budget 100
asked one.cpp well.cpp later.cpp header.h two.cpp
tidy 0 --budget 0
asked
grep -q '0 files checked, 5 left out' err || { echo '--budget: does not count'; cat err; wrong=1; }

tidy 2 --since no-such-commit
tidy 2 --since
tidy 2 --budget soon
tidy 2 --no-such-option
tidy 2 no-such-file.cpp
exit "$wrong"
