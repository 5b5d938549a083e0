# SPDX-License-Identifier: Apache-2.0
"""The Python module says what the program says."""

from __future__ import annotations

import ast
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree
from typing import Any

import pytest

import ptxmc

ROOT = pathlib.Path(__file__).resolve().parents[2]
MP = ROOT / "litmus/classic/MP+release.gpu+acquire.gpu.litmus"
WEAK = """PTX weak
{ x=0; y=0; }
 P0 @ cta 0          | P1 @ cta 1           ;
 st.weak x, 1        | ld.relaxed.gpu r0, y ;
 st.relaxed.gpu y, 1 | ld.weak r1, x        ;
exists (P1:r0 == 1 /\\ P1:r1 == 0)
"""
SPIN = """PTX spin
{ y=0; }
 P0                     ;
 L:                     ;
 ld.relaxed.gpu r0, y   ;
 setp.eq.u32 %p0, r0, 0;
 @%p0 bra L             ;
exists (P0:r0 == 1)
"""


def store_buffering(threads: int) -> str:
    """A ring of them: many states, for a call that is to be ended."""
    rows = [" | ".join(f"P{i} @ cta {i}" for i in range(threads)),
            " | ".join(f"st.weak x{i}, 1" for i in range(threads)),
            " | ".join(f"ld.weak r0, x{(i + 1) % threads}" for i in range(threads))]
    condition = "forall (" + " \\/ ".join(f"P{i}:r0 == 1" for i in range(threads)) + ")"
    body = "\n".join(f" {row} ;" for row in rows)
    return f"PTX ring\n{{ {' '.join(f'x{i}=0;' for i in range(threads))} }}\n{body}\n{condition}\n"


def test_check_a_file() -> None:
    result = ptxmc.Checker(model="ptx-9.4").check(MP)
    assert result.answer == ptxmc.Answer.forbidden
    assert result.name == "MP+release.gpu+acquire.gpu"
    assert result.complete and len(result.states) == 3
    assert all(list(state.values) == ["1:r0", "1:r1"] for state in result.states)
    assert not any(state.satisfied for state in result.states)
    assert str(result).startswith("Test MP+release.gpu+acquire.gpu Allowed\nStates 3\n")


def test_check_a_text() -> None:
    result = ptxmc.check(WEAK)
    assert result.answer == ptxmc.Answer.allowed
    assert result.deciding is not None and result.states[result.deciding].values == {"1:r0": "1", "1:r1": "0"}
    assert result.witness is not None and result.witness.svg == "" and result.witness._repr_svg_() is None
    events = result.witness.events
    for write, read in result.witness.reads_from:
        assert (events[write].location, events[write].value) == (events[read].location, events[read].value)


def test_states_have_witnesses() -> None:
    states = list(ptxmc.states(WEAK))
    assert len(states) == 4 and sum(state.satisfied for state in states) == 1
    assert all(state.witness is not None for state in states)
    with pytest.raises(ValueError, match="error"):
        list(ptxmc.states("PTX B\n{ }\n P0 ;\n frobnicate r0 ;\nexists (0:r0=1)\n"))
    with pytest.raises(ValueError, match="may be more"):
        list(ptxmc.states(store_buffering(18), timeout=0.05))


def test_a_text_that_is_refused_is_an_answer() -> None:
    result = ptxmc.check("PTX B\n{ }\n P0 ;\n frobnicate r0 ;\nexists (0:r0=1)\n", "b.litmus")
    assert result.answer == ptxmc.Answer.error
    assert result.diagnostics[0].line == 4 and result.diagnostics[0].severity == ptxmc.Severity.error
    assert re.match(r"4:\d+: error: ", str(result.diagnostics[0]))
    assert str(result) == f"{result.diagnostics[0]}\n"
    with pytest.raises(OSError):
        ptxmc.check(pathlib.Path("no such file"))


