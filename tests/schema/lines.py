#!/usr/bin/env python3
"""lines.py PROGRAM SOURCES FAKE_DRIVER RECORDED: what each verb prints with --format json is as schema.json says, and each
kind of line there is printed by some verb."""
import json
import os
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("SKIPPED: python3-jsonschema is not installed: no JSON was validated")
    sys.exit(77)

PROGRAM, SOURCES, DRIVER, RECORDED = (os.path.abspath(path) for path in sys.argv[1:])
GOLDEN = "tests/golden/input"
SUM = "src/doc/example/sum.ptx --entry block_sum --block 128 --arg buffer:512 --arg buffer:4 --arg 100"

# Command lines, without --format json; of each the statuses that are right.
COMMANDS = [
    ("check litmus/classic litmus/manual", {0}),
    ("check --witnesses all --sensitivity --flags litmus/classic/MP+weak.litmus", {0}),
    ("check --count litmus/classic/MP+weak.litmus", {0}),
    ("check --timeout 20 --memory 200 --verdict litmus/vectors litmus/async", {0}),
    (f"check {GOLDEN}/bad.litmus nothing.litmus", {2}),
    (f"check {GOLDEN}/launch.json", {0, 1, 3}),
    ("check --unroll 0 litmus/locks", {0, 1, 3}),
    ("check --timeout 0.05 {folder}/late.litmus", {3}),
    ("check {folder}/long.litmus", {3}),
    ("check --property liveness litmus/liveness litmus/warp", {0, 1, 3}),
    ("check --property liveness tests/golden/input/launch.json", {0, 1}),
    ("check --list src/doc/example/sum.ptx", {0}),
    ("races litmus/bugzoo litmus/locks", {0, 1}),
    (f"races {GOLDEN}/races-alias.litmus {GOLDEN}/launch.json {GOLDEN}/bad.litmus", {2}),
    ("explain litmus/manual litmus/classic", {0}),
    (f"explain --depth 5 litmus/atomics {GOLDEN}/bad.litmus", {2}),
    ("explain race hang", {0}),
    ("explain --rules", {0}),
    ("doctor ", {0}),
    ("import --list src/doc/example/sum.ptx", {0}),
    ("import --threads 0,1 src/doc/tutorial/lock-wrong.json", {0}),
    ("import nothing.json", {2}),
    ("check {folder}/twice.litmus", {2}),
    ("check --property liveness --unroll 1 {folder}/cut.litmus", {3}),
    ("verify --list src/doc/example/sum.ptx", {0}),
    (f"verify {SUM}", {1}),
    (f"verify --mutate {SUM}", {1}),
    ("verify litmus/bugzoo litmus/manual", {1, 2}),
    ("verify src/doc/tutorial/lock-wrong.json src/doc/tutorial/ring-wrong.json src/doc/tutorial/ring-right.json nothing.json", {2}),
    ("compare --against ptx-6.0 litmus/classic", {0, 1}),
    (f"compare --against ptx-6.0 {GOLDEN}/bad.litmus", {2}),
    (f"conform --suite {GOLDEN}/suite --log {GOLDEN}/corr.log", {1}),
    ("repair litmus/bugzoo/scan-missing-threadfence+buggy.litmus", {0}),
    ("repair tests/golden/input/bad.litmus", {2}),
    ("weaken litmus/classic/MP+release.gpu+acquire.gpu.litmus", {0}),
    ("generate --cycle 'PodWW Rfe PodRR Fre'", {0}),
    ("generate --all --minimal --events 3 --folder {folder}/made", {0}),
    ("generate --all --events 2 --scopes gpu --orders weak,acquire,release", {0}),
    ("generate --random --seed 5 --count 20 --events 6 --folder {folder}/drawn", {0}),
    ("model list", {0}),
    ("model base", {0}),
    ("model readings", {0}),
    ("model check ptx-9.4 nothing.cat", {2}),
    ("model diff ptx-6.0 ptx-7.5 --events 3", {0}),
    ("model diff sc ptx-9.4 --first", {0}),
    ("run --time 0.1 litmus/classic/MP+weak.litmus", {0}),
    ("record --pretend --output {folder}/recorded -- " + RECORDED, {0}),
]


def late():
    """A test that takes more than a twentieth of a second."""
    threads = 12
    code = "PTX late\n{ x=0; }\n" + " | ".join(f"P{i}" for i in range(threads)) + " ;\n"
    for _ in range(3):
        code += " | ".join(f"atom.add.relaxed.gpu r{_}, [x], {i + 1}" for i in range(threads)) + " ;\n"
    return code + "exists (0:r0=77777 /\\ 1:r1=3)\n"


