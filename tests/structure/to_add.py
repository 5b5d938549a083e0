#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""to_add.py ROOT [--update]: the table of src/README.md that says which files name one of each kind.

Each row has what is to be added, one of that kind that is there, as a regular expression in backquotes, and the files that name it. The
files must be those of src that do, neither more nor fewer: who adds another one touches no others. --update writes them. Pages for users
and text in prose are no part of it.
"""
import pathlib
import re
import sys

HEADING = "## What names one of each kind"
ROW = re.compile(r"^\| (?P<what>[^|]+) \| `(?P<like>[^`]+)` \| (?P<files>[^|]*) \|$")
SUFFIXES = {".cpp", ".h", ".cat"}


def texts(source):
    return {str(path.relative_to(source)): path.read_text() for path in sorted(source.rglob("*")) if path.suffix in SUFFIXES}


def naming(like, files):
    word = re.compile(rf"(?<![\w-])(?:{like})(?![\w-])")
    return [name for name, text in files.items() if word.search(text)]


def main():
    root = pathlib.Path(sys.argv[1])
    page = root / "src/README.md"
    files = texts(root / "src")
    lines, problems, rows, inside = page.read_text().splitlines(), [], 0, False
    for at, line in enumerate(lines):
        inside = line == HEADING or (inside and not line.startswith("## "))
        row = ROW.match(line) if inside else None
        if not row:
            continue
        rows += 1
        found = naming(row["like"], files)
        listed = re.findall(r"`([^`]+)`", row["files"])
        problems += [f"{row['what']}: {name} names {row['like']}, and is not listed" for name in found if name not in listed]
        problems += [f"{row['what']}: {name} is listed, and does not name {row['like']}" for name in listed if name not in found]
        lines[at] = f"| {row['what']} | `{row['like']}` | {', '.join(f'`{name}`' for name in found)} |"
    if rows == 0:
        problems.append(f"{page}: no rows below '{HEADING}'")
    if "--update" in sys.argv:
        page.write_text("\n".join(lines) + "\n")
        problems = []
    for problem in problems:
        print(problem)
    print(f"{rows} rows, {len(problems)} mistakes")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
