# SPDX-License-Identifier: Apache-2.0
"""Random litmus tests, one a seed, as files: the command line of contended.py, told.py and loops.py."""
import argparse
import pathlib


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
