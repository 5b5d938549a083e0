#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""declarations.py ROOT: no declaration of a member is torn between its type and its name, or before its value, by a comment behind it that
is too long for the line. Such a comment stands above."""
import pathlib
import re
import sys

TYPE = re.compile(r"^\s+(?!return|case|else|public|private|if)(?:[\w:<>,* &]|\(\))+(?<![:,(])$")
NAME = re.compile(r"^\s+\w+(\s*=\s*[^;]*|\{\})?;\s+//")
BEGUN = re.compile(r"^\s*[\w:<>, *]+\s\w+ =$")
VALUE = re.compile(r"^\s+[^;]{1,24};\s+//")


def torn(lines):
    for number, (first, second) in enumerate(zip(lines, lines[1:]), 1):
        deeper = len(second) - len(second.lstrip()) == len(first) - len(first.lstrip()) + 4
        if deeper and ((TYPE.match(first) and NAME.match(second)) or (BEGUN.match(first) and VALUE.match(second))):
            yield number, first.strip() + " " + second.strip()


def main():
    root = pathlib.Path(sys.argv[1])
    found = 0
    for folder in ("src", "include", "tests"):
        for path in sorted((root / folder).rglob("*.[hc]*")):
            if path.suffix not in (".h", ".cpp") or ("wrong" in path.parts) != ("wrong" in root.parts):
                continue
            for number, text in torn(path.read_text(encoding="utf-8").split("\n")):
                print(f"{path.relative_to(root)}:{number}: the comment tears the declaration; put it above: {text}")
                found += 1
    return 1 if found else 0


sys.exit(main())
