#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""grids.py --seed S --count N --write DIR: random kernels whose branches and addresses rest on the place of their block in a grid, and what
launches them. Most are right in most blocks; in some a block far from the first one writes what another one writes, or reads it, or leaves
its buffer, or is misaligned, or wraps around."""
import argparse
import json
import os
import random


class Drawing:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.registers = {"r": 0, "rd": 0, "p": 0, "f": 0}
        self.labels = 0
        chance = self.random.random()
        self.block = self.pick(1, 4, 8, 32, 40)
        self.grid = [self.pick(2, 3, 5, 8, 13, 17), self.pick(1, 1, 1, 2, 3, 4), self.pick(1, 1, 1, 1, 2)]
        self.cluster = [1, 1, 1]
        if chance < 0.15 and self.grid[0] % 2 == 0:
            self.cluster = [2, 1, 1]
        self.blocks = self.grid[0] * self.grid[1] * self.grid[2]
        self.threads = self.blocks * self.block
        self.numbers = []  # registers of 32 bits that rest on something

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, percent):
        return self.random.random() * 100 < percent

    def new(self, kind):
        self.registers[kind] += 1
        return f"%{kind}{self.registers[kind]}"

    def emit(self, text):
        self.lines.append("  " + text)

    def label(self):
        self.labels += 1
        return f"L{self.labels}"

    def constant(self):
        return self.pick(0, 1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 32, 64, 100, self.blocks - 1, self.blocks, self.block, self.threads,
                         self.threads - 1, 0xffff, 65536, 1 << 28, (1 << 32) - 1, 0x80000000, self.grid[0] - 1, self.grid[0])

    def small(self):
        return self.pick(1, 2, 3, 4, 5, 6, 7, 8, self.grid[0], max(self.grid[0] - 1, 1))

    def value(self):
        return self.pick(*self.numbers)

    def predicate(self):
        p = self.new("p")
        kind = self.random.random()
        a, b = self.value(), self.pick(self.value(), str(self.constant()), str(self.small()))
        if kind < 0.35:  # one block alone
            a, b = self.pick("%bx", "%bx", "%by", "%bn"), str(self.random.randrange(self.blocks + 1))
        sign = self.pick("u32", "u32", "s32")
        self.emit(f"setp.{self.pick('eq', 'ne', 'lt', 'le', 'gt', 'ge')}.{sign} {p}, {a}, {b};")
        if self.chance(15):
            q = self.predicate()
            out = self.new("p")
            self.emit(f"{self.pick('and', 'or', 'xor')}.pred {out}, {p}, {q};")
            return out
        if self.chance(10):
            q = self.predicate()
            out = self.new("p")
            self.emit(f"setp.lt.{self.pick('and', 'or')}.u32 {out}, {a}, {self.constant()}, {self.pick('', '!')}{q};")
            return out
        return p

    def operation(self, depth=0):
        """A new number of 32 bits."""
        out = self.new("r")
        a, b = self.value(), self.pick(self.value(), str(self.constant()), str(self.small()))
        sign = self.pick("u32", "s32")
        kind = self.pick("add", "add", "sub", "mul", "mad", "mad", "shl", "shr", "and", "or", "xor", "div", "rem", "min", "max", "selp",
                         "cvt", "neg", "not", "bfe", "hi", "wide", "lop3", "abs", "if", "prmt", "popc", "sat", "guarded")
        if kind in ("add", "sub", "min", "max"):
            self.emit(f"{kind}.{sign} {out}, {a}, {b};")
        elif kind == "mul":
            self.emit(f"mul.lo.{sign} {out}, {a}, {b};")
        elif kind == "mad":
            self.emit(f"mad.lo.{sign} {out}, {a}, {self.pick(str(self.small()), b)}, {self.value()};")
        elif kind == "shl":
            self.emit(f"shl.b32 {out}, {a}, {self.pick(0, 1, 2, 3, 8, 28, 31, 32, a)};")
        elif kind == "shr":
            self.emit(f"shr.{sign} {out}, {a}, {self.pick(0, 1, 2, 3, 8, 31, 32, a)};")
        elif kind in ("and", "or", "xor"):
            self.emit(f"{kind}.b32 {out}, {a}, {b};")
        elif kind in ("div", "rem"):
            self.emit(f"{kind}.{sign} {out}, {a}, {self.pick(str(self.small()), str(self.small()), '-3' if sign == 's32' else '3')};")
        elif kind == "selp":
            self.emit(f"selp.b32 {out}, {a}, {b}, {self.predicate()};")
        elif kind == "cvt":
            half = self.pick("u8", "s8", "u16", "s16")
            wide = self.new("rd")
            if self.chance(50):
                self.emit(f"cvt.{half}.u32 {out}, {a};")
            else:
                self.emit(f"cvt.{self.pick('u64.u32', 's64.s32', 'u64.u32')} {wide}, {a};")
                self.emit(f"shr.{self.pick('u64', 's64')} {wide}, {wide}, {self.pick(0, 1, 30, 32)};")
                self.emit(f"cvt.u32.u64 {out}, {wide};")
        elif kind in ("neg", "abs"):
            self.emit(f"{kind}.s32 {out}, {a};")
        elif kind in ("not", "popc"):
            self.emit(f"{kind}.b32 {out}, {a};")
        elif kind == "bfe":
            self.emit(f"bfe.{sign} {out}, {a}, {self.pick(0, 1, 2, 5)}, {self.pick(1, 2, 3, 8)};")
        elif kind == "hi":
            self.emit(f"mul.hi.{sign} {out}, {a}, {self.pick(0x55555556, 0xcccccccd, 0x24924925)};")
        elif kind == "wide":
            wide = self.new("rd")
            self.emit(f"mul.wide.{sign} {wide}, {a}, {self.pick(str(self.small()), str(self.constant()), a)};")
            if self.chance(50):
                self.emit(f"add.s64 {wide}, {wide}, {self.pick(0, 5, -9, 1 << 33)};")
            self.emit(f"shr.{self.pick('u64', 's64')} {wide}, {wide}, {self.pick(0, 1, 2, 32)};")
            self.emit(f"cvt.u32.u64 {out}, {wide};")
        elif kind == "lop3":
            self.emit(f"lop3.b32 {out}, {a}, {self.value()}, {b}, {self.random.randrange(256)};")
        elif kind == "prmt":
            self.emit(f"prmt.b32 {out}, {a}, {self.value()}, {self.random.randrange(65536)};")
        elif kind == "sat":
            self.emit(f"add.sat.s32 {out}, {a}, {b};")
        elif kind == "guarded":
            self.emit(f"mov.u32 {out}, {a};")
            self.emit(f"@{self.pick('', '!')}{self.predicate()} add.u32 {out}, {out}, {self.pick(1, 2, self.block)};")
        else:
            skip = self.label()
            self.emit(f"mov.u32 {out}, {a};")
            self.emit(f"@{self.predicate()} bra {skip};")
            self.emit(f"add.u32 {out}, {out}, {self.pick(1, self.block, self.threads)};")
            self.lines.append(f"{skip}:")
        self.numbers.append(out)
        return out

    def index(self):
        """Which element: the own one as a rule, by some way or other."""
        kind = self.random.random()
        if kind < 0.35:
            return "%own"
        out = self.new("r")
        if kind < 0.5:  # and in one block another one
            p = self.new("p")
            far = self.random.randrange(1, self.blocks + 1)
            self.emit(f"setp.eq.u32 {p}, %bn, {far};")
            other = self.new("r")
            self.emit(f"{self.pick('add', 'sub', 'xor', 'mul.lo')}".replace("xor", "xor.b32").replace("add", "add.u32")
                      .replace("sub", "sub.u32").replace("mul.lo", "mul.lo.u32") + f" {other}, %own, {self.pick(1, 2, self.block)};")
            self.emit(f"selp.b32 {out}, {other}, %own, {p};")
        elif kind < 0.62:  # taken apart, and put together again
            side = self.small()
            q, r = self.new("r"), self.new("r")
            self.emit(f"div.u32 {q}, %own, {side};")
            self.emit(f"rem.u32 {r}, %own, {side};")
            self.emit(f"mad.lo.u32 {out}, {q}, {self.pick(side, side, side, side + 1, max(side - 1, 1))}, {r};")
        elif kind < 0.72:  # rows and columns
            self.emit(f"mad.lo.u32 {out}, {self.pick('%by', '%bn', '%bx')}, {self.pick(self.block, self.block, self.block + 1)}, %t;")
        elif kind < 0.8:
            other = self.operation()
            self.emit(f"xor.b32 {out}, %own, {other};")
        elif kind < 0.9:
            other = self.operation()
            self.emit(f"rem.u32 {out}, {other}, {self.threads};")
        else:
            return self.operation()
        self.numbers.append(out)
        return out

    def address(self, buffer, width):
        index = self.index()
        wide, at = self.new("rd"), self.new("rd")
        scale = width if self.chance(92) else self.pick(1, 2, 3, 4)
        if self.chance(60):
            self.emit(f"mul.wide.{self.pick('u32', 's32')} {wide}, {index}, {scale};")
        elif self.chance(50):
            self.emit(f"cvt.u64.u32 {wide}, {index};")
            self.emit(f"mul.lo.u64 {wide}, {wide}, {scale};")
        else:
            short = self.new("r")
            self.emit(f"mul.lo.u32 {short}, {index}, {scale};")
            self.emit(f"cvt.{self.pick('u64.u32', 's64.s32')} {wide}, {short};")
        self.emit(f"add.s64 {at}, {buffer}, {wide};")
        if self.chance(15):
            return f"{at}+{self.pick(0, width, width * self.block)}"
        return at

    def access(self):
        guard = f"@{self.pick('', '!')}{self.predicate()} " if self.chance(25) else ""
        width = self.pick(4, 4, 4, 8)
        buffer = self.pick("%a", "%a", "%b", "%c")
        kind = self.random.random()
        register = self.new("r" if width == 4 else "rd")
        if buffer == "%c" or kind < 0.3:
            self.emit(f"{guard}ld.global.b{8 * width} {register}, [{self.address(buffer, width)}];".replace("ld", "ld"))
            if width == 4 and self.chance(12):
                self.numbers.append(register)
        elif kind < 0.88:
            value = self.value() if width == 4 else "%a"
            self.emit(f"{guard}st.global.b{8 * width} [{self.address(buffer, width)}], {value};")
        elif kind < 0.94:
            self.emit(f"{guard}red.relaxed.gpu.global.add.u{8 * width} [{self.address(buffer, width)}], {1};")
        else:
            self.emit(f"{guard}atom.relaxed.gpu.global.add.u{8 * width} {register}, [{self.address(buffer, width)}], {1};")

    def decided(self):
        """Open contents decide whether there is an access."""
        value, p, skip = self.new("r"), self.new("p"), self.label()
        self.emit(f"ld.global.b32 {value}, [{self.address('%c', 4)}];")
        self.emit(f"setp.{self.pick('eq', 'lt', 'gt')}.s32 {p}, {value}, {self.pick(0, 5, '%bx')};")
        if self.chance(30):
            other = self.predicate()
            self.emit(f"and.pred {p}, {p}, {other};")
        if self.chance(20):
            count = self.new("r")
            self.emit(f"mov.u32 {count}, %own;")
            self.emit(f"@{p} add.u32 {count}, {count}, {self.pick(0, 1, self.block)};")
        self.emit(f"@{p} bra {skip};")
        self.access()
        self.lines.append(f"{skip}:")

    def shared(self):
        """Through shared memory of the block, with a barrier between, or without."""
        at, value = self.new("r"), self.new("r")
        self.emit(f"mul.lo.u32 {at}, %t, 4;")
        self.emit(f"st.shared.u32 [{at}], {self.pick(self.value(), '%t')};")
        if self.chance(90):
            self.emit("bar.sync 0;")
        other = self.new("r")
        base = self.pick("%t", "%t", "%bx", self.value())
        self.emit(f"rem.u32 {other}, {base}, {self.block};")
        self.emit(f"mul.lo.u32 {other}, {other}, 4;")
        self.emit(f"ld.shared.u32 {value}, [{other}];")
        self.emit("bar.sync 0;")
        if self.chance(30):
            self.numbers.append(value)

    def loop(self):
        count, limit, p, again = self.new("r"), self.new("r"), self.new("p"), self.label()
        self.emit(f"mov.u32 {count}, {self.pick('0', '0', '%bx', '%bn')};")
        self.emit(f"min.u32 {limit}, {self.pick(str(self.small()), '%bx', '%bn', str(self.blocks))}, {self.pick(3, 6, 20)};")
        self.lines.append(f"{again}:")
        self.numbers.append(count)
        self.access()
        self.emit(f"add.u32 {count}, {count}, {self.pick(1, 1, 2, self.grid[0])};")
        self.emit(f"setp.lt.u32 {p}, {count}, {limit};")
        self.emit(f"@{p} bra {again};")

    def text(self):
        for name, special in (("%bx", "%ctaid.x"), ("%by", "%ctaid.y"), ("%bz", "%ctaid.z"), ("%t", "%tid.x")):
            self.emit(f"mov.u32 {name}, {special};")
        self.emit(f"mad.lo.u32 %bn, %by, {self.grid[0]}, %bx;")
        self.emit(f"mad.lo.u32 %bn, %bz, {self.grid[0] * self.grid[1]}, %bn;")
        self.emit(f"mad.lo.u32 %own, %bn, {self.block}, %t;")
        if self.cluster != [1, 1, 1]:
            self.emit("mov.u32 %own2, %cluster_ctarank;")
            self.numbers.append("%own2")
            if self.chance(50):
                self.emit("mov.u32 %own2, %clusterid.x;")
        for name in "abc":
            self.emit(f"ld.param.u64 %{name}, [{name}];")
            if self.chance(50):
                self.emit(f"cvta.to.global.u64 %{name}, %{name};")
        self.numbers += ["%bx", "%by", "%bn", "%t", "%own", "%own"]
        for _ in range(self.pick(0, 1, 2, 3)):
            self.operation()
        for _ in range(self.pick(1, 2, 2, 3)):
            kind = self.random.random()
            if kind < 0.1:
                self.decided()
            elif kind < 0.17:
                self.shared()
            elif kind < 0.24:
                self.loop()
            elif kind < 0.34:
                skip = self.label()
                self.emit(f"@{self.predicate()} bra {skip};")
                self.access()
                self.lines.append(f"{skip}:")
            else:
                self.access()
            if self.chance(10):
                self.emit("bar.sync 0;")
        self.emit("exit;")
        declared = [f"  .reg .b32 %r<{self.registers['r'] + 1}>, %bx, %by, %bz, %bn, %t, %own, %own2;",
                    f"  .reg .b64 %rd<{self.registers['rd'] + 1}>, %a, %b, %c;", f"  .reg .pred %p<{self.registers['p'] + 1}>;",
                    f"  .shared .align 16 .b8 s[{4 * self.block}];"]
        head = [".version 8.5", ".target sm_90a", ".address_size 64",
                ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c)", "{"]
        return "\n".join(head + declared + self.lines + ["}", ""])

    def launch(self, module):
        sizes = [self.threads * self.pick(4, 8, 8) + self.pick(0, 0, 0, 64, 1024, -4, -8, 4 * self.block) for _ in "abc"]
        memory = {name: {"bytes": max(size, 16)} for name, size in zip("abc", sizes)}
        if self.chance(30):
            memory["c"]["data"] = "zero"
        out = {"module": module, "entry": "k", "grid": self.grid, "block": self.block, "memory": memory,
               "arguments": [{"buffer": name} for name in "abc"]}
        if self.cluster != [1, 1, 1]:
            out["cluster"] = self.cluster
        return out


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--write", required=True)
    options = parser.parse_args()
    os.makedirs(options.write, exist_ok=True)
    for number in range(options.count):
        drawing = Drawing(options.seed * 1000003 + number)
        text = drawing.text()
        name = f"grid{options.seed}_{number}"
        with open(os.path.join(options.write, name + ".ptx"), "w", encoding="utf-8") as out:
            out.write(text)
        with open(os.path.join(options.write, name + ".json"), "w", encoding="utf-8") as out:
            json.dump(drawing.launch(name + ".ptx"), out)


if __name__ == "__main__":
    main()
