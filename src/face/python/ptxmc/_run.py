# SPDX-License-Identifier: Apache-2.0
"""Runs the program `ptxmc`, and reads its JSON."""

from __future__ import annotations

import dataclasses
import json
import os
import pathlib
import shutil
import subprocess
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
