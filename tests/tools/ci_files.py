#!/usr/bin/env python3
"""ci_files.py PROGRAM SOURCES: the examples of tools/ci are read as those read them who use them, and their commands run."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

try:
    import yaml
except ImportError:
    print("SKIPPED: python3-yaml is not installed: the examples of tools/ci were not read")
    sys.exit(77)

PROGRAM, SOURCES = (os.path.abspath(path) for path in sys.argv[1:])
CI = os.path.join(SOURCES, "tools/ci")
# The GPU decides which way this kernel takes: the answer is incomplete.
MACHINE = """.version 8.0
.target sm_90
.address_size 64
.visible .entry k() {
  .reg .b32 %r; .reg .pred %q;
  mov.u32 %r, %nsmid; setp.gt.u32 %q, %r, 100;
  @%q bra END;
  fence.acq_rel.gpu;
END:
  ret; }
"""


def require(holds, what):
    if not holds:
        sys.exit(f"FAILED {what}")


def shell(command, folder, path):
    environment = {**os.environ, "PATH": path + os.pathsep + os.environ["PATH"]}
    return subprocess.run(["bash", "-e", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=300)


def copy(name, folder):
    os.makedirs(folder, exist_ok=True)
    shutil.copy(os.path.join(SOURCES, name), folder)


def workflow(folder, path):
    with open(os.path.join(CI, "workflow.yml"), encoding="utf-8") as file:
        flow = yaml.safe_load(file)
    require({"name", True, "permissions", "jobs"} == set(flow), "the keys of a workflow (YAML reads `on` as true)")
    job = flow["jobs"]["ptxmc"]
    require({"runs-on", "container", "steps"} == set(job), "the keys of a job")
    for step in job["steps"]:
        require(set(step) <= {"name", "uses", "run", "if", "with"} and ("uses" in step) != ("run" in step), f"a step: {step}")
    steps = {step["name"]: step["run"] for step in job["steps"] if "run" in step}
    uploads = [step["with"] for step in job["steps"] if step.get("uses", "").startswith("github/codeql-action/upload-sarif")]
    require(set(steps) == {"verdicts", "races", "kernels"}, "the steps")

    def run(expected, incomplete=""):
        for name, command in steps.items():
            done = shell(command, folder, path)
            require(done.returncode == expected[name], f"{name}: status {done.returncode}: {done.stderr}")
            require(("::warning title=ptxmc::incomplete" in done.stdout) == (name == incomplete), f"{name}: {done.stdout}")
        require(xml.parse(os.path.join(folder, "check.xml")).getroot().tag == "testsuites", "check.xml")
        found = []
        for verb, name, category in (("races", "races.sarif", "tests"), ("verify", "kernels.sarif", "kernels")):
            require({"sarif_file": name, "category": category} in uploads, f"{name} is uploaded with its category")
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                run = json.load(file)["runs"][0]
            require(run["automationDetails"]["id"] == f"ptxmc/{verb}/{category}/", f"{name}: {run['automationDetails']}")
            found.append(run["results"])
        return found

    copy("litmus/races/MP+release.gpu+acquire.gpu+spin.litmus", os.path.join(folder, "litmus"))
    os.makedirs(os.path.join(folder, "launches/one"))
    copy("src/doc/tutorial/lock-right.json", os.path.join(folder, "launches/one"))
    copy("src/doc/tutorial/lock-right.ptx", os.path.join(folder, "launches/one"))
    os.rename(os.path.join(folder, "launches/one/lock-right.json"), os.path.join(folder, "launches/one/launch.json"))
    races, kernels = run({"verdicts": 0, "races": 0, "kernels": 0})
    require(not races and not [one for one in kernels if one["level"] == "error"], "findings where there are none")
    # What is incomplete is a warning.
    launch = os.path.join(folder, "launches/two")
    os.makedirs(launch)
    with open(os.path.join(launch, "machine.ptx"), "w", encoding="utf-8") as file:
        file.write(MACHINE)
    with open(os.path.join(launch, "launch.json"), "w", encoding="utf-8") as file:
        json.dump({"module": "machine.ptx"}, file)
    run({"verdicts": 0, "races": 0, "kernels": 0}, "kernels")
    shutil.rmtree(launch)
    # And they fail where something is wrong.
    copy("src/doc/tutorial/lock-wrong.json", os.path.join(folder, "launches/one"))
    copy("src/doc/tutorial/lock-wrong.ptx", os.path.join(folder, "launches/one"))
    os.rename(os.path.join(folder, "launches/one/lock-wrong.json"), os.path.join(folder, "launches/one/launch.json"))
    test = os.path.join(folder, "litmus/MP+release.gpu+acquire.gpu+spin.litmus")
    with open(test, encoding="utf-8") as file:
        text = file.read()
    with open(test, "w", encoding="utf-8") as file:
        file.write(text.replace("ld.acquire.gpu", "ld.relaxed.gpu"))
    races, kernels = run({"verdicts": 1, "races": 1, "kernels": 1})
    require({one["ruleId"] for one in races} == {"race", "verdict"}, "the race of the test")
    require("race" in {one["ruleId"] for one in kernels}, "the race of the kernel")
    return text


def hooks(folder, path, right):
    with open(os.path.join(CI, "pre-commit-config.yaml"), encoding="utf-8") as file:
        repositories = yaml.safe_load(file)["repos"]
    require([repository["repo"] for repository in repositories] == ["local"], "one local repository")
    found = {hook["id"]: hook for hook in repositories[0]["hooks"]}
    for hook in found.values():
        require(set(hook) == {"id", "name", "language", "entry", "files"} and hook["language"] == "system", f"a hook: {hook}")
    racy = {"module": os.path.join(SOURCES, "src/doc/example/sum.ptx"), "block": 128, "memory": {"a": {"bytes": 512}, "b": {"bytes": 4}},
            "arguments": [{"buffer": "a"}, {"buffer": "b"}, {"s32": 100}]}
    cases = {"ptxmc-check": [("right.litmus", right, 0), ("wrong.litmus", right.replace("acquire", "relaxed"), 1),
                             ("bad.litmus", right.replace("st.weak", "st.week"), 2)],
             "ptxmc-verify": [("alone.cu", "", 0), ("wrong.launch.json", json.dumps(racy), 1), ("bad.launch.json", json.dumps({**racy, "block": 0}), 2)],
             "ptxmc-model": [("right.cat", "let r = po | rf\nacyclic r as A\n", 0), ("wrong.cat", "acyclic nothing as A\n", 2)]}
    require(set(cases) == set(found), "the hooks")
    for name, tests in cases.items():
        for file_name, text, status in tests:
            require(re.search(found[name]["files"], file_name), f"{name} takes {file_name}")
            with open(os.path.join(folder, file_name), "w", encoding="utf-8") as file:
                file.write(text)
            done = shell(f"{found[name]['entry']} {file_name}", folder, path)
            require(done.returncode == status, f"{name} {file_name}: status {done.returncode}: {done.stderr}")


def container(folder):
    """Its commands run with stand-ins for what takes long or needs root, which write down how they were called."""
    with open(os.path.join(CI, "Dockerfile"), encoding="utf-8") as file:
        lines = [line for line in file.read().replace("\\\n", " ").split("\n") if line and not line.startswith("#")]
    words = [line.split(" ", 1)[0] for line in lines]
    require(set(words) <= {"FROM", "COPY", "WORKDIR", "RUN", "CMD"} and words[0] == "FROM" and words[-1] == "CMD", "instructions")
    require(json.loads(lines[-1].split(" ", 1)[1])[0] == "ptxmc", "the command")
    stages = re.findall(r"^FROM (\S+)(?: AS (\S+))?$", "\n".join(lines), re.M)
    require([image for image, _ in stages] == ["debian:12"] * 2, "of Debian 12")
    for source in re.findall(r"--from=(\S+)", "\n".join(lines)):
        require(source in {name for _, name in stages}, f"the stage {source}")
    tools = os.path.join(folder, "stand-ins")
    os.makedirs(tools)
    for name in ("apt-get", "cmake", "ninja", "cpack", "dpkg-query", "rm"):
        with open(os.path.join(tools, name), "w", encoding="utf-8") as file:
            file.write(f'#!/bin/bash\necho "{name} $*" >> {folder}/calls\n' + ("echo installed\n" if name == "dpkg-query" else ""))
        os.chmod(os.path.join(tools, name), 0o755)
    tree = os.path.join(folder, "source")
    shutil.copytree(os.path.join(SOURCES, "tools"), os.path.join(tree, "tools"))
    os.makedirs(os.path.join(tree, "build/release"))
    for line in lines:
        if line.startswith("RUN "):
            done = shell(line[4:], tree, tools)
            require(done.returncode == 0, f"{line}: {done.stderr}")
    with open(os.path.join(folder, "calls"), encoding="utf-8") as file:
        calls = file.read()
    for wanted in ("cmake -S .* -B .*/build/release -G Ninja", "ninja -C .*/build/release", "dpkg-query .* dpkg-dev", "dpkg-query .* file", "cpack -G DEB -B /package",
                   "apt-get install .* /package/"):
        require(re.search(wanted, calls), f"no call of {wanted}:\n{calls}")


with tempfile.TemporaryDirectory() as work:
    bin_folder = os.path.join(work, "bin")
    os.makedirs(bin_folder)
    os.symlink(PROGRAM, os.path.join(bin_folder, "ptxmc"))
    for part in ("flow", "hooks", "image"):
        os.makedirs(os.path.join(work, part))
    original = workflow(os.path.join(work, "flow"), bin_folder)
    hooks(os.path.join(work, "hooks"), bin_folder, original)
    container(os.path.join(work, "image"))
print("workflow, hooks and container: as they say")
