# SPDX-License-Identifier: Apache-2.0
"""Builds a wheel from the checkout (PEP 517): the Python module, and in it the program with its recording driver. It needs no package of
Python. PTXMC_WHEEL_BUILD names a build folder that is used in place of build/wheel."""

from __future__ import annotations

import base64
import hashlib
import io
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGETS = ["ptxmc", "ptxmc_face_python", "ptxmc_recording", "ptxmc_recording_runtime"]
EXECUTABLE = 0o755
PLAIN = 0o644


def version() -> str:
    found = re.search(r"project\(ptxmc VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
    if found is None:
        raise RuntimeError("CMakeLists.txt names no version")
    return found[1]


def tag() -> str:
    """The module is of this interpreter, the program of this machine."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{re.sub(r'[^0-9A-Za-z]', '_', sysconfig.get_platform())}"


def metadata() -> str:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    head = ["Metadata-Version: 2.1", "Name: ptxmc", f"Version: {version()}",
            "Summary: Model checker for the PTX memory consistency model: litmus tests, and data races in CUDA kernels without a GPU",
            "License: Apache-2.0", "Requires-Python: >=3.9", "Description-Content-Type: text/markdown"]
    return "\n".join(head) + "\n\n" + readme


def built() -> pathlib.Path:
    """The build folder, with everything that the wheel takes."""
    given = os.environ.get("PTXMC_WHEEL_BUILD")
    folder = pathlib.Path(given) if given else ROOT / "build/wheel"
    if not (folder / "build.ninja").exists():
        python = getattr(sys, "_base_executable", sys.executable)
        subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DPTXMC_UNITY=ON",
                        f"-DPython_EXECUTABLE={python}"], check=True)
    subprocess.run(["ninja", "-C", folder, *TARGETS], check=True)
    return folder


def contents(folder: pathlib.Path) -> dict[str, tuple[bytes, int]]:
    """By name in the wheel: the bytes, and the mode."""
    out: dict[str, tuple[bytes, int]] = {}
    modules = list((folder / "python/ptxmc").glob("_ptxmc*.so"))
    if len(modules) != 1:
        raise RuntimeError(f"{folder}/python/ptxmc has {len(modules)} modules; is pybind11-dev installed?")
    for path in [*modules, *sorted((ROOT / "src/face/python/ptxmc").glob("*"))]:
        if path.is_file() and path.suffix != ".pyc":
            out[f"ptxmc/{path.name}"] = (path.read_bytes(), PLAIN)
    out["ptxmc/bin/ptxmc"] = ((folder / "ptxmc").read_bytes(), EXECUTABLE)
    for path in sorted((folder / "record").rglob("*.so.*")):
        out[f"ptxmc/bin/record/{path.relative_to(folder / 'record').as_posix()}"] = (path.read_bytes(), EXECUTABLE)
    return out


def build_wheel(wheel_directory: str, config_settings: object = None, metadata_directory: str | None = None) -> str:
    files = contents(built())
    info = f"ptxmc-{version()}.dist-info"
    files[f"{info}/METADATA"] = (metadata().encode(), PLAIN)
    files[f"{info}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: ptxmc\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode(), PLAIN)
    files[f"{info}/entry_points.txt"] = (b"[console_scripts]\nptxmc = ptxmc._program:main\n", PLAIN)
    files[f"{info}/LICENSE"] = ((ROOT / "LICENSE").read_bytes(), PLAIN)
    record = ""
    for name, (data, _) in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        record += f"{name},sha256={digest},{len(data)}\n"
    files[f"{info}/RECORD"] = (f"{record}{info}/RECORD,,\n".encode(), PLAIN)
    wheel = f"ptxmc-{version()}-{tag()}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (data, mode) in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, data)
    return wheel


def build_sdist(sdist_directory: str, config_settings: object = None) -> str:
    """What git tracks, and the metadata."""
    name = f"ptxmc-{version()}"
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], check=True, capture_output=True, text=True).stdout
    with tarfile.open(pathlib.Path(sdist_directory) / f"{name}.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for file in filter(None, listed.split("\0")):
            archive.add(ROOT / file, f"{name}/{file}", recursive=False)
        text = metadata().encode()
        entry = tarfile.TarInfo(f"{name}/PKG-INFO")
        entry.size = len(text)
        archive.addfile(entry, io.BytesIO(text))
    return f"{name}.tar.gz"
