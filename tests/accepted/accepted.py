#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""accepted.py PROGRAM SOURCES: baselines, waivers and configurations of `verify`: what they change in the exit status, the verdict and
every format; and what is wrong with them. The kernel is the one of README.md, with its source beside it."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from checks import check, end  # noqa: E402

try:
    import jsonschema
except ImportError:
    jsonschema = None

PROGRAM, SOURCES = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
EXAMPLE = SOURCES / "src/doc/example"
LAUNCH = ["--entry", "block_sum", "--block", "128", "--arg", "buffer:512", "--arg", "buffer:4", "--arg", "100"]


def verify(folder, status, *words, text=None, error=None, verb="verify"):
    """What a line prints; it has this status, this text on standard output and that on standard error."""
    done = subprocess.run([PROGRAM, verb, *words], cwd=folder, capture_output=True, text=True, timeout=300)
    line = f"{verb} {' '.join(words)}"
    check(done.returncode == status, f"{line}: status {done.returncode}, not {status}: {done.stdout[-600:]}{done.stderr[-600:]}")
    check(text is None or text in done.stdout, f"{line}: no '{text}' in {done.stdout}")
    check(error is None or error in done.stderr, f"{line}: no '{error}' in {done.stderr}")
    return done.stdout, done.stderr


def project(folder, changes=()):
    """The kernel and its source, in which lines are changed; the module names the lines of the source as it was."""
    for name in ("sum.ptx", "sum.cu"):
        shutil.copy(EXAMPLE / name, folder)
    source = pathlib.Path(folder, "sum.cu")
    lines = source.read_text().split("\n")
    for number, line in changes:
        lines[number - 1] = line
    source.write_text("\n".join(lines))


def shifted(folder):
    """Ten lines more in front of the source, as the module says, too."""
    source, module = pathlib.Path(folder, "sum.cu"), pathlib.Path(folder, "sum.ptx")
    source.write_text("//\n" * 10 + source.read_text())
    module.write_text(re.sub(r"(\.loc\s+\d+ )(\d+)", lambda found: found[1] + str(int(found[2]) + 10), module.read_text()))


def baselines(folder):
    project(folder)
    verify(folder, 1, "sum.ptx", *LAUNCH, text="data race")
    verify(folder, 0, "sum.ptx", *LAUNCH, "--write-baseline", "known.json", text="1 error (1 known)", error="known.json: 1 finding is known from now on")
    rows = json.loads(pathlib.Path(folder, "known.json").read_text())
    check(rows["ptxmc_baseline"] == 1 and [(row["rule"], row["kernel"], row["count"]) for row in rows["findings"]] == [("race", "block_sum", 1)], rows)
    out, _ = verify(folder, 0, "sum.ptx", *LAUNCH, "--baseline", "known.json", text="Result: waived: no error was found in this launch but those that are waived or known")
    check("= known: it is in the baseline (known.json)" in out, out)
    check("every" not in out.split("Result")[1].split("\n")[0] and "schedule" not in out.split("Result")[1].split("\n")[0], "a waived result claims no schedules")
    line = json.loads(verify(folder, 0, "-q", "sum.ptx", *LAUNCH, "--baseline", "known.json", "--format", "json")[0])
    check(line["answer"] == "waived" and not line["claim"]["exact"] and line["findings"][0]["accepted"] == {"as": "known", "where": "known.json"}, line)
    check(line["findings"][0]["fingerprint"] == rows["findings"][0]["fingerprint"], "the fingerprint is that of the baseline")
    verify(folder, 0, "sum.ptx", *LAUNCH, "--baseline", "known.json", "--summary", text="1 waived, 0 with findings")
    shifted(folder)
    verify(folder, 0, "sum.ptx", *LAUNCH, "--baseline", "known.json", text="(1 known)")
    source = pathlib.Path(folder, "sum.cu")
    source.write_text(source.read_text().replace("s[i] += s[i + half];", "s[i] = s[i] + s[i + half];"))
    verify(folder, 1, "sum.ptx", *LAUNCH, "--baseline", "known.json", text="1 error\n", error="known.json: note: 1 finding of this baseline was not found in these launches")
    verify(folder, 2, "sum.ptx", *LAUNCH, "--baseline", "none.json", error="none.json")
    pathlib.Path(folder, "wrong.json").write_text('{"findings": []}')
    verify(folder, 2, "sum.ptx", *LAUNCH, "--baseline", "wrong.json", error="wrong.json:1:1: error: this is no baseline")
    pathlib.Path(folder, "wrong.json").write_text('{"ptxmc_baseline": 1, "findings": [{"rule": "race"}]}')
    verify(folder, 2, "sum.ptx", *LAUNCH, "--baseline", "wrong.json", error='a finding of a baseline has a "fingerprint"')
    verify(folder, 2, "sum.ptx", "--block", "0", "--write-baseline", "new.json", error="new.json was not written")
    check(not pathlib.Path(folder, "new.json").exists(), "no baseline of what was not verified")
    verify(folder, 2, "sum.ptx", *LAUNCH, "--write-baseline", "sum.ptx")


RACE = 9  # the line


