#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""agree.py PTXMC (--draw SCRIPT --count N [--seed S] | FILE...): what `verify` and the exact engine say of the same tests, both ways. A claim
about all schedules must have no race, hang or misuse; an error must be a race, hang or misuse of the exact engine. A difference of a drawn
program is made smaller, if its script can leave steps out. Tests that either side refuses or leaves open are counted, and not compared."""
import argparse
import collections
import importlib.util
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

AT_ONCE = 100  # files a run of the program
FAILED = "internal error"
RACES = {"race", "proxy-race", "scope-too-narrow", "missing-acquire", "tcgen05-fence", "tmem-free"}


def reports(ptxmc, arguments, files):
    """The JSON reports of a verb, by file."""
    run = subprocess.run([ptxmc, *arguments, "--format", "json", *files], capture_output=True, text=True, check=False)
    if files and run.returncode > 3:
        if len(files) == 1:
            return {files[0]: {"file": files[0], "answer": FAILED}}
        half = len(files) // 2
        return reports(ptxmc, arguments, files[:half]) | reports(ptxmc, arguments, files[half:])
    read = [json.loads(line) for line in run.stdout.splitlines()]
    return {report["file"]: report for report in read if "file" in report}


class Judge:
    def __init__(self, ptxmc, timeout):
        self.ptxmc, self.timeout = ptxmc, timeout

    def compare(self, files):
        """By file: what differs, as a sentence; and how many were compared of each answer."""
        verified = reports(self.ptxmc, ["verify", "--no-confirm", "--timeout", self.timeout], files)
        told = [f for f in files if verified.get(f, {}).get("answer") in ("exact", "finding", FAILED)]
        raced = reports(self.ptxmc, ["races", "--timeout", self.timeout], told)
        live = reports(self.ptxmc, ["check", "--property", "liveness", "--timeout", self.timeout], told)
        flagged = reports(self.ptxmc, ["check", "--flags", "--recheck", "off", "--timeout", self.timeout], told)
        differs, counts = {}, {"verified": len(verified), "exact": 0, "finding": 0, FAILED: 0, "compared": 0}
        for file in told:
            counts[verified[file]["answer"]] += 1
            what = self.difference(verified[file], raced.get(file), live.get(file), flagged.get(file))
            if what is None:
                continue
            counts["compared"] += 1
            if what:
                differs[file] = what
        return differs, counts

    def difference(self, verified, raced, live, flagged):
        """None: not compared; "": none."""
        failed = [verb for verb, report in (("verify", verified), ("races", raced), ("check --property liveness", live), ("check", flagged))
                  if report and report.get("answer") == FAILED]
        if failed:
            return f"{', '.join(failed)}: {FAILED}"
        racy = {"Racy": True, "RaceFree": False}.get((raced or {}).get("answer"))
        hangs = {"Hangs": True, "Terminates": False}.get((live or {}).get("answer"))
        flags = {name for name, raised in ((flagged or {}).get("flags") or {}).items() if raised and name != "depends-on-unknown"}
        if verified["answer"] == "exact":
            # Writes of equal values are a race that the claim leaves out by name.
            if any(finding["rule"] == "equal-bytes" for finding in verified["findings"]):
                return None
            # The axioms order nothing by an exit.
            if racy and any(one["id"] == "exit-order" for one in verified["claim"]["assumptions"]):
                return None
            if racy:
                return "verify: no race in any schedule; races: Racy"
            if hangs:
                return "verify: no hang in any schedule; check: Hangs"
            if flags - {"race", "mixed-size-race"}:
                return f"verify: no misuse in any schedule; check: {', '.join(sorted(flags))}"
            return None if racy is None else ""
        # races leaves out the executions that a filter drops.
        if any(line.startswith("filter") for line in pathlib.Path(verified["file"]).read_text().splitlines()):
            return None
        errors = {finding["rule"] for finding in verified["findings"] if finding["severity"] == "error"}
        # Nor does it look at executions in which a thread waits for ever.
        if errors & RACES and racy is False and hangs is False and not flags:
            return f"verify: {', '.join(sorted(errors & RACES))}; races: RaceFree"
        if errors == {"hang"} and hangs is False and not flags:
            return "verify: hang; check: Terminates"
        return None if racy is None else ""


def load(script):
    spec = importlib.util.spec_from_file_location("draw", script)
    module = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(pathlib.Path(script).parent))
    spec.loader.exec_module(module)
    return module


def shrink(judge, module, seed, what, folder):
    """Leaves out every step that the difference does not need."""
    kept = set(range(module.steps_of(seed)))
    file = str(pathlib.Path(folder) / "smaller.litmus")
    for step in sorted(kept):
        pathlib.Path(file).write_text(module.draw(seed, "smaller", kept - {step}))
        if judge.compare([file])[0].get(file) == what:
            kept.discard(step)
    return module.draw(seed, f"seed-{seed}", kept)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ptxmc")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--draw", help="a script like constructs.py")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--timeout", default="10", help="seconds a test and side")
    parser.add_argument("--known", type=pathlib.Path, help="names of files whose difference is known, one a line")
    options = parser.parse_args()
    judge = Judge(options.ptxmc, options.timeout)
    known = set()
    if options.known:
        known = {line.split()[0] for line in options.known.read_text().splitlines() if line and not line.startswith("#")}
    with tempfile.TemporaryDirectory() as folder:
        seeds, files = {}, options.files
        module = load(options.draw) if options.draw else None
        if module:
            seed = options.seed if options.seed is not None else int.from_bytes(os.urandom(4), "little")
            print(f"{options.count} programs from seed {seed}", flush=True)
            for one in range(seed, seed + options.count):
                file = str(pathlib.Path(folder) / f"{one}.litmus")
                pathlib.Path(file).write_text(module.draw(one, f"seed-{one}"))
                seeds[file] = one
            files = list(seeds)
        differs, counts = {}, collections.Counter()
        for begin in range(0, len(files), AT_ONCE):
            more, numbers = judge.compare(files[begin:begin + AT_ONCE])
            counts.update(numbers)
            differs.update(more)
            for file, what in more.items():
                if pathlib.Path(file).name in known:
                    continue
                print(f"{file if not module else f'seed {seeds[file]}'}: {what}", flush=True)
                if module:
                    print(shrink(judge, module, seeds[file], what, folder), flush=True)
        new = [file for file in differs if pathlib.Path(file).name not in known]
        stale = known - {pathlib.Path(file).name for file in differs}
        for name in sorted(stale):
            print(f"{name}: no difference any more")
        print(", ".join(f"{number} {name}" for name, number in counts.items()) + f", {len(new)} differ")
        return 1 if new or stale else 0


if __name__ == "__main__":
    sys.exit(main())
