#!/usr/bin/env bash
# array.sh PTXMC PROGRAM SCRIPT [--without-slurm]: the shards of SCRIPT, as an array of jobs of Slurm, come to what one process
# says of the launches of PROGRAM. --without-slurm: the script alone, with the variables that Slurm would set.
set -u
ptxmc=$1 program=$2 script=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

"$ptxmc" record --pretend -o "$folder/launches" -- "$program" all 2> /dev/null || fail "nothing was recorded"
whole=$("$ptxmc" verify -q --summary "$folder"/launches/*/launch.json | tail -n 1)
if [[ ${4:-} == --without-slurm ]]; then
  for task in 1 2 3; do
    SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_COUNT=3 \
      "$script" "$ptxmc" "$folder/results" "$folder/launches" || fail "task $task"
  done
else
  if ! command -v sbatch > /dev/null || ! sinfo -h > /dev/null 2>&1; then
    echo "SKIPPED: no Slurm that takes jobs on this machine (apt install slurm-wlm)"
    exit 77
  fi
  sbatch --wait --array=1-3 "$script" "$ptxmc" "$folder/results" "$folder/launches" > /dev/null || fail "sbatch"
fi
merged=$("$ptxmc" verify --merge "$folder"/results/part-*.jsonl | tail -n 1)
[[ -n $whole && $merged == "$whole" ]] || fail "one process: $whole; three: $merged"
echo "$merged"
