#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""places.py --seed S --count N --write DIR: random litmus tests as of branches.py, in which open contents also decide where arrays are
accessed: under masks, by quotients and within guards."""
import sys

sys.dont_write_bytecode = True

from branches import Drawing
from drawing import write_programs


class Placed(Drawing):
    def access(self, guard=""):
        if self.chance(45):
            return super().access(guard)
        self.index()
        array = self.pick("a", "b", "s") if self.same_cta else self.pick("a", "b")
        if self.chance(60):  # an element that is one of the thread's own, as a rule
            self.emit(f"mad.lo.u32 %r4, %r4, 4, {self.number if self.chance(85) else self.random.randrange(self.threads)};")
        self.emit(f"mul.wide.u32 %d1, %r4, 4;\n  mov.u64 %d2, {array};\n  add.u64 %d1, %d1, %d2;")
        space = "shared" if array == "s" else "global"
        way = self.random.randrange(100)
        if way < 35:
            self.emit(f"{guard}ld.weak.{space}.u32 %r{self.pick(5, 6)}, [%d1];")
        elif way < 65:
            self.emit(f"{guard}st.weak.{space}.u32 [%d1], {self.pick('1', '2', '%r5')};")
        else:
            self.emit(f"{guard}red.relaxed.{'cta' if space == 'shared' else 'gpu'}.{space}.add.u32 [%d1], 1;")

    def index(self):
        """%r4 is below 4, as a rule."""
        if self.chance(60):
            self.emit(f"ld.weak.shared.u32 %r4, [d{self.pick(0, 1)}];")
        else:
            self.emit("mov.u32 %r4, %r1;")
        self.emit(self.pick("and.b32 %r4, %r4, 3;", "and.b32 %r4, %r4, 3;", "and.b32 %r4, %r4, 1;", "and.b32 %r4, %r4, 2;",
                            "shr.u32 %r4, %r4, 30;", "rem.u32 %r4, %r4, 3;", "min.u32 %r4, %r4, 2;", "cvt.u32.u8 %r4, %r4;\n  shr.u32 %r4, %r4, 6;",
                            "and.b32 %r4, %r4, 6;\n  shr.u32 %r4, %r4, 1;",
                            "setp.lt.u32 %s, %r4, 4;\n  selp.u32 %r4, %r4, 0, %s;"))

    def text(self, name):
        out = super().text(name)
        arrays = f"  .global .u32 a[{4 * 4}];\n  .global .u32 b[{4 * 4}];\n  .shared .u32 s[{4 * 4}];\n"
        return out.replace("{\n", "{\n" + arrays, 1).replace(".reg .pred", ".reg .u64 %d<3>;\n  .reg .pred")


if __name__ == "__main__":
    write_programs(__doc__, "places", lambda seed, name: Placed(seed).text(name))
