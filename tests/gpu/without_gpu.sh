#!/usr/bin/env bash
# without_gpu.sh PTXMC TEST: on a machine without a GPU, `ptxmc run` says so and exits with 2.
set -u
output=$("$1" run --time 0.1 "$2" 2>&1)
status=$?
if [ "$status" -eq 0 ]; then
  echo "SKIPPED: there is a GPU on this machine"
  exit 77
fi
case "$output" in
  *"needs a GPU and its driver"*) [ "$status" -eq 2 ] && exit 0 ;;
esac
echo "exit status $status: $output"
exit 1
