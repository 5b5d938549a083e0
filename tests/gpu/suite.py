#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""suite.py PTXMC ROOT [--write | --sample N]: the list of tests of `ptxmc conform`, ROOT/litmus/conformance.suite.

A test is in the suite if a rule of src/model/rules.md names it, if it tells a model without an axiom from the model
(tests/model/killers.txt), or if it is in litmus/classic or litmus/minimal. Left out is what no run
decides: tests whose answer the model leaves open, tests of undefined behaviour, tests that may wait forever, and tests that no GPU
can run. The sections of a test are those of the rules that name it, and those that its own text names. Its axioms are those without
which the model allows more of it.

--write makes the list: some minutes. Else the list is checked: its tests, their sections, and the axioms of each N-th test (--sample,
all by default)."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

PTXMC, ROOT = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
LITMUS = ROOT / "litmus"
LIST = LITMUS / "conformance.suite"
WHOLE = ("classic", "minimal")
SECTION = re.compile(r"(?<![\d.])(\d+(?:\.\d+)+)(?![\d.]*\w)")
VERSION = 1
MODEL = "ptx-9.4"


def rule_sections():
    """Test -> sections of the rules that name it."""
    out = {}
    for line in (ROOT / "src/model/rules.md").read_text().splitlines():
        if not re.match(r"\| R\d", line):
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        for cell in cells[4:]:
            for name in re.findall(r"`([^`]+)`", cell):
                if (LITMUS / f"{name}.litmus").exists():
                    out.setdefault(name, set()).add(cells[1])
    return out


def stated_sections(name):
    """Sections of chapters 8 and 9 that the test's own text names."""
    words = " ".join(re.findall(r'^"(.*)"$', (LITMUS / f"{name}.litmus").read_text(), re.M))
    return {section for section in SECTION.findall(words) if section.split(".")[0] in ("8", "9")}


def by_number(sections):
    return sorted(sections, key=lambda section: [int(part) for part in section.split(".")])


def axioms():
    """Axiom -> ptx.cat without it."""
    text = (ROOT / "src/model/ptx.cat").read_text()
    out = {}
    for statement in re.finditer(r"^(?:acyclic|irreflexive|empty)\b.*?\bas (\w+)", text, re.M | re.S):
        out[statement.group(1)] = text[:statement.start()] + text[statement.end():]
    return out


def lines(words):
    done = subprocess.run([PTXMC, *words], cwd=LITMUS, capture_output=True, text=True)
    if done.returncode in (2, 4):
        sys.exit(f"{' '.join(words)}: {done.stderr[-800:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_of(line):
    return str(pathlib.Path(line["file"]).relative_to(LITMUS))[:-len(".litmus")]


def states_of(model, listed):
    """Test -> what the model allows of it."""
    found = lines(["check", "--timeout", "20", "--witnesses", "none", "--model", str(model), "-f", "json", f"@{listed}"])
    return {test_of(line): {json.dumps(state["values"]) for state in line.get("states", [])} for line in found if line.get("complete")}


def axioms_of(names):
    """Test -> axioms; nothing of a test whose answer is open."""
    with tempfile.TemporaryDirectory() as scratch:
        listed = pathlib.Path(scratch, "tests")
        listed.write_text("".join(f"{LITMUS}/{name}.litmus\n" for name in names))
        # Beside itself a model differs in nothing, and says what it leaves open.
        itself = lines(["compare", "--timeout", "20", "--model", MODEL, "--against", MODEL, "-f", "json", f"@{listed}"])
        known = {test_of(line) for line in itself if not line.get("unknown") and not line["undefined"]}
        allowed = states_of(MODEL, listed)
        out = {name: set() for name in names if name in known and name in allowed}
        for axiom, text in axioms().items():
            variant = pathlib.Path(scratch, f"{axiom}.cat")
            variant.write_text(text)
            more = states_of(variant, listed)
            for name, found in out.items():
                if more.get(name, set()) - allowed[name]:
                    found.add(axiom)
    return out


def ends(name):
    return not re.search(r"^Verdict(\[[^]]*\])?=.*\bHangs\b", (LITMUS / f"{name}.litmus").read_text(), re.M)


def runs(name):
    """Is there a GPU on which it can run? What it would run says so without one."""
    done = subprocess.run([PTXMC, "run", "--emit-ptx", f"{name}.litmus"], cwd=LITMUS, capture_output=True, text=True)
    return done.returncode == 0 or "sm_1" in done.stderr


def candidates():
    sections = rule_sections()
    for name in re.findall(r"^drop the axiom \w+ -- (\S+)$", (ROOT / "tests/model/killers.txt").read_text(), re.M):
        if (LITMUS / f"{name}.litmus").exists():
            sections.setdefault(name, set())
    for folder in WHOLE:
        for file in (LITMUS / folder).glob("*.litmus"):
            sections.setdefault(f"{folder}/{file.stem}", set())
    return {name: by_number(sections[name] | stated_sections(name)) for name in sorted(sections)}


def write():
    sections = candidates()
    found = axioms_of([name for name in sections if ends(name) and runs(name)])
    rows = [f"{name} | {', '.join(sections[name])} | {' '.join(sorted(found[name]))}".rstrip() for name in sorted(found)]
    LIST.write_text("# The tests of `ptxmc conform`: name | sections of the manual | axioms without which the model allows more.\n"
                    "# Made by tests/gpu/suite.py --write. A change of the list is a new version.\n"
                    f"suite {VERSION} {MODEL}\n" + "\n".join(rows) + "\n")
    print(f"{len(rows)} tests")


def check(step):
    sections, wrong = candidates(), []
    rows = [[cell.strip() for cell in line.split("|")] for line in LIST.read_text().splitlines()
            if "|" in line and not line.startswith("#")]
    for name, listed, _ in rows:
        if name not in sections:
            wrong.append(f"{name}: no test of the rules, of classic or of minimal")
        elif listed != ", ".join(sections[name]):
            wrong.append(f"{name}: its sections are {', '.join(sections[name])}")
        elif not ends(name):
            wrong.append(f"{name}: it may wait forever")
    some = {name: axiom_list for name, _, axiom_list in rows[::step] if name in sections}
    found = axioms_of(list(some))
    for name, listed in some.items():
        if name not in found:
            wrong.append(f"{name}: its answer is open")
        elif set(listed.split()) != found[name]:
            wrong.append(f"{name}: its axioms are {' '.join(sorted(found[name]))}")
    print("\n".join([*wrong, f"{len(rows)} tests, axioms of {len(some)} looked at, {len(wrong)} mistakes"]))
    return 1 if wrong or not rows else 0


if __name__ == "__main__":
    if sys.argv[3:4] == ["--write"]:
        sys.exit(write())
    sys.exit(check(int(sys.argv[4]) if sys.argv[3:4] == ["--sample"] else 1))
