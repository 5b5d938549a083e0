# SPDX-License-Identifier: Apache-2.0
"""Recording from Python: processes that are started, this process, and tests of pytest. Each is a process that launches a kernel by the
driver's interface, as Triton's launcher does."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
import textwrap

import pytest

import ptxmc

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUM = ROOT / "src/doc/example/sum.ptx"

# launch(ptx, entry, n): block_sum of 128 threads, or another kernel with the same parameters.
LAUNCHING = f'''
import ctypes
SUM = open({str(SUM)!r}).read()
RIGHT = """.version 8.0
.target sm_90
.address_size 64
.visible .entry right(.param .u64 from, .param .u64 to, .param .u32 n) {{
  .reg .b64 %d; .reg .b32 %r;
  mov.u32 %r, %tid.x; cvt.u64.u32 %d, %r; shl.b64 %d, %d, 2;
  .reg .b64 %to; ld.param.u64 %to, [to]; add.u64 %to, %to, %d; st.global.u32 [%to], %r; ret; }}
"""
def launch(ptx, entry, library="libcuda.so.1"):
    cuda = ctypes.CDLL(library)
    def call(name, *words):
        status = getattr(cuda, name)(*words)
        assert status == 0, (name, status)
    context, module, function = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
    call("cuCtxSetCurrent", context)
    call("cuModuleLoadData", ctypes.byref(module), ptx.encode())
    call("cuModuleGetFunction", ctypes.byref(function), module, entry.encode())
    buffers = [ctypes.c_uint64(), ctypes.c_uint64()]
    for buffer in buffers:
        call("cuMemAlloc_v2", ctypes.byref(buffer), ctypes.c_size_t(512))
    words = [*buffers, ctypes.c_int32(100)]
    pointers = (ctypes.c_void_p * 3)(*(ctypes.addressof(word) for word in words))
    call("cuLaunchKernel", function, 1, 1, 1, 128, 1, 1, 0, None, pointers, None)
'''


def run(folder: pathlib.Path, text: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Python runs a text, which begins with LAUNCHING, in a process of its own: a process records once."""
    (folder / "program.py").write_text(LAUNCHING + textwrap.dedent(text))
    return subprocess.run([sys.executable, *words, "program.py"], cwd=folder, capture_output=True, text=True, timeout=100)


def test_this_process(tmp_path: pathlib.Path) -> None:
    done = run(tmp_path, """
        import ptxmc
        with ptxmc.record(pretend=True) as r:
            launch(SUM, "block_sum")
            launch(RIGHT, "right")
        launch(RIGHT, "right")  # after the end, which records nothing
        assert len(r.launches) == 2, r.launches
        answer = r.verify(timeout=60)
        assert not answer and [error["rule"] for error in answer.errors] == ["race"], str(answer)
        print(answer)
        try:
            with ptxmc.record(pretend=True):
                pass
        except RuntimeError as error:
            print(error)
        """)
    assert done.returncode == 0, done.stderr
    assert "error: race" in done.stdout and "this process uses CUDA already" in done.stdout


def test_a_process_that_is_started(tmp_path: pathlib.Path) -> None:
    (tmp_path / "child.py").write_text(LAUNCHING + 'launch(RIGHT, "right")\n')
    before = dict(os.environ)
    with ptxmc.record(folder=tmp_path / "made", own=False, pretend=True) as recorder:
        with pytest.raises(RuntimeError, match="before the end"):
            recorder.launches
        subprocess.run([sys.executable, "child.py"], cwd=tmp_path, check=True, timeout=100)
    assert dict(os.environ) == before
    assert recorder.launches == (tmp_path / "made/right/launch.json",)
    assert recorder.verify() and not recorder.verify().findings


def test_nothing_is_launched(tmp_path: pathlib.Path) -> None:
    with pytest.raises(ValueError, match="no launch was recorded"):
        with ptxmc.record(folder=tmp_path / "made", own=False, pretend=True):
            pass
    with pytest.raises(ValueError, match="--sms"):
        with ptxmc.record(folder=tmp_path / "made", own=False, sms=0):
            pass


TESTS = LAUNCHING + '''
import os, pytest
PARENT = os.environ["PARENT"]

@pytest.fixture
def value():
    assert os.getppid() != int(PARENT)  # each test is in a process of its own
    return 7

def test_right(value): launch(RIGHT, "right"); assert value == 7
def test_racy(): launch(SUM, "block_sum")
@pytest.mark.parametrize("n", [1, 2])
def test_nothing(n): assert n
def test_wrong(): assert 1 == 2
def test_skipped(): pytest.skip("no reason")
def test_ends(): os._exit(3)
'''


def of_pytest(folder: pathlib.Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "pytest", "-p", "ptxmc.pytest_plugin", "-p", "no:cacheprovider", *words], cwd=folder,
                          env={**os.environ, "PARENT": str(os.getpid())}, capture_output=True, text=True, timeout=100)


def test_pytest_plugin(tmp_path: pathlib.Path) -> None:
    (tmp_path / "test_kernels.py").write_text(TESTS)
    plain = of_pytest(tmp_path, "-k", "right or nothing")
    assert "ptxmc" not in plain.stdout.split("collected")[1]  # without --ptxmc nothing changes
    done = of_pytest(tmp_path, "--ptxmc", "--ptxmc-options", "--pretend --timeout 60", "test_kernels.py")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "3 failed, 3 passed, 1 skipped" in done.stdout, done.stdout
    for words in ("FAILED test_kernels.py::test_racy", "FAILED test_kernels.py::test_wrong", "FAILED test_kernels.py::test_ends",
                  "error: data race on 4 bytes at s+64", "assert 1 == 2", "the process of this test ended early",
                  "ptxmc: tests: 1 verified, 1 with errors, 0 incomplete, 4 launched nothing; reports: "):
        assert words in done.stdout, f"no '{words}' in {done.stdout}"
    reports = tmp_path / "ptxmc-reports"
    assert "no race" in (reports / "test_kernels.py-test_right/report.txt").read_text()
    assert (reports / "test_kernels.py-test_racy/launches/block_sum/launch.json").exists()


def test_pytest_plugin_with_options(tmp_path: pathlib.Path) -> None:
    (tmp_path / "test_kernels.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --ptxmc --ptxmc-options='--pretend --ignore race --allow-incomplete'\n")
    done = of_pytest(tmp_path, "-q", "-k", "racy", "--maxfail", "1", "--junitxml", "out.xml")
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout + done.stderr
    assert (tmp_path / "out.xml").exists()
    assert "expected a whole number" in of_pytest(tmp_path, "-k", "racy", "--ptxmc-options=--sms 0").stdout