def test_options_that_make_no_sense() -> None:
    for options, message in [({"engine": "fast"}, '"auto"'), ({"progress": "none"}, '"hsa"'), ({"timeout": 0}, "timeout"),
                             ({"model": "ptx-nonesuch"}, "ptx-nonesuch"), ({"readings": {"fence-sc": "x"}}, "fence-sc")]:
        with pytest.raises(ValueError, match=message):
            ptxmc.Checker(**options)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        ptxmc.Checker(nonesuch=1)  # type: ignore[call-arg]


def test_models_and_readings() -> None:
    assert "ptx-9.4" in ptxmc.profiles()
    readings = {reading.name: reading for reading in ptxmc.readings()}
    assert len(readings) > 5 and all(len(reading.values) > 1 and reading.about for reading in readings.values())
    checker = ptxmc.Checker(readings={name: reading.values[1] for name, reading in readings.items()})
    assert checker.check("PTX one\n{ x=0; }\n P0 ;\n st.weak x, 1 ;\nexists (x=1)\n").answer == ptxmc.Answer.allowed
    twice = ptxmc.check("PTX twice\n{ x=0; x=1; }\n P0 ;\n st.weak x, 1 ;\nexists (x=1)\n").diagnostics[0]
    assert (twice.line, twice.notes[0].line, twice.notes[0].column, twice.notes[0].message) == (2, 2, 3, "the first is here")
    assert ptxmc.check(WEAK, model="sc").answer == ptxmc.Answer.forbidden
    assert ptxmc.check(WEAK, model_text=ptxmc.model_text("sc")).answer == ptxmc.Answer.forbidden
    with pytest.raises(ValueError):
        ptxmc.model_text("ptx-nonesuch")


def test_races() -> None:
    racy = ptxmc.races(WEAK)
    assert racy.answer == ptxmc.RaceAnswer.racy
    finding = racy.findings[0]
    assert finding.rule == "race" and finding.severity == ptxmc.Severity.error
    assert {place.thread for place in finding.places} == {"P0", "P1"} and finding.witness is not None


def test_liveness() -> None:
    assert ptxmc.liveness(SPIN).hangs is True
    assert ptxmc.liveness(WEAK).hangs is False


def test_explain() -> None:
    why = ptxmc.explain(MP)
    assert why.kind == ptxmc.ExplanationKind.forbidden and why.minimal
    assert [axiom.axiom for axiom in why.axioms] == ["Causality"]
    assert why.axioms[0].section == "8.10.6" and why.axioms[0].steps[0][0] == 0
    assert ptxmc.explain(WEAK).kind == ptxmc.ExplanationKind.reachable


def test_notebooks_show_answers() -> None:
    checker = ptxmc.Checker(pictures=True)
    answers: list[Any] = [checker.check(WEAK), checker.explain(MP), checker.races(WEAK), checker.liveness(SPIN)]
    for answer in answers:
        page = answer._repr_html_()
        picture = re.search("<svg.*?</svg>", page, re.S)
        assert picture, page
        assert xml.etree.ElementTree.fromstring(picture.group()).tag.endswith("svg")
    broken = checker.check("PTX <i>\n", "b")._repr_html_()
    assert "<i>" not in broken


def test_verify() -> None:
    module = ROOT / "src/doc/example/sum.ptx"
    launch = {"grid": "1", "block": "128", "arguments": ["buffer:4K", "buffer:4K", "1"]}
    found = ptxmc.verify(module, **launch)  # type: ignore[arg-type]
    assert found.answer == ptxmc.VerifyAnswer.finding and found.findings[0].confirmed
    assert found.findings[0].places[0].source == "sum.cu:9"
    assert "race" in found._repr_html_()
    assert 0 < found.executed <= found.code
    under = ptxmc.verify(module, model="ptx-8.4", readings=["remote-arrive=cluster"], **launch)  # type: ignore[arg-type]
    assert under.answer == found.answer
    refused = ptxmc.verify(module, grid="0")
    assert refused.answer == ptxmc.VerifyAnswer.error and refused.diagnostics


