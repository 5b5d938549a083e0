# SPDX-License-Identifier: Apache-2.0
"""Which outcomes does the PTX memory consistency model allow, and what is wrong with a kernel?

    import ptxmc
    checker = ptxmc.Checker(model="ptx-9.4")          # compiles the model once
    result = checker.check(pathlib.Path("MP.litmus"))
    if result.answer == ptxmc.Answer.allowed: ...

A source is a file (os.PathLike, or a str of one line that names one), or a text (str). A text that is refused is an answer with
diagnostics; options that make no sense are ValueError. Ctrl-C ends every call. repair, weaken and record run the program `ptxmc`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any, Union

from . import _html, _ptxmc, _run
from ._program import Recording, Repair, Repairs, Weakening, repair, weaken
from ._ptxmc import (Answer, Diagnostic, Event, Explanation, ExplanationKind, Finding, LivenessResult, Note, Place,
                     RaceAnswer, RaceResult, Reading, Result, Severity, State, VerifyAnswer, VerifyResult, Violation,
                     Witness, __version__, model_text, profiles, readings)
from ._recorder import Recorder, record
from ._verified import Verified, verify_files

__all__ = [
    "Answer", "Checker", "Diagnostic", "Event", "Explanation", "ExplanationKind", "Finding", "LivenessResult", "Note",
    "Place", "RaceAnswer", "RaceResult", "Reading", "Recorder", "Recording", "Repair", "Repairs", "Result", "Severity", "Sides", "Source",
    "State", "Verified", "VerifyAnswer", "VerifyResult", "Violation", "Weakening", "Witness", "__version__", "check", "explain", "liveness",
    "model_text", "profiles", "races", "readings", "record", "repair", "states", "verify", "verify_files",
    "weaken",
]

Source = Union[str, "os.PathLike[str]"]
Sides = Union[str, int, Sequence[int]]  # of a grid, a block or a cluster: "4x2", 4, (4, 2)


def _read(source: Source, name: str | None, unnamed: str = "<text>") -> tuple[str, str]:
    """The text of a source, and what stands for its file in diagnostics."""
    if not _run.is_file(source):
        return str(source), unnamed if name is None else name
    with open(source, encoding="utf-8", errors="surrogateescape") as file:
        return file.read(), os.fspath(source) if name is None else name


def _sides(sides: Sides) -> str:
    if isinstance(sides, (str, int)):
        return str(sides)
    return "x".join(map(str, sides))


class Checker(_ptxmc.Checker):
    """Litmus tests, under one model. May be shared between threads."""

    def check(self, source: Source, name: str | None = None) -> Result:
        """Which final states does the test have, and is its condition met?"""
        return self._check(*_read(source, name))

    def races(self, source: Source, name: str | None = None) -> RaceResult:
        """Which accesses race, and what is missing?"""
        return self._races(*_read(source, name))

    def liveness(self, source: Source, name: str | None = None) -> LivenessResult:
        """Can a thread be blocked forever?"""
        return self._liveness(*_read(source, name))

    def explain(self, source: Source, name: str | None = None) -> Explanation:
        """Why is the condition's outcome forbidden, or allowed?"""
        return self._explain(*_read(source, name))


def check(source: Source, name: str | None = None, **options: Any) -> Result:
    """Checker(**options).check(source, name)"""
    return Checker(**options).check(source, name)


def races(source: Source, name: str | None = None, **options: Any) -> RaceResult:
    """Checker(**options).races(source, name)"""
    return Checker(**options).races(source, name)


def liveness(source: Source, name: str | None = None, **options: Any) -> LivenessResult:
    """Checker(**options).liveness(source, name)"""
    return Checker(**options).liveness(source, name)


def explain(source: Source, name: str | None = None, **options: Any) -> Explanation:
    """Checker(**options).explain(source, name)"""
    return Checker(**options).explain(source, name)


def states(source: Source, name: str | None = None, **options: Any) -> Iterator[State]:
    """The final states of a test, each with an execution that ends in it. ValueError: the text is refused, or not all
    states are known (that is said, after those that are)."""
    result = Checker(witnesses=True, **options).check(source, name)
    if result.answer == Answer.error:
        raise ValueError("\n".join(map(str, result.diagnostics)))
    yield from result.states
    if not result.complete:
        raise ValueError(f"there may be more states: {result.unknown or result.answer.name}")


def verify(module: Source, *, plan: Source | None = None, name: str | None = None, entry: str = "", grid: Sides = "",
           block: Sides = "", cluster: Sides = "", shared: str | int = "", arguments: Sequence[str | int | float] = (),
           cooperative: bool = False,
           timeout: float | None = None, steps: int | None = None, choices: int | None = None, orders: bool = True,
           confirm: bool = True, waits_fail: bool = False, model: str = "", readings: Sequence[str] = (),
           ctas: Sequence[int] | None = None) -> VerifyResult:
    """Runs a launch of a kernel, and says what goes wrong in some schedule of it, as `ptxmc verify` does.

    The launch is a plan (a launch.json), or the words of the command line: grid=2, block=(64, 2), arguments=["buffer:4M", 7].
    """
    kernel = _ptxmc._Kernel()
    kernel.module, kernel.name = _read(module, name, "<module>")
    if plan is not None:
        kernel.plan, kernel.plan_name = _read(plan, None, "<launch>")
    kernel.entry, kernel.grid, kernel.block, kernel.cluster = entry, _sides(grid), _sides(block), _sides(cluster)
    kernel.shared, kernel.arguments = str(shared), [str(argument) for argument in arguments]
    kernel.cooperative = cooperative
    options = _ptxmc._VerifyOptions()
    options.timeout, options.steps, options.choices = timeout, steps, choices
    options.orders, options.confirm, options.waits_fail = orders, confirm, waits_fail
    options.model, options.readings = model, list(readings)
    options.ctas = None if ctas is None else list(ctas)
    return _ptxmc._verify(kernel, options)


_html.attach()
