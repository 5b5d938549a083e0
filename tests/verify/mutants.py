#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mutants.py PTXMC SUITES TABLE [--write]: what `ptxmc verify --mutate` catches in the kernels of the published suites.

TABLE has a line a launch: `LAUNCH | OPTIONS | CAUGHT of ALL`, and behind it one for each instruction that is not needed
there, as the product argues it: `  LINE CHANGE: WHY`. Another outcome is a failure, and --write writes it down: the launches
are those of TABLE. Exit status 77: no suites."""
import json
import os
import subprocess
import sys


def measured(ptxmc, folder, options):
    run = subprocess.run([ptxmc, "verify", "--mutate", "--format", "json", *options, os.path.join(folder, "launch.json")],
                         capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1, 3):
        raise SystemExit(f"{folder}: {run.stderr}")
    mutants = [mutant for line in run.stdout.splitlines() for mutant in json.loads(line)["mutants"]]
    spare = [mutant for mutant in mutants if not mutant["caught"]]
    lines = [f"{len(mutants) - len(spare)} of {len(mutants)}"]
    return lines + [f"  {mutant['line']} {mutant['change']}: {mutant['because']}" for mutant in spare]


def main():
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    ptxmc, suites, table = sys.argv[1:4]
    if not os.path.isdir(suites):
        print("SKIPPED: no suites")
        return 77
    with open(table, encoding="ascii") as file:
        before = file.read().splitlines()
    after = []
    for line in before:
        if line.startswith("#"):
            after.append(line)
        elif not line.startswith(" ") and line:
            launch, options, _ = (cell.strip() for cell in line.split("|"))
            first, *rest = measured(ptxmc, os.path.join(suites, launch), options.split())
            after += [f"{launch} | {options} | {first}", *rest]
    if "--write" in sys.argv[4:]:
        with open(table, "w", encoding="ascii") as file:
            file.write("\n".join(after) + "\n")
        return 0
    for one, other in zip(before + [""] * len(after), after + [""] * len(before)):
        if one != other:
            print(f"{table} has `{one}`, it is `{other}`")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
