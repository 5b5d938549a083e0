#!/usr/bin/env python3
# page.py PTXMC PAGE CORPUS [--all | --pictures FOLDER]: the page in a headless Chromium, from a disk. It answers what the program
# answers by its explicit engine: of tests all over the corpus, or (--all) of all. --pictures: screenshots at three widths,
# light and dark, to be looked at. Status 77: what it takes is not here.
import json
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import browser  # noqa: E402

EVERY = 37      # of the corpus, asked of both: each so many
SMALL = 50      # milliseconds for a small test
FAMILY = "classic"
OPEN = "document.body.dataset.state === 'done'"
BROKEN = "PTX broken\n{ x=0; }\n P0 @ cta 0 ;\n ld.relaxd.gpu r0, [x] ;\nexists (P0:r0 == 1)\n"
wrong = []


def check(holds, said):
    if not holds:
        wrong.append(said)


def native(ptxmc, files, *options):
    """The program's JSON, by file."""
    done = subprocess.run([ptxmc, "check", "--engine", "explicit", "--format", "json", "--timeout", "20", *options, *map(str, files)],
                          capture_output=True, text=True)
    return {line["file"]: line for line in map(json.loads, done.stdout.splitlines())}


def type_test(page, text):
    act(page, "page.tab('test'), $('test').value = a[0], $('test').dispatchEvent(new Event('input'))", text)


def act(page, script, *arguments):
    """Does something that asks the engine, and waits for all that it says."""
    page.until(OPEN)
    page.run(f"(document.body.dataset.state = '', {script})", *arguments)
    page.until(OPEN)


def word(page):
    return page.run("document.querySelector('#verdict .word').textContent")


def corpus(page, ptxmc, folder, every):
    """Answers of the page's engine beside the program's. The page has no solver: it may say Unknown where the program does not."""
    files = sorted(folder.rglob("*.litmus"))[::every] + sorted((folder / FAMILY).glob("*.litmus"))[:20]
    told, definite = native(ptxmc, files), 0
    for file in files:
        path = file.relative_to(folder).with_suffix("")
        here = page.run("page.engine.ask({ask: 'check', text: page.gallery.text(a[0]), timeout: 20})", f"{path.parts[0]}/{path.name}")
        there = told[str(file)]
        answer = here.get("answer", here.get("error"))
        if answer == "Unknown" and (file.parts[-2] != FAMILY or there["answer"] == "Unknown"):
            continue
        definite += 1
        check(answer == there["answer"], f"{path}: the page says {answer}, the program {there['answer']}")
        states = [[str(value) for value in state["values"].values()] for state in there.get("states", [])]
        if here.get("complete") and there.get("complete"):
            check([state["values"] for state in here["states"]] == states, f"{path}: other states: {here['states']}, {states}")
    check(definite * 10 >= len(files) * 7, f"{definite} answers of {len(files)} only are definite")
    print(f"{definite} of {len(files)} tests of the corpus have a definite answer here")


def first_sight(page):
    page.until(OPEN)
    check(word(page) == "Forbidden", f"the first test is {word(page)}")
    check(page.run("document.querySelectorAll('.states tr').length") == 4, "not three states")
    check("Causality" in page.run("document.querySelector('.axiom h2').textContent"), "no axiom forbids the outcome")
    check(page.run("document.querySelectorAll('.steps li').length") > 2, "no steps of a cycle")
    check(page.run("document.querySelector('.axiom .picture').shadowRoot.querySelectorAll('svg .box').length") > 4, "no picture")
    races = page.run("document.querySelector('.findings h2').textContent")
    check(races == "Accesses race", f"of races it says {races}")
    check("line 10" in page.run("document.querySelector('.findings').innerText"), "a race has no line")
    before = page.run("document.querySelector('.execution .picture').shadowRoot.innerHTML")
    page.run("document.querySelectorAll('.states td button')[2].click()")
    page.until("document.querySelector('.execution .picture').shadowRoot.innerHTML !== a[0]", before)
    check("1:r0=1; 1:r1=1" in page.run("document.querySelector('.execution h2').textContent"), "another state has no picture")


def gallery(page):
    page.run("($('search').value = 'MP+release relaxed', $('search').dispatchEvent(new Event('input')))")
    found = page.run("[...document.querySelectorAll('#gallery a')].map((link) => link.dataset.path)")
    check(0 < len(found) < 100 and all("MP+release" in path or "relaxed" in path for path in found), f"the search finds {found}")
    act(page, "document.querySelector('#gallery a').click()")
    check(page.run("page.path") == found[0] and page.run("$('test').value === page.gallery.text(page.path)"), "the test is not shown")
    check(page.run("document.querySelector('#gallery a[aria-current]').dataset.path") == found[0], "nor is it marked")
    check(page.run("location.hash").startswith("#t="), "nor is it in the address")


