# SPDX-License-Identifier: Apache-2.0
"""A context in which launches of kernels are recorded: of this process, and of those that it starts."""

from __future__ import annotations

import ctypes
import json
import os
import pathlib
import socket
import stat
import subprocess
import sys
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Union, overload

from . import _program, _run
from ._program import Recording
from ._verified import Verified

_SOCKET, _PATH, _PRELOADED = "PTXMC_RECORD", "LD_LIBRARY_PATH", "LD_PRELOAD"
# The program that is recorded says its environment, and waits until its input ends.
_WAITING = "import json, os, sys; print(json.dumps(dict(os.environ)), flush=True); sys.stdin.read()"


def _driver_in_use() -> bool:
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        return any("/libcuda.so" in line for line in maps)


def _disconnect(path: str) -> None:
    """Ends this process's connection to the recorder, which is the driver's."""
    for name in os.listdir("/proc/self/fd"):
        try:
            if not stat.S_ISSOCK(os.fstat(int(name)).st_mode):
                continue
            with socket.socket(fileno=os.dup(int(name))) as one:
                if one.family == socket.AF_UNIX and one.getpeername() == path:
                    one.shutdown(socket.SHUT_RDWR)
        except OSError:  # it is not connected, or closed
            continue


class Recorder:
    """`with ptxmc.record() as r: model(x)`, then `r.verify()`."""

    def __init__(self, folder: _run.Source, own: bool, options: Mapping[str, Any]) -> None:
        self._folder, self._own, self._options = folder, own, options
        self._process: subprocess.Popen[str] | None = None
        self._before: dict[str, str | None] = {}
        self._recording: Recording | None = None
        self._connection = ""

    def __enter__(self) -> Recorder:
        if self._process is not None:
            raise RuntimeError("a recorder records once")
        if self._own and _driver_in_use():
            raise RuntimeError("this process uses CUDA already: enter ptxmc.record() before its first use of CUDA, run the program "
                               "as `ptxmc record -- python ...`, or record only the processes that it starts: own=False")
        words = [_run.program(), "record", "--output", os.fspath(self._folder), "--format", "json",
                 *_run.words(self._options), "--", sys.executable, "-S", "-c", _WAITING]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                         errors="surrogateescape")
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.startswith("{"):
            raise ValueError(self._process.communicate()[1].strip())
        given = json.loads(line)
        for name in (_SOCKET, _PATH, _PRELOADED):
            self._before[name] = os.environ.get(name)
            if name in given:
                os.environ[name] = given[name]
        self._connection = given[_SOCKET]
        if self._own:  # a later dlopen of libcuda.so.1 in this process gets this one
            ctypes.CDLL(os.path.join(given[_PATH].split(":")[0], "libcuda.so.1"), mode=ctypes.RTLD_GLOBAL)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        assert self._process is not None
        for name, value in self._before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        if self._own:
            _disconnect(self._connection)
        out, messages = self._process.communicate()  # which ends its input
        if kind is not None:
            return
        if self._process.returncode == 2:
            raise ValueError(messages.strip())
        lines = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
        self._recording = _program.recording_of(lines, self._process.returncode != 0, messages)

    @property
    def recording(self) -> Recording:
        """What was recorded; of a context that has ended."""
        if self._recording is None:
            raise RuntimeError("nothing is recorded before the end of the context")
        return self._recording

    @property
    def launches(self) -> tuple[pathlib.Path, ...]:
        """Files of launches."""
        return self.recording.launches

    def verify(self, **options: Any) -> Verified:
        """Verifies what was recorded. Options: those of `ptxmc verify`, as timeout=60."""
        return self.recording.verify(**options)


_Word = Union[str, "os.PathLike[str]"]


@overload
def record(command: Sequence[_Word], folder: _Word = ..., **options: Any) -> Recording: ...


@overload
def record(command: None = ..., folder: _Word = ..., *, own: bool = ..., **options: Any) -> Recorder: ...


def record(command: Sequence[_Word] | None = None, folder: _Word = "recorded", *, own: bool = True,
           **options: Any) -> Recording | Recorder:
    """Writes each kernel that a CUDA program launches into `folder`, as a file for verify. Options: those of `ptxmc record`, as
    arch="sm_90a", pretend=True.

    With a command: runs it. Without: a context in which launches of this process and of those that it starts are recorded; with
    own=False only of those that it starts. This process must not have used CUDA before, and records once."""
    if command is not None:
        return _program.record(command, folder, **options)
    return Recorder(folder, own, options)
