# SPDX-License-Identifier: Apache-2.0
"""notebook.py FILE [--update]: runs a notebook; what its cells print, and the kinds of what they show, are as in the file."""

from __future__ import annotations

import json
import pathlib
import sys
from typing import Any

import nbclient
import nbformat


def shown(cell: Any) -> list[tuple[str, str]]:
    """Kind and text of what a cell prints or shows."""
    out = []
    for output in cell.get("outputs", []):
        kind = str(output["output_type"])
        data = output.get("data", {})
        text = output.get("text", data.get("text/plain", ""))
        out.append((kind + "".join(f" {mime}" for mime in sorted(data)), "".join(text)))
    return out


def main(path: pathlib.Path) -> int:
    stored = nbformat.reads(path.read_text(), as_version=4)
    run = nbformat.reads(json.dumps(stored), as_version=4)
    place = {"metadata": {"path": str(path.parent)}}
    nbclient.NotebookClient(run, timeout=120, kernel_name="python3", resources=place).execute()
    if "--update" in sys.argv:
        nbformat.write(run, str(path))
        return 0
    wrong = 0
    for number, (before, after) in enumerate(zip(stored.cells, run.cells)):
        if before.cell_type == "code" and shown(before) != shown(after):
            print(f"cell {number} shows\n{shown(after)}\nand {path} has\n{shown(before)}")
            wrong += 1
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