def hangs(page):
    act(page, "page.open('bugzoo/expect-tx-missing-on-peer+buggy')")
    check(word(page) == "Unknown" and "no execution comes to an end" in page.run("$('verdict').innerText"), "that nobody ends is not told")
    check("A thread may wait forever" in page.run("$('details').innerText"), "nor that a thread waits forever")
    act(page, "page.open('wgmma/register-in-flight')")
    check(word(page) == "Undefined" and "something else is wrong" in page.run("$('details').innerText"), "a misuse is not told")


def mistakes(page, ptxmc, folder):
    type_test(page, BROKEN)
    file = folder / "broken.litmus"
    file.write_text(BROKEN)
    told = native(ptxmc, [file])[str(file)]["errors"][0]
    shown = page.run("document.querySelector('.mistake.error').innerText")
    check(word(page) == "Error", f"a broken test is {word(page)}")
    check(told["message"] in shown, f"the page says {shown}, the program {told['message']}")
    check(f"line {told['line']}, column {told['column']}" in shown, f"another place than {told}: {shown}")
    lines = page.run("document.querySelector('.mistake.error pre').textContent").split("\n")
    check(lines[0].endswith(BROKEN.splitlines()[told["line"] - 1]), f"the line is not shown: {lines}")
    check(lines[1].index("^") - lines[1].index("|") - 2 == told["column"] - 1, f"the caret is elsewhere: {lines}")
    check(page.run("document.querySelector('.copy .mark.error').textContent.length") > 0, "nothing is underlined")
    check(page.run("document.querySelector('.numbers .row.error').textContent.trim()") == str(told["line"]), "another line's number is marked")


def model(page):
    act(page, "page.open('classic/MP+release.gpu+acquire.gpu')")
    text = page.run("page.cat.text")
    act(page, "page.tab('cat'), $('cat').value = 'let none = po & rf\\nacyclic none as None\\n', $('cat').dispatchEvent(new Event('input'))")
    check(word(page) == "Allowed", f"under a model that forbids nothing it is {word(page)}")
    check("c=" in page.run("location.hash"), "the model is not in the address")
    act(page, "$('cat').value = 'let none = po & rff\\nacyclic none as None\\n', $('cat').dispatchEvent(new Event('input'))")
    said = page.run("$('problems').innerText")
    check(word(page) == "Error" and "line 1, column 17" in said and "^" in said, f"a broken model is told so: {said}")
    check(page.run("document.querySelector('#pane-cat .copy .mark').textContent") == "rff", "the mistake in the model is not underlined")
    act(page, "$('restore').click()")
    check(page.run("page.cat.text") == text and word(page) == "Forbidden", "the built-in text does not come back")


def options(page, ptxmc, folder):
    """Readings of the manual, as the program takes them; they are in the address."""
    tried = 0
    for file in sorted((folder / "readings").glob("*.litmus")):
        stated = re.search(r"^Verdict\[([\w-]+)=([\w-]+)\]=", file.read_text(), re.M)
        if not stated:
            continue
        reading, value = stated.groups()
        there = native(ptxmc, [file], "--reading", f"{reading}={value}")[str(file)]["answer"]
        act(page, "page.open(a[0])", f"readings/{file.stem}")
        act(page, "(page.options.words = a[0], page.options.changed())", f"{reading}={value}")
        check(word(page) in (there, "Unknown"), f"{file.stem} with {reading}={value}: the page says {word(page)}, the program {there}")
        tried += word(page) == there
        if tried == 5:
            break
    check(tried == 5, f"{tried} tests with another reading only")
    check("o=" in page.run("location.hash") and "1 changed" in page.run("document.querySelector('#options summary').textContent"), "a reading is not in the address")
    page.run("document.querySelector('#options summary').click()")
    check(page.run("document.querySelectorAll('.options select').length") > 6, "no choice of readings")
    act(page, "[...document.querySelectorAll('.options button')].at(-1).click()")
    check("o=" not in page.run("location.hash"), "the defaults do not come back")
    page.run("document.querySelector('#options summary').click()")


