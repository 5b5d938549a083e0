#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the inputs of a folder of claims, on which answers were once wrong, and compares each answer with the right one.

The folder has tables of kernels (`*/table.txt`); what stands in none of them is in `claims.txt` beside this script:
NAME | COMMAND | statuses | regular expression that the output has to match, or `!` and one that it must not (optional).
Rows `reading | NAME | OPTION` there name inputs whose answer rests on a reading of the manual: it is the right one with that option, and by
default a proof that names the reading among what it takes as given.
Rows `shortfall | NAME | REASON` there name inputs that still get a wrong answer: one that is right by now fails, so that the list shrinks.
Kernels in CUDA need nvcc; without it they are skipped, and the last line says how many.
"""
import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


class Case:
    def __init__(self, name, words, statuses, pattern="", source=None, defines=()):
        self.name, self.words, self.statuses, self.pattern = name, words, statuses, pattern
        self.source, self.defines = source, defines  # of CUDA, that is compiled to PTX first


def generic(suite):
    for line in (suite / "generic/table.txt").read_text().splitlines():
        if not line.strip():
            continue
        name, file, options, expected = line.split("|")
        statuses = {1, 2, 3} if expected == "b" else {int(expected)}
        yield Case(f"generic/{name} {options}", ["verify", "{ptx}", "--entry", name, *options.split()], statuses,
                   source=suite / "generic" / file.replace(".ptx", ".cu"))


def asynchronous(suite):
    for line in (suite / "async/table.txt").read_text().splitlines():
        name, variant, expected = line.split()
        yield Case(f"async/{name} {variant}", ["verify", "{launch}"], {int(expected)}, source=suite / f"async/{name}.cu",
                   defines=[f"-DV={variant}"])


RIGHT = {"clean": {0}, "clean3": {0, 3}, "bounded": {3}, "error": {1}}


def peers(suite):
    for line in (suite / "peers/table.txt").read_text().splitlines():
        if not line.strip():
            continue
        entry, file, options, right, _ = (part.strip() for part in line.split("|", 4))
        kind, _, rule = right.partition(":")
        yield Case(f"peers/{entry} {options}", ["verify", "{ptx}", "--entry", entry, *options.split()], RIGHT[kind],
                   pattern=rule, source=suite / "peers" / file)


def reports(suite):
    for folder in sorted((suite / "reports").iterdir()):
        if not (folder / "kernel.cu").exists():
            continue
        for launch in sorted(folder.glob("*.json")):
            fixed = launch.stem == "fixed"
            yield Case(f"reports/{folder.name} {launch.stem}", ["verify", f"{{launch:{launch.name}}}"],
                       {0} if fixed else {1}, source=folder / "kernel.cu", defines=["-DFIXED"] if fixed else [])


def others(suite, table):
    for line in table.read_text().splitlines():
        if not line.strip() or line.startswith(("#", "shortfall |", "reading |")):
            continue
        name, command, statuses, *pattern = (part.strip() for part in line.split(" | "))
        words = command.split()
        source = next((word for word in words if word.endswith(".cu")), None)
        words = ["{ptx}" if word == source else word for word in words]
        yield Case(name, words, {int(status) for status in statuses.split()}, pattern[0] if pattern else "",
                   source=suite / source if source else None)


def named(table, kind):
    """What the rows of a kind say, by name."""
    rows = [line.split(" | ", 2) for line in table.read_text().splitlines() if line.startswith(f"{kind} |")]
    return {name.strip(): said.strip() for _, name, said in rows}


def by_readings(cases, readings):
    """Each case; of one that rests on a reading two, one by each value."""
    for case in cases:
        if case.name not in readings:
            yield case
            continue
        option = readings[case.name]
        yield Case(f"{case.name}, {option}", [*case.words, "--reading", option], case.statuses, case.pattern, case.source, case.defines)
        yield Case(case.name, case.words, {0}, re.escape(option.split("=")[0] + "="), case.source, case.defines)


class Runner:
    def __init__(self, ptxmc, suite, scratch, nvcc):
        self.ptxmc, self.suite, self.scratch, self.nvcc = ptxmc, suite, scratch, nvcc

    def compiled(self, case):
        key = hashlib.sha256((str(case.source) + " ".join(case.defines)).encode() + case.source.read_bytes()).hexdigest()[:16]
        ptx = self.scratch / f"{case.source.stem}-{key}.ptx"
        if not ptx.exists():
            part = ptx.with_suffix(f".{os.getpid()}-{id(case)}")
            for target in ("sm_90a", "sm_100a"):  # tensor memory is of the second
                done = subprocess.run([self.nvcc, "-std=c++17", f"-arch={target}", "-lineinfo", "-ptx", *case.defines, "-o", part,
                                       case.source], capture_output=True, cwd=case.source.parent)
                if b"not supported on .target" not in done.stderr:
                    break
            done.check_returncode()
            part.rename(ptx)
        return ptx

    def words(self, case, folder):
        ptx = self.compiled(case) if case.source else None
        out = []
        for word in case.words:
            launch = re.fullmatch(r"\{launch(?::(.*))?\}", word)
            if word == "{ptx}":
                out.append(str(ptx))
            elif launch:
                text = (case.source.parent / (launch.group(1) or case.source.stem + ".json")).read_text()
                if '"module"' not in text:
                    text = text.replace("{", f'{{"module": "{ptx}",', 1)
                text = re.sub(r'"module": *"[^"]*"', f'"module": "{ptx}"', text, count=1)
                file = pathlib.Path(folder) / "launch.json"
                file.write_text(text)
                out.append(str(file))
            elif (self.suite / word).exists() and "/" in word:
                out.append(str(self.suite / word))
            else:
                out.append(word)
        return out

    def run(self, case):
        """None: skipped; empty: right; else what is wrong."""
        if case.source and not self.nvcc:
            return None
        with tempfile.TemporaryDirectory() as folder:
            try:
                words = self.words(case, folder)
            except subprocess.CalledProcessError as error:
                return f"nvcc: {error.stderr.decode()[-400:]}"
            try:
                done = subprocess.run([self.ptxmc, *words], capture_output=True, text=True, timeout=120, cwd=folder)
            except subprocess.TimeoutExpired:
                return f"no answer within 120 s\n  {' '.join(words)}"
        text = done.stdout + done.stderr
        wrong = []
        if done.returncode not in case.statuses:
            wrong.append(f"status {done.returncode}, not {' or '.join(map(str, sorted(case.statuses)))}")
        if case.pattern.startswith("!"):
            if re.search(case.pattern[1:], text):
                wrong.append(f"has /{case.pattern[1:]}/")
        elif case.pattern and not re.search(case.pattern, text):
            wrong.append(f"no /{case.pattern}/")
        return "; ".join(wrong) + (f"\n  ptxmc {' '.join(words)}" if wrong else "")


def main():
    parser = argparse.ArgumentParser()
    here = pathlib.Path(__file__).resolve().parent
    parser.add_argument("--ptxmc", type=pathlib.Path, required=True)
    parser.add_argument("--suite", type=pathlib.Path, required=True)
    parser.add_argument("--table", type=pathlib.Path, default=here / "claims.txt")
    parser.add_argument("--scratch", type=pathlib.Path, help="keeps compiled kernels")
    parser.add_argument("-k", dest="chosen", default="")
    parser.add_argument("-j", type=int, default=2)
    options = parser.parse_args()
    if not options.suite.is_dir():
        print(f"SKIPPED: no suites: {options.suite} is not there")
        return 0
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if not nvcc:
        print("SKIPPED: no nvcc is installed: kernels in CUDA were NOT verified")
    scratch = options.scratch or pathlib.Path(tempfile.mkdtemp())
    scratch.mkdir(parents=True, exist_ok=True)
    runner = Runner(options.ptxmc.resolve(), options.suite.resolve(), scratch, nvcc)
    readings = named(options.table, "reading")
    cases = [case for part in (generic(options.suite), asynchronous(options.suite), peers(options.suite), reports(options.suite),
                               others(options.suite, options.table)) for case in by_readings(part, readings)
             if re.search(options.chosen, case.name)]
    known = named(options.table, "shortfall")
    counts = {"passed": 0, "failed": 0, "known to be wrong": 0, "skipped": 0}
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        for case, wrong in zip(cases, pool.map(runner.run, cases)):
            if wrong == "" and case.name in known:
                wrong = "is right by now: take it off the shortfalls"
            elif wrong and case.name in known:
                counts["known to be wrong"] += 1
                continue
            counts["skipped" if wrong is None else "failed" if wrong else "passed"] += 1
            if wrong:
                print(f"{case.name}: {wrong}", flush=True)
    if not options.chosen:
        for name in (known.keys() | readings.keys()) - {case.name for case in cases}:
            counts["failed"] += 1
            print(f"{name}: a row of no input")
    print(", ".join(f"{count} {what}" for what, count in counts.items()))
    return 1 if counts["failed"] or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
