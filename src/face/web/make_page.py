#!/usr/bin/env python3
# make_page.py SOURCE MODULE FOLDER: the page, whole, in FOLDER: the files of src/face/web/page, the engine out of MODULE (what Emscripten
# made) and the corpus. Scripts and no fetches, so that a browser shows it from a disk, too.
import json
import pathlib
import re
import shutil
import sys


def families(source):
    """The corpus: a folder after the other, each with what its README says first and its tests, by name."""
    out = []
    for folder in sorted(path for path in (source / "litmus").iterdir() if path.is_dir()):
        tests = {file.stem: file.read_text() for file in sorted(folder.rglob("*.litmus"))}
        if tests:
            out.append({"name": folder.name, "about": about(folder / "README.md"), "tests": tests})
    return out


def about(readme):
    """The first paragraph behind the title, without its markup."""
    if not readme.exists():
        return ""
    for part in readme.read_text().split("\n\n"):
        if not part.startswith("#"):
            return re.sub(r"\[([^]]*)\]\([^)]*\)|[`*]", r"\1", " ".join(part.split()))
    return ""


def engine(module, page):
    """The module and the worker around it as one function, whose text a worker is made of."""
    return "function ptxmcEngine() {\n" + module.read_text() + "\n" + (page / "worker.js").read_text() + "\n}\n"


def main():
    source, module, folder = (pathlib.Path(word) for word in sys.argv[1:])
    page = source / "src" / "face" / "web" / "page"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(page, folder, ignore=shutil.ignore_patterns("worker.js"))
    (folder / "engine.js").write_text(engine(module, page))
    (folder / "corpus.js").write_text("const CORPUS = " + json.dumps(families(source), separators=(",", ":")) + ";\n")
    print(f"{folder}/index.html")


main()
