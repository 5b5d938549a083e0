#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""words.py ROOT: what users read is in the field's words.

Looks at each string literal of the C++, Python and JavaScript below ROOT/src, and at each page: README.md, src/doc,
src/finding/pages. None has a phrase of words.txt, no sentence begins with "Of", and none has more than 25 words. Code in pages is
what it is, and neither code nor addresses of links count as words. ";" and ":" end sentences of literals, and none of pages. No comment
of ROOT/src, ROOT/include and ROOT/tests begins with "Of". words_left.txt has the files in which some are still wrong, with their number,
which must be right.
"""
import io
import pathlib
import re
import sys
import tokenize

HERE = pathlib.Path(__file__).resolve().parent
MOST_WORDS = 25
LISTS = {"src/ptx/isa/resolve.cpp"}  # whose long literals are names, one after the other
# A comment, a character, a raw string or a string; in that order, so that quotes in comments begin no string.
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|\'(?:\\.|[^\'\\])\'|R"(\w*)\((.*?)\)\1"|"((?:\\.|[^"\\\n])*)"', re.S)
# A comment or a string of JavaScript.
SCRIPT_TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|'((?:\\.|[^'\\\n])*)'|\"((?:\\.|[^\"\\\n])*)\"|`((?:\\.|[^`\\])*)`", re.S)
PYTHON_STRING = re.compile(r"^\w*(\"\"\"|'''|\"|')(.*)\1$", re.S)
SENTENCE_END = re.compile(r"(?<=[.!?;:])\s+|\n\s*\n|\n(?=\s)")
PAGE_SENTENCE_END = re.compile(r"(?<=[.!?])[*)\"]*\s+")
ITEM = re.compile(r"(?:[-*]|\d+\.|#+)\s+")
CODE = re.compile(r"`[^`]*`")
ADDRESS = re.compile(r"\]\([^)]*\)")
WORD = re.compile(r"\b[A-Za-z][A-Za-z'-]*\b")


def phrases():
    lines = (HERE / "words.txt").read_text(encoding="utf-8").splitlines()
    rows = [line.split(" => ", 1) for line in lines if line and not line.startswith("#")]
    return [(re.compile(bad, re.I), good) for bad, good in rows]


def literals(text):
    """Number of the line and the text of each literal; of literals side by side, together."""
    out, last = [], None
    for token in TOKEN.finditer(text):
        if token.group(3) is None and token.group(2) is None:
            if token.group(0)[0] == "'":
                last = None
            continue
        words = token.group(2) if token.group(3) is None else token.group(3).replace('\\"', '"').replace("\\n", "\n")
        between = text[last:token.start()] if last is not None else "x"
        if out and not re.sub(r"//[^\n]*", "", between).strip():
            out[-1][1] += words
        else:
            out.append([text.count("\n", 0, token.start()) + 1, words])
        last = token.end()
    return out


def script_literals(text):
    """The same of JavaScript; `x` stands for what `${...}` puts in."""
    for token in SCRIPT_TOKEN.finditer(text):
        words = next((one for one in token.groups() if one is not None), None)
        if words is not None:
            yield text.count("\n", 0, token.start()) + 1, re.sub(r"\$\{[^}]*\}", "x", words).replace("\\n", "\n")


def python_literals(text):
    """The same of Python; `x` stands for what `{...}` puts in."""
    out, last = [], None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.STRING:
            words = re.sub(r"\{[^{}]*\}", "x", PYTHON_STRING.sub(r"\2", token.string)).replace("\\n", "\n")
            if last == tokenize.STRING:
                out[-1][1] += words
            else:
                out.append([token.start[0], words])
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            last = token.type
    return out


def first_comments(text):
    """Number of the line and the text of the first line of each comment of C++."""
    last = None
    for token in TOKEN.finditer(text):
        if token.group(0)[:2] not in ("//", "/*"):
            continue
        between = text[last:token.start()] if last is not None else "x"
        last = token.end()
        if between.strip() or between.count("\n") != 1:
            yield text.count("\n", 0, token.start()) + 1, token.group(0).lstrip("/*<! ")


def prose(page):
    """Number of the line and the text of each heading, paragraph, item and cell of a page that is no code."""
    out, fenced, goes_on = [], False, False
    for number, line in enumerate(page.splitlines(), 1):
        text = line.strip()
        if fence := text.startswith("```"):
            fenced = not fenced
        if fence or fenced or not text or line.startswith("    "):
            goes_on = False
        elif text.startswith("|"):
            out += [[number, cell.strip()] for cell in CODE.sub("`", text).strip("|").split("|")]
            goes_on = False
        elif goes_on and not ITEM.match(text):
            out[-1][1] += "\n" + text
        else:
            out.append([number, ITEM.sub("", text, count=1) if ITEM.match(text) else text])
            goes_on = not text.startswith("#")
    return [(number, CODE.sub(lambda code: "`" + "\n" * code.group().count("\n"), text)) for number, text in out]


def page_sentences(page):
    """Number of the line and the text of each sentence of a page."""
    for number, text in prose(page):
        begin = 0
        for end in [*PAGE_SENTENCE_END.finditer(text), None]:
            sentence = ADDRESS.sub("]", text[begin:end.start() if end else None])
            yield number + text.count("\n", 0, begin), re.sub(r"\s+", " ", sentence).lstrip("*_ ")
            begin = end.end() if end else begin


def sentences(text):
    return [one.strip() for one in SENTENCE_END.split(text) if one and one.strip()]


def is_text(words):
    """Not a format, a name or a line of code."""
    return len(WORD.findall(words)) > 2 and not re.search(r"[{};]\s*\n|</|::\w+::|\bstd::|\{[a-z-]+:[^}]*\}|\nlet ", words)


class Check:
    def __init__(self, root):
        self.root, self.phrases, self.read = root, phrases(), 0
        self.wrong = {}  # by file: what to print

    def fail(self, path, number, why):
        name = str(path.relative_to(self.root))
        self.wrong.setdefault(name, []).append(f"{name}:{number}: {why}")

    def judge(self):
        """Prints what is wrong; how many files are."""
        left = {}
        if (self.root / "tests/structure/words_left.txt").is_file():
            for line in (self.root / "tests/structure/words_left.txt").read_text(encoding="utf-8").splitlines():
                if line and not line.startswith("#"):
                    name, count = line.split()
                    left[name] = int(count)
        files = 0
        for name in sorted({*self.wrong, *left}):
            found = self.wrong.get(name, [])
            if len(found) == left.get(name, 0):
                continue
            files += 1
            print("\n".join(found))
            if name in left:
                print(f"{name}: {len(found)} are wrong, and words_left.txt has {left[name]}")
        return files

    def words(self, path, number, text):
        self.read += 1
        for bad, good in self.phrases:
            if found := bad.search(text):
                self.fail(path, number, f'"{found.group(0)}": write "{good}"')

    def of(self, path, number, text):
        for sentence in sentences(text):
            if re.match(r"Of\b(?! course)", sentence):
                self.fail(path, number, f'a sentence begins with "Of": {sentence[:60]}')

    def long(self, path, number, sentence):
        count = len(WORD.findall(sentence))
        if count > MOST_WORDS and str(path.relative_to(self.root)) not in LISTS:
            self.fail(path, number, f"a sentence of {count} words, {MOST_WORDS} at most: {sentence[:60]}")

    def comments(self, path):
        for number, text in first_comments(path.read_text(encoding="utf-8")):
            if re.match(r"Of\b(?! course)", text):
                self.fail(path, number, f'a comment begins with "Of": {text[:60]}')

    def source(self, path, read):
        for number, text in read(path.read_text(encoding="utf-8")):
            if not is_text(text):
                continue
            self.words(path, number, text)
            self.of(path, number, text)
            for sentence in sentences(text):
                self.long(path, number, sentence)

    def page(self, path):
        for number, sentence in page_sentences(path.read_text(encoding="utf-8")):
            self.words(path, number, sentence)
            self.of(path, number, sentence)
            self.long(path, number, sentence)


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    check = Check(root)
    readers = {".cpp": literals, ".h": literals, ".py": python_literals, ".js": script_literals}
    for path in sorted((root / "src").rglob("*")):
        if path.suffix in readers and path.is_file():
            check.source(path, readers[path.suffix])
    for folder in ("src", "include", "tests"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".cpp", ".h", ".cu") and path.is_file() and not path.is_relative_to(root / "tests/structure/wrong"):
                check.comments(path)
    pages = [root / "README.md", *sorted((root / "src/doc").rglob("*.md")), *sorted((root / "src/finding/pages").glob("*.md"))]
    for path in pages:
        if path.is_file():
            check.page(path)
    files = check.judge()
    print(f"{check.read} texts, {files} files are wrong")
    return 1 if files or not check.read else 0


sys.exit(main())
