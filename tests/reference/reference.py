#!/usr/bin/env python3
# reference.py DOXYFILE [--finds]: Doxygen has nothing to warn of in the headers, and every public name has its text, values of
# enumerations too, of which Doxygen does not warn. --finds: it does warn where a header is wrong. Status 77: no doxygen here.
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as tree


def headers_of(doxyfile):
    return re.search(r'^INPUT = "(.*)"$', doxyfile, re.M)[1]


def mistakes(doxyfile, out):
    """What is wrong, a line each."""
    text = re.sub(r"^OUTPUT_DIRECTORY = .*$", f'OUTPUT_DIRECTORY = "{out}"', doxyfile, flags=re.M)
    done = subprocess.run(["doxygen", "-"], input=text, capture_output=True, text=True)
    found = [line for line in done.stderr.splitlines() if line.strip()]
    if done.returncode != 0 and not found:
        found.append(f"doxygen ended with status {done.returncode}")
    named = 0
    for file in sorted(pathlib.Path(out, "xml").glob("*.xml")):
        for item in tree.parse(file).iter():
            if item.tag not in ("memberdef", "enumvalue") or item.get("prot") == "private":
                continue
            named += 1
            said = "".join("".join(part.itertext()) for part in item if part.tag.endswith("description")).strip()
            if not said:
                found.append(f"{file.stem}: {item.tag} {item.findtext('name')} has no text")
    return found, named


def finds(doxyfile, out):
    headers = pathlib.Path(out, "include", "ptxmc")
    shutil.copytree(headers_of(doxyfile), headers)
    (headers / "wrong.h").write_text("""/// \\file
/// Mistakes.
namespace ptxmc::api {
/// Colours.
enum class Colour { red, blue /**< like the sky */ };
void silent();
/// Adds. \\param c is not there
int add(int a, int b);
}
""")
    found, _ = mistakes(doxyfile.replace(headers_of(doxyfile), str(headers)), pathlib.Path(out, "made"))
    told = "\n".join(found)
    wanted = [r"wrong.h:6: .*silent.* is not documented", r"wrong.h:7: .*argument 'c' .*not found", r"enumvalue red has no text"]
    return [f"nothing says {pattern}" for pattern in wanted if not re.search(pattern, told)] + (
        [f"and {line}" for line in found if not re.search("wrong.h|enumvalue red|memberdef silent|parameter '[ab]'", line)])


def main():
    if not shutil.which("doxygen"):
        print("SKIPPED: no doxygen here (Debian: doxygen)", file=sys.stderr)
        sys.exit(77)
    doxyfile = pathlib.Path(sys.argv[1]).read_text()
    with tempfile.TemporaryDirectory() as out:
        if sys.argv[2:] == ["--finds"]:
            wrong = finds(doxyfile, out)
        else:
            wrong, named = mistakes(doxyfile, out)
            if named < 100:
                wrong.append(f"only {named} names are in the reference")
            if not pathlib.Path(out, "html", "index.html").exists():
                wrong.append("no page html/index.html")
    print("\n".join(wrong))
    sys.exit(1 if wrong else 0)


main()
