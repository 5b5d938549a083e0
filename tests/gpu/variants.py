#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""variants.py TO PREFIX FROM..., or variants.py --check PTXMC FROM...: variants of the tests of the folders FROM, for a search on a GPU, one file each in the folder TO.

A variant has another width, another atomic, a wider scope, another space, or one instruction more in one thread: a fence, or an
access of a location that no other thread names. None of these allows more than the test does, so what a minimal test forbids, its
variants forbid: --check asks the model of all of them. Tests that are not in columns are left out."""
import pathlib
import re
import subprocess
import sys
import tempfile

FENCES = ["fence.acq_rel.cta", "fence.acq_rel.gpu", "fence.sc.gpu"]
STRANGERS = ["st.relaxed.gpu.global.u32 [z], 1", "ld.weak.global.u32 %r9, [z]"]
SWAP = re.compile(r"atom\.(\S+)\.exch\.b32 (%r\d+), \[(\w+)\], (\d+)")


class Columns:
    """A test: lines before its threads, their placements and instructions, and what follows."""

    def __init__(self, text):
        lines = text.splitlines()
        first = next((i for i, line in enumerate(lines) if re.match(r" *P0 @", line)), None)
        if first is None or not lines[first].rstrip().endswith(";"):
            raise ValueError("no columns")
        last = next(i for i in range(first, len(lines)) if not lines[i].rstrip().endswith(";"))
        table = [[cell.strip() for cell in line.rstrip().rstrip(";").split("|")] for line in lines[first:last]]
        self.name = lines[0].split(" ", 1)[1]
        self.head = [line for line in lines[1:first] if not line.startswith(("Verdict", '"'))]
        self.places, self.tail = table[0], lines[last:]
        self.threads = [[row[i] for row in table[1:] if row[i]] for i in range(len(self.places))]

    def print(self, name):
        rows = [self.places] + [[t[i] if i < len(t) else "" for t in self.threads] for i in range(max(map(len, self.threads)))]
        body = [" " + " | ".join(row) + " ;" for row in rows]
        return "\n".join([f"PTX {name}", "Verdict=Forbidden", *self.head, *body, *self.tail]) + "\n"


def everywhere(change):
    """A variant that changes each instruction and declaration."""
    def made(test):
        test.head = [change(line) for line in test.head]
        test.threads = [[change(line) for line in thread] for thread in test.threads]
        return test
    return made


def inserted(thread, line):
    """A variant with the line before the last instruction of a thread of several."""
    def made(test):
        if thread >= len(test.threads) or len(test.threads[thread]) < 2:
            return None
        test.threads[thread].insert(len(test.threads[thread]) - 1, line)
        if "[z]" in line:
            test.head.insert(len(test.head) - 1, "  .global .u32 z = 0;")
        return test
    return made


def compare_and_swap(test):
    """Each exchange swaps only what the condition says that it reads."""
    for number, thread in enumerate(test.threads):
        for i, line in enumerate(thread):
            swap = SWAP.search(line)
            read = swap and re.search(rf"\bP{number}:{swap.group(2)} == (\d+)", " ".join(test.tail))
            if swap and not read:
                return None
            if swap:
                scope, register, place, value = swap.groups()
                thread[i] = f"atom.{scope}.cas.b32 {register}, [{place}], {read.group(1)}, {value}"
    return test


def in_shared_memory(test):
    if len({place.split("@")[1].strip() for place in test.places}) != 1:
        return None
    return everywhere(lambda line: line.replace(".global", ".shared"))(test)


def kinds():
    """Name of a kind of variant -> what makes it of a test; nothing where it cannot be."""
    out = {"cas": compare_and_swap, "shared": in_shared_memory,
           "u64": everywhere(lambda line: line.replace("u32", "u64").replace("b32", "b64").replace("%r", "%rd")),
           "u8": everywhere(lambda line: line.replace("u32", "u8")),
           "sys": everywhere(lambda line: re.sub(r"\.gpu\b", ".sys", line))}
    for thread in range(3):
        for line in FENCES + STRANGERS:
            out[f"P{thread}-{line.split(' ')[0] if line in STRANGERS else line}"] = inserted(thread, line)
    return out


def write(folder, prefix, sources):
    """How many there are."""
    folder.mkdir(parents=True, exist_ok=True)
    made = 0
    for file in sorted(path for source in sources for path in pathlib.Path(source).glob("*.litmus")):
        text = file.read_text()
        for kind, make in kinds().items():
            try:
                test = Columns(text)
            except ValueError:
                break
            before = test.print("")
            if kind == "u8" and "atom" in text:
                continue
            test = make(test)
            if test is None or test.print("") == before:
                continue
            if kind == "u64":
                test.tail = [line.replace("%r", "%rd") for line in test.tail]
            name = f"{prefix}{test.name}+{kind}"
            (folder / f"{name}.litmus").write_text(test.print(name))
            made += 1
    return made


def main():
    if sys.argv[1] != "--check":
        print(f"{write(pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:])} tests")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        made = write(pathlib.Path(folder), "v.", sys.argv[3:])
        done = subprocess.run([sys.argv[2], "check", "--require-verdict", "-f", "json", "--witnesses", "none", folder], capture_output=True)
        print(f"{made} tests, exit status {done.returncode}")
        return 0 if made > 0 and done.returncode == 0 else 1


if __name__ == "__main__":
    sys.exit(main())
