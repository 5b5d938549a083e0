#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""told.py --seed S --count N --write DIR: random litmus tests in which lanes of a warp poll flags of other blocks, and tell each
other by a vote or a shuffle what they read."""
import sys

sys.dont_write_bytecode = True

from drawing import Lines, write_programs


class Drawing(Lines):
    def data(self):
        if self.chance(50):
            self.emit(f"ld.weak.global.u32 %r9, [{self.pick('x', 'y')}];")
        else:
            self.emit(f"st.weak.global.u32 [{self.pick('x', 'y')}], {self.pick(1, 2)};")

    def writer(self, number):
        self.lines.append(f"P{number} @ cta {number} {{\n  .reg .u32 %r9;")
        for _ in range(self.pick(1, 1, 2)):
            if self.chance(80):
                self.data()
            if self.chance(60):
                self.emit("fence.acq_rel.gpu;")
            flag = self.pick(*self.flags)
            self.emit(f"st.{self.pick('release', 'release', 'relaxed')}.gpu.global.u32 [{flag}], {self.pick(1, 1, 1, 2, 0)};")
        self.emit("exit;")
        self.lines.append("}")

    def lanes(self):
        """Two lanes, which go round together."""
        self.lines.append("P0 @ cta 0, threads 2 {\n  .reg .u32 %r1, %r2, %r3, %r8, %r9;\n  .reg .pred %p, %q, %first;")
        self.emit("mov.u32 %r3, 0;\n  mov.u32 %r8, %laneid;\n  setp.eq.u32 %first, %r8, 0;")
        self.lines.append("L0:")
        if not self.everyone:
            self.emit(f"mov.u32 %r1, {1 if self.vote and self.chance(90) else 0};")
            if self.chance(8):
                self.emit(f"st.weak.global.u32 [{self.pick('x', 'y')}], 1;")
            if self.chance(8):
                self.emit("add.u32 %r3, %r3, 1;")
            self.emit("@!%first bra L2;")
        self.emit(f"ld.{self.pick('relaxed', 'acquire')}.gpu.global.u32 %r1, [f];")
        self.lines.append("L2:")
        if self.vote:
            self.emit(f"setp.{'ne' if self.any else 'eq'}.u32 %p, %r1, 1;")
            self.emit(f"vote.sync.{'any' if self.any else 'all'}.pred %q, %p, 3;")
            self.emit(f"@{'' if self.any != self.turned else '!'}%q bra L0;")
        else:
            self.emit(f"shfl.sync.idx.b32 %r2, %r1, {self.source}, 31, 3;")
            self.emit(f"setp.{self.leaves}.u32 %p, %r2, {self.value};")
            self.emit("@%p bra L0;")
        if self.chance(60):
            self.emit("fence.acq_rel.gpu;")
        if self.chance(70):
            self.emit("bar.warp.sync 3;")
        if self.chance(60):
            self.emit(f"@{self.pick('', '!')}%first bra L1;")
        for _ in range(self.pick(1, 1, 2)):
            self.data()
        if self.chance(15):
            self.emit(f"setp.ne.u32 %p, {self.pick('%r3', '%r1' if self.vote else '%r2')}, {self.pick(0, 1)};\n  @%p bra L1;")
            self.data()
        self.lines.append("L1:")
        self.emit("exit;")
        self.lines.append("}")

    def text(self, name):
        self.vote = self.chance(50)
        self.any = self.chance(50)
        self.turned = self.chance(8)
        self.everyone = self.chance(50) if self.vote else self.chance(10)
        self.source = 1 if self.chance(8) else 0
        self.leaves, self.value = self.pick(("eq", 0), ("ne", 1), ("lt", 1))
        self.flags = self.pick(["f"], ["f"], ["f", "f", "g"])
        self.lanes()
        for number in range(2, self.pick(3, 3, 4)):
            self.writer(number)
        variables = "\n".join(f"  .global .u32 {name} = 0;" for name in ("x", "y", "f", "g"))
        return "\n".join([f"PTX {name}", "{", variables, "}", *self.lines, "exists (x == 0)", ""])


if __name__ == "__main__":
    write_programs(__doc__, "told", lambda seed, name: Drawing(seed).text(name))
