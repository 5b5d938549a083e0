# SPDX-License-Identifier: Apache-2.0
"""Random litmus tests, one a seed, as files: the command line of contended.py, unsettled.py, told.py, loops.py, vectors.py, words.py, branches.py and places.py."""
import argparse
import pathlib
import random


class Lines:
    """The lines of a test, drawn from a seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.labels = 0

    def pick(self, *items):
        return self.random.choice(items)

    def chance(self, percent):
        return self.random.random() * 100 < percent

    def label(self):
        self.labels += 1
        return f"L{self.labels}"

    def emit(self, line):
        self.lines.append("  " + line)


def write_programs(description, prefix, draw):
    """--seed S --count N --write DIR; draw(seed, name) is the text of a test."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--write", type=pathlib.Path, required=True)
    options = parser.parse_args()
    for seed in range(options.seed, options.seed + options.count):
        name = f"{prefix}-{seed}"
        (options.write / f"{name}.litmus").write_text(draw(seed, name))