def link(page, url):
    text = page.run("page.gallery.text('classic/MP+release.gpu+acquire.gpu')").replace("st.release", "st.relaxed") + "// \u00e9\u4e16\n"
    type_test(page, text)
    check(word(page) == "Allowed", f"a changed test is {word(page)}")
    address = page.until("location.hash.startsWith('#x=') && location.href")
    page.open(address)
    page.until(OPEN)
    check(page.run("$('test').value") == text, "the address does not carry the test")
    check(word(page) == "Allowed", "nor its answer")
    page.open(url + "#t=wgmma/register-in-flight")
    page.until(OPEN)
    page.until("(() => { const link = document.querySelector('#gallery a[aria-current]')?.getBoundingClientRect(), all = $('gallery').getBoundingClientRect();"
               " return link && link.top >= all.top && link.bottom <= all.bottom; })()", seconds=5)
    page.open(url + "#x=AAAA")
    page.until(OPEN)
    check("damaged" in page.run("$('problems').innerText"), f"a damaged address is not told: {page.run('$(`problems`).innerText')}")


def large():
    """A test whose states take longer than anybody waits: eight threads that write and read all of three variables."""
    threads, rows = 8, []
    for k in range(3):
        rows.append(" | ".join(f"st.relaxed.gpu.global.u32 [x{(i + k) % 3}], {8 * k + i + 1}" for i in range(threads)))
        rows.append(" | ".join(f"ld.relaxed.gpu.global.u32 %r{k}, [x{(i + k + 1) % 3}]" for i in range(threads)))
    head = " | ".join(f"P{i} @ cta {i}" for i in range(threads))
    variables = "".join(f"  .global .u32 x{i} = 0;\n" for i in range(3))
    return f"PTX large\n{{\n{variables}}}\n" + "".join(f" {row} ;\n" for row in [head, *rows]) + "exists (" + " /\\ ".join(f"P{i}:%r{k} == 99" for i in range(threads) for k in range(3)) + ")\n"


def robust(page):
    """What a page cannot do is said, and it goes on."""
    for deep in (300, 3000, 100000):
        type_test(page, "PTX deep\n{ x=0; }\n P0 @ cta 0 ;\n ld.relaxed.gpu r0, [x] ;\nexists (" + "(" * deep + "P0:r0 == 1" + ")" * deep + ")\n")
        check(word(page) in ("Forbidden", "Error"), f"{deep} levels are {word(page)}")
    act(page, "page.open('classic/MP+release.gpu+acquire.gpu')")
    check(word(page) == "Forbidden", "the page is not well after a deep test")
    page.run("(page.tab('test'), $('test').value = a[0], $('test').dispatchEvent(new Event('input')))", large())
    page.until("document.querySelector('#verdict button') !== null")
    page.run("document.querySelector('#verdict button').click()")
    check(word(page) == "Stopped", f"a search that is stopped is {word(page)}")
    act(page, "page.open('classic/MP+release.gpu+acquire.gpu')")
    check(word(page) == "Forbidden", "the page is not well after a search that was stopped")


def fast(page):
    times = page.run("""(async () => {
      const times = [];
      for (let i = 0; i < 15; ++i) {
        const began = performance.now();
        page.show(await page.engine.ask(page.question('check')));
        times.push(performance.now() - began);
      }
      return times.sort((a, b) => a - b);
    })()""")
    print(f"a small test, to the picture on the page: {times[0]:.1f} to {times[-1]:.1f} ms")
    check(times[0] < SMALL, f"a small test takes {times[0]:.1f} ms to the picture on the page")


def pictures(page, url, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, address in (("forbidden", "#t=classic/MP%2Brelease.gpu%2Bacquire.gpu"), ("allowed", "#t=bugzoo/lookback-flag-value-split%2Bbuggy"), ("broken", None)):
        page.open(url + (address or ""))
        page.until(OPEN)
        if address is None:
            type_test(page, BROKEN)
        for width, height in ((1440, 900), (900, 1200), (420, 1500)):
            for scheme in ("light", "dark"):
                page.picture(folder / f"{name}-{width}-{scheme}.png", width, height, scheme)


def main():
    ptxmc, place, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3])
    if not (place / "index.html").exists():
        print("SKIPPED: the page is not built (ninja page, with Debian's emscripten); tools/nightly builds it", file=sys.stderr)
        sys.exit(77)
    if package := browser.missing():
        print(f"SKIPPED: no browser here (Debian: {package})", file=sys.stderr)
        sys.exit(77)
    url = (place / "index.html").as_uri()
    with browser.Browser() as page:
        page.open(url)
        if sys.argv[4:5] == ["--pictures"]:
            pictures(page, url, pathlib.Path(sys.argv[5]))
            return
        try:
            first_sight(page)
            fast(page)
            corpus(page, ptxmc, folder, 1 if sys.argv[4:5] == ["--all"] else EVERY)
            gallery(page)
            hangs(page)
            mistakes(page, ptxmc, pathlib.Path(page.profile.name))
            model(page)
            options(page, ptxmc, folder)
            link(page, url)
            robust(page)
        except browser.Failed as failed:
            wrong.append(str(failed))
        check(not (log := page.log()), f"the page complains: {log}")
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


main()
