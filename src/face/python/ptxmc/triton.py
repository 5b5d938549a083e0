# SPDX-License-Identifier: Apache-2.0
"""Launches of Triton kernels, verified.

    import ptxmc.triton
    print(ptxmc.triton.verify(add_kernel, (4,), x, y, out, n, BLOCK=1024))

The kernel is one that @triton.jit made, which is compiled for these arguments, or what it was compiled to. Its PTX, the names in its
metadata and the arguments are all that is needed: with target=90 no GPU is. Contents of tensors of integers count; those of others are
open, so that the answer holds for all of them.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import json
import os
import pathlib
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Union

from ._verified import Verified, verify_files

Grid = Union[int, Sequence[int], Callable[[Mapping[str, Any]], Sequence[int]]]

_MOST_CONTENTS = 1 << 16  # bytes of a tensor of integers; what larger ones hold is open
_SCALARS = {"i1": "u8", "i8": "s8", "i16": "s16", "i32": "s32", "i64": "s64", "u1": "u8", "u8": "u8", "u16": "u16", "u32": "u32",
            "u64": "u64", "fp32": "f32", "fp64": "f64"}
_ELEMENTS = {"bool": "i1", "int8": "i8", "uint8": "u8", "int16": "i16", "uint16": "u16", "int32": "i32", "uint32": "u32",
             "int64": "i64", "uint64": "u64", "float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64",
             "float8_e4m3fn": "fp8e4nv", "float8_e5m2": "fp8e5"}


@dataclasses.dataclass(frozen=True)
class Buffer:
    """Memory in place of a tensor: so many bytes, whose contents are open. `type` as Triton names it, where a kernel is compiled."""
    bytes: int
    type: str = "fp32"


class Errors(AssertionError):
    """A launch of a kernel that is `checked` has errors, or is incomplete."""


# ---- what is launched ----

def _element(tensor: Any) -> str:
    return str(getattr(tensor, "dtype", "")).rsplit(".", 1)[-1]


def _is_tensor(value: Any) -> bool:
    return hasattr(value, "data_ptr") and hasattr(value, "element_size")


class _Memory:
    """The buffers of a launch: one for each storage, though several tensors share it."""

    def __init__(self, folder: pathlib.Path) -> None:
        self._folder = folder
        self._names: dict[int, str] = {}
        self.buffers: dict[str, dict[str, Any]] = {}

    def argument(self, name: str, value: Any) -> dict[str, Any]:
        """The argument that is a pointer to it."""
        if isinstance(value, Buffer):
            self.buffers[name] = {"bytes": value.bytes}
            return {"buffer": name}
        if hasattr(value, "untyped_storage"):
            storage = value.untyped_storage()
            start, size = storage.data_ptr(), storage.nbytes()
        else:
            start, size = value.data_ptr(), value.numel() * value.element_size()
        known = self._names.setdefault(start, name)
        if known == name:
            self.buffers[name] = {"bytes": max(size, 1)}
        offset = value.data_ptr() - start
        self._contents(known, name, value, offset)
        return {"buffer": known, "offset": offset} if offset else {"buffer": known}

    def _contents(self, buffer: str, name: str, tensor: Any, offset: int) -> None:
        size = tensor.numel() * tensor.element_size()
        if not re.fullmatch(r"u?int\d+|bool", _element(tensor)) or not 0 < size <= _MOST_CONTENTS or not tensor.is_contiguous():
            return
        (self._folder / f"{name}.bin").write_bytes(tensor.detach().cpu().numpy().tobytes())
        self.buffers[buffer].setdefault("ranges", {})[str(offset)] = {"bytes": size, "data": f"{name}.bin"}


def _scalar(name: str, kind: str, value: Any) -> dict[str, Any]:
    if kind not in _SCALARS:
        raise ValueError(f"argument {name}: a scalar of type {kind} cannot be passed here; record the program: ptxmc.record()")
    return {_SCALARS[kind]: float(value) if kind.startswith("fp") else int(value)}


def _bound(names: Sequence[str], args: Sequence[Any], meta: Mapping[str, Any]) -> dict[str, Any]:
    if len(args) > len(names):
        raise ValueError(f"{len(args)} arguments are given, and the kernel has {len(names)}")
    return {**dict(zip(names, args)), **meta}


def _names_of(kernel: Any) -> list[str]:
    """Names of the parameters of the function, in order."""
    function = getattr(getattr(kernel, "src", None), "fn", None) or kernel
    names = getattr(function, "arg_names", None)
    if names is None:
        raise ValueError("the kernel does not say its parameters: it is no kernel that Triton compiled")
    return list(names)


def _passed(kernel: Any, names: Sequence[str]) -> list[tuple[str, str]]:
    """Name and type of each parameter that is passed, in order; constants are part of the code."""
    source = kernel.src
    constants = getattr(source, "constants", None) or {}
    left_out = {names[key[0]] if isinstance(key, tuple) else names[key] if isinstance(key, int) else key for key in constants}
    rows = [(names[key] if isinstance(key, int) else key, kind) for key, kind in source.signature.items()]
    return [(name, str(kind)) for name, kind in rows if kind != "constexpr" and name not in left_out]


def _parameters(ptx: str, entry: str) -> list[str]:
    """Types of the parameters of the entry, in PTX."""
    found = re.search(rf"\.entry\s+{re.escape(entry)}\s*\(([^)]*)\)", ptx)
    if found is None:
        raise ValueError(f"the PTX has no entry {entry}")
    return re.findall(r"\.param\s+(?:\.align\s+\d+\s+)?(\.\w+)", found[1])


def _threads(ptx: str, metadata: Any) -> int:
    """Threads of a block. What the PTX requires counts the warps of warp specialization, too."""
    required = re.search(r"\.reqntid\s+(\d+)", ptx)
    warp: int = getattr(getattr(metadata, "target", None), "warp_size", 32)
    return int(required[1]) if required else int(metadata.num_warps) * warp


def _sides(grid: Grid, values: Mapping[str, Any]) -> list[int]:
    sides = grid(values) if callable(grid) else grid
    out = [int(sides)] if isinstance(sides, int) else [int(side) for side in sides]
    return out + [1] * (3 - len(out))


def _plan(kernel: Any, sides: list[int], values: Mapping[str, Any], folder: pathlib.Path) -> dict[str, Any]:
    metadata, ptx = kernel.metadata, kernel.asm["ptx"]
    entry = getattr(metadata, "name", None) or kernel.name
    blocks = int(getattr(metadata, "num_ctas", 1) or 1)  # of a cluster, which runs one program
    memory = _Memory(folder)
    arguments: list[Any] = []
    for name, kind in _passed(kernel, _names_of(kernel)):
        if name not in values:
            raise ValueError(f"argument {name} is missing")
        if kind.startswith("*"):
            if not isinstance(values[name], Buffer) and not _is_tensor(values[name]):
                raise ValueError(f"argument {name}: expected a tensor or ptxmc.triton.Buffer, found {type(values[name]).__name__}")
            arguments.append(memory.argument(name, values[name]))
        else:
            arguments.append(_scalar(name, kind, values[name]))
    # Memory that Triton's launcher allocates for each program follows the arguments: null where the kernel needs none.
    count = sides[0] * sides[1] * sides[2] * blocks
    for scratch in ("global_scratch", "profile_scratch"):
        if len(arguments) == len(_parameters(ptx, entry)):
            break
        size = int(getattr(metadata, f"{scratch}_size", 0) or 0) * count
        if size:
            memory.buffers[scratch] = {"bytes": size}
        arguments.append({"buffer": scratch} if size else {"u64": 0})
    if len(arguments) != len(_parameters(ptx, entry)):
        raise ValueError(f"{entry} has {len(_parameters(ptx, entry))} parameters in PTX, and {len(arguments)} are known; "
                         "record the program: ptxmc.record()")
    out: dict[str, Any] = {"module": "module.ptx", "entry": entry, "grid": [sides[0] * blocks, *sides[1:]],
                           "block": _threads(ptx, metadata), "shared": int(metadata.shared), "memory": memory.buffers,
                           "arguments": arguments}
    if blocks > 1:
        out["cluster"] = blocks
    if getattr(metadata, "launch_cooperative_grid", False):
        out["cooperative"] = True
    return out


# ---- how it is compiled ----

def _compiled(kernel: Any, values: Mapping[str, Any], sides: list[int], target: int | None) -> Any:
    """The kernel compiled for these arguments: by Triton's launcher, or for sm_<target> ahead of time."""
    if hasattr(kernel, "asm"):
        return kernel
    if target is None:
        if any(isinstance(value, Buffer) for value in values.values()):
            raise ValueError("a Buffer is no tensor that Triton's launcher takes: say for which GPU to compile, as target=90")
        return kernel.warmup(grid=tuple(sides), **values)
    triton: Any = importlib.import_module("triton")
    backends: Any = importlib.import_module("triton.backends.compiler")
    signature: dict[str, str] = {}
    constants: dict[str, Any] = {}
    options: dict[str, Any] = {}
    constexprs = {parameter.name for parameter in kernel.params if parameter.is_constexpr}
    for name, value in values.items():
        if name not in kernel.arg_names:
            options[name] = value  # num_warps, num_stages, ...
        elif name in constexprs:
            signature[name], constants[name] = "constexpr", value
        else:
            signature[name] = _type_of(name, value)
    source = triton.compiler.ASTSource(fn=kernel, signature={name: signature[name] for name in kernel.arg_names if name in signature},
                                       constexprs=constants)
    return triton.compile(source, target=backends.GPUTarget("cuda", target, 32), options=options)


