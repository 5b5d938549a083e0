#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""branches.py --seed S --count N --write DIR: random litmus tests whose branches open contents decide: one way or both access memory,
by branches in branches, guards, turns of loops and early ends; around them stand barriers, flags and counters. In some, guards over one open
word exclude each other, or nearly do."""
import sys

sys.dont_write_bytecode = True

from drawing import Lines, write_programs


class Drawing(Lines):
    def __init__(self, seed):
        super().__init__(seed)
        self.owned = self.chance(35)
        self.same_cta = self.owned or self.chance(50)  # open words are shared memory
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

    # ---- Guards that exclude each other, as a rule -------------------------------------------------------------
    def decide_owner(self):
        """%q: the open word says that it is this thread's turn."""
        self.emit(f"ld.weak.shared.u32 %r3, [{self.pick('g', 'g', 'g', 'h', 'd0')}];")
        if self.chance(40):
            self.emit(self.pick("and.b32 %r3, %r3, 3;", "and.b32 %r3, %r3, 1;", "shr.u32 %r3, %r3, 1;", "add.u32 %r3, %r3, 1;",
                                "mul.lo.u32 %r3, %r3, 3;", "xor.b32 %r3, %r3, 2;", "shl.b32 %r3, %r3, 1;", "cvt.u32.u8 %r3, %r3;",
                                "cvt.s32.s8 %r3, %r3;", "min.s32 %r3, %r3, 2;", "max.u32 %r3, %r3, 1;", "sub.u32 %r3, 2, %r3;"))
        own = self.number if self.chance(85) else self.random.randrange(self.threads)
        way = self.random.randrange(100)
        if way < 50:
            self.emit(f"setp.eq.{self.pick('u32', 's32', 'b32')} %q, %r3, {own};")
        elif way < 75:
            kind = self.pick("u32", "s32")
            self.emit(f"setp.{self.pick('ge', 'ge', 'gt')}.{kind} %q, %r3, {own};")
            self.emit(f"setp.{self.pick('lt', 'lt', 'le')}.{kind} %s, %r3, {own + 1};\n  and.pred %q, %q, %s;")
        elif way < 85:
            self.emit(f"setp.ne.u32 %s, %r3, {own};\n  not.pred %q, %s;")
        elif way < 93:
            self.emit(f"setp.lt.u32 %s, %r3, {own + 1};\n  setp.ge.and.u32 %q, %r3, {own}, %s;")
        else:
            self.emit(f"sub.u32 %r4, %r3, {own};\n  setp.{self.pick('eq', 'eq', 'lt')}.u32 %q, %r4, {self.pick(0, 0, 1)};")

    def access_owned(self, guard=""):
        self.emit(guard + self.pick("st.weak.global.u32 [z], 1;", "st.weak.global.u32 [z], 2;", "ld.weak.global.u32 %r5, [z];",
                                    "red.relaxed.gpu.global.add.u32 [z], 1;", "st.weak.global.u32 [z], %r3;"))

    def owner(self):
        self.decide_owner()
        if self.chance(50):
            return self.access_owned("@%q ")
        end = self.label()
        self.emit(f"@!%q bra {end};")
        if self.chance(30):
            self.emit("ld.weak.shared.u32 %r3, [h];\n  setp.eq.u32 %s, %r3, 0;")
            self.access_owned("@%s ")
        else:
            self.access_owned()
        self.lines.append(end + ":")
        if self.chance(10):
            self.emit(f"st.weak.shared.u32 [{self.pick('g', 'h')}], {self.number};")

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
        self.lines.append(f"P{number} @ {place} {{\n  .reg .u32 %r<10>;\n  .reg .pred %p, %q, %s;")
        self.emit("mov.u32 %r5, 0;\n  mov.u32 %r6, 1;\n  ld.weak.shared.u32 %r1, [d0];")
        if self.same_cta and number != 0 and self.chance(50):
            self.access()
        if self.owned:
            self.owner()
            if self.chance(30):
                self.branch(0)
        else:
            self.branch(0)
        if self.meets:
            self.emit(f"bar.sync 0, {32 * self.threads};" if self.same_cta else self.arrival())
        for _ in range(self.pick(0, 1, 1)):
            self.block(0)
        if self.owned and self.chance(50):
            self.owner()
        elif self.chance(50):
            self.branch(0)
        self.emit("exit;")
        self.lines.append("}")

    def arrival(self):
        return "atom.acq_rel.gpu.global.add.u32 %r9, [n], 1;"

    def text(self, name):
        self.meets = self.chance(60)
        for number in range(self.threads):
            self.thread(number)
        words = ["c", "n", "f", "z"] + [f"{v}{i}" for v in ("x", "y") for i in range(self.threads)]
        variables = [f"  .global .u32 {v} = 0;" for v in words] + [f"  .shared .u32 {v};" for v in ("g", "h", "d0", "d1")]
        return "\n".join([f"PTX {name}", "{", *variables, "}", *self.lines, "exists (x0 == 0)", ""])


if __name__ == "__main__":
    write_programs(__doc__, "branches", lambda seed, name: Drawing(seed).text(name))
