#!/usr/bin/env python3
# reports.py PTXMC SOURCE [--pictures FOLDER]: pages of check, explain, races, liveness, verify and compare in a headless Chromium, at three
# widths, light and dark: nothing is wider than the window, can be read against what is behind it, or covers something else; the
# index leads to its sections; what belongs together is linked under the pointer; pictures become larger and smaller.
# --pictures: screenshots, to be looked at. Status 77: what it takes is not here.
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import browser  # noqa: E402

SIZES = ((1440, 1400), (900, 1400), (420, 1400))
wrong = []

# Labels that cover a box, a title or each other, arrows through titles, and what is outside of its picture.
COVERED = """[...document.querySelectorAll('svg.execution')].flatMap((svg) => {
  const both = (a, b) => {
    const w = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x), h = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y);
    return w > 1 && h > 2;
  };
  const labels = [...svg.querySelectorAll('.label')], boxes = [...svg.querySelectorAll('.box,.thread,.marks')];
  const crossed = [...svg.querySelectorAll('.thread')].flatMap((title) => {
    const box = title.getBBox();
    const inside = (p) => p.x > box.x - 2 && p.x < box.x + box.width + 2 && p.y > box.y + 2 && p.y < box.y + box.height - 2;
    return [...svg.querySelectorAll('.arrow')].filter((arrow) => {
      const length = arrow.getTotalLength();
      return Array.from({length: 200}, (_, i) => arrow.getPointAtLength(length * i / 199)).some(inside);
    }).map((arrow) => `${arrow.getAttribute('class')} through ${title.textContent}`);
  });
  const whole = svg.viewBox.baseVal, drawn = svg.getBBox();
  return labels.flatMap((label, i) => [...boxes, ...labels.slice(i + 1)].filter((other) => both(label.getBBox(), other.getBBox()))
      .map((other) => `${label.textContent} on ${other.textContent || other.parentElement.textContent}`))
    .concat(crossed).concat(drawn.x < whole.x - 1 || drawn.x + drawn.width > whole.x + whole.width + 1 ? ['drawn outside of the picture'] : []);
})"""

# Texts and arrowheads that hardly differ from what is behind them: contrast below 3 of WCAG, by the colours that are computed.
FAINT = """(() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgb = (color) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data]; };
  const light = ([r, g, b]) => [r, g, b].map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4).reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (node) => { for (let up = node; up; up = up.parentElement) { const c = rgb(getComputedStyle(up).backgroundColor); if (c[3] > 250) return c; } return [255, 255, 255]; };
  const contrast = (a, b) => { const [x, y] = [light(a), light(b)]; return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05); };
  const out = [];
  for (const node of document.querySelectorAll('p,li,td,th,h1,h2,h3,b,a,span,code,.execution text,.execution .arrow,.head')) {
    if (!node.matches('.head') && node.getClientRects().length === 0) continue;
    const style = getComputedStyle(node), svg = node.closest('svg');
    if (!svg && ![...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim())) continue;
    const color = !svg ? style.color : node.matches('.arrow') ? style.stroke : style.fill;
    const inside = svg && node.closest('.event')?.querySelector('.box');
    const back = inside ? rgb(getComputedStyle(inside).fill) : behind(svg ? svg.parentElement : node);
    const ratio = contrast(rgb(color), back);
    if (ratio < 3) out.push(`${node.tagName}.${node.getAttribute('class')} ${node.textContent.slice(0, 30)}: ${ratio.toFixed(1)}`);
  }
  return [...new Set(out)].slice(0, 5);
})()"""

# An arrow and the head that its marker names have one colour.
HEADS = """[...document.querySelectorAll('.execution .arrow')].filter((arrow) => {
  const marker = document.getElementById(arrow.getAttribute('marker-end').slice(5, -1));
  return getComputedStyle(arrow).stroke !== getComputedStyle(marker.firstElementChild).fill;
}).length"""


def check(holds, said):
    if not holds:
        wrong.append(said)


def pages(ptxmc, source, folder):
    """Each verb's page, as a file."""
    litmus = source / "litmus"
    mistake = folder / "mistake.litmus"
    mistake.write_text("PTX mistake\n{ x=0; }\n P0 @ cta 0 ;\n ld.relaxd.gpu r0, [x] ;\nexists (P0:r0 == 1)\n")
    launches = []
    for pair in ("pipeline_roles", "ring_empty"):
        for side in ("buggy", "fixed"):
            there = folder / pair / side
            there.mkdir(parents=True)
            given = source / "tests" / "verify" / "pairs" / pair
            shutil.copy(given / f"{side}.ptx", there / "kernel.ptx")
            (there / "launch.json").write_text(json.dumps({**json.loads((given / "launch.json").read_text()), "module": "kernel.ptx"}))
            launches.append(there / "launch.json")
    classic = [litmus / "classic" / f"{name}.litmus" for name in
               ("MP+release.gpu+acquire.gpu", "IRIW+fence.sc.gpus", "SB+fence.sc.gpus", "MP+relaxed.gpu", "WRC+fence.acq_rel.gpus")]
    large = litmus / "bugzoo" / "wrong-fence-kind-for-tmem+fixed.litmus"
    asked = {"explain": [*classic, large], "check": [*classic, mistake], "races": sorted((litmus / "bugzoo").glob("last-block*.litmus")),
             "liveness": sorted((litmus / "bugzoo").glob("expect-tx*.litmus")), "verify": launches, "compare": ["--against", "sc", *classic]}
    out = {}
    for verb, words in asked.items():
        out[verb] = folder / f"{verb}.html"
        said = ["check", "--property", "liveness"] if verb == "liveness" else [verb]
        done = subprocess.run([ptxmc, *said, "--format", "html", "-o", out[verb], *map(str, words)], capture_output=True, text=True)
        check(out[verb].exists() and done.returncode in (0, 1, 2, 3), f"{verb}: {done.stderr}")
    return out


