#!/usr/bin/env bash
# Stages as .ci/run runs them, some of which fail: the end names what failed and nothing else, the last line counts, and the
# input that a fuzz target fails on is told.
set -euo pipefail
top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
wrong=0

# wanted WHAT TEXT; unwanted likewise: a line of what was printed has TEXT, or none has.
wanted() { grep -qF -- "$2" "$dir/out" || { echo "$1: no line has '$2' in:"; cat "$dir/out"; wrong=1; }; }
unwanted() { ! grep -qF -- "$2" "$dir/out" || { echo "$1: a line has '$2' in:"; cat "$dir/out"; wrong=1; }; }

# run STAGES: a shell that sources what .ci/run does and runs these; its status.
run() {
  local status=0
  bash -euo pipefail -c "source '$top/tools/lib.sh'; source '$top/.ci/stages.sh'; targets='$dir'; $1" \
    >"$dir/out" 2>&1 || status=$?
  echo "$status"
}

# A project of four tests, two of which fail; a fuzz target that is well, and one that fails.
mkdir "$dir/tests"
cat >"$dir/tests/CTestTestfile.cmake" <<'END'
add_test(good "true")
add_test(bad "false")
add_test(worse-1 "sh" "-c" "kill -9 $$")
add_test(fine "true")
END
cat >"$dir/fuzz_good" <<'END'
#!/bin/sh
printf '###### Recommended dictionary. ######\n"noise"\n###### End of recommended dictionary. ######\n'
echo 'stat::number_of_executed_units: 30'
END
cat >"$dir/fuzz_bad" <<'END'
#!/bin/sh
printf '###### Recommended dictionary. ######\n"noise"\n###### End of recommended dictionary. ######\n'
echo 'ERROR: deadly signal'
printf 'the input\001' >crash-0123
exit 77
END
chmod +x "$dir/fuzz_good" "$dir/fuzz_bad"

status=$(run "
  one well true
  one ill false
  stage plain ctest --test-dir $dir/tests --output-on-failure
  stage selected ctest --test-dir $dir/tests -R good
  stage unbuilt sh -c 'echo the build failed; exit 2'
  stage disturbed sh -c 'echo \"100% tests passed, 0 tests failed out of 3\"; exit 5'
  fuzz fuzz_good 30
  fuzz fuzz_bad 30
  fuzz fuzz_absent 30
  conclude")
[[ $status == 1 ]] || { echo "where stages failed: status $status"; wrong=1; }
diff - <(sed -n '/^FAILED  /,$p' "$dir/out") <<'END' || wrong=1
FAILED  ill
FAILED  plain: bad (Failed)
FAILED  plain: worse-1 (Subprocess killed)
FAILED  unbuilt: ended with status 2 before its tests did
FAILED  disturbed: ended with status 5
FAILED  fuzz_bad: status 77
FAILED  fuzz_absent: status 127
8 passed, 7 failed
END
wanted 'a fuzz target that fails' 'ERROR: deadly signal'
wanted 'its input as text' 'the input^A'
wanted 'its input in base64' "$(printf 'the input\001' | base64)"
wanted 'a fuzz target that is well' 'number_of_executed_units: 30'
unwanted 'any fuzz target' 'noise'

status=$(run 'one well true; conclude')
[[ $status == 0 ]] || { echo "where all is well: status $status"; wrong=1; }
diff - <(tail -n 1 "$dir/out") <<<'1 passed, 0 failed' || wrong=1
unwanted 'where all is well' 'FAILED'
exit "$wrong"
