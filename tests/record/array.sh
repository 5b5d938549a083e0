#!/usr/bin/env bash
# array.sh PTXMC PROGRAM SCRIPT [--without-slurm]: the shards of SCRIPT, as an array of jobs of Slurm, come to what one process
# says of the launches of PROGRAM: where no Slurm takes jobs, of one that is started for it. --without-slurm: the script alone,
# with the variables that Slurm would set.
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
  own=()
  sinfo -h > /dev/null 2>&1 || own=("$(dirname "$0")/slurm.sh")
  "${own[@]}" sbatch --wait --array=1-3 "$script" "$ptxmc" "$folder/results" "$folder/launches" > "$folder/sbatch.log"
  status=$?
  ((status == 0)) || cat "$folder/sbatch.log"
  ((status != 77)) || exit 77
  ((status == 0)) || fail "sbatch"
fi
merged=$("$ptxmc" verify --merge "$folder"/results/part-*.jsonl | tail -n 1)
[[ -n $whole && $merged == "$whole" ]] || fail "one process: $whole; three: $merged"
echo "$merged"