def _type_of(name: str, value: Any) -> str:
    """The type of an argument, as Triton's signatures have it."""
    if isinstance(value, Buffer):
        return "*" + value.type
    if _is_tensor(value):
        if _element(value) not in _ELEMENTS:
            raise ValueError(f"argument {name}: a tensor of {_element(value)} is not known here")
        return "*" + _ELEMENTS[_element(value)]
    if isinstance(value, bool):
        return "i1"
    if isinstance(value, int):
        return "i32" if -(1 << 31) <= value < 1 << 31 else "i64"
    if isinstance(value, float):
        return "fp32"
    raise ValueError(f"argument {name}: {type(value).__name__} cannot be passed here; record the program: ptxmc.record()")


# ---- what users call ----

def launch_file(kernel: Any, grid: Grid, *args: Any, folder: Union[str, "os.PathLike[str]"], target: int | None = None,
                **meta: Any) -> pathlib.Path:
    """Writes the launch as FOLDER/launch.json, with its module.ptx, for `ptxmc verify`."""
    values = _bound(_names_of(kernel), args, meta)
    sides = _sides(grid, values)
    kernel = _compiled(kernel, values, sides, target)
    if not hasattr(kernel, "asm"):  # an autotuner has several
        raise ValueError("the kernel is not compiled to one: pass what a launch of it returns, or the function inside of its decorator")
    place = pathlib.Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    (place / "module.ptx").write_text(kernel.asm["ptx"])
    out = place / "launch.json"
    out.write_text(json.dumps(_plan(kernel, sides, values, place), indent=1) + "\n")
    return out


