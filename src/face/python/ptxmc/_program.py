# SPDX-License-Identifier: Apache-2.0
"""What the program `ptxmc` does and the module does not do itself: repair, weaken, record. It runs the program and reads its JSON."""

from __future__ import annotations

import dataclasses
import os
import pathlib
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Union

from ._run import Said, Source, is_file, program, run, words
from ._verified import Verified, verify_files


def _ask(verb: str, source: Source, options: Sequence[str]) -> tuple[Said, Mapping[str, Any]]:
    given = [os.fspath(source)] if is_file(source) else ["-"]
    said = run(verb, ["--format", "json", *options, *given], None if is_file(source) else str(source))
    if len(said.lines) != 1:
        raise ValueError(f"one test is asked about, and {len(said.lines)} were answered")
    return said, said.lines[0]


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

    def verify(self, **options: Any) -> Verified:
        """Verifies what was recorded: sequences, and each launch alone. Options: those of `ptxmc verify`, as timeout=60."""
        return verify_files([*self.sequences, *self.launches], **options)


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
    return recording_of(said.lines, said.status != 0, said.messages)


def recording_of(lines: Sequence[Mapping[str, Any]], crashed: bool, messages: str) -> Recording:
    """What the lines of JSON of `ptxmc record` say."""
    files = [(pathlib.Path(line["file"]), line["sequence"]) for line in lines if line.get("verb") == "record"]
    return Recording(tuple(file for file, sequence in files if not sequence),
                     tuple(file for file, sequence in files if sequence), crashed, messages)


def main() -> None:
    """The command `ptxmc` of a wheel: the program in its place."""
    os.execv(program(), [program(), *sys.argv[1:]])
