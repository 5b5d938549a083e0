# SPDX-License-Identifier: Apache-2.0
"""Checks of a test script, which says what failed and goes on: sys.path.insert(0, TESTS), then from checks import check, end."""
import sys

failed = []


def check(holds, what):
    if not holds:
        failed.append(what)
        print("FAILED", what)


def end():
    print(f"{len(failed)} failures")
    sys.exit(1 if failed else 0)