def test_a_checker_is_shared_by_threads() -> None:
    checker = ptxmc.Checker()
    answers: list[ptxmc.Answer] = []
    threads = [threading.Thread(target=lambda: answers.append(checker.check(MP).answer)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [ptxmc.Answer.forbidden] * 8


def test_an_interrupt_ends_a_call() -> None:
    code = ("import signal, ptxmc; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
            f"print('begins', flush=True)\nptxmc.check({store_buffering(40)!r})")
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=os.environ) as process:
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline() == "begins\n"
        time.sleep(0.3)  # it then is in the call, or comes to it
        process.send_signal(signal.SIGINT)
        assert process.stderr.read().rstrip().endswith("KeyboardInterrupt")
        assert process.wait() != 0


def member_of(node: ast.stmt) -> str | None:
    if isinstance(node, ast.FunctionDef):
        return node.name
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return node.target.id
    return None


def test_the_stub_names_what_is_there() -> None:
    """Type checkers read _ptxmc.pyi: no class, function or member is missing there, and none is made up."""
    stub = pathlib.Path(ptxmc.__file__).with_name("_ptxmc.pyi")
    compiled = sys.modules["ptxmc._ptxmc"]
    shown: dict[str, set[str]] = {}
    for node in ast.parse(stub.read_text()).body:
        if isinstance(node, ast.ClassDef):
            shown[node.name] = set(filter(None, map(member_of, node.body)))
        elif isinstance(node, ast.FunctionDef):
            shown[node.name] = set()
    there = {name for name in vars(compiled) if not name.startswith("__")}
    assert there == set(shown) - {"_Enum"}
    for name in there:
        if isinstance(kind := getattr(compiled, name), type):
            enum = "__members__" in vars(kind)
            members = {m for m in vars(kind) if not m.startswith("__")} - ({"name", "value"} if enum else set())
            assert members == {m for m in shown[name] if not m.startswith("__")}, name


def test_a_path_may_be_a_str(tmp_path: pathlib.Path) -> None:
    assert ptxmc.check(str(MP)).name == "MP+release.gpu+acquire.gpu"
    file = tmp_path / "weak.litmus"
    file.write_text(WEAK)
    assert ptxmc.check(str(file)).answer == ptxmc.check(WEAK).answer
    # A line that names no file is a text.
    assert ptxmc.check(str(tmp_path / "absent.litmus")).answer == ptxmc.Answer.error


def test_sides_and_arguments_may_be_numbers() -> None:
    module = ROOT / "src/doc/example/sum.ptx"
    words = ptxmc.verify(module, entry="block_sum", grid="2", block="128", arguments=["buffer:512", "buffer:4", "100"])
    numbers = ptxmc.verify(str(module), entry="block_sum", grid=2, block=(128, 1), arguments=["buffer:512", "buffer:4", 100])
    assert words.answer == numbers.answer == ptxmc.VerifyAnswer.finding
    assert [finding.rule for finding in words.findings] == [finding.rule for finding in numbers.findings]


def test_repair_of_a_file_and_of_a_text() -> None:
    file = ROOT / "litmus/bugzoo/scan-missing-threadfence+buggy.litmus"
    found = ptxmc.repair(file)
    assert found and not found.open
    assert found.repairs[0].diff.startswith("--- ") and found.repairs[0].changes
    assert [one.changes for one in ptxmc.repair(file.read_text()).repairs] == [one.changes for one in found.repairs]
    with pytest.raises(ValueError):
        ptxmc.repair("PTX broken\n{")
    with pytest.raises(ValueError):
        ptxmc.repair(file, nonsense=1)


def test_weaken() -> None:
    done = ptxmc.weaken(MP)
    assert done.name == "MP+release.gpu+acquire.gpu" and not done.open
    assert done.saved == pytest.approx(0.0) and done.single == ()


def test_record_without_a_kernel(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ValueError, match="no launch was recorded"):
        ptxmc.record([sys.executable, "-c", "pass"], folder=tmp_path / "recorded", pretend=True)


def test_the_program_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTXMC_PROGRAM", "/nowhere/ptxmc")
    with pytest.raises(FileNotFoundError, match="PTXMC_PROGRAM"):
        ptxmc.repair(MP)
