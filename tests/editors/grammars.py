#!/usr/bin/env python3
"""grammars.py SOURCES: the TextMate grammars of src/package/editors, by a tokenizer of the part of TextMate that they use:
every character of our texts that is no blank has a scope, and words have the right ones."""
import glob
import json
import os
import re
import sys

SOURCES = sys.argv[1]
EDITORS = os.path.join(SOURCES, "src/package/editors")
KEYS = {"name", "match", "begin", "end", "patterns", "include", "captures"}


class Grammar:
    def __init__(self, name):
        with open(os.path.join(EDITORS, name), encoding="utf-8") as file:
            self.raw = json.load(file)
        for key in ("name", "scopeName", "fileTypes", "patterns", "repository"):
            assert key in self.raw, f"{name}: no {key}"
        self.compiled = {}
        self.patterns = self.flat(self.raw["patterns"])

    def flat(self, patterns):
        out = []
        for pattern in patterns:
            assert set(pattern) <= KEYS, f"keys {set(pattern) - KEYS}"
            if "include" in pattern:
                inner = self.raw["repository"][pattern["include"].removeprefix("#")]
                out += self.flat([inner] if "match" in inner or "begin" in inner else inner["patterns"])
            else:
                out.append(pattern)
        return out

    def regex(self, text):
        if text not in self.compiled:
            self.compiled[text] = re.compile(text)
        return self.compiled[text]

    def tokens(self, text):
        """(line, column, text, scope) of all that has one."""
        stack = []
        for number, line in enumerate(text.split("\n"), 1):
            at = 0
            while at <= len(line):
                inner = self.flat(stack[-1].get("patterns", [])) if stack else self.patterns
                best = None
                if stack:
                    end = self.regex(stack[-1]["end"]).search(line, at)
                    best = (end.start(), -1, end, None) if end else None
                for i, pattern in enumerate(inner):
                    found = self.regex(pattern.get("match") or pattern["begin"]).search(line, at)
                    if found and (best is None or (found.start(), i) < best[:2]):
                        best = (found.start(), i, found, pattern)
                stop = best[0] if best else len(line)
                if stack and stop > at:
                    yield number, at + 1, line[at:stop], stack[-1]["name"]
                if best is None:
                    break
                found, pattern = best[2], best[3]
                if pattern is None:
                    yield number, found.start() + 1, found[0], stack.pop()["name"]
                elif "begin" in pattern:
                    yield number, found.start() + 1, found[0], pattern["name"]
                    stack.append(pattern)
                elif "captures" in pattern:
                    for group, scope in pattern["captures"].items():
                        if found[int(group)]:
                            yield number, found.start(int(group)) + 1, found[int(group)], scope["name"]
                else:
                    yield number, found.start() + 1, found[0], pattern["name"]
                at = max(found.end(), at + (found.end() == found.start()))


failures = 0


def fail(what):
    global failures
    failures += 1
    if failures < 20:
        print("FAILED", what)


def uncovered(grammar, text):
    """(line, what) of all that has no scope and is no blank."""
    lines = [list(line) for line in text.split("\n")]
    for number, column, word, _ in grammar.tokens(text):
        for i in range(column - 1, column - 1 + len(word)):
            lines[number - 1][i] = " "
    return [(number, "".join(line).strip()) for number, line in enumerate(lines, 1) if "".join(line).strip()]


def covered(grammar, path):
    with open(path, encoding="utf-8", errors="replace") as file:
        for number, what in uncovered(grammar, file.read()):
            fail(f"{path}:{number}: no scope for `{what}`")


def scopes(grammar, text, wanted):
    found = {}
    for _, _, word, scope in grammar.tokens(text):
        found.setdefault(word.strip(), scope)
    for word, scope in wanted.items():
        if not found.get(word, "").startswith(scope):
            fail(f"`{word}` is {found.get(word)}, not {scope}, in {text!r}")


litmus, module, cat = (Grammar(f"{name}.tmLanguage.json") for name in ("ptx-litmus", "ptx", "cat"))
for path in sorted(glob.glob(f"{SOURCES}/litmus/**/*.litmus", recursive=True)):
    covered(litmus, path)
for path in sorted(glob.glob(f"{SOURCES}/src/doc/**/*.ptx", recursive=True)):
    covered(module, path)
for path in sorted(glob.glob(f"{SOURCES}/src/model/*.cat")):
    covered(cat, path)

scopes(litmus, 'PTX MP+x\n"words"\nVerdict[ptx-6.0]=Allowed\n{ x=0; }\n P0 @ cta 1 | P1 ;\n st.release.gpu.u32 [x], 1 | L: @%p bra L ;\n'
               'exists (P1:%r0 == 1 /\\ x=2) (* a (* comment *) *)',
       {"PTX": "keyword.control", "MP+x": "entity.name.function", "Verdict": "keyword.control.verdict", "[ptx-6.0]": "entity.name.type.model",
        "Allowed": "constant.language", "st": "keyword.mnemonic", ".release.gpu.u32": "storage.modifier", "1": "constant.numeric", "P0": "entity.name.type.thread",
        "cta": "keyword.control.placement", "L": "entity.name.label", "%p": "variable.other.register", "bra": "keyword.mnemonic",
        "exists": "keyword.control.condition", "==": "keyword.operator", "a": "comment.block", '"': "string"})
scopes(module, ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %r<2>; // words\n ld.param.u64 %rd1, [p];\n ret;\n}",
       {".visible": "storage.type.directive", "// words": "comment.line", "ld": "keyword.mnemonic", ".param.u64": "storage.modifier", "%rd1": "variable.other.register", "ret": "keyword.mnemonic"})
scopes(cat, "let rec cause-of = po | (rf;cause-of) (* 8.9.5 *)\nacyclic cause-of as Causality\nflag ~empty r as race\nrole race = x",
       {"let": "keyword.control", "cause-of": "entity.name.function", "po": "variable.other", "acyclic": "keyword.operator.word", "Causality": "entity.name.type.constraint",
        "race": "entity.name.type.constraint", "|": "keyword.operator", "flag": "keyword.control", "~empty": "keyword.operator.word"})
# What has no scope is found.
for grammar in (litmus, module, cat):
    if uncovered(grammar, "x \u00a7") != [(1, "\u00a7")]:
        fail("a character that no pattern takes is not found")
print(f"{failures} failures")
sys.exit(failures != 0)
