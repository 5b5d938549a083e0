#!/usr/bin/env python3
"""sarif.py PROGRAM SOURCES: SARIF and JUnit of every verb that has them. SARIF is held to what SARIF 2.1.0 requires of the
objects that are used; where PTXMC_SARIF_SCHEMA names a copy of the published schema, to that, too."""
import json
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from checks import check, end  # noqa: E402

try:
    import jsonschema
except ImportError:
    print("SKIPPED: python3-jsonschema is not installed: no SARIF was validated")
    sys.exit(77)

PROGRAM, SOURCES = (os.path.abspath(path) for path in sys.argv[1:])


def shape(required, optional=None):
    return {"type": "object", "required": list(required), "properties": {**required, **(optional or {})}, "additionalProperties": False}


TEXT = {"type": "string", "minLength": 1}
COUNT = {"type": "integer", "minimum": 1}
MESSAGE = shape({"text": TEXT})  # 3.11
REGION = shape({"startLine": COUNT}, {"startColumn": COUNT, "endColumn": COUNT, "snippet": shape({"text": {"type": "string"}})})  # 3.30
LOCATION = shape({"physicalLocation": shape({"artifactLocation": shape({"uri": {"type": "string", "format": "uri-reference", "pattern": "^[^ ]+$"}})},
                                            {"region": REGION})},
                 {"message": MESSAGE, "id": COUNT})  # 3.28
RESULT = shape({"message": MESSAGE},  # 3.27
               {"ruleId": TEXT, "ruleIndex": {"type": "integer", "minimum": 0}, "level": {"enum": ["none", "note", "warning", "error"]},
                "kind": {"enum": ["notApplicable", "pass", "fail", "review", "open", "informational"]}, "occurrenceCount": COUNT,
                "partialFingerprints": {"type": "object", "additionalProperties": TEXT},
                "locations": {"type": "array", "items": LOCATION}, "relatedLocations": {"type": "array", "items": LOCATION},
                "suppressions": {"type": "array", "items": shape({"kind": {"enum": ["inSource", "external"]}}, {"justification": TEXT})}})
HELP = shape({"text": TEXT}, {"markdown": TEXT})  # 3.12
RULE = shape({"id": TEXT}, {"shortDescription": MESSAGE, "fullDescription": MESSAGE, "help": HELP, "helpUri": TEXT, "properties": {"type": "object"},
                           "defaultConfiguration": shape({"level": {"enum": ["note", "warning", "error"]}})})  # 3.49
