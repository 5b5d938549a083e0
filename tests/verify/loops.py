#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""loops.py --seed S --count N --write DIR: random litmus tests in which threads wait for flags, by loops whose turns write registers
on which something rests behind them. Flags of a thread block may hold anything at first, or until it has cleared them."""
import sys

sys.dont_write_bytecode = True

from drawing import Lines, write_programs


class Drawing(Lines):
    def __init__(self, seed):
        super().__init__(seed)
        self.near = self.chance(30)  # one thread block, and flags in its shared memory
        self.flags = "cta.shared" if self.near else "gpu.global"
        self.set = not self.near or self.chance(30)
        self.cleared = self.near and self.chance(40)

    def begin(self, number, registers):
        self.lines.append(f"P{number} @ cta {0 if self.near else number} {{\n  {registers}")
        if self.cleared:
            if number == 2:
                for flag in self.pick(["f", "g"], ["f", "g"], ["f"]):
                    self.emit(f"st.weak.shared.u32 [{flag}], {self.pick(0, 0, 0, 1)};")
            self.emit("bar.sync 0;")

    def data(self):
        if self.chance(50):
            self.emit(f"ld.weak.global.u32 %r9, [{self.pick('x', 'y')}];")
        else:
            self.emit(f"st.weak.global.u32 [{self.pick('x', 'y')}], {self.pick(1, 2)};")

    def write(self, percent):
        """A register that something may rest on later."""
        if self.chance(percent):
            to = self.pick("%r3", "%r4")
            self.emit(self.pick(f"mov.u32 {to}, {self.pick(0, 1)};", f"mov.u32 {to}, %r3;", f"add.u32 {to}, {to}, 1;",
                                f"xor.b32 {to}, {to}, 1;"))

    def wait(self):
        """For one flag, or one after the other."""
        flags = self.pick(["f"], ["f"], ["f", "g"])
        semantics = self.pick("relaxed", "acquire")
        for flag in flags:
            top, out = self.label(), self.label()
            self.write(40)
            if self.chance(20):
                self.emit(f"bra {out}H;")
            self.lines.append(top + ":")
            self.write(40)
            self.lines.append(out + "H:")
            self.emit(f"ld.{semantics}.{self.flags}.u32 %r1, [{flag}];")
            self.write(20)
            self.emit(f"setp.{self.pick('eq', 'eq', 'lt')}.u32 %p, %r1, 1;" if self.chance(80) else "setp.ne.u32 %p, %r1, 1;")
            if self.chance(60):
                self.emit(f"@{self.pick('!%p', '!%p', '%p')} bra {out};")
                self.write(50)
                self.emit(f"bra {top};")
            else:
                self.emit(f"@{self.pick('%p', '%p', '!%p')} bra {top};")
            self.lines.append(out + ":")

    def waiter(self, number):
        self.begin(number, ".reg .u32 %r1, %r3, %r4, %r9;\n  .reg .pred %p;")
        self.emit(f"mov.u32 %r3, {self.pick(0, 1)};\n  mov.u32 %r4, {self.pick(0, 1)};")
        self.wait()
        if self.chance(50):
            self.emit("fence.acq_rel.gpu;")
        if self.chance(60):
            end = self.label()
            self.emit(f"setp.{self.pick('eq', 'ne')}.u32 %p, {self.pick('%r3', '%r4', '%r4', '%r1')}, {self.pick(0, 1)};\n  @%p bra {end};")
            self.data()
            self.lines.append(end + ":")
        else:
            self.data()
        self.emit("exit;")
        self.lines.append("}")

    def writer(self, number):
        self.begin(number, ".reg .u32 %r9;")
        for flag in self.pick(["f", "g"], ["g", "f"], ["f"], ["f", "f", "g"]):
            if self.chance(50):
                self.data()
            if self.chance(40):
                self.emit("fence.acq_rel.gpu;")
            self.emit(f"st.{self.pick('release', 'release', 'relaxed')}.{self.flags}.u32 [{flag}], {self.pick(1, 1, 1, 2, 0)};")
        self.emit("exit;")
        self.lines.append("}")

    def text(self, name):
        self.waiter(0)
        if self.chance(20):
            self.waiter(1)
        self.writer(2)
        variables = "\n".join([f"  .global .u32 {name} = 0;" for name in ("x", "y")] +
                              [f"  .{'shared' if self.near else 'global'} .u32 {name}{' = 0' if self.set else ''};" for name in ("f", "g")])
        return "\n".join([f"PTX {name}", "{", variables, "}", *self.lines, "exists (x == 0)", ""])


if __name__ == "__main__":
    write_programs(__doc__, "loops", lambda seed, name: Drawing(seed).text(name))
