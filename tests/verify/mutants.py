#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""mutants.py PTXMC SUITES TABLE [--write] [LAUNCH]...: what `ptxmc verify --mutate` catches in the kernels of the published
suites; of all launches of TABLE, or of these alone.

TABLE has a line a launch: `LAUNCH | OPTIONS | CAUGHT of ALL`, and behind it one for each instruction that is not needed
there, as the product argues it: `  LINE CHANGE: WHY`. LAUNCH is a folder with a launch.json, or a module. Another outcome is a
failure, and --write writes it down: the launches are those of TABLE. Exit status 77: no suites."""
import json
import os
import resource
import subprocess
import sys

WITHOUT = {"exact": " [all schedules]", "bounded": "", "finding": ""}


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(ptxmc, launch, options):
    file = os.path.join(launch, "launch.json") if os.path.isdir(launch) else launch
    run = subprocess.run([ptxmc, "verify", "--mutate", "--format", "json", *options, file],
                         capture_output=True, text=True, check=False)
    if run.returncode not in (0, 1, 3):
        raise SystemExit(f"{launch}: {run.stderr}")
    answers = [json.loads(line) for line in run.stdout.splitlines()]
    if not answers or any(answer["left"] for answer in answers):
        raise SystemExit(f"{launch}: it was ended before all were tried")
    mutants = [mutant for answer in answers for mutant in answer["mutants"]]
    spare = [mutant for mutant in mutants if not mutant["caught"]]
    lines = [f"{len(mutants) - len(spare)} of {len(mutants)}"]
    for mutant in spare:
        known = f" [open: {mutant['limit']}]" if "limit" in mutant else WITHOUT[mutant["without"]]
        litmus = mutant["litmus"] if "litmus" in mutant else {"ordered": 0, "racing": 0}
        exact = f" [exact: {litmus['ordered']} ordered{', BUT ' + str(litmus['racing']) + ' RACE' if litmus['racing'] else ''}]"
        lines.append(f"  {mutant['line']} {mutant['change']}: {mutant['because']}{known}{exact if litmus['ordered'] or litmus['racing'] else ''}")
    for answer in answers:
        if answer["needless"] > 1:
            lines.append(f"  all {answer['needless']} on which no ordering depends: nothing is found{WITHOUT[answer['without_needless']]}")
    return lines


def main():
    if len(sys.argv) < 4:
        raise SystemExit(__doc__)
    ptxmc, suites, table = sys.argv[1:4]
    wanted = [argument for argument in sys.argv[4:] if argument != "--write"]
    if not os.path.isdir(suites):
        print("SKIPPED: no suites")
        return 77
    with open(table, encoding="ascii") as file:
        before = file.read().splitlines()
    after, skipped, known = [], False, set()
    for line in before:
        if line.startswith("#"):
            after.append(line)
        elif line.startswith(" ") or not line:
            if skipped:
                after.append(line)
        else:
            launch, options, _ = (cell.strip() for cell in line.split("|"))
            known.add(launch)
            skipped = bool(wanted) and launch not in wanted
            if skipped:
                after.append(line)
                continue
            begin = processor_time()
            first, *rest = measured(ptxmc, os.path.join(suites, launch), options.split())
            after += [f"{launch} | {options} | {first}", *rest]
            print(f"{launch}: {first}, {processor_time() - begin:.1f} s", flush=True)
    if missing := set(wanted) - known:
        raise SystemExit(f"{table} has no {', '.join(sorted(missing))}")
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
