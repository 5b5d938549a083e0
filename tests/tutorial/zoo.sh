#!/usr/bin/env bash
# zoo.sh PTXMC SOURCE: the page of the bug zoo has each bug that the README has, with a picture of its own and the answers that its
# tests state; a test that the README does not have, and one without the execution that a picture is of, are errors.
set -euo pipefail
ptxmc=$1 source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "error: $*" >&2; exit 1; }

"$source/src/doc/zoo.py" "$ptxmc" "$source/litmus/bugzoo" "$work/zoo"
page=$work/zoo/index.html
python3 - "$page" "$source/litmus/bugzoo/README.md" <<'END'
import re, sys
page, readme = (open(file).read() for file in sys.argv[1:])
bugs = re.findall(r"^\* \*\*([\w-]+)\*\*", readme, re.M)
articles = {one.split('"')[0]: one for one in page.split('<article id="')[1:]}
wrong = [f"{bug} is not there" for bug in bugs if bug not in articles]
pictures = {}
for bug, article in articles.items():
    drawn = re.search(r'<div class="picture">(.*?)</div>', article, re.S)[1]
    boxes = re.findall(r'<text class="title"[^>]*>([^<]*)', drawn)
    if len(boxes) < 3:
        wrong.append(f"{bug}: a picture of {boxes}")
    if drawn in pictures:
        wrong.append(f"{bug} has the picture of {pictures[drawn]}")
    pictures[drawn] = bug
    for form, answer, stated in re.findall(r"<tr><td[^>]*>(.*?)</td><td>(.*?)</td><td>(.*?)</td>", article):
        if answer != ("no execution ends" if "Hangs" in stated and answer[0] == "n" else stated.split()[0]):
            wrong.append(f"{bug}{form} is {answer}, and states {stated}")
    for used in re.findall(r"url\(#([^)]+)\)", drawn):
        if page.count(f'id="{used}"') != 1:
            wrong.append(f"{bug}: {page.count(used)} things are #{used}")
            break
if len(bugs) < 60 or len(articles) != len(bugs):
    wrong.append(f"{len(articles)} bugs on the page, {len(bugs)} in the README")
print("\n".join(wrong))
sys.exit(1 if wrong else 0)
END

cp -r "$source/litmus/bugzoo" "$work/other"
cp "$work/other/volta-warp-reduction+weak.litmus" "$work/other/volta-warp-reduction+new.litmus"
if "$source/src/doc/zoo.py" "$ptxmc" "$work/other" "$work/none" 2>"$work/said"; then fail "a test that the README does not have is taken"; fi
grep -qF "the README and the tests differ: volta-warp-reduction+new" "$work/said" || fail "$(cat "$work/said")"
rm "$work/other/volta-warp-reduction+new.litmus"
echo broken >"$work/other/volta-warp-reduction+buggy.litmus"
if "$source/src/doc/zoo.py" "$ptxmc" "$work/other" "$work/none" 2>"$work/said"; then fail "a bug without a picture is taken"; fi
grep -q "^error: volta-warp-reduction+buggy is not as it says" "$work/said" || fail "$(cat "$work/said")"
