# SPDX-License-Identifier: Apache-2.0
"""What the program `ptxmc verify` says of launches in files."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from typing import Any, Union

from . import _run


def _place(finding: Mapping[str, Any]) -> str:
    places = finding.get("places", [])
    first = places[0] if places else {}
    return str(first.get("source") or (f"{first['file']}:{first['line']}" if "line" in first else ""))


def _lines(launch: Mapping[str, Any]) -> list[str]:
    name = launch.get("launch") or launch.get("input", "")
    if "errors" in launch:
        return [f"{name}: {error['message']}" for error in launch["errors"]]
    out = [f"{name}: {launch['answer']}: {launch['claim']['message']}"]
    for finding in launch["findings"]:
        accepted = finding.get("accepted", {}).get("as")
        words = f"{accepted} {finding['severity']}" if accepted else finding["severity"]
        cause = f": {finding['cause']}" if finding.get("cause") else ""
        out.append(f"  {_place(finding)}: {words}: {finding['rule']}{cause}")
        out += [f"    fix: {advice}" for advice in finding.get("advice", [])[:1]]
    return out


@dataclasses.dataclass(frozen=True)
class Verified:
    """What `ptxmc verify` says of launches. True: no error in any schedule of any of them. str() of it is a summary."""
    status: int                            # of the program: 0, 1 an error, 3 incomplete
    launches: tuple[Mapping[str, Any], ...]  # a line of its JSON each
    files: tuple[str, ...]                 # `ptxmc verify` of these prints the whole report
    messages: str                          # what it wrote to standard error

    def __bool__(self) -> bool:
        return self.status == 0

    def __str__(self) -> str:
        return "\n".join(line for launch in self.launches for line in _lines(launch))

    @property
    def findings(self) -> list[Mapping[str, Any]]:
        """All findings of all launches."""
        return [finding for launch in self.launches for finding in launch.get("findings", [])]

    @property
    def errors(self) -> list[Mapping[str, Any]]:
        """Findings that are errors, and neither waived nor known."""
        return [one for one in self.findings if one["severity"] == "error" and not one.get("accepted")]

    @property
    def incomplete(self) -> bool:
        """No error was found, and other schedules are not covered."""
        return self.status == 3


def verify_files(files: Sequence[Union[str, "os.PathLike[str]"]], **options: Any) -> Verified:
    """Files of launches, modules or sources, as `ptxmc verify` takes them. Options: those of `ptxmc verify`, as timeout=60.
    ValueError: it refuses a file."""
    names = tuple(os.fspath(file) for file in files)
    said = _run.run("verify", ["--format", "json", *_run.words(options), *names])
    return Verified(said.status, tuple(said.lines), names, said.messages)