def waivers(folder):
    line = (EXAMPLE / "sum.cu").read_text().split("\n")[RACE - 1]
    before = (EXAMPLE / "sum.cu").read_text().split("\n")[RACE - 2]
    for changes in ([(RACE, line + "  // ptxmc: ignore race: one warp runs it")], [(RACE - 1, before + "  // ptxmc: ignore race: one warp runs it")]):
        project(folder, changes)
        out, error = verify(folder, 0, "sum.ptx", *LAUNCH, text="block_sum<<<1, 128>>>: 1 error (1 waived). Result: waived: no error")
        check(f"= waived: one warp runs it (sum.cu:{changes[0][0]})" in out and "note" not in error, out + error)
        log = json.loads(verify(folder, 0, "sum.ptx", *LAUNCH, "--format", "sarif")[0])["runs"][0]
        check(log["results"][0]["suppressions"] == [{"kind": "inSource", "justification": f"one warp runs it (sum.cu:{changes[0][0]})"}], log["results"])
    project(folder, [(RACE, line + "  // ptxmc: ignore hang: no")])
    verify(folder, 1, "sum.ptx", *LAUNCH, text="1 error. Result: each error", error=f"sum.cu:{RACE}: note: this waiver of hang was not needed")
    project(folder, [(RACE, line + "  // ptxmc: ignore rase: no")])
    verify(folder, 1, "sum.ptx", *LAUNCH, error="this comment waives nothing: there is no rule `rase`; did you mean `race`?")
    project(folder, [(RACE, line + "  // ptxmc: ignore race")])
    verify(folder, 1, "sum.ptx", *LAUNCH, error="this comment waives nothing: no reason is given")
    project(folder)
    module = pathlib.Path(folder, "sum.ptx")
    module.write_text(re.sub(r"(st\.shared\.f32 [^\n]*%f6;)", r"\1 // ptxmc: ignore race: in the module", module.read_text()))
    verify(folder, 0, "sum.ptx", *LAUNCH, text="= waived: in the module (sum.ptx:")


STOPS = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p) {
  .reg .u64 %rd<3>;
  .reg .u32 %r<2>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, 1;
  st.global.u32 [%rd1+64], %r1; // ptxmc: ignore out-of-bounds: it is meant
  ret;
}
"""


def stops(folder):
    """An error after which nothing runs is no waived result, but an incomplete one."""
    pathlib.Path(folder, "stops.ptx").write_text(STOPS)
    launch = ["stops.ptx", "--block", "1", "--arg", "buffer:4"]
    verify(folder, 3, *launch, text="incomplete: no error but those that are waived or known found")
    out, _ = verify(folder, 0, *launch, "--allow-incomplete", text="an error that is waived or known ends threads")
    line = json.loads(verify(folder, 0, "-q", *launch, "--allow-incomplete", "--format", "json")[0])
    check(line["answer"] == "bounded" and line["status"] == 0 and "incomplete" in out, "an incomplete result stays one")


def configurations(folder):
    project(folder)
    inner = pathlib.Path(folder, "a", "b")
    inner.mkdir(parents=True)
    file = pathlib.Path(folder, ".ptxmc.json")
    schema = json.loads((SOURCES / "src/face/cli/configuration.schema.json").read_text())
    if jsonschema is None:
        print("SKIPPED: python3-jsonschema is not installed: no configuration was validated")

    def write(text, valid=True):
        file.write_text(text if isinstance(text, str) else json.dumps(text))
        if jsonschema is not None and not isinstance(text, str):
            check(jsonschema.Draft7Validator(schema).is_valid(text) == valid, f"the schema says otherwise of {text}")

    module = ["../../sum.ptx", *LAUNCH]
    write({"waive": [{"rule": "data-race", "reason": "a demonstration"}]})
    verify(inner, 0, *module, text="= waived: a demonstration (../../.ptxmc.json)")
    verify(inner, 1, "--no-config", *module)
    write({"options": {"verify": {"fail-on": "never", "ignore": ["race", "hang"], "quiet": False, "timeout": 100}}})
    _, error = verify(inner, 3, *module, error="../../.ptxmc.json: note: adds --fail-on=never --ignore=race --ignore=hang --timeout=100\n")
    verify(inner, 1, *module, "--fail-on", "error", "--ignore", "hang", error="note: adds --timeout=100\n")
    _, error = verify(inner, 3, "-q", *module)
    check("note" not in error, error)
    write({"options": {"races": {"ignore": "race"}}, "$schema": "x"})
    verify(inner, 1, *module)
    verify(folder, 0, "sum.ptx", *LAUNCH, "--write-baseline", "known.json")
    write({"options": {"verify": {"baseline": "known.json"}}})
    verify(inner, 0, *module, text="(../../known.json)")
    verify(inner, 0, "--help", text="--no-config")
    for text, said in (({"option": {}}, "`option` is no key of a configuration; did you mean `options`?"),
                       ({"options": {"verifi": {}}}, "`verifi` is no verb that takes a configuration; did you mean `verify`?"),
                       ({"waive": [{"rule": "race"}]}, 'a waived rule has a "rule" and a "reason"'),
                       ({"waive": [{"rule": "race", "why": "x"}]}, "`why` is no key of a waived rule"),
                       ({"waive": {}}, '"waive" is a list'), ([], "a configuration is an object"),
                       ({"options": {"verify": {"output": "x"}}}, "`output` is of one run alone"),
                       ({"options": {"verify": {"timeout": None}}}, "`timeout` takes a number")):
        write(text, valid=False)
        verify(inner, 2, *module, error=said)
    for text, said in (({"options": {"verify": {"timeuot": 3}}}, ".ptxmc.json:1:25: error: `timeuot` is no option of ptxmc verify; did you mean `timeout`?"),
                       ({"options": {"verify": {"strict": 3}}}, "`strict` is true or false"), ({"options": {"verify": {"timeout": True}}}, "`timeout` takes a number"),
                       ({"options": {"verify": {"timeout": "x"}}}, "timeout"), ({"waive": [{"rule": "rase", "reason": "x"}]}, "there is no rule `rase` that can be waived; did you mean `race`?")):
        write(text)
        verify(inner, 2, *module, error=said)
    write("{")
    verify(inner, 2, *module, error=".ptxmc.json:1:2: error")


for test in (baselines, waivers, stops, configurations):
    with tempfile.TemporaryDirectory() as place:
        test(place)
end()
