#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kernels.py PTXMC PAIRS TABLE [--every N | --all] [--both] [--update]: `ptxmc repair` on the side with the bug of pairs of kernels finds what TABLE says: the changes
of the cheapest repair of each finding. What `--write` leaves is verified again: no error is in it. A row is NAME | OPTIONS | CHANGES,
CHANGES with " + " between them and " / " between findings; `unknown` where no candidate is a repair. Rows that begin with `~` are slow: without --all (or --update) they are left out, and counted; --every N takes each N-th of the others. With --both, `repair` on the other side says that nothing is wrong."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)


def prepare(pair, side, folder):
    launch = json.loads((pair / "launch.json").read_text())
    launch["module"] = "module.ptx"
    shutil.copy(pair / f"{side}.ptx", folder / "module.ptx")
    shutil.copy(pair / "kernel.cu", folder)
    (folder / "launch.json").write_text(json.dumps(launch))


def is_fine(ptxmc, pair, options, folder):
    """Nothing is wrong with the side without the bug."""
    prepare(pair, "fixed", folder)
    found = run(ptxmc, "repair", "--format", "json", *options, folder / "launch.json")
    return found.returncode == 0 and json.loads(found.stdout)["findings"] == []


def in_source(repair):
    """The lines of its diff of the source."""
    lines = [line for line in repair["source_diff"].splitlines() if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    return f" (source: {', '.join(line[0] + ' ' + line[1:].strip() for line in lines)})" if lines else ""


def repaired(ptxmc, pair, options, folder):
    """What is found on the buggy side, and what is wrong with that."""
    prepare(pair, "buggy", folder)
    found = run(ptxmc, "repair", "--write", "--repairs", 1, "--format", "json", "--timeout", 120, *options,
                folder / "launch.json")
    if not found.stdout:
        return "error: " + found.stderr.strip().splitlines()[-1], None
    report = json.loads(found.stdout)
    words = []
    for finding in report["findings"]:
        repairs = [repair for repair in finding["repairs"] if repair["orders"]]
        words.append(" + ".join(repairs[0]["changes"]) + in_source(repairs[0]) if repairs else "unknown")
    if report["clean"]:
        again = run(ptxmc, "verify", *options, folder / "launch.json")
        if again.returncode not in (0, 3):
            return " / ".join(words), "verify finds something after all: " + again.stdout
    return " / ".join(words) or "nothing is wrong", None


def main():
    ptxmc, pairs, table = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    ptxmc = pathlib.Path(ptxmc).resolve()
    lines, wrong, rows, left = [], 0, 0, 0
    every = "--all" in sys.argv or "--update" in sys.argv
    step = int(sys.argv[sys.argv.index("--every") + 1]) if "--every" in sys.argv else 1
    number = 0
    for line in table.read_text().splitlines():
        if line.startswith("#") or not line.strip():
            lines.append(line)
            continue
        slow = line.startswith("~")
        number += not slow
        if not every and (slow or number % step != 0):
            left += 1
            continue
        name, options, expected = (part.strip() for part in (line.removeprefix("~").split("|") + [""])[:3])
        with tempfile.TemporaryDirectory() as folder:
            words, mistake = repaired(ptxmc, pairs / name, options.split(), pathlib.Path(folder))
            if "--both" in sys.argv and not is_fine(ptxmc, pairs / name, options.split(), pathlib.Path(folder)):
                mistake = "something is wrong with the side without the bug"
        rows += 1
        lines.append(f"{'~ ' if slow else ''}{name} | {options} | {words}")
        if mistake or (words != expected and "--update" not in sys.argv):
            wrong += 1
            print(f"{name}\n  table: {expected}\n  found: {words}\n  {mistake or ''}")
    if "--update" in sys.argv:
        table.write_text("\n".join(lines) + "\n")
    print(f"{rows} kernels, {wrong} mistakes; {left} left out")
    return 1 if wrong or rows == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
