# SPDX-License-Identifier: Apache-2.0
"""What the program `ptxmc` does and the module does not do itself: repair, weaken, record. It runs the program and reads its JSON."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Union

Source = Union[str, "os.PathLike[str]"]
_INPUT, _INTERNAL = 2, 4  # statuses of the program


def program() -> str:
    """The program: $PTXMC_PROGRAM, that of this package, that of the build that the package is in, or the one on PATH."""
    named = os.environ.get("PTXMC_PROGRAM")
    here = pathlib.Path(__file__).resolve().parent
    for path in ([named] if named else [str(here / "bin/ptxmc"), str(here.parents[1] / "ptxmc")]):
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    found = None if named else shutil.which("ptxmc")
    if found is None:
        raise FileNotFoundError(f"{named or 'ptxmc'}: no such program; name it in $PTXMC_PROGRAM, or put it on PATH")
    return found


def is_file(source: Source) -> bool:
    """A path object, or a str of one line that names a file."""
    return not isinstance(source, str) or ("\n" not in source and os.path.isfile(source))


@dataclasses.dataclass(frozen=True)
class Said:
    """What the program answered: its exit status, its lines of JSON, and what it wrote to standard error."""
    status: int
    lines: Sequence[Mapping[str, Any]]
    messages: str


def run(verb: str, arguments: Sequence[str], text: str | None = None) -> Said:
    """Runs a verb. ValueError: it refuses the input or the options. RuntimeError: an internal error of ptxmc."""
    ended = subprocess.run([program(), verb, *arguments], input=text, capture_output=True, text=True, check=False,
                           errors="surrogateescape")
    if ended.returncode == _INPUT:
        raise ValueError(ended.stderr.strip() or ended.stdout.strip())
    if ended.returncode >= _INTERNAL or ended.returncode < 0:
        raise RuntimeError(f"ptxmc {verb} ended with {ended.returncode}: {ended.stderr.strip()}")
    lines = [json.loads(line) for line in ended.stdout.splitlines() if line.startswith("{")]
    return Said(ended.returncode, lines, ended.stderr)


def _ask(verb: str, source: Source, options: Sequence[str]) -> tuple[Said, Mapping[str, Any]]:
    given = [os.fspath(source)] if is_file(source) else ["-"]
    said = run(verb, ["--format", "json", *options, *given], None if is_file(source) else str(source))
    if len(said.lines) != 1:
        raise ValueError(f"one test is asked about, and {len(said.lines)} were answered")
    return said, said.lines[0]


def words(options: Mapping[str, Any]) -> list[str]:
    """Options of the command line: timeout=5 is --timeout 5, quiet=True is --quiet, model=None is nothing."""
    out: list[str] = []
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is True:
            out.append(option)
        elif isinstance(value, (list, tuple)):
            out += [word for one in value for word in (option, str(one))]
        elif value is not None and value is not False:
            out += [option, str(value)]
    return out


@dataclasses.dataclass(frozen=True)
class Repair:
    """Changes after which the test is as it should be; `diff` applies them to its file."""
    changes: tuple[str, ...]
    cost: float
    diff: str


@dataclasses.dataclass(frozen=True)
class Repairs:
    """What repair found: the cheapest first. `open`: a limit ended the search, so that there may be cheaper ones, or some at all."""
    name: str
    wanted: str
    repairs: tuple[Repair, ...]
    open: bool
    json: Mapping[str, Any]

    def __bool__(self) -> bool:
        return bool(self.repairs)


@dataclasses.dataclass(frozen=True)
class Weakening:
    """What weaken found: what the test does not need, alone and together. `open`: a limit ended the search."""
    name: str
    kept: str
    single: tuple[tuple[str, float], ...]
    together: tuple[str, ...]
    saved: float
    diff: str
    open: bool
    json: Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class Recording:
    """What record wrote: the files of the launches, and of sequences of launches. `crashed`: the program did; launches may be missing."""
    launches: tuple[pathlib.Path, ...]
    sequences: tuple[pathlib.Path, ...]
    crashed: bool
    messages: str


def repair(source: Source, **options: Any) -> Repairs:
    """Changes that make a litmus test, or a launch in a file, as it should be. Options: those of `ptxmc repair`, as timeout=5."""
    _, line = _ask("repair", source, words(options))
    found = tuple(Repair(tuple(one["changes"]), one["cost"], one["diff"]) for one in line["repairs"])
    return Repairs(line["test"], line["wanted"], found, line["open"], line)


def weaken(source: Source, **options: Any) -> Weakening:
    """Synchronization that a litmus test does not need. Options: those of `ptxmc weaken`."""
    _, line = _ask("weaken", source, words(options))
    single = tuple((one["change"], one["saved"]) for one in line["single"])
    return Weakening(line["test"], line["kept"], single, tuple(line["together"]), line["saved"], line["diff"], line["open"],
                     line)


def record(command: Sequence[Union[str, "os.PathLike[str]"]], folder: Source = "recorded", **options: Any) -> Recording:
    """Runs a CUDA program, and writes each kernel that it launches into `folder`, as a file for verify. Options: those of
    `ptxmc record`, as arch="sm_90a", pretend=True."""
    given = ["--output", os.fspath(folder), "--format", "json", *words(options), "--",
             *(os.fspath(word) for word in command)]
    said = run("record", given)
    files = [(pathlib.Path(line["file"]), line["sequence"]) for line in said.lines if line.get("verb") == "record"]
    return Recording(tuple(file for file, sequence in files if not sequence),
                     tuple(file for file, sequence in files if sequence), said.status != 0, said.messages)


def main() -> None:
    """The command `ptxmc` of a wheel: the program in its place."""
    os.execv(program(), [program(), *sys.argv[1:]])