OURS = shape({"version": {"const": "2.1.0"}, "runs": {"type": "array", "minItems": 1, "maxItems": 1, "items": shape(
    {"tool": shape({"driver": shape({"name": TEXT}, {"version": TEXT, "rules": {"type": "array", "uniqueItems": True, "items": RULE}})}),
     "results": {"type": "array", "items": RESULT}}, {"automationDetails": shape({"id": TEXT}), "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]}, "invocations": {"type": "array", "items": {"type": "object"}}})}}, {"$schema": TEXT})
validators = [jsonschema.Draft7Validator(OURS)]
published = os.environ.get("PTXMC_SARIF_SCHEMA")
if published:
    with open(published, encoding="utf-8") as file:
        schema = json.load(file)
    validators.append(jsonschema.validators.validator_for(schema)(schema))
    print(f"held to the published schema, too: {schema['title']}")
else:
    print("SKIPPED: no copy of the published schema (.ci/run fetches one, and PTXMC_SARIF_SCHEMA names it): held to ours alone")


def run(command, status):
    done = subprocess.run(f"{PROGRAM} {command}", shell=True, cwd=SOURCES, capture_output=True, timeout=300, text=True)
    check(done.returncode == status, f"{command}: status {done.returncode}: {done.stderr[-300:]}")
    return done.stdout


def sarif(command, status, rules):
    """The rules that results have, and no others."""
    log = json.loads(run(command + " --format sarif", status))
    for validator in validators:
        for error in list(validator.iter_errors(log))[:3]:
            check(False, f"{command}: {'/'.join(map(str, error.absolute_path))}: {error.message[:200]}")
    one = log["runs"][0]
    found = {result["ruleId"] for result in one["results"]}
    check(found == rules, f"{command}: rules {found}, not {rules}")
    told = [rule["id"] for rule in one["tool"]["driver"]["rules"]]
    for result in one["results"]:
        check(told[result["ruleIndex"]] == result["ruleId"], f"{command}: ruleIndex (3.27.6)")
        for place in [*result["locations"], *result.get("relatedLocations", [])]:  # GitHub shows results of files of the repository
            uri = place["physicalLocation"]["artifactLocation"]["uri"]
            check((not uri.startswith("/") or " /" in command) and "://" not in uri, f"{command}: {uri} is not relative")
        check(("kind" not in result) or result["level"] == "none", f"{command}: a level beside a kind (3.27.10)")
    for rule in one["tool"]["driver"]["rules"]:
        for words in ("shortDescription", "fullDescription", "help"):  # GitHub shows results of rules that have all three
            check(words in rule, f"{command}: rule {rule['id']} has no {words}")
    return one["results"]


SUM = "src/doc/example/sum.ptx --entry block_sum --block 128 --arg buffer:512 --arg buffer:4 --arg 100"
RACY = "tests/golden/input/races-alias.litmus"
results = sarif(f"races -q {RACY}", 1, {"verdict", "proxy-race"})
with open(os.path.join(SOURCES, RACY), encoding="utf-8") as file:
    lines = file.read().split("\n")
region = next(one for one in results if one["ruleId"] == "verdict")["locations"][0]["physicalLocation"]["region"]
check(lines[region["startLine"] - 1].startswith("Verdict"), f"the verdict stands in its line: {region}")
sarif(f"races -q --only proxy-race {RACY}", 1, {"proxy-race"})
sarif(f"races -q --ignore proxy-race,verdict {RACY}", 0, set())
sarif(f"races -q --fail-on never {RACY}", 0, {"verdict", "proxy-race"})
sarif("check -q tests/golden/input/bad.litmus", 2, {"input"})
with tempfile.TemporaryDirectory() as folder:
    twice = os.path.join(folder, "twice.litmus")
    with open(twice, "w", encoding="utf-8") as file:
        file.write("PTX twice\n{ x=0; x=1; }\n P0 ;\n st.weak x, 1 ;\nexists (x=1)\n")
    (mistake,) = sarif(f"check -q {twice}", 2, {"input"})
related = mistake["relatedLocations"][0]
check(related["message"]["text"] == "the first is here" and related["physicalLocation"]["region"]["startColumn"] == 3, f"what a mistake is about, too: {related}")
sarif("check -q litmus/classic", 0, set())
stated = sarif("check -q --property liveness litmus/liveness/Bar+crossed.litmus", 0, {"hang"})
check(all("suppressions" in one for one in stated), "what the file states is suppressed")
(race,) = sarif(f"verify -q {SUM}", 1, {"race"})
primary, related = race["locations"][0]["physicalLocation"], [one["physicalLocation"]["artifactLocation"]["uri"] for one in race["relatedLocations"]]
check((primary["artifactLocation"]["uri"], primary["region"]["startLine"]) == ("src/doc/example/sum.cu", 9), f"a result is in the CUDA source: {primary}")
check(set(related) == {"src/doc/example/sum.cu", "src/doc/example/sum.ptx"}, f"the PTX is related: {related}")
check([one["id"] for one in race["relatedLocations"]] == list(range(1, len(related) + 1)), "ids of related locations")
check(len(race["partialFingerprints"]["ptxmc/v1"]) == 16, "a fingerprint")
for words, id in (("", "ptxmc/verify/"), ("--category nightly", "ptxmc/verify/nightly/")):
    log = json.loads(run(f"verify -q {SUM} {words} --format sarif", 1))
    check(log["runs"][0]["automationDetails"]["id"] == id, f"{words}: {log['runs'][0]['automationDetails']}")
check(json.loads(run(f"races -q --category a {RACY} --format sarif", 1))["runs"][0]["automationDetails"]["id"] == "ptxmc/races/a/", "the id of races")
sarif(f"verify -q -j 2 src/doc/tutorial/lock-right.json {RACY} --ignore race,proxy-race,missing-acquire,scope-too-narrow", 3, set())
sarif(f"verify -q --ignore race {SUM}", 3, set())


def junit(command, status, tests, failed, errors):
    suite = xml.fromstring(run(command + " --format junit", status)).find("testsuite")
    check((suite.get("tests"), suite.get("failures"), suite.get("errors")) == (str(tests), str(failed), str(errors)), f"{command}: {suite.attrib}")
    check(len(suite.findall("testcase")) == tests, f"{command}: a case a test")
    return suite


suite = junit(f"races -q {RACY} tests/golden/input/bad.litmus", 2, 2, 1, 1)
check(suite.get("name") == "ptxmc races" and "stated RaceFree, found Racy" in suite.find("testcase/failure").text, "what failed, and why")
junit("check -q litmus/manual/MP.litmus", 0, 1, 0, 0)
junit("check -q --property liveness litmus/liveness/Bar+crossed.litmus", 0, 1, 0, 0)
junit(f"verify -q {SUM}", 1, 1, 1, 0)

for command, wanted in ((f"races --only proxy-rase {RACY}", "did you mean `proxy-race`?"), (f"verify --ignore rase {SUM}", "there is no rule `rase`"),
                        (f"check --only verdikt {RACY}", "did you mean `verdict`?")):
    done = subprocess.run(f"{PROGRAM} {command}", shell=True, cwd=SOURCES, capture_output=True, timeout=300, text=True)
    check(done.returncode == 2 and wanted in done.stderr, f"{command}: {done.stderr}")
done = subprocess.run(f"{PROGRAM} check -q {RACY}", shell=True, cwd=SOURCES, capture_output=True, timeout=300, text=True)
check(f"{RACY}:{region['startLine']}:{region['startColumn']}: error: stated" in done.stderr, f"a mismatch has line and column: {done.stderr}")
end()
