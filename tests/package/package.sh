#!/usr/bin/env bash
# package.sh CPACK BUILD PYTHON: makes the Debian package of BUILD, takes it apart, and runs what is in it.
set -euo pipefail
for tool in dpkg-deb dpkg-shlibdeps file; do
  command -v $tool >/dev/null || { echo "SKIPPED: no $tool here (Debian: dpkg-dev, file)" >&2; exit 77; }
done
cpack=$1 build=$2 python=$3
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "error: $*" >&2; exit 1; }

"$cpack" -G DEB --config "$build/CPackConfig.cmake" -B "$work" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip >"$work/log" 2>&1 || { cat "$work/log"; fail "cpack"; }
package=$(echo "$work"/ptxmc_*.deb)
[[ -f $package ]] || fail "no package"

# What it depends on is there where it is built, so the names are right; and it names the library that is opened, not linked.
depends=$(dpkg-deb -f "$package" Depends)
for wanted in libc6 libfmt9 libz3-4; do
  [[ $depends == *"$wanted"* ]] || fail "does not depend on $wanted: $depends"
done
while read -r name; do
  dpkg-query -W "$name" >/dev/null 2>&1 || fail "depends on $name, which does not exist here"
done < <(sed 's/([^)]*)//g; s/|[^,]*//g; s/, */\n/g' <<<"$depends")

dpkg-deb -x "$package" "$work/root"
root=$work/root/usr
[[ $(find "$work/root" -mindepth 1 -maxdepth 1) == "$root" ]] || fail "files outside of /usr"
for file in share/doc/ptxmc/copyright share/doc/ptxmc/changelog.gz share/man/man1/ptxmc.1.gz share/zsh/vendor-completions/_ptxmc \
  include/ptxmc/ptxmc.h; do
  [[ -s $root/$file ]] || fail "no $file"
done
writable=$(find "$work/root" -perm /022 ! -type l)
[[ -z $writable ]] || fail "others may write: $writable"
"$root/bin/ptxmc" check --engine both --require-verdict "$here/../../litmus/manual" >/dev/null || fail "check"
# As Debian's own checker sees it.
if command -v lintian >/dev/null; then
  found=$(lintian --allow-root --fail-on none --tag-display-limit 0 "$package" 2>/dev/null)
  [[ -z $found ]] || fail "lintian: $found"
else
  echo "SKIPPED: no lintian here (Debian: lintian): the package was not checked by it"
fi
if [[ -d $root/lib/python3/dist-packages/ptxmc ]]; then
  PYTHONPATH=$root/lib/python3/dist-packages "$python" -c 'import ptxmc' || fail "import ptxmc"
fi
