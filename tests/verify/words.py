#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""words.py --seed S --count N --write DIR: random litmus tests in which a flag stands beside open data in one word, made and looked at by
shifts, masks and fields; threads wait for it, or for counters whose results are but compared."""
import sys

sys.dont_write_bytecode = True

from drawing import Lines, write_programs


class Drawing(Lines):
    def __init__(self, seed):
        super().__init__(seed)
        self.shift = self.pick(0, 8, 16, 16)  # of the flag, which is a byte as a rule
        self.bits = self.pick(4, *[8] * 5)

    def data(self):
        if self.chance(50):
            self.emit(f"ld.weak.global.u32 %r9, [{self.pick('x', 'y')}];")
        else:
            self.emit(f"st.weak.global.u32 [{self.pick('x', 'y')}], {self.pick(1, 2)};")

    @property
    def mask(self):
        return ((1 << self.bits) - 1) << self.shift

    # ---- Words -------------------------------------------------------------------------------------------------
    def make(self, flag):
        """%r2 becomes what is open in %r1, and the flag."""
        keeps = self.mask if self.chance(85) else self.mask >> 1
        way = self.pick("and", "and", "bfi", "xor")
        if way == "bfi":
            self.emit(f"mov.u32 %r3, {flag};\n  bfi.b32 %r2, %r3, %r1, {self.shift}, {self.bits if self.chance(85) else self.bits - 1};")
            return
        self.emit(f"and.b32 %r2, %r1, {~keeps & 0xffffffff};")
        self.emit(f"{'or' if way == 'and' else 'xor'}.b32 %r2, %r2, {flag << self.shift};")
        if self.chance(15):
            self.emit(f"add.u32 %r2, %r2, {self.pick(1, 1 << self.shift)};")

    def look(self):
        """%r5 becomes the flag of %r4."""
        way = self.pick("shift", "shift", "mask", "twice", "field")
        if way == "field":
            self.emit(f"bfe.u32 %r5, %r4, {self.shift}, {self.bits};")
        elif way == "mask":
            self.emit(f"and.b32 %r5, %r4, {self.mask};\n  shr.u32 %r5, %r5, {self.shift};")
        elif way == "twice":
            self.emit(f"shl.b32 %r5, %r4, {32 - self.shift - self.bits};\n  shr.u32 %r5, %r5, {32 - self.bits};")
        else:
            self.emit(f"shr.u32 %r5, %r4, {self.shift};")
            if self.chance(85):
                self.emit(f"and.b32 %r5, %r5, {(1 << self.bits) - 1};")

    def writer(self, number):
        self.lines.append(f"P{number} @ cta {number} {{\n  .reg .u32 %r<10>;")
        self.emit("ld.weak.shared.u32 %r1, [d];")
        for _ in range(self.pick(1, 1, 2)):
            if self.chance(70):
                self.data()
            self.make(self.pick(1, 1, 1, 2))
            self.emit(f"st.{self.pick('release', 'release', 'relaxed')}.gpu.global.u32 [w], %r2;")
        self.emit("exit;")
        self.lines.append("}")

    def waiter(self, number):
        self.lines.append(f"P{number} @ cta {number} {{\n  .reg .u32 %r<10>;\n  .reg .pred %p;")
        top = self.label()
        self.lines.append(top + ":")
        self.emit(f"ld.{self.pick('acquire', 'acquire', 'relaxed')}.gpu.global.u32 %r4, [w];")
        self.look()
        self.emit(f"setp.{self.pick('ne', 'ne', 'lt')}.u32 %p, %r5, 1;\n  @%p bra {top};")
        if self.chance(20):
            end = self.label()
            self.emit(f"and.b32 %r6, %r4, {self.pick(self.mask, 1, 0x80000000)};\n  setp.eq.u32 %p, %r6, 0;\n  @%p bra {end};")
            self.data()
            self.lines.append(end + ":")
        self.data()
        self.emit("exit;")
        self.lines.append("}")

    # ---- Counters ----------------------------------------------------------------------------------------------
    def counter(self, number, threads):
        """The last one reads what all have written, or the first; or who finds a bit."""
        self.lines.append(f"P{number} @ cta {number} {{\n  .reg .u32 %r<10>;\n  .reg .pred %p;")
        if self.chance(70):
            self.emit(f"st.weak.global.u32 [z{number}], 1;")
        self.emit(f"atom.{self.pick(*['acq_rel'] * 8, 'relaxed')}.gpu.global.add.u32 %r1, [c], {self.step};")
        end = self.label()
        if self.chance(20):
            self.emit(f"and.b32 %r1, %r1, {self.pick(1, 2, 4, 8)};\n  setp.{self.pick('eq', 'ne')}.u32 %p, %r1, 0;")
        else:
            self.emit(f"setp.ne.u32 %p, %r1, {self.step * (threads - 1 if self.chance(90) else self.pick(0, threads))};")
        self.emit(f"@%p bra {end};")
        self.emit(f"ld.weak.global.u32 %r9, [z{self.random.randrange(threads)}];")
        self.lines.append(end + ":")
        self.emit("exit;")
        self.lines.append("}")

    def text(self, name):
        if self.chance(40):
            threads = self.pick(3, 4, 4)
            self.step = self.pick(1, 1, 2)
            for number in range(threads):
                self.counter(number, threads)
        else:
            self.waiter(0)
            self.writer(1)
            if self.chance(25):
                self.pick(self.waiter, self.writer)(2)
        variables = [f"  .global .u32 {v} = 0;" for v in ("x", "y", "w", "c", "z0", "z1", "z2", "z3")] + ["  .shared .u32 d;"]
        return "\n".join([f"PTX {name}", "{", *variables, "}", *self.lines, "exists (x == 0)", ""])


if __name__ == "__main__":
    write_programs(__doc__, "words", lambda seed, name: Drawing(seed).text(name))
