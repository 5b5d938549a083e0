# SPDX-License-Identifier: Apache-2.0
"""ptxmc.triton, with stand-ins for what Triton compiles and for tensors: what it reads of them is what Triton documents."""

from __future__ import annotations

import json
import pathlib
import types
from typing import Any

import pytest

import ptxmc
import ptxmc.triton

ROOT = pathlib.Path(__file__).resolve().parents[2]
RACY = (ROOT / "src/doc/example/sum.ptx").read_text()
COPY = """.version 8.0
.target sm_90
.address_size 64
.extern .shared .align 16 .b8 global_smem[];
.visible .entry copy(.param .u64 .ptr .global .align 1 copy_param_0, .param .u64 .ptr .global .align 1 copy_param_1,
  .param .u32 copy_param_2, .param .u64 .ptr .global .align 1 copy_param_3)
.reqntid 32
{
  .reg .b32 %r<9>;
  .reg .b64 %d<8>;
  .reg .pred %p;
  ld.param.u64 %d0, [copy_param_0];
  ld.param.u64 %d1, [copy_param_1];
  ld.param.u32 %r0, [copy_param_2];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
  mad.lo.u32 %r3, %r2, 32, %r1;
  setp.ge.s32 %p, %r3, %r0;
  @%p bra END;
  mul.wide.u32 %d2, %r3, 4;
  add.u64 %d3, %d0, %d2;
  ld.global.u32 %r4, [%d3];
  mul.wide.u32 %d4, %r4, 4;
  add.u64 %d5, %d1, %d4;
  st.global.u32 [%d5], %r3;
END:
  ret;
}
"""


class Tensor:
    """As much of a torch.Tensor as is asked."""

    def __init__(self, values: list[int] | int, dtype: str = "torch.int32", base: int = 4096, offset: int = 0) -> None:
        self.values = values if isinstance(values, list) else [0] * values
        self.dtype, self._base, self._offset = dtype, base, offset

    def data_ptr(self) -> int:
        return self._base + self._offset

    def element_size(self) -> int:
        return 4

    def numel(self) -> int:
        return len(self.values)

    def is_contiguous(self) -> bool:
        return True

    def untyped_storage(self) -> Any:
        return types.SimpleNamespace(data_ptr=lambda: self._base, nbytes=lambda: self._offset + 4 * len(self.values))

    def detach(self) -> Tensor:
        return self

    cpu = numpy = detach

    def tobytes(self) -> bytes:
        return b"".join(value.to_bytes(4, "little") for value in self.values)


def compiled(name: str, ptx: str, signature: dict[Any, str], names: list[str], **metadata: Any) -> Any:
    source = types.SimpleNamespace(fn=types.SimpleNamespace(arg_names=names), signature=signature, constants={})
    known = {"name": name, "shared": 0, "num_warps": 4, "num_ctas": 1, "target": types.SimpleNamespace(warp_size=32)}
    return types.SimpleNamespace(asm={"ptx": ptx}, src=source, metadata=types.SimpleNamespace(**{**known, **metadata}))


def racy() -> Any:
    return compiled("block_sum", RACY, {"x": "*fp32", "out": "*fp32", "n": "i32"}, ["x", "out", "n"])


def copy() -> Any:
    return compiled("copy", COPY, {"x": "*i32", "out": "*i32", "n": "i32", "BLOCK": "constexpr"}, ["x", "out", "n", "BLOCK"], num_warps=1)


def test_a_race() -> None:
    answer = ptxmc.triton.verify(racy(), (1,), ptxmc.triton.Buffer(512), ptxmc.triton.Buffer(4), 100)
    assert not answer and answer.status == 1 and not answer.incomplete
    assert [finding["rule"] for finding in answer.errors] == ["race"]
    assert "sum.cu:9: error: race: nothing orders them" in str(answer) and "fix: add `__syncthreads()`" in str(answer)


