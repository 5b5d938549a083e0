#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sections.py ROOT: every section of the manual that a source or a page under ROOT cites is one that there is (sections.txt).

What stands behind "PTX ISA 9.4" has the numbers of that edition (sections-9.4.txt). A number of three or more parts whose first is 5 to 10 is a section; shorter ones may be versions, and are read where a rule of
src/finding/rules.cpp has them.
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
CITED = re.compile(r"(?<![\w.])(?:[5-9]|10)(?:\.\d+){2,}(?![\w.]*\w|-[a-z])")
OF_RULE = re.compile(r'"((?:[2-9]|10)(?:\.\d+)+)",$')
NEWEST = re.compile(r"PTX ISA 9\.4,((?: (?:[\d.]+|[DR]\d+),?)+)")
KINDS = {".cpp", ".h", ".cat", ".md", ".litmus", ".py"}


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    known = {line.split()[0] for line in (HERE / "sections.txt").read_text().splitlines() if line[:1].isdigit()}
    newest = {line.split()[0] for line in (HERE / "sections-9.4.txt").read_text().splitlines() if line[:1].isdigit()}
    wrong = 0
    cited = 0
    for folder in ("src", "include", "litmus", "tests/unit", "."):
        files = (root / folder).glob("*") if folder == "." else (root / folder).rglob("*")
        for path in sorted(files):
            if path.suffix not in KINDS or not path.is_file():
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                sections = []
                for quoted in NEWEST.findall(line):
                    for section in CITED.findall(quoted):
                        cited += 1
                        if section not in (newest if section.startswith("9.7.") else known):
                            print(f"{path.relative_to(root)}:{number}: PTX ISA 9.4 has no section {section}")
                            wrong += 1
                sections += CITED.findall(NEWEST.sub("", line))
                if path.parts[-2:] == ("finding", "rules.cpp"):
                    sections += OF_RULE.findall(line)
                cited += len(sections)
                for section in sections:
                    if section not in known:
                        print(f"{path.relative_to(root)}:{number}: the manual has no section {section}")
                        wrong += 1
    print(f"{cited} citations, {wrong} are wrong")
    return 1 if wrong or not cited else 0


if __name__ == "__main__":
    sys.exit(main())
