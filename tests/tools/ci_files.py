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
    require(set(steps) == {"verdicts", "races", "kernels"}, "the steps")

    def run(expected):
        for name, command in steps.items():
            done = shell(command, folder, path)
            require(done.returncode == expected[name], f"{name}: status {done.returncode}: {done.stderr}")
        require(xml.parse(os.path.join(folder, "check.xml")).getroot().tag == "testsuites", "check.xml")
        with open(os.path.join(folder, "races.sarif"), encoding="utf-8") as file:
            races = json.load(file)["runs"][0]["results"]
        with open(os.path.join(folder, "kernels.sarif"), encoding="utf-8") as file:
            return races, json.load(file)["runs"][0]["results"]

    copy("litmus/races/MP+release.gpu+acquire.gpu+spin.litmus", os.path.join(folder, "litmus"))
    os.makedirs(os.path.join(folder, "launches/one"))
    copy("src/doc/tutorial/lock-right.json", os.path.join(folder, "launches/one"))
    copy("src/doc/tutorial/lock-right.ptx", os.path.join(folder, "launches/one"))
    os.rename(os.path.join(folder, "launches/one/lock-right.json"), os.path.join(folder, "launches/one/launch.json"))
    races, kernels = run({"verdicts": 0, "races": 0, "kernels": 0})
    require(not races and not [one for one in kernels if one["level"] == "error"], "findings where there are none")
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
    cases = {"ptxmc-check": [("right.litmus", right, 0), ("wrong.litmus", right.replace("acquire", "relaxed"), 1),
                             ("bad.litmus", right.replace("st.weak", "st.week"), 2)],
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
