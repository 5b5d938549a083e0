#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""statuses.py PROGRAM SOURCES FAKE_DRIVER RECORDED: every verb's exit status is that of statuses.txt, and the table has each verb on
each kind of input. Words that begin with @ are inputs of this folder, with % those of the golden tests."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM, SOURCES, DRIVER, RECORDED = (os.path.abspath(path) for path in sys.argv[1:])
HERE = pathlib.Path(__file__).resolve().parent
VERBS = ["check", "liveness", "explain", "races", "repair", "weaken", "verify", "record", "import", "run", "compare", "conform", "generate",
         "model"]
KINDS = ["unknown", "undefined", "refused", "cut"]


def rows():
    for number, line in enumerate((HERE / "statuses.txt").read_text().splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            cells = [cell.strip() for cell in re.split(r" \| ", line)]
            yield number, cells


def words_of(command, scratch):
    words = command.replace("@", str(HERE / "input") + "/").replace("%", os.path.join(SOURCES, "tests/golden/input") + "/")
    return words.replace("{scratch}", scratch).replace("{recorded}", RECORDED).replace("{sources}", SOURCES)


def wrong(status, command, pattern):
    """Empty: the status and the output are right."""
    environment = dict(os.environ)
    if command.startswith("run "):
        environment["LD_LIBRARY_PATH"] = DRIVER
    with tempfile.TemporaryDirectory() as scratch:
        threads = 12  # more orders of these atomics than are looked at in a moment
        late = "PTX late\n{ x=0; }\n" + " | ".join(f"P{i}" for i in range(threads)) + " ;\n"
        for row in range(3):
            late += " | ".join(f"atom.add.relaxed.gpu r{row}, [x], {i + 1}" for i in range(threads)) + " ;\n"
        pathlib.Path(scratch, "late.litmus").write_text(late + "exists (0:r0=77777 /\\ 1:r1=3)\n")
        pathlib.Path(scratch, "long.litmus").write_text(
            "PTX long\n{ x=0; }\n P0 ;\n" + " st.weak x, 1 ;\n" * 5000 + "exists (x=1)\n")
        done = subprocess.run(f"{PROGRAM} {words_of(command, scratch)}", shell=True, cwd=scratch, env=environment,
                              capture_output=True, timeout=300, text=True)
    text = done.stdout + done.stderr
    out = []
    if str(done.returncode) != status:
        out.append(f"status {done.returncode}, not {status}\n{text[-800:]}")
    if pattern.startswith("!") and re.search(pattern[1:], text):
        out.append(f"has /{pattern[1:]}/")
    if pattern and not pattern.startswith("!") and not re.search(pattern, text):
        out.append(f"no /{pattern}/\n{text[-800:]}")
    return "; ".join(out)


def main():
    failures, seen = 0, set()
    for number, (verb, kind, status, *rest) in rows():
        command, pattern = (rest + ["", ""])[:2]
        seen.add((verb, kind))
        if status == "-":  # what the verb does not ask; the next cell says why
            continue
        found = wrong(status, command, pattern)
        if found:
            failures += 1
            print(f"statuses.txt:{number}: {command}: {found}")
    for verb in VERBS:
        for kind in KINDS:
            if (verb, kind) not in seen:
                failures += 1
                print(f"statuses.txt: no row of {verb} on an input that is {kind}")
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
