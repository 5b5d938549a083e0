#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""rules.py PTXMC PAGES MODULES [--update] [--compiled] [--only RULE] [--index FILE]: the examples on the pages of the rules do what the pages say.

A page PAGES/RULE.md has a block ```cuda or ```litmus under `## Wrong` and one under `## Right`, and a block ```console with one command,
which runs on both: on the wrong one it finds RULE; on the right one it finds nothing at all and exits with 0.
MODULES has what nvcc made of each CUDA block, RULE-wrong.ptx and RULE-right.ptx. --update compiles them again; --compiled only compares
them with what nvcc makes of the page now. Every rule has a page; those in WITHOUT have no example. FILE lists the rules with links to their
pages; --update writes that list.
"""
import argparse
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

WITHOUT = {"input", "unknown", "verdict"}
RELEASE = "release 13.0,"


class Page:
    def __init__(self, path):
        self.rule, text = path.stem, path.read_text()
        self.problems = []
        if not text.startswith(f"# {self.rule}\n\n"):
            self.problems.append(f"the first line is not `# {self.rule}`")
        self.language, self.code, commands = {}, {}, []
        side = block = None
        for line in text.splitlines():
            if line.startswith("```"):
                block = None if block else line[3:]
                if block in ("cuda", "litmus"):
                    self.language[side], self.code[side] = block, ""
            elif block in ("cuda", "litmus"):
                self.code[side] += line + "\n"
            elif block == "console":
                commands.append(line.removeprefix("$ ptxmc "))
            elif line.startswith("## "):
                side = line[3:]
        self.words = shlex.split(commands[0]) if commands else []
        if self.rule not in WITHOUT and (set(self.code) != {"Wrong", "Right"} or len(commands) != 1):
            self.problems.append("it needs an example under ## Wrong, one under ## Right, and one command")

    def module(self, modules, side):
        return modules / f"{self.rule}-{side.lower()}.ptx"


def compile_block(nvcc, code, output):
    arch = "sm_100a" if "tcgen05" in code else "sm_90a"
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "example.cu"
        source.write_text(code)
        made = subprocess.run([nvcc, f"-arch={arch}", "-std=c++17", "-lineinfo", "-ptx", "-o", output, source.name], cwd=folder,
                              capture_output=True, text=True)
    if made.returncode:
        return made.stdout + made.stderr
    # Paths of this machine do not belong in what is kept.
    kept = re.sub(r'(\.file\s+\d+ ")[^"]*/', r"\1", pathlib.Path(output).read_text())
    pathlib.Path(output).write_text(re.sub(r"^//.*\n", "", kept, flags=re.M))
    return ""


def told(text):
    return [line for line in text.splitlines() if not line.startswith(".b8 ")]


def answer(ptxmc, page, modules, side):
    """The rules found on one side, and the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        if page.language[side] == "litmus":
            path = pathlib.Path(folder) / "example.litmus"
            path.write_text(page.code[side])
        else:
            path = page.module(modules, side)
        words = [str(path) if word.endswith((".ptx", ".litmus")) else word for word in page.words]
        ran = subprocess.run([ptxmc, *words, "--format", "json"], capture_output=True, text=True)
    rules = set()
    for line in ran.stdout.splitlines():
        collect(json.loads(line), rules)
    return rules, ran.returncode, ran.stderr


def collect(value, rules):
    if isinstance(value, dict):
        if isinstance(value.get("flags"), dict):  # of `check`
            rules.update(name for name, raised in value["flags"].items() if raised is True)
        if isinstance(value.get("rule"), str):
            rules.add(value["rule"])
        for part in value.values():
            collect(part, rules)
    elif isinstance(value, list):
        for part in value:
            collect(part, rules)


def check(ptxmc, page, modules):
    for side in ("Wrong", "Right"):
        if page.language[side] == "cuda" and not page.module(modules, side).exists():
            yield f"{page.module(modules, side)} is missing: run with --update where nvcc is"
            return
    rules, status, messages = answer(ptxmc, page, modules, "Wrong")
    if page.rule not in rules or status not in (0, 1):
        yield f"the wrong side finds {sorted(rules) or 'nothing'}, exit status {status} {messages}"
    rules, status, messages = answer(ptxmc, page, modules, "Right")
    if rules or status:
        yield f"the right side finds {sorted(rules) or 'nothing'}, exit status {status} {messages}"


def compiled(nvcc, page, modules):
    for side in page.code:
        if page.language[side] != "cuda":
            continue
        with tempfile.TemporaryDirectory() as folder:
            new = pathlib.Path(folder) / "new.ptx"
            said = compile_block(nvcc, page.code[side], str(new))
            kept = page.module(modules, side)
            if said or not kept.exists() or told(new.read_text()) != told(kept.read_text()):
                yield f"{kept} is not what nvcc makes of the page {said}"


def index(ptxmc, file, pages, update):
    """The table of all rules on a page of its own."""
    ran = subprocess.run([ptxmc, "explain", "--rules", "--format", "json"], capture_output=True, text=True, check=True)
    rules = [json.loads(line) for line in ran.stdout.splitlines()]
    table = "| rule | severity | PTX ISA | what is wrong |\n|---|---|---|---|\n"
    for rule in rules:
        table += "| [{0}](../finding/pages/{0}.md) | {1} | {2} | {3} |\n".format(rule["rule"], rule["severity"], rule.get("section", ""),
                                                                              rule["summary"])
    text = file.read_text()
    head = text.index("| rule |")
    if update:
        file.write_text(text[:head] + table)
    elif text[head:] != table:
        yield f"{file} has another table than `ptxmc explain --rules`: run with --update"
    if {rule["rule"] for rule in rules} != {path.stem for path in pages.glob("*.md")}:
        yield f"{pages} has not a page for each rule, and no other"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ptxmc")
    parser.add_argument("pages", type=pathlib.Path)
    parser.add_argument("modules", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--compiled", action="store_true")
    parser.add_argument("--only", action="append")
    parser.add_argument("--index", type=pathlib.Path)
    given = parser.parse_args()
    given.modules = given.modules.resolve()
    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if given.update or given.compiled:
        version = subprocess.run([nvcc, "--version"], capture_output=True, text=True).stdout if nvcc else ""
        if RELEASE not in version:
            print(f"SKIPPED: no nvcc of {RELEASE.rstrip(',')}")
            return 77
    failed = pages = 0
    for path in sorted(given.pages.glob("*.md")):
        page = Page(path)
        if given.only and page.rule not in given.only:
            continue
        pages += 1
        problems = page.problems
        if not problems and page.code:
            if given.update:
                for side in page.code:
                    if page.language[side] == "cuda":
                        problems += filter(None, [compile_block(nvcc, page.code[side], str(page.module(given.modules, side)))])
            problems = problems or list(compiled(nvcc, page, given.modules) if given.compiled else check(given.ptxmc, page, given.modules))
        for problem in problems:
            print(f"{path}: {problem}")
        failed += bool(problems)
    for problem in index(given.ptxmc, given.index, given.pages, given.update) if given.index else []:
        print(problem)
        failed += 1
    print(f"{pages} pages, {failed} failed")
    return 1 if failed or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
