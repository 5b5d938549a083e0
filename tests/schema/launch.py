#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""launch.py PTXMC SOURCES [--update]: the schema of launch files, the program and the page of their fields say the same.

Every launch file of the repository is valid by the schema; each file of WRONG is not, and the program refuses it too; the tables on
src/doc/launch.md are those of the schema (--update writes them).
"""
import copy
import json
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("SKIPPED: python3-jsonschema is not installed: no launch file was validated")
    sys.exit(77)

PROGRAM, SOURCES = sys.argv[1], pathlib.Path(sys.argv[2])
SCHEMA = json.loads((SOURCES / "src/input/launch/launch.schema.json").read_text())
PAGE = SOURCES / "src/doc/launch.md"
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)
# Sections of the page: a heading, and the part of the schema that it shows.
SECTIONS = [("The file", {"properties": {k: v for k, v in SCHEMA["properties"].items() if k not in SCHEMA["definitions"]["launch"]["properties"]}}),
            ("A launch", SCHEMA["definitions"]["launch"]),
            ("A buffer", SCHEMA["definitions"]["buffer"]["oneOf"][0]),
            ("A range of a buffer", SCHEMA["definitions"]["range"]),
            ("A multimem address", SCHEMA["definitions"]["buffer"]["oneOf"][1]),
            ("An argument", {"properties": {**SCHEMA["definitions"]["address"]["properties"], **SCHEMA["definitions"]["tensor_map"]["properties"],
                                            **SCHEMA["definitions"]["blob"]["properties"]}}),
            ("A tensor map", SCHEMA["definitions"]["tensor"]),
            ("A peer", SCHEMA["definitions"]["peer"])]

MODULE = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) { ret; }\n"
RIGHT = {"module": "k.ptx", "entry": "k", "grid": [2, 1, 1], "block": 32, "memory": {"A": {"bytes": 8, "data": [1, 2], "type": "u32"}},
         "arguments": [{"buffer": "A", "offset": 4}]}
# What to put where, by a path of keys; each is wrong.
WRONG = [(["grid"], 0), (["grid"], [1, 1, 1, 1]), (["block"], 2000), (["block"], "32"), (["cluster"], 17), (["shared"], -1), (["cooperative"], 1),
         (["arguments"], {}), (["arguments", 0], {"buffer": 1}), (["arguments", 0], {"u33": 1}), (["arguments", 0], {"buffer": "A", "u32": 1}),
         (["memory", "A", "bytes"], "8"), (["memory", "A", "type"], "b32"), (["memory", "A", "space"], "shared"), (["memory", "A", "size"], 8),
         (["memory", "A"], {"data": "zero"}), (["memory", "A", "ranges"], {"0": {"bytes": 4}}), (["memory", "A", "fields"], {"0": {"u32": 1}}),
         (["tensors"], {"T": {"of": "A"}}), (["tensors"], {"T": {"of": "A", "type": "b32", "dims": [2], "box": [2]}}),
         (["tensors"], {"T": {"of": "A", "type": "u32", "dims": [2], "box": [2], "swizzle": 48}}), (["peers"], [{"writes": "A", "scope": "cta"}]),
         (["launches"], []), (["launches"], [{"block": 32}]), (["gird"], 2), (["module"], 3)]


OF_LAUNCH = ("entry", "grid", "block", "arguments")  # which stand in each of the launches, where there are some


def changed(path, value):
    out = copy.deepcopy(RIGHT)
    if path == ["launches"] and not value:
        out = {key: one for key, one in out.items() if key not in OF_LAUNCH}
    at = out
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return out


def refused(folder, plan):
    file = folder / "launch.json"
    file.write_text(json.dumps(plan))
    ran = subprocess.run([PROGRAM, "verify", str(file)], capture_output=True, text=True)
    return ran.returncode == 2, ran.stdout + ran.stderr


def agreement():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "k.ptx").write_text(MODULE)
        for plan in [RIGHT, dict(RIGHT, **{"$schema": "launch.schema.json"})]:
            said = refused(folder, plan)
            if said[0] or not VALIDATOR.is_valid(plan):
                yield f"a right file is refused: {said[1]}"
        for path, value in WRONG:
            plan = changed(path, value)
            if VALIDATOR.is_valid(plan):
                yield f"the schema takes {path} = {value}"
            if not refused(folder, plan)[0]:
                yield f"the program takes {path} = {value}"


def files():
    count = 0
    for path in sorted(SOURCES.rglob("*.json")):
        if "build" in path.relative_to(SOURCES).parts or path.name == "launch-bad.json":
            continue
        try:
            plan = json.loads(path.read_text())
        except ValueError:
            continue
        if isinstance(plan, dict) and ("block" in plan or "launches" in plan):
            count += 1
            plan.setdefault("module", "k.ptx")  # in pairs of kernels the test names it
            for error in VALIDATOR.iter_errors(plan):
                yield f"{path}: {error.message[:200]}"
    if count < 100:
        yield f"only {count} launch files"


def kind(field):
    if "enum" in field:
        return " or ".join(f"`{json.dumps(value)}`" for value in field["enum"])
    if "oneOf" in field:
        return " or ".join(kind(one) for one in field["oneOf"])
    return {"integer": "whole number", "boolean": "true or false", "array": "list"}.get(field["type"], field["type"])


def tables():
    out = ""
    for heading, part in SECTIONS:
        out += f"## {heading}\n\n| field | value | what |\n|---|---|---|\n"
        for name, field in part["properties"].items():
            needed = " (required)" if name in part.get("required", []) or (heading == "The file" and name in SCHEMA["required"]) else ""
            out += f"| `{name}`{needed} | {kind(field)} | {field['description']} |\n"
        out += "\n"
    return out


def page(update):
    text = PAGE.read_text()
    head = text.index("## The file\n")
    if update:
        PAGE.write_text(text[:head] + tables())
    elif text[head:] != tables():
        yield f"{PAGE} has other tables than the schema: run {sys.argv[0]} PTXMC SOURCES --update"


def main():
    problems = [*agreement(), *files(), *page("--update" in sys.argv)]
    for problem in problems:
        print(problem)
    print(f"{len(WRONG) + 2} files made here, and those of the repository: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