def test_contents_of_integers_and_constants(tmp_path: pathlib.Path) -> None:
    x, out = Tensor([63 - i for i in range(64)]), Tensor(64, base=65536)
    answer = ptxmc.triton.verify(copy(), lambda meta: (64 // meta["BLOCK"],), x, out, 64, BLOCK=32, folder=tmp_path)
    assert answer and not answer.findings, str(answer)
    plan = json.loads((tmp_path / "launch.json").read_text())
    assert plan["grid"] == [2, 1, 1] and plan["block"] == 32 and plan["arguments"][2:] == [{"s32": 64}, {"u64": 0}]
    assert plan["memory"]["x"] == {"bytes": 256, "ranges": {"0": {"bytes": 256, "data": "x.bin"}}}
    # Two elements with one index: two threads write one place.
    twice = ptxmc.triton.verify(copy(), (2,), Tensor([0] * 64), out, 64, BLOCK=32)
    assert [finding["rule"] for finding in twice.errors] == ["race"]
    # What the tensor holds is open: it decides addresses.
    assert ptxmc.triton.verify(copy(), (2,), ptxmc.triton.Buffer(256), out, 64).status != 0


def test_tensors_of_one_storage(tmp_path: pathlib.Path) -> None:
    file = ptxmc.triton.launch_file(copy(), 1, Tensor(32), Tensor([7], offset=256), n=1, folder=tmp_path)
    plan = json.loads(file.read_text())
    assert plan["arguments"][:2] == [{"buffer": "x"}, {"buffer": "x", "offset": 256}]
    assert set(plan["memory"]) == {"x"} and plan["memory"]["x"]["ranges"]["256"] == {"bytes": 4, "data": "out.bin"}


def test_older_signatures_clusters_and_scratch(tmp_path: pathlib.Path) -> None:
    kernel = copy()
    kernel.src.signature, kernel.src.constants = {0: "*i32", 1: "*i32", 2: "i32"}, {(3,): 32}
    kernel.metadata.num_ctas, kernel.metadata.global_scratch_size, kernel.metadata.shared = 2, 128, 64
    plan = json.loads(ptxmc.triton.launch_file(kernel, (2, 3), Tensor(8), Tensor(8), 8, folder=tmp_path).read_text())
    assert plan["grid"] == [4, 3, 1] and plan["cluster"] == 2 and plan["shared"] == 64
    assert plan["memory"]["global_scratch"] == {"bytes": 128 * 12} and plan["arguments"][3] == {"buffer": "global_scratch"}


@pytest.mark.parametrize("change, words", [
    ({"x": 7}, "argument x: expected a tensor"),
    ({"n": None}, "argument n is missing"),
    ({"signature": {"x": "*i32", "out": "*i32", "n": "fp16"}}, "a scalar of type fp16"),
    ({"signature": {"x": "*i32"}}, "copy has 4 parameters in PTX, and 3 are known"),
    ({"name": "other"}, "the PTX has no entry other"),
    ({"more": True}, "5 arguments are given, and the kernel has 4"),
])
def test_what_is_refused(change: dict[str, Any], words: str, tmp_path: pathlib.Path) -> None:
    kernel = copy()
    kernel.src.signature = change.get("signature", kernel.src.signature)
    kernel.metadata.name = change.get("name", kernel.metadata.name)
    arguments = [change.get("x", Tensor(8)), Tensor(8)] + ([] if "n" in change else [8]) + ([1, 1] if "more" in change else [])
    with pytest.raises(ValueError, match=words):
        ptxmc.triton.launch_file(kernel, 1, *arguments, folder=tmp_path)


class Jitted:
    """As much of a JITFunction as is asked: it is compiled for arguments, and launched."""
    arg_names = ["x", "out", "n"]

    def __init__(self) -> None:
        self.launched: list[Any] = []

    def warmup(self, *, grid: tuple[int, ...], x: Any, out: Any, n: int) -> Any:
        assert grid == (1, 1, 1) and isinstance(x, Tensor) and isinstance(out, Tensor)
        return racy()

    def __getitem__(self, grid: Any) -> Any:
        return lambda *args, **meta: self.launched.append((grid, args))


def test_checked() -> None:
    plain = Jitted()
    kernel = ptxmc.triton.checked(plain, timeout=60)
    with pytest.raises(ptxmc.triton.Errors, match="error: race"):
        kernel[(1,)](Tensor(128, "torch.float32"), Tensor(1, "torch.float32", base=65536), 100)
    assert not plain.launched and len(kernel.verified) == 1
    kernel[(1,)](Tensor(128, "torch.float32"), Tensor(1, "torch.float32", base=65536), 100)  # known by now
    assert len(plain.launched) == 1 and len(kernel.verified) == 1
    with pytest.raises(ValueError, match="say for which GPU to compile"):
        ptxmc.triton.verify(Jitted(), 1, ptxmc.triton.Buffer(4), ptxmc.triton.Buffer(4), 1)
