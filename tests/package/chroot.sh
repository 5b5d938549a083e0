#!/usr/bin/env bash
# chroot.sh CPACK BUILD: the Debian package of BUILD is installed in a Debian of its own, used there, and removed without a trace.
# Status 77: nobody may make one here.
set -euo pipefail
cpack=$1 build=$2
skip() { echo "SKIPPED: $*: the Debian package was NOT installed anywhere" >&2; exit 77; }
fail() { echo "error: $*" >&2; exit 1; }
((EUID == 0)) || skip "not root, who alone may chroot"
command -v debootstrap >/dev/null || skip "no debootstrap here (Debian: debootstrap)"
# shellcheck disable=SC1091
suite=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
# shellcheck disable=SC2016
mirror=$(apt-get indextargets --format '$(SITE)' "Codename: $suite" "Created-By: Packages" 2>/dev/null | head -n 1)
[[ $mirror ]] || skip "apt knows no mirror of $suite"

work=$(mktemp -d)
trap 'umount -q "$work/debian/proc" "$work/debian/sys" || true; rm -rf --one-file-system "$work"' EXIT
# A chroot begins at the top of its file system.
inside() { chroot "$work/debian" env DEBIAN_FRONTEND=noninteractive LC_ALL=C "$@" </dev/null; }
began=$SECONDS
debootstrap --variant=minbase "$suite" "$work/debian" "$mirror" >"$work/log" 2>&1 || { tail -n 3 "$work/log"; skip "debootstrap failed"; }
made=$SECONDS
cp /etc/apt/apt.conf.d/* "$work/debian/etc/apt/apt.conf.d/"  # how the mirror is reached
"$cpack" -G DEB --config "$build/CPackConfig.cmake" -B "$work" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip >"$work/log" 2>&1 || { cat "$work/log"; fail "cpack"; }
package=$(echo "$work"/ptxmc_*.deb)
cp "$package" "$work/debian/ptxmc.deb"
inside apt-get -q update >"$work/log" 2>&1 || { tail -n 3 "$work/log"; skip "apt-get update failed"; }
packed=$SECONDS
inside apt-get -q -y install --no-install-recommends ./ptxmc.deb >"$work/log" 2>&1 || { cat "$work/log"; fail "it does not install"; }
echo "a Debian in $((made - began)) s, the package in $((packed - made)) s, its installation in $((SECONDS - packed)) s"

[[ -z $(inside dpkg --audit) ]] || fail "dpkg --audit: $(inside dpkg --audit)"
# shellcheck disable=SC2016
[[ $(inside dpkg-query -W -f '${db:Status-Abbrev}' ptxmc) == ii* ]] || fail "it is not installed"
unmet=$(inside ldd /usr/bin/ptxmc /usr/lib/libptxmc.so.0.1 | grep 'not found' || true)
[[ -z $unmet ]] || fail "$unmet"
known=$(inside ldconfig -p)  # whole: a pipe that is closed early would be a failure
[[ $known == *libptxmc.so* ]] || fail "the loader does not know the library"
cat >"$work/debian/SB.litmus" <<'TEST'
PTX SB
Verdict=Allowed
{ .global .u32 x = 0; .global .u32 y = 0; }
 P0 @ cta 0                       | P1 @ cta 1                       ;
 st.relaxed.gpu.global.u32 [x], 1 | st.relaxed.gpu.global.u32 [y], 1 ;
 ld.relaxed.gpu.global.u32 %r0, [y] | ld.relaxed.gpu.global.u32 %r0, [x] ;
exists (P0:%r0 == 0 /\ P1:%r0 == 0)
TEST
inside ptxmc check --engine both --require-verdict SB.litmus >"$work/log" 2>&1 || { cat "$work/log"; fail "check, by both engines"; }

inside dpkg --purge ptxmc >"$work/log" 2>&1 || { cat "$work/log"; fail "it cannot be removed"; }
left=$(cd "$work/debian" && find usr etc var/lib -iname '*ptxmc*' ! -path 'var/lib/apt/*' ! -path 'var/lib/dpkg/*')
[[ -z $left ]] || fail "it leaves $left"
