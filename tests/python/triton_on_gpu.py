#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""triton_on_gpu.py [AHEAD]: ptxmc.triton and ptxmc.record with Triton and PyTorch themselves.

With a GPU: what Triton's launcher compiles, a decorator, this process recorded, torch.compile in a process that is started. AHEAD: only
what needs no GPU, compiled ahead of time. PYTHONPATH has the module, as build/release/python. Status 77: no Triton, or no PyTorch.
"""
import pathlib
import subprocess
import sys
import tempfile
import time

try:
    import torch
    import triton
    import triton.language as tl
except ImportError as error:
    print(f"SKIPPED: {error}: nothing was checked with Triton and PyTorch", file=sys.stderr)
    sys.exit(77)

import ptxmc
import ptxmc.triton

AHEAD = "AHEAD" in sys.argv[1:] or not torch.cuda.is_available()
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from checks import check, end  # noqa: E402


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def total_racy(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out, tl.load(out) + tl.sum(tl.load(x + at, mask=at < n, other=0.0)))


@triton.jit
def total(x, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(out, tl.sum(tl.load(x + at, mask=at < n, other=0.0)))


@triton.jit
def gather(x, index, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + tl.load(index + at, mask=inside, other=0), tl.load(x + at, mask=inside), mask=inside)


@triton.jit
def product(a, b, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    i, j, k = tl.arange(0, M), tl.arange(0, N), tl.arange(0, K)
    left = tl.load(a + i[:, None] * K + k[None, :])
    right = tl.load(b + k[:, None] * N + j[None, :])
    tl.store(c + i[:, None] * N + j[None, :], tl.dot(left, right))


def asked(name, wanted, kernel, grid, *arguments, **meta):
    """wanted: rules of its errors; None: whatever it says, it says it."""
    start = time.monotonic()
    answer = ptxmc.triton.verify(kernel, grid, *arguments, options={"timeout": 120}, **meta)
    rules = sorted({error["rule"] for error in answer.errors})
    print(f"{name}: status {answer.status}, {rules}, {time.monotonic() - start:.1f} s")
    check(wanted is None or rules == wanted, f"{name}: {rules}, not {wanted}:\n{answer}\n{answer.messages}")
    check(wanted != [] or answer.status == 0, f"{name}: not all schedules:\n{answer}")


def launches(**how):
    device = "cpu" if AHEAD else "cuda"
    n = 1000
    x, y, out = (torch.zeros(1024, device=device) for _ in range(3))
    one = torch.zeros(1, device=device)
    index = torch.arange(1024, device=device, dtype=torch.int32)
    a, b = (torch.zeros(64, 64, device=device, dtype=torch.float16) for _ in range(2))
    c = torch.zeros(64, 64, device=device)
    asked("add", [], add, (4,), x, y, out, n, BLOCK=256, **how)
    asked("total with a plain store", ["race"], total_racy, (4,), x, one, n, BLOCK=256, **how)
    asked("total with an atomic", None, total, (4,), x, one, n, BLOCK=256, **how)
    asked("gather", [], gather, (4,), x, index, out, n, BLOCK=256, **how)
    asked("gather of equal indices", ["race"], gather, (4,), x, index * 0, out, n, BLOCK=256, **how)
    asked("product", [], product, (1,), a, b, c, M=64, N=64, K=64, **how)
    plan = ptxmc.triton.launch_file(add, lambda meta: (triton.cdiv(n, meta["BLOCK"]),), x, y, out, n, BLOCK=512, folder=tempfile.mkdtemp(), **how)
    check('"grid": [\n  2,' in plan.read_text(), "a grid that is a function")


def decorated():
    x, out = torch.ones(1024, device="cuda"), torch.zeros(1, device="cuda")
    try:
        ptxmc.triton.checked(total_racy)[(4,)](x, out, 1000, BLOCK=256)
        check(False, "a racy launch runs")
    except ptxmc.triton.Errors as error:
        print("decorator:", str(error).split("\n")[0])
    y = torch.ones(1024, device="cuda")
    ptxmc.triton.checked(add)[(4,)](x, y, y, 1000, BLOCK=256)
    check(float(y[0]) == 2.0, "a launch without errors runs")


RECORDED = """
import ptxmc, torch
with ptxmc.record(folder="recorded", launches=4) as r:
    def model(x):
        return torch.softmax(x * 2 + 1, -1).sum(0)
    out = torch.compile(model)(torch.randn(64, 256, device="cuda"))
    torch.cuda.synchronize()
print(r.recording.messages)
answer = r.verify(timeout=120)
print(answer)
torch.ones(4, device="cuda").sum().item()  # CUDA works after the end
"""


def recorded():
    with tempfile.TemporaryDirectory() as folder:
        start = time.monotonic()
        done = subprocess.run([sys.executable, "-c", RECORDED], cwd=folder, capture_output=True, text=True, timeout=500)
        print(f"torch.compile, recorded: status {done.returncode}, {time.monotonic() - start:.1f} s\n{done.stdout}{done.stderr[-3000:]}")
        check(done.returncode == 0, "torch.compile, recorded")
        check("triton_" in done.stdout, "a kernel of Inductor was recorded")


launches(**({"target": 90} if AHEAD else {}))
if not AHEAD:
    launches(target=90)
    decorated()
    recorded()
end()
