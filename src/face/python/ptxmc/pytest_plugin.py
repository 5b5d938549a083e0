# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest. With --ptxmc each test runs in a process of its own, under `ptxmc record --verify`. It fails if a kernel has an
error in some schedule, or is not covered in all. Without a GPU no kernel runs: what it computes is open.

    pytest -p ptxmc.pytest_plugin --ptxmc tests
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
from typing import Any

import pytest

from . import _run

_REPORTS = "PTXMC_PYTEST_REPORTS"  # the file in which the process of one test leaves its reports
_CHILD_IGNORES = re.compile(r"--ptxmc|--junit-?xml=|--maxfail=|--lf$|--ff$|--nf$|--sw|--stepwise|--last-failed|--failed-first|-x$|"
                            r"--exitfirst|--pdb$|--trace$|-n\d|--numprocesses=|--dist=|--cov")
_CHILD_IGNORES_NEXT = {"--junitxml", "--junit-xml", "--maxfail", "-n", "--numprocesses", "--dist", "--ptxmc-options", "--ptxmc-output"}
_NOTHING_LAUNCHED = "no launch was recorded"
_INCOMPLETE, _REFUSED = 3, 2


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ptxmc", "verifying the CUDA kernels that tests launch")
    group.addoption("--ptxmc", action="store_true", help="run each test in a process of its own under `ptxmc record --verify`")
    group.addoption("--ptxmc-options", default="", metavar="WORDS", help="options of `ptxmc record`, as '--allow-incomplete --timeout 60'")
    group.addoption("--ptxmc-output", default="ptxmc-reports", metavar="DIR",
                    help="a folder for each test, with its launches and report.txt; default ptxmc-reports")


# ---- in the process of one test ----

class _Writer:
    """Leaves the reports of this process in a file, for the process that started it."""

    def __init__(self, config: pytest.Config, file: str) -> None:
        self._config, self._file = config, file

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        with open(self._file, "a", encoding="utf-8") as file:
            file.write(json.dumps(data) + "\n")


def pytest_configure(config: pytest.Config) -> None:
    file = os.environ.get(_REPORTS)
    if file is not None:
        config.pluginmanager.register(_Writer(config, file), "ptxmc-writer")
    elif config.getoption("--ptxmc"):
        config.pluginmanager.register(_Runner(config), "ptxmc-runner")


# ---- in the process of all tests ----

def _child_arguments(config: pytest.Config) -> list[str]:
    """The options of this run that one test needs as well."""
    out: list[str] = []
    skip = False
    for word in map(str, config.invocation_params.args):
        if not skip and word not in config.args and word not in _CHILD_IGNORES_NEXT and not _CHILD_IGNORES.match(word):
            out.append(word)
        skip = word in _CHILD_IGNORES_NEXT
    return out


class _Runner:
    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._program = _run.program()  # a usage error now, not at each test
        self._folder = pathlib.Path(config.invocation_params.dir, config.getoption("--ptxmc-output"))
        self._counts = {"verified": 0, "with errors": 0, "incomplete": 0, "launched nothing": 0}

    def pytest_runtest_protocol(self, item: pytest.Item) -> bool:
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in self._reports(item):
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def _reports(self, item: pytest.Item) -> list[pytest.TestReport]:
        folder = self._folder / re.sub(r"[^\w.=-]+", "-", item.nodeid).strip("-")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        file = folder / "pytest.jsonl"
        _, _, inside = item.nodeid.partition("::")
        command = [self._program, "record", "--verify", "--output", str(folder / "launches"),
                   *shlex.split(self._config.getoption("--ptxmc-options")), "--",
                   sys.executable, "-m", "pytest", "-p", "ptxmc.pytest_plugin", "-p", "no:cacheprovider", "-q",
                   "--rootdir", str(self._config.rootpath), *_child_arguments(self._config), f"{item.path}::{inside}"]
        ran = subprocess.run(command, cwd=self._config.invocation_params.dir, env={**os.environ, _REPORTS: str(file)},
                             stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", check=False)
        (folder / "report.txt").write_text(ran.stdout + ran.stderr)
        reports = self._read(file)
        file.unlink(missing_ok=True)
        if not any(report.when == "teardown" for report in reports):
            return [self._made(item, f"the process of this test ended early\n{ran.stdout}{ran.stderr}")]
        self._judge(item, reports, ran, folder)
        return reports

    def _read(self, file: pathlib.Path) -> list[pytest.TestReport]:
        if not file.exists():
            return []
        lines = file.read_text(encoding="utf-8").splitlines()
        return [self._config.hook.pytest_report_from_serializable(config=self._config, data=json.loads(line)) for line in lines]

    def _judge(self, item: pytest.Item, reports: list[pytest.TestReport], ran: subprocess.CompletedProcess[str],
               folder: pathlib.Path) -> None:
        """What ptxmc found becomes the outcome of a call that passed, and a section of its report."""
        call = next((report for report in reports if report.when == "call"), None)
        if ran.returncode == _REFUSED and _NOTHING_LAUNCHED in ran.stderr:
            self._counts["launched nothing"] += 1
            return
        self._counts["verified" if ran.returncode == 0 else "incomplete" if ran.returncode == _INCOMPLETE else "with errors"] += 1
        if call is None or ran.returncode == 0:
            return
        text = f"{self._verified(ran)}\n{folder / 'report.txt'}"
        if call.outcome != "passed":
            call.sections.append(("ptxmc record --verify", text))
        else:
            call.outcome, call.longrepr = "failed", f"ptxmc: the kernels of {item.name}:\n{text}"
            if hasattr(call, "wasxfail"):
                del call.wasxfail

    @staticmethod
    def _verified(ran: subprocess.CompletedProcess[str]) -> str:
        """What follows the output of pytest, of the process of the test, on standard output."""
        out = re.sub(r"(?s)\A.*?^(?:=+ )?\d+ (?:passed|failed|xfailed|xpassed|skipped).* in [\d.]+s.*?\n", "", ran.stdout, flags=re.M)
        return (out + ran.stderr).strip()

    @staticmethod
    def _made(item: pytest.Item, text: str) -> pytest.TestReport:
        return pytest.TestReport(nodeid=item.nodeid, location=item.location, keywords={}, outcome="failed", longrepr=text, when="call")

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        counts = ", ".join(f"{count} {name}" for name, count in self._counts.items())
        terminalreporter.write_line(f"ptxmc: tests: {counts}; reports: {self._folder}")