TWICE = "PTX twice\n{ x=0; x=1; }\n P0 ;\n st.weak x, 1 ;\nexists (x=1)\n"  # a mistake with a note
CUT = """PTX cut
{ .global .u32 x = 0; }
P0 @ cta 0 {
  .reg .u32 %r;
  .reg .pred %p;
AGAIN:
  atom.relaxed.gpu.global.add.u32 %r, [x], 1;
  setp.ne.u32 %p, %r, 7;
  @%p bra AGAIN;
}
exists (x == 8)
"""


def lines_of(command, folder, statuses):
    environment = dict(os.environ)
    words = command.replace("{folder}", folder)
    verb, rest = words.split(" ", 1)
    if verb == "run":
        environment["LD_LIBRARY_PATH"] = DRIVER
    # `model` has its options behind its verbs, and what follows -- is another program's.
    inner, rest = (rest.split(" ", 1) + [""])[:2] if verb == "model" else ("", rest)
    line = f"{PROGRAM} {verb} {inner} --format json {rest}"
    done = subprocess.run(line, shell=True, cwd=SOURCES, env=environment, capture_output=True, timeout=300, text=True)
    if done.returncode not in statuses:
        fail(f"{words}: status {done.returncode}, not of {sorted(statuses)}\n{done.stderr[-600:]}")
    return [json.loads(text) for text in done.stdout.splitlines() if text.startswith("{")]


# Printed by what this machine may not have.
ELSEWHERE = {"line_limit": "a GPU"}
failures = 0


def fail(what):
    global failures
    failures += 1
    print("FAILED", what)


def positions(value):
    """Every object with a line, but for `compiled_from`, whose path is that of another machine."""
    if isinstance(value, dict):
        if "line" in value and "column" in value and "path" not in value:
            yield value
        for inner in value.values():
            yield from positions(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from positions(inner)


def check_positions(line, command):
    """A text stands where its position says, in the file that it names."""
    for place in positions(line):
        path = os.path.join(SOURCES, place["file"])
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8", errors="replace") as file:
            texts = file.read().split("\n")
        if place["line"] > len(texts):
            fail(f"{command}: line {place['line']} of {place['file']} does not exist")
        elif place["column"] > len(texts[place["line"] - 1].encode()) + 1:
            fail(f"{command}: column {place['column']} of {place['file']}:{place['line']} does not exist")


def main():
    with open(os.path.join(SOURCES, "src/report/json/schema.json"), encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    kinds = {name: jsonschema.Draft7Validator({**schema["definitions"][name], "definitions": schema["definitions"]})
             for name in schema["definitions"] if name.startswith("line_")}
    seen = dict.fromkeys(kinds, 0)
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "late.litmus"), "w", encoding="utf-8") as file:
            file.write(late())
        with open(os.path.join(folder, "long.litmus"), "w", encoding="utf-8") as file:
            file.write("PTX long\n{ x=0; }\n P0 ;\n" + " st.weak x, 1 ;\n" * 5000 + "exists (x=1)\n")
        for name, text in (("twice", TWICE), ("cut", CUT)):
            with open(os.path.join(folder, f"{name}.litmus"), "w", encoding="utf-8") as file:
                file.write(text)
        for command, statuses in COMMANDS:
            lines = lines_of(command, folder, statuses)
            if not lines:
                fail(f"{command}: no line")
            for line in lines:
                of = [name for name, kind in kinds.items() if kind.is_valid(line)]
                if len(of) != 1:
                    verb, near = line.get("verb"), []
                    for name, kind in kinds.items():
                        if kind.schema["properties"]["verb"] in ({"const": verb}, {"type": "string"}):
                            error = jsonschema.exceptions.best_match(kind.iter_errors(line))
                            near.append(f"{name}: {'/'.join(map(str, error.absolute_path))}: {error.message[:200]}" if error else name)
                    fail(f"{command}: a line of {len(of)} kinds: {json.dumps(line)[:200]}\n  " + "\n  ".join(near))
                    break
                seen[of[0]] += 1
                check_positions(line, command)
    for name, count in seen.items():
        if count == 0 and name in ELSEWHERE:
            print(f"{name} was not printed: it takes {ELSEWHERE[name]}")
        elif count == 0:
            fail(f"{name}: no verb printed such a line")
    # The schema can tell right from wrong: of a line with a version of later, or without a file, it says so.
    right = {"version": 1, "verb": "check", "file": "a", "errors": [{"severity": "error", "message": "m"}]}
    wrongs = [{**right, "version": 2}, {**right, "errors": []}, {**right, "more": 1},
              {**right, "errors": [{"severity": "error", "message": "m", "line": 3}]}]
    if not kinds["line_errors"].is_valid(right) or any(kinds["line_errors"].is_valid(wrong) for wrong in wrongs):
        fail("the schema of errors takes what is wrong")
    print(f"{sum(seen.values())} lines of {sum(1 for n in seen.values() if n)} kinds, {failures} failures")
    return failures != 0


sys.exit(main())
