#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""merged.py POLL: which rows of poll.cu ptxas merges, read from the machine code that nvcc makes of it for sm_90a.

Prints, for each row, how many strong and weak loads its kernel has. With CUDA 13.0 the table below must hold; with another release it is
only printed. Exit status 77: there is no nvcc."""
import collections
import re
import shutil
import struct
import subprocess
import sys
import tempfile

TURNS = 64
# Of CUDA 13.0: row -> weak loads beside 64 acquires, None where the loop is not unrolled.
MERGED = {"plain": 1, "used": None, "fence": TURNS, "one_turn": 1, "relaxed_data": 0}
ROWS = list(MERGED)
LOAD, STRONG_GPU = 0x981, 23  # LDG, and the value of its field of strength and scope for .STRONG.GPU


def sections(image):
    """Name and bytes of each section of an ELF file."""
    start, = struct.unpack_from("<Q", image, 40)
    size, count, names = struct.unpack_from("<HHH", image, 58)
    rows = [struct.unpack_from("<IIQQQQ", image, start + size * i) for i in range(count)]
    strings = rows[names][4]
    for name, _, _, _, offset, length in rows:
        begin = strings + name
        yield image[begin:image.index(b"\0", begin)].decode(), image[offset:offset + length]


def loads(code):
    """Strong and weak global loads; an instruction has 16 bytes."""
    out = collections.Counter()
    for low, high in struct.iter_unpack("<QQ", code[:len(code) // 16 * 16]):
        if low & 0xFFF == LOAD:
            out["strong" if high >> 13 & 0x1F == STRONG_GPU else "weak"] += 1
    return out


def main():
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        print("SKIPPED: there is no nvcc")
        return 77
    release = re.search(r"release (\d+\.\d+)", subprocess.run([nvcc, "--version"], capture_output=True, text=True).stdout).group(1)
    with tempfile.NamedTemporaryFile(suffix=".cubin") as cubin:
        subprocess.run([nvcc, "-arch=sm_90a", "-O2", "-cubin", "-o", cubin.name, sys.argv[1]], check=True)
        image = open(cubin.name, "rb").read()
    found = {}
    for name, code in sections(image):
        row = re.match(r"\.text\..*L3Row(\d)E", name)
        if row:
            found[ROWS[int(row.group(1))]] = loads(code)
    print(f"CUDA {release}")
    for row in ROWS:
        print(f"{row:<13}{found[row]['strong']:>4} strong loads, {found[row]['weak']:>3} weak loads")
    if release != "13.0":
        return 0
    wrong = [row for row, weak in MERGED.items() if weak is not None and found[row]["weak"] != weak]
    print(f"rows that are not as the table says: {', '.join(wrong) or 'none'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
