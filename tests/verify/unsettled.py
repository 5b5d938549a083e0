#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""unsettled.py --seed S --count N --write DIR: random litmus tests in which threads write one location by strong writes and atomics that
nothing orders, and weak reads behind a barrier find one of these: whose it was decides what the threads do then."""
import sys

sys.dont_write_bytecode = True

from drawing import Lines, write_programs


class Drawing(Lines):
    def __init__(self, seed):
        super().__init__(seed)
        self.threads = self.random.choice([2, 2, 3])
        self.rounds = self.random.choice([1, 1, 1, 2])
        self.registers = 0
        # of one, an atomic of all threads: results that do not rest on the order are among them
        self.patched = self.random.random() < 0.3  # bytes of the words are written again, and ordered behind
        self.vector = self.random.random() < 0.5
        self.style = self.random.choice(["any", "any", "sum", "exchange", "swap", "one"])

    def register(self):
        self.registers += 1
        return f"%r{self.registers}"

    def order(self):
        return self.pick("relaxed", "relaxed", "release", "acq_rel")

    def atomic(self, what):
        result = self.register()
        return f"atom.{self.order()}.{self.pick('cta', 'gpu', 'gpu')}.global.{what.format(result)};"

    def wide(self, number):
        """A write of two words at once, or of two elements: always one of these in a program."""
        values = self.pick(0, 1, 2, number + 1), self.pick(0, 1, 2, 0x10001 * (number + 1))
        if self.vector:
            self.emit(f"st.relaxed.gpu.global.v2.u32 [w], {{{values[0]}, {values[1]}}};")
        else:
            self.emit(f"atom.{self.order()}.gpu.global.exch.b64 %d, [w], {values[1] << 32 | values[0]};")

    def write(self, number, location):
        value = self.pick(1, 1, 2, number + 1, 0x10001 * (number + 1))
        style = self.pick("sum", "exchange", "swap", "store", "red", "volatile") if self.style == "any" else self.style
        if style == "one":
            if number == 0:
                self.emit(f"st.relaxed.gpu.global.u32 [{location}], {value};")
            return
        self.emit({
            "sum": lambda: self.atomic(f"add.u32 {{}}, [{location}], {value}"),
            "exchange": lambda: self.atomic(f"exch.b32 {{}}, [{location}], {value}"),
            "swap": lambda: self.atomic(f"cas.b32 {{}}, [{location}], {self.pick(0, 0, 1)}, {value}"),
            "store": lambda: f"st.{self.pick('relaxed', 'release')}.gpu.global.u32 [{location}], {value};",
            "volatile": lambda: f"st.volatile.global.u32 [{location}], {value};",
            "red": lambda: f"red.relaxed.gpu.global.{self.pick('add', 'max', 'or')}.{self.pick('u32', 'u32')} [{location}], {value};"
                   .replace("or.u32", "or.b32"),
        }[style]())

    def read(self, location):
        result = self.register()
        width = self.pick("u32", "u32", "u32", "u16", "u8")
        offset = self.pick("", "+2") if width != "u32" else ""
        if location == "w":
            offset = self.pick("", "+4") if width == "u32" else self.pick("", "+2", "+4", "+6")
        strength = self.pick("weak", "weak", "weak", "relaxed.gpu")
        self.emit(f"ld.{strength}.global.{width} {result}, [{location}{offset}];")
        return result

    def decided(self, result):
        skip = self.label()
        self.emit(f"setp.{self.pick('eq', 'ne', 'lt')}.u32 %p, {result}, {self.pick(0, 1, 2, 3)};")
        self.emit(f"@%p bra {skip};")
        self.emit(self.pick("st.weak.global.u32 [x], 1;", "st.weak.global.u32 [x], 1;", "bar.sync 1;"))
        self.lines.append(f"{skip}:")

    def thread(self, number):
        self.lines.append(f"P{number} @ cta 0 {{")
        start = len(self.lines)
        self.registers = 0
        for _ in range(self.rounds):
            if self.chance(85):
                self.write(number, self.pick("u", "u", "v"))
            if self.chance(20):
                self.emit(f"fence.acq_rel.{self.pick('cta', 'gpu')};")
            if self.chance(20):
                self.write(number, "u")
            if self.chance(35):
                self.wide(number)
            self.emit("bar.sync 0;")
            if self.patched:
                if self.chance(70):
                    self.emit(f"st.relaxed.gpu.global.u8 [w+{self.pick(0, 1, 2, 4, 5)}], {self.pick(1, 2, number + 3)};")
                self.emit("bar.sync 0;")
            result = self.read(self.pick("u", "u", "v", "w"))
            if self.chance(70):
                self.decided(result)
            elif self.chance(50):
                self.emit(f"st.weak.global.u32 [y{number}], {result};")
            self.emit("bar.sync 0;")
        self.emit("exit;")
        self.lines.append("}")
        names = ", ".join(f"%r{i}" for i in range(1, self.registers + 1)) or "%r0"
        self.lines[start:start] = [f"  .reg .u32 {names};", "  .reg .u64 %d;", "  .reg .pred %p;"]

    def text(self, name):
        for number in range(self.threads):
            self.thread(number)
        variables = ["u", "v", "x", *(f"y{i}" for i in range(self.threads))]
        return "\n".join([f"PTX {name}", "{", *(f"  .global .u32 {v} = 0;" for v in variables),
                          "  .global .align 8 .u32 w[2] = {0, 0};", "}", *self.lines,
                          "exists (x == 0)", ""])


if __name__ == "__main__":
    write_programs(__doc__, "unsettled", lambda seed, name: Drawing(seed).text(name))