def verify(kernel: Any, grid: Grid, *args: Any, target: int | None = None, folder: Union[str, "os.PathLike[str]", None] = None,
           options: Mapping[str, Any] | None = None, **meta: Any) -> Verified:
    """Verifies the launch kernel[grid](*args, **meta), without running it.

    target=90: compiles for sm_90 ahead of time, which needs no GPU; without it Triton compiles for its GPU. folder: keeps the launch
    there. options: those of `ptxmc verify`, as {"timeout": 60}."""
    if folder is not None:
        return verify_files([launch_file(kernel, grid, *args, folder=folder, target=target, **meta)], **(options or {}))
    with tempfile.TemporaryDirectory(prefix="ptxmc-") as scratch:
        return verify_files([launch_file(kernel, grid, *args, folder=scratch, target=target, **meta)], **(options or {}))


class Checked:
    """A kernel of Triton each of whose different launches is verified before it runs."""

    def __init__(self, kernel: Any, options: Mapping[str, Any], allow_incomplete: bool) -> None:
        self._kernel, self._options, self._allow_incomplete = kernel, options, allow_incomplete
        self._seen: set[str] = set()
        self.verified: list[Verified] = []
        functools.update_wrapper(self, kernel, updated=())

    def __getitem__(self, grid: Grid) -> Callable[..., Any]:
        def launch(*args: Any, **meta: Any) -> Any:
            with tempfile.TemporaryDirectory(prefix="ptxmc-") as scratch:
                file = launch_file(self._kernel, grid, *args, folder=scratch, **meta)
                self._verify(file)
            return self._kernel[grid](*args, **meta)
        return launch

    def _verify(self, file: pathlib.Path) -> None:
        whole = "".join(path.read_bytes().hex() for path in sorted(file.parent.iterdir()))
        if whole in self._seen:
            return
        self._seen.add(whole)
        answer = verify_files([file], **self._options)
        self.verified.append(answer)
        if not answer and not (self._allow_incomplete and answer.incomplete):
            raise Errors(str(answer))


def checked(kernel: Any = None, *, allow_incomplete: bool = False, **options: Any) -> Any:
    """A decorator, above @triton.jit: each different launch is verified before it runs, and one with errors raises Errors. Options:
    those of `ptxmc verify`, as timeout=60."""
    if kernel is None:
        return lambda function: Checked(function, options, allow_incomplete)
    return Checked(kernel, options, allow_incomplete)
