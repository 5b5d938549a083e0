#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""vectors.py --seed S --count N --write DIR: random litmus tests in which threads wait for elements of vectors, or for parts of a word
of 64 or 128 bits."""
import sys

sys.dont_write_bytecode = True

from drawing import Lines, write_programs


class Drawing(Lines):
    def __init__(self, seed):
        super().__init__(seed)
        self.elements = self.pick(2, 2, 2, 4)
        self.wide = self.chance(25)

    def data(self):
        if self.chance(50):
            self.emit(f"ld.weak.global.u32 %r9, [{self.pick('x', 'y')}];")
        else:
            self.emit(f"st.weak.global.u32 [{self.pick('x', 'y')}], {self.pick(1, 2)};")

    def fence(self, percent):
        if self.chance(percent):
            self.emit(f"fence.{self.pick('acq_rel', 'acq_rel', 'sc')}.gpu;")

    def strength(self, ordering):
        return self.pick(f"{ordering}.gpu", "relaxed.gpu", "volatile")

    def registers(self):
        return [f"%r{i}" for i in range(self.elements)]

    # ---- Who waits ---------------------------------------------------------------------------------------------
    def read(self):
        """All elements, or both halves of a word."""
        all_ = ", ".join(self.registers())
        if not self.wide:
            self.emit(f"ld.{self.strength('acquire')}.global.v{self.elements}.u32 {{{all_}}}, [v];")
        elif self.elements == 2:
            self.emit(f"ld.{self.strength('acquire')}.global.b64 %rd0, [v];\n  mov.b64 {{{all_}}}, %rd0;")
        else:
            self.emit(f"ld.{self.pick('acquire', 'relaxed')}.gpu.global.b128 %q0, [v];\n  mov.b128 {{%rd0, %rd1}}, %q0;")
            self.emit("mov.b64 {%r0, %r1}, %rd0;\n  mov.b64 {%r2, %r3}, %rd1;")

    def wait(self):
        """For some of them: for all, one after the other or at once, or for one of two."""
        top = self.label()
        self.lines.append(top + ":")
        self.read()
        awaited = self.random.sample(self.registers(), self.pick(1, 1, 2))
        values = [self.pick(1, 1, 1, 2) for _ in awaited]
        compare = [f"setp.{self.pick('ne', 'ne', 'lt')}.u32 %p{i}, {r}, {value};" for i, (r, value) in enumerate(zip(awaited, values))]
        if len(awaited) == 1:
            self.emit(f"{compare[0]}\n  @%p0 bra {top};")
        elif self.chance(40):
            for i, line in enumerate(compare):
                self.emit(f"{line}\n  @%p{i} bra {top};")
        elif self.chance(80):
            self.emit(f"{compare[0]}\n  {compare[1]}\n  {self.pick('or', 'or', 'or', 'and')}.pred %p0, %p0, %p1;\n  @%p0 bra {top};")
        else:
            self.emit(f"add.u32 %r8, {awaited[0]}, {awaited[1]};\n  setp.ne.u32 %p0, %r8, {self.pick(2, 3)};\n  @%p0 bra {top};")

    def waiter(self, number):
        self.lines.append(f"P{number} @ cta {number} {{\n  .reg .u32 %r<10>;\n  .reg .b64 %rd<2>;\n  .reg .b128 %q0;\n  .reg .pred %p0, %p1;")
        self.wait()
        self.fence(50)
        if self.chance(20):
            end = self.label()
            self.emit(f"setp.eq.u32 %p0, {self.pick(*self.registers())}, {self.pick(0, 1)};\n  @%p0 bra {end};")
            self.data()
            self.lines.append(end + ":")
        elif self.chance(15):
            self.emit(f"ld.weak.global.u32 %r9, [v+{4 * self.random.randrange(self.elements)}];")
        else:
            self.data()
        self.emit("exit;")
        self.lines.append("}")

    # ---- Who is waited for -------------------------------------------------------------------------------------
    def store(self):
        values = [str(self.pick(1, 1, 1, 1, 2)) for _ in range(self.elements)]
        if self.wide and self.elements == 2:
            self.emit(f"mov.b64 %rd0, {{{', '.join(values)}}};\n  st.{self.strength('release')}.global.b64 [v], %rd0;")
        elif self.wide:
            self.emit(f"mov.b64 %rd0, {{{values[0]}, {values[1]}}};\n  mov.b64 %rd1, {{{values[2]}, {values[3]}}};")
            self.emit(f"mov.b128 %q0, {{%rd0, %rd1}};\n  st.{self.pick('release', 'relaxed')}.gpu.global.b128 [v], %q0;")
        elif self.chance(70):
            self.emit(f"st.{self.strength('release')}.global.v{self.elements}.u32 [v], {{{', '.join(values)}}};")
        else:
            elements = self.random.sample(range(self.elements), self.elements)
            for i in elements if self.chance(80) else elements[1:]:
                self.emit(f"st.{self.pick('weak', *[self.strength('release')] * 6)}.global.u32 [v+{4 * i}], {values[i]};")

    def writer(self, number):
        self.lines.append(f"P{number} @ cta {number} {{\n  .reg .u32 %r<10>;\n  .reg .b64 %rd<2>;\n  .reg .b128 %q0;")
        for _ in range(self.pick(1, 1, 1, 2)):
            if self.chance(60):
                self.data()
            self.fence(50)
            self.store()
        self.emit("exit;")
        self.lines.append("}")

    def text(self, name):
        self.waiter(0)
        self.writer(1)
        if self.chance(25):
            self.pick(self.waiter, self.writer)(2)
        return "\n".join([f"PTX {name}", "{", "  .global .u32 x = 0;\n  .global .u32 y = 0;\n  .global .align 16 .u32 v[4];", "}", *self.lines,
                          "exists (x == 0)", ""])


if __name__ == "__main__":
    write_programs(__doc__, "vectors", lambda seed, name: Drawing(seed).text(name))
