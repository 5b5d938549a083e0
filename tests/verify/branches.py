#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""branches.py --seed S --count N --write DIR: random litmus tests whose branches open contents decide: one way or both access memory,
by branches in branches, guards, turns of loops and early ends; around them stand barriers, flags and counters."""
import sys

sys.dont_write_bytecode = True

from drawing import Lines, write_programs


class Drawing(Lines):
    def __init__(self, seed):
        super().__init__(seed)
        self.same_cta = self.chance(50)
        self.threads = self.pick(2, 2, 3)

    # ---- What ways do ------------------------------------------------------------------------------------------
    def access(self, guard=""):
        # Few variables of a thread's own: most programs would race else.
        place = f"{self.pick('x', 'y')}{self.number if self.chance(75) else self.random.randrange(self.threads)}"
        way = self.random.randrange(100)
        if way < 35:
            self.emit(f"{guard}ld.weak.global.u32 %r{self.pick(5, 6)}, [{place}];")
        elif way < 75:
            self.emit(f"{guard}st.weak.global.u32 [{place}], {self.pick('1', '2', '%r5', '%r6')};")
        elif way < 90:
            self.emit(f"{guard}red.relaxed.gpu.global.add.u32 [{self.pick('c', 'c', 'c', 'n', place)}], 1;")
        elif way < 96:
            self.emit(f"{guard}atom.relaxed.gpu.global.add.u32 %r7, [c], 1;")
        else:
            self.emit(f"{guard}st.relaxed.gpu.global.u32 [{self.pick('f', 'c')}], 1;")

    def decide(self):
        """%p rests on open contents, as a rule; or on what was written where they decided."""
        decisive = self.pick("%r1", "%r1", "%r5", "%r6")
        if decisive == "%r1" and self.chance(70):
            self.emit(f"ld.weak.shared.u32 %r1, [d{self.pick(0, 1)}];")
        if decisive == "%r6" and self.chance(50):
            self.emit(f"ld.weak.global.u32 %r6, [{self.pick('x', 'y')}{self.number}];")
        self.emit(f"setp.{self.pick('eq', 'ne', 'lt')}.u32 %p, {decisive}, {self.pick(0, 1)};")

    def branch(self, depth):
        self.decide()
        other, end = self.label(), self.label()
        self.emit(f"@{self.pick('', '!')}%p bra {other};")
        self.block(depth + 1)
        if self.chance(40):
            self.emit(f"bra {end};")
            self.lines.append(other + ":")
            self.block(depth + 1)
            self.lines.append(end + ":")
        else:
            self.lines.append(other + ":")

    def loop(self, depth):
        top = self.label()
        self.emit(f"mov.u32 %r8, {self.pick(1, 2)};")
        self.lines.append(top + ":")
        self.access()
        if depth < 2 and self.chance(40):
            self.branch(depth + 1)
        self.emit(f"sub.u32 %r8, %r8, 1;\n  setp.ne.u32 %p, {'%r8' if self.chance(85) else '%r1'}, 0;\n  @%p bra {top};")

    def block(self, depth):
        for _ in range(self.pick(1, 1, 2)):
            way = self.random.randrange(100)
            if way < 60:
                self.access()
            elif way < 70:
                self.decide()
                self.access(f"@{self.pick('', '!')}%p ")
            elif way < 80 and depth < 3:
                self.branch(depth)
            elif way < 88 and depth < 2:
                self.loop(depth)
            elif way < 92:
                self.emit(self.pick("add.u32 %r1, %r1, %r5;", "mov.u32 %r5, 1;", "mov.u32 %r6, 0;"))
            elif way < 95:
                self.emit(self.pick("exit;", "@%p exit;") if depth > 0 else "@%p exit;")
            else:
                self.synchronize()

    # ---- What stands around them -------------------------------------------------------------------------------
    def synchronize(self):
        way = self.random.randrange(100)
        if self.same_cta and way < 60:
            self.emit(f"bar.sync 0, {32 * self.threads};")
        elif way < 75:
            self.emit(f"fence.{self.pick('acq_rel', 'acq_rel', 'sc')}.gpu;")
        elif way < 85:
            self.emit(f"st.{self.pick('release', 'release', 'relaxed')}.gpu.global.u32 [f], 1;")
        elif way < 92:
            top = self.label()
            self.lines.append(top + ":")
            self.emit(f"ld.{self.pick('acquire', 'acquire', 'relaxed')}.gpu.global.u32 %r9, [f];")
            self.emit(f"setp.ne.u32 %p, %r9, 1;\n  @%p bra {top};")
        else:
            end = self.label()
            self.emit(f"atom.acq_rel.gpu.global.add.u32 %r9, [n], 1;\n  setp.ne.u32 %p, %r9, {self.threads - 1};\n  @%p bra {end};")
            self.access()
            self.lines.append(end + ":")

    def thread(self, number):
        self.number = number
        place = f"cta 0, warp {number}" if self.same_cta else f"cta {number}"
        self.lines.append(f"P{number} @ {place} {{\n  .reg .u32 %r<10>;\n  .reg .pred %p;")
        self.emit("mov.u32 %r5, 0;\n  mov.u32 %r6, 1;\n  ld.weak.shared.u32 %r1, [d0];")
        if self.same_cta and number != 0 and self.chance(50):
            self.access()
        self.branch(0)
        if self.meets:
            self.emit(f"bar.sync 0, {32 * self.threads};" if self.same_cta else self.arrival())
        for _ in range(self.pick(0, 1, 1)):
            self.block(0)
        if self.chance(50):
            self.branch(0)
        self.emit("exit;")
        self.lines.append("}")

    def arrival(self):
        return "atom.acq_rel.gpu.global.add.u32 %r9, [n], 1;"

    def text(self, name):
        self.meets = self.chance(60)
        for number in range(self.threads):
            self.thread(number)
        words = ["c", "n", "f"] + [f"{v}{i}" for v in ("x", "y") for i in range(self.threads)]
        variables = [f"  .global .u32 {v} = 0;" for v in words] + ["  .shared .u32 d0;", "  .shared .u32 d1;"]
        return "\n".join([f"PTX {name}", "{", *variables, "}", *self.lines, "exists (x0 == 0)", ""])


if __name__ == "__main__":
    write_programs(__doc__, "branches", lambda seed, name: Drawing(seed).text(name))