def looks(page, name, width, scheme):
    where = f"{name}, {width} wide, {scheme}"
    sizes = page.run("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    check(sizes[0] <= sizes[1], f"{where}: {sizes[0]} pixels in a window of {sizes[1]}")
    for said in page.run(COVERED)[:5] + page.run(FAINT):
        check(False, f"{where}: {said}")
    check(page.run(HEADS) == 0, f"{where}: {page.run(HEADS)} arrows have heads of another colour")
    check(page.log() == [], f"{where}: the browser complains")


def index(page, name, count):
    links = page.run("[...document.querySelectorAll('.index a')].map((link) => !!document.querySelector(link.getAttribute('href')))")
    check(len(links) == count and all(links), f"{name}: its index has {len(links)} links for {count}: {links}")
    check(page.run("[...document.querySelectorAll('.index b')].every((word) => word.textContent)"), f"{name}: an entry has no answer")
    shown = page.run("""(() => { const find = document.querySelector('.find input'); find.value = a[0]; find.dispatchEvent(new Event('input'));
      return [...document.querySelectorAll('.index li')].filter((item) => item.getClientRects().length).length; })()""", "nobody is called so")
    check(shown == 0, f"{name}: {shown} entries stay when nothing fits")


def over(page, selector):
    """The pointer on a part; what is lit then, by kind."""
    at = page.run("(() => { const node = document.querySelector(a[0]); node.scrollIntoView({block: 'center', inline: 'center'});"
                  " const box = node.getBoundingClientRect(); return [box.x + box.width / 2, box.y + box.height / 2]; })()", selector)
    page.cdp("Input.dispatchMouseEvent", type="mouseMoved", x=at[0], y=at[1])
    return page.run("['.event', '.arrow', '.label', '.source span', '.why li', '.mark', '.access'].map((kind) => document.querySelectorAll(kind + '.lit').length)")


def links(page, pages):
    page.open(f"file://{pages['explain']}")
    check(over(page, ".source [data-e]")[:1] == [1], "an instruction is not linked with its event")
    event = over(page, ".execution .event[data-e]:nth-of-type(3)")
    check(event[0] == 1 and event[1] > 0 and event[3] == 1, f"an event is linked with {event}")
    edge = over(page, ".execution .label.why")
    check(edge[0] == 2 and edge[1] == 1 and edge[3] == 2 and edge[4] >= 1, f"an edge of a cycle is linked with {edge}")
    step = over(page, ".why li")
    check(step[0] == 2 and step[1] == 1, f"a step is linked with {step}")
    page.cdp("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
    check(page.run("document.querySelectorAll('.lit, .far').length") == 0, "links stay when the pointer is away")
    page.open(f"file://{pages['verify']}")
    check(over(page, ".place .mark[data-e]")[-2:] == [1, 1], "an access is not linked with its mark in the timeline")


def zoom(page, pages):
    page.open(f"file://{pages['explain']}")
    large = "[...document.querySelectorAll('.picture')].sort((x, y) => y.querySelector('svg').viewBox.baseVal.width - x.querySelector('svg').viewBox.baseVal.width)[0]"
    width = f"({large}).querySelector('svg').getBoundingClientRect().width"
    view = f"({large}).querySelector('.view').clientWidth"
    before = page.run(width)
    check(before > page.run(view), "a large picture is too small to be read at first")
    page.run(f"({large}).querySelector('[data-zoom=in]').click()")
    check(abs(page.run(width) / before - 1.25) < 0.02, "+ makes a picture no larger")
    page.run(f"({large}).querySelector('[data-zoom=fit]').click()")
    check(page.run(width) <= page.run(view) + 1, "Fit does not show all")
    page.run(f"({large}).querySelector('.view').dispatchEvent(new WheelEvent('wheel', {{ctrlKey: true, deltaY: -300, cancelable: true}}))")
    check(page.run(width) > 2 * page.run(view), "Ctrl and the wheel do not zoom")


def main():
    ptxmc, source = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    kept = pathlib.Path(sys.argv[4]) if sys.argv[3:4] == ["--pictures"] else None
    if missing := browser.missing():
        print(f"SKIPPED: no {missing} here: the pages of check, explain, races, liveness, verify and compare were NOT looked at")
        return 77
    with tempfile.TemporaryDirectory() as folder, browser.Browser() as page:
        made = pages(ptxmc, source, pathlib.Path(folder))
        for name, file in made.items():
            for width, height in SIZES:
                for scheme in ("light", "dark"):
                    page.picture(pathlib.Path(folder) / "picture.png", width, height, scheme)
                    page.open(f"file://{file}")
                    looks(page, name, width, scheme)
                    if kept:
                        kept.mkdir(parents=True, exist_ok=True)
                        page.picture(kept / f"{name}-{width}-{scheme}.png", width, height, scheme)
        page.picture(pathlib.Path(folder) / "picture.png", *SIZES[0], "light")
        for name, count in (("explain", 6), ("check", 6), ("liveness", 2), ("verify", 4)):
            page.open(f"file://{made[name]}")
            index(page, name, count)
        links(page, made)
        zoom(page, made)
    for said in wrong:
        print(said)
    return 1 if wrong else 0


sys.exit(main())
