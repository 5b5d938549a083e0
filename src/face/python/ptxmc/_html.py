# SPDX-License-Identifier: Apache-2.0
"""Answers as HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

from . import _ptxmc


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Cells are HTML."""
    lines = ["".join(f"<th>{escape(cell)}</th>" for cell in head)]
    lines += ["".join(f"<td>{cell}</td>" for cell in row) for row in rows]
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def _head(answer: _ptxmc.Common, words: str) -> str:
    """What is asked of, what is said, and everything that makes it worth less."""
    out = f"<p><b>{escape(answer.name)}</b>: {escape(words)}"
    if answer.unknown:
        out += f" ({escape(answer.unknown)})"
    out += "</p>"
    for text in [*map(str, answer.diagnostics), *map(str, answer.warnings), *answer.problems]:
        out += f"<p>{escape(text)}</p>"
    return out


def _picture(witness: _ptxmc.Witness | None) -> str:
    return witness.svg if witness is not None else ""


def _findings(findings: list[_ptxmc.Finding]) -> str:
    if not findings:
        return ""
    rows = [[escape(f"{f.severity.name}: {f.rule}"), "<br>".join(escape(str(place)) for place in f.places),
             escape("; ".join(f.cause)), escape("; ".join(f.advice))] for f in findings]
    return _table(["finding", "where", "why", "advice"], rows) + "".join(_picture(f.witness) for f in findings)


def _result(self: _ptxmc.Result) -> str:
    out = _head(self, f"{self.answer.name}, {len(self.states)} states{'' if self.complete else ' known'}")
    if self.states:
        names = list(self.states[0].values)
        rows = [["&#10003;" if s.satisfied else "", *(escape(value) for value in s.values.values())] for s in self.states]
        out += _table(["condition", *names], rows)
    return out + _picture(self.witness)


def _races(self: _ptxmc.RaceResult) -> str:
    return _head(self, self.answer.name) + _findings(self.findings)


def _liveness(self: _ptxmc.LivenessResult) -> str:
    words = {True: "may hang", False: "never hangs", None: "refused" if self.refused else "unknown"}
    return _head(self, words[self.hangs]) + _findings(self.findings)


def _explanation(self: _ptxmc.Explanation) -> str:
    out = _head(self, self.kind.name)
    for violation in self.axioms:
        out += f"<p>{escape(violation.axiom)} ({escape(violation.section)}): <code>{escape(violation.text)}</code></p>"
        out += "<pre>" + escape("\n".join("  " * level + text for level, text in violation.steps)) + "</pre>"
        out += _picture(violation.witness)
    return out + _picture(self.witness)


def _verified(self: _ptxmc.VerifyResult) -> str:
    out = _head(self, self.claim) + _findings(self.findings)
    return out + "".join(f"<p>{escape(limit)}</p>" for limit in self.limits)


def attach() -> None:
    """Notebooks show an answer by its method _repr_html_."""
    shown: dict[Any, Any] = {
        _ptxmc.Result: _result,
        _ptxmc.RaceResult: _races,
        _ptxmc.LivenessResult: _liveness,
        _ptxmc.Explanation: _explanation,
        _ptxmc.VerifyResult: _verified,
    }
    for kind, method in shown.items():
        kind._repr_html_ = method
