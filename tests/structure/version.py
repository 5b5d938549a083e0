#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""version.py ROOT: the build, the package and the citation are of one version, and have one date; the changes have a section of
that version, or of a later one that is not released."""
import datetime
import email.utils
import pathlib
import re
import sys


def first(path, pattern):
    found = re.search(pattern, path.read_text(encoding="utf-8"), re.M)
    if not found:
        sys.exit(f"{path}: has nothing like {pattern}")
    return found.group(1)


def main():
    root = pathlib.Path(sys.argv[1])
    build = first(root / "CMakeLists.txt", r"^project\(ptxmc VERSION (\d+\.\d+\.\d+)\b")
    package = first(root / "src/package/changelog", r"^ptxmc \((.*?)\)")
    citation = first(root / ".github/CITATION.cff", r"^version: (.*)$")
    packaged = email.utils.parsedate_to_datetime(first(root / "src/package/changelog", r"^ -- .*>  (.*)$")).date()
    cited = datetime.date.fromisoformat(first(root / ".github/CITATION.cff", r"^date-released: (.*)$"))
    changes, state = re.search(r"^## (\d+\.\d+)(.*)$", (root / "src/doc/changes.md").read_text(encoding="utf-8"), re.M).groups()
    wrong = []
    if not build == package == citation:
        wrong.append(f"versions: {build} is built, {package} packaged, {citation} cited")
    if packaged != cited:
        wrong.append(f"dates: {packaged} of the package, {cited} cited")
    later = [int(part) for part in changes.split(".")] > [int(part) for part in build.split(".")[:2]]
    if later != ("not released" in state):
        wrong.append(f"changes: the first section is {changes}{state}, and the version {build}")
    print("\n".join([*wrong, f"{len(wrong)} are wrong"]))
    return 1 if wrong else 0


sys.exit(main())
