# shellcheck shell=bash
# The stages of .ci/run: each counts as the tests that it runs, and what fails is kept by name for the end. To be sourced.
# targets: the folder of the fuzz targets.
passed=0
failed=0
failures=()  # a line each: a test and its stage
log=$(mktemp)
trap 'rm -f "$log"' EXIT

fail() {
  failed=$((failed + 1))
  failures+=("$1")
}

# published_sarif: the schema of SARIF 2.1.0, which a package of the npm registry holds, for the test that is held to it.
published_sarif() {
  local folder=$root/build/sarif sum=2d99159ae54a3eea97f81781cff48780548657c35949f4b7f25e99a2ba4de4f8
  local schema=$folder/package/lib/schemas/sarif-2.1.0-rtm.5.json
  if [[ ! -f $schema ]]; then
    mkdir -p "$folder"
    (cd "$folder" && npm pack --silent @microsoft/jest-sarif@1.0.0-beta.0 && tar xzf microsoft-jest-sarif-*.tgz) >&2 || true
  fi
  if sha256sum --status -c <<<"$sum  $schema" 2>/dev/null; then
    export PTXMC_SARIF_SCHEMA=$schema
  else
    say "SKIPPED: the published schema of SARIF cannot be fetched (npm): SARIF is held to the one of tests/schema alone"
  fi
}

# page: the page in WebAssembly, and pages that the program writes, in a browser. What that takes is 1.3 GB of packages and ten
# minutes, for which tools/nightly has the time: here it is tested where they are installed, and what is not is said.
page_installed() {
  local tool
  for tool in emcc chromium; do
    command -v "$tool" >/dev/null && continue
    say "SKIPPED: no $tool is installed: the page in WebAssembly was NOT built and NOT tested (tools/nightly installs what it takes)"
    return 1
  done
}
page() {
  CMAKE_BUILD_PARALLEL_LEVEL=$jobs timeout 1200 ninja -C "$root/build/release" --quiet page >&2 || return 1
  ctest --test-dir "$root/build/release" --output-on-failure --no-tests=error -R '^(page|reports)$'
}

# one TITLE COMMAND...: a stage that is one test.
one() {
  local title=$1 status=0
  say "$title"
  shift
  "$@" </dev/null || status=$?
  if ((status == 0)); then passed=$((passed + 1)); else fail "$title"; fi
}

# count TITLE LOG STATUS: adds CTest's summary to the sum, and its list of failures. A run without a summary is a failure.
count() {
  local title=$1 status=$3 summary lost total test
  summary=$(grep -E 'tests passed, [0-9]+ tests failed out of [0-9]+' "$2" | tail -n 1 || true)
  if [[ ! $summary =~ ([0-9]+)\ tests\ failed\ out\ of\ ([0-9]+) ]]; then
    fail "$title: ended with status $status before its tests did"
    return
  fi
  lost=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
  passed=$((passed + total - lost)) failed=$((failed + lost))
  while IFS= read -r test; do
    failures+=("$title: $test")
  done < <(sed -n '/^The following tests FAILED:/,$ s/^[[:space:]]*[0-9]* - \(.* (.*)\)$/\1/p' "$2")
  ((lost > 0 || status == 0)) || fail "$title: ended with status $status"
}

# stage TITLE COMMAND...: runs a command that ends with CTest's summary.
stage() {
  local title=$1 status=0
  say "$title"
  shift
  "$@" 2>&1 </dev/null | tee "$log" || status=$?
  count "$title" "$log" "$status"
}

# fuzz NAME RUNS SEEDS...: a fixed number of inputs from a fixed seed; new inputs go to a folder that is thrown away. Says
# how many inputs ran; of a failure all that the target says (without the words that it recommends) and the input.
fuzz() {
  local name=$1 runs=$2 found input status=0
  shift 2
  say "$name, $runs inputs"
  found=$(mktemp -d)
  (cd "$found" && "$targets/$name" -seed=1 -runs="$runs" -max_len=4096 -timeout=10 -verbosity=0 -print_final_stats=1 \
    "$found" "$@") >"$log" 2>&1 </dev/null || status=$?
  if ((status == 0)); then
    passed=$((passed + 1))
    grep -E '^stat::(number_of_executed_units|peak_rss_mb)' "$log" || true
  else
    fail "$name: status $status"
    sed '/^###### Recommended dictionary/,/^###### End of recommended dictionary/d' "$log"
    for input in "$found"/{crash,timeout,oom,leak,slow-unit}-*; do
      [[ -f $input ]] || continue
      printf '== %s: %s, as text and in base64\n' "$name" "${input##*/}"
      cat -v "$input"
      printf '\n'
      base64 "$input"
    done
  fi
  rm -rf "$found"
}

# conclude: what failed, and in the last line how many; the status says whether all is well.
conclude() {
  local failure
  for failure in "${failures[@]}"; do
    printf 'FAILED  %s\n' "$failure"
  done
  printf '%d passed, %d failed\n' "$passed" "$failed"
  ((failed == 0))
}
