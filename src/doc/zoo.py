#!/usr/bin/env python3
# zoo.py PTXMC BUGZOO FOLDER: the bug zoo as a page for browsers, FOLDER/index.html: each bug as litmus/bugzoo/README.md has it,
# the program that shows it, a picture of an execution that goes wrong, and what each form's answer is.
import concurrent.futures
import html
import json
import os
import pathlib
import re
import subprocess
import sys

BUG = re.compile(r"\* \*\*([\w-]+)\*\* \((.*?)\)\. (.*?) \*Fix:\* (.*?) Forms: (.*)\.")
STYLE = """
:root { color-scheme: light dark; --back: #f6f7f9; --card: #fff; --text: #1f2328; --dim: #667; --line: #d5d9e0; --bad: #b3261e; --good: #1a7f37; }
@media (prefers-color-scheme: dark) { :root { --back: #0f1318; --card: #181d24; --text: #e3e7ee; --dim: #98a2b3; --line: #323a46; --bad: #ff8077; --good: #57c46f; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 78rem; padding: 1rem; background: var(--back); color: var(--text); font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; }
a { color: inherit; } .dim { color: var(--dim); }
article, nav { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1.1rem; margin: 0 0 1.2rem; }
h3 { margin: 0 0 .3rem; overflow-wrap: anywhere; } nav ul { columns: 20rem; padding-left: 1.2rem; overflow-wrap: anywhere; }
pre { overflow: auto; font-size: 12.5px; line-height: 1.45; } table { border-collapse: collapse; font-size: 14px; }
td, th { border: 1px solid var(--line); padding: .15rem .6rem; text-align: left; overflow-wrap: anywhere; }
.picture { overflow: auto; background: var(--card); border-radius: 6px; padding: .4rem; max-height: 80vh; } .picture svg { max-width: 100%; height: auto; min-width: 24rem; display: block; }
.buggy { color: var(--bad); font-weight: 600; } .fixed { color: var(--good); font-weight: 600; }
"""


def die(message):
    print(f"error: {message}", file=sys.stderr)
    sys.exit(2)


def sections(readme):
    """Title and bugs of each section: (name, where from, what, fix, forms)."""
    out = []
    for part in readme.split("\n## ")[1:]:
        title, _, text = part.partition("\n")
        bugs = []
        for line in filter(lambda line: line.startswith("* "), text.splitlines()):
            match = BUG.fullmatch(line)
            if not match:
                die(f"this line of the README is not BUG (SOURCE). TEXT *Fix:* TEXT Forms: FORMS.: {line}")
            name, source, what, fix, forms = match.groups()
            bugs.append((name, source, what, fix, re.findall(r"`\+([^`]+)`", forms)))
        if bugs:
            out.append((title, bugs))
    return out


def stated(text):
    """What the test says of the default model."""
    return (re.search(r"^Verdict=(.*)$", text, re.M) or [None, ""])[1]


def picture(ptxmc, file):
    """An execution that goes wrong: one that hangs, where the test says so; else one that answers the condition."""
    hangs = ["--property", "liveness"] if "Hangs" in stated(file.read_text()) else []
    done = subprocess.run([ptxmc, "check", *hangs, "--quiet", "--timeout", "60", "--format", "svg", str(file)], capture_output=True, text=True)
    if 'class="box' not in done.stdout:
        die(f"{file.name}: no picture: {done.stderr or done.stdout[:300]}")
    # Ids and styles hold in the whole page: those of one picture are made its own.
    own = re.sub(r"\W", "-", file.stem)
    ids = set(re.findall(r'id="([^"]+)"', done.stdout))
    svg = re.sub(r'(id="|url\(#|href="#)([^")]+)', lambda match: match[1] + (f"{own}-{match[2]}" if match[2] in ids else match[2]), done.stdout)
    return svg


def answers(ptxmc, folder):
    """By name of the test: the program's answer, which is as the test says."""
    done = subprocess.run([ptxmc, "check", "--quiet", "--timeout", "60", "--format", "json", str(folder)], capture_output=True, text=True)
    out = {}
    for line in map(json.loads, done.stdout.splitlines()):
        name = pathlib.Path(line["file"]).stem
        if not line.get("stated", {}).get("met"):
            die(f"{name} is not as it says: {line.get('answer', line.get('errors'))}")
        out[name] = "no execution ends" if "vacuous" in line else line["answer"]
    return out


def article(folder, bug, drawn, told):
    name, source, what, fix, forms = bug
    plain = lambda text: re.sub(r"`([^`]*)`", r"<code>\1</code>", html.escape(text))
    rows = []
    for form in forms:
        file = folder / f"{name}+{form}.litmus"
        kind = "buggy" if form.startswith("buggy") else "fixed" if form.startswith("fixed") else ""
        rows.append(f'<tr><td class="{kind}">+{html.escape(form)}</td><td>{told[file.stem]}</td><td>{html.escape(stated(file.read_text()))}</td></tr>')
    buggy = (folder / f"{name}+buggy.litmus").read_text()
    drawing = ("An execution of it; the report was wrong." if '"A control' in buggy else
               "An execution of it; by the default reading none goes wrong." if stated(buggy) == "Forbidden RaceFree" else
               "An execution that goes wrong.")
    return (f'<article id="{name}"><h3>{name}</h3><p>{plain(what)} <span class="dim">{plain(source)}.</span></p>'
            f'<div class="picture">{drawn[name]}</div><p class="dim">{drawing}</p><p><b>Fix:</b> {plain(fix)}</p>'
            f"<table><tr><th>form</th><th>answer</th><th>the test says</th></tr>{''.join(rows)}</table>"
            f"<details><summary>The test</summary><pre>{html.escape(buggy)}</pre></details></article>")


def main():
    ptxmc, folder, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    known = sections((folder / "README.md").read_text())
    bugs = [bug for _, some in known for bug in some]
    here = {file.stem for file in folder.glob("*.litmus")}
    listed = {f"{bug[0]}+{form}" for bug in bugs for form in bug[4]}
    if here != listed:
        die(f"the README and the tests differ: {' '.join(sorted(here ^ listed))}")
    told = answers(ptxmc, folder)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        drawn = dict(zip((bug[0] for bug in bugs), pool.map(lambda bug: picture(ptxmc, folder / f"{bug[0]}+buggy.litmus"), bugs)))
    index = "".join(f"<p><b>{html.escape(title)}</b></p><ul>" + "".join(f'<li><a href="#{bug[0]}">{bug[0]}</a></li>' for bug in some) + "</ul>" for title, some in known)
    body = "".join(f"<h2>{html.escape(title)}</h2>" + "".join(article(folder, bug, drawn, told) for bug in some) for title, some in known)
    out.mkdir(parents=True, exist_ok=True)
    (out / "index.html").write_text(
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Bug zoo</title><style>{STYLE}</style></head><body><h1>Bug zoo</h1>"
        "<p>Synchronization bugs that were reported in public projects, each reduced to the few threads and instructions that matter. Pictures are of "
        f"the buggy form.</p><nav>{index}</nav>{body}</body></html>\n")
    print(f"{out}/index.html: {len(bugs)} bugs, {len(listed)} tests")


main()
