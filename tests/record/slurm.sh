#!/usr/bin/env bash
# slurm.sh COMMAND ARGUMENT...: runs the command beside a Slurm of one node of its own, which ends with it: authentication,
# controller and node, as this user, in a folder that is removed. Exit status 77: Slurm is not installed.
set -u
PATH=$PATH:/usr/sbin
for program in munged slurmctld slurmd sbatch; do
  command -v "$program" > /dev/null && continue
  echo "SKIPPED: no $program on this machine (apt install slurmctld slurmd slurm-client munge)"
  exit 77
done
folder=$(mktemp -d)
running=()
stop() {
  kill "${running[@]}" 2> /dev/null
  for ((tries = 0; tries < 50; ++tries)); do
    kill -0 "${running[@]}" 2> /dev/null || break
    sleep 0.1
  done
  kill -KILL "${running[@]}" 2> /dev/null
  rm -rf "$folder"
}
trap stop EXIT
# start NAME COMMAND ARGUMENT...: in the background; what it says goes to NAME.log.
start() {
  "${@:2}" > "$folder/$1.log" 2>&1 &
  running+=($!)
}

user=$(id -un) host=$(hostname -s) port=$((20000 + $$ % 20000 * 2))
mkdir -m 700 "$folder/munge" "$folder/state" "$folder/node"
(umask 077 && head -c 1024 /dev/urandom > "$folder/munge/key")
cat > "$folder/slurm.conf" << END
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmUser=$user
SlurmdUser=$user
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/node
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc)
PartitionName=all Nodes=ALL Default=YES
END
export SLURM_CONF=$folder/slurm.conf
# munged stays behind --force where a folder above its socket belongs to others, as /tmp does.
start munge munged --foreground --force --key-file "$folder/munge/key" --socket "$folder/munge/socket" \
  --pid-file "$folder/munge/pid" --seed-file "$folder/munge/seed" --log-file "$folder/munge.messages"
start slurmctld slurmctld -D -f "$SLURM_CONF"
start slurmd slurmd -D -f "$SLURM_CONF" -N "$host"
for ((tries = 0; tries < 60; ++tries)); do
  [[ $(sinfo -h -o %T 2> /dev/null) == idle ]] && break
  sleep 0.5
done
if [[ $(sinfo -h -o %T 2> /dev/null) != idle ]]; then
  echo "FAILED: Slurm takes no jobs"
  tail -n 20 "$folder"/*.log
  exit 1
fi
"$@"
