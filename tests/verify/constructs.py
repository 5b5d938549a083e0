#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""constructs.py --seed S --count N --write DIR: random litmus tests of what verify and the exact engine must judge alike beside plain
synchronization: flags and data with unknown first values, accesses of several sizes, packed atomics, neighbours in shared memory, elected
lanes, active masks, divergence, early exits, loops that may be left at once."""
import sys

sys.dont_write_bytecode = True

from drawing import Lines, write_programs

SIZES = {"b8": 1, "u16": 2, "u32": 4, "u64": 8}


class Drawing(Lines):
    """`units`: which of the drawn steps are kept; None: all. Steps draw the same whether they are kept or not."""

    def __init__(self, seed, units=None):
        super().__init__(seed)
        self.units, self.step = units, 0
        self.place = self.pick("lanes", "lanes", "warps", "ctas", "blocks")
        self.space = "global" if self.place in ("ctas", "blocks") else self.pick("shared", "shared", "global")
        self.scope = {"lanes": "cta", "warps": "cta", "ctas": "gpu", "blocks": "cluster"}[self.place]
        self.exit_some = self.chance(50)
        self.threads = self.pick(2, 2, 3) if self.place != "lanes" else self.pick(2, 3)

    # ---- Steps -----------------------------------------------------------------------------------------------------
    def keep(self, lines):
        if self.units is None or self.step in self.units:
            for line in lines:
                self.emit(line)
        self.step += 1

    def access(self):
        kind = self.pick("u32", "u32", "u32", "u32", "u16", "b8", "u64")
        size = SIZES[kind]
        at = self.pick(*range(0, 8, size)) if self.chance(40) else 0
        name = self.pick("d", "d", "e")
        place = f"[{name}+{at}]" if at else f"[{name}]"
        register = {"b8": "%h0", "u16": "%h0", "u32": "%r9", "u64": "%w0"}[kind]
        how = self.pick("ld.weak", "st.weak", "st.weak", "ld.weak", "ld.relaxed", "st.relaxed", "ld.volatile")
        scope = f".{self.narrow()}" if "relaxed" in how else ""
        if how.startswith("ld"):
            return [f"{how}{scope}.{self.space}.{kind} {register}, {place};"]
        value = self.pick("1", "2", "3", register) if kind == "u32" else self.pick("1", "2")
        return [f"{how}{scope}.{self.space}.{kind} {place}, {value};"]

    def narrow(self):
        return self.scope if self.chance(85) else "cta"

    def atomic(self):
        name = self.pick("d", "e", "f")
        packed = self.pick(None, None, "f16x2", "f16")
        if packed is None:
            op, operand = self.pick(("add.u32", "1"), ("or.b32", "1"), ("exch.b32", "2"), ("max.u32", "3"),
                                    ("cas.b32", self.pick("7, 1", "1, 2")), ("cas.b32", "%r9, 2"))
            return [f"atom.{self.pick('relaxed', 'acq_rel')}.{self.narrow()}.{self.space}.{op} %r8, [{name}], {operand};"]
        at = self.pick(0, 2) if packed == "f16" else 0
        register = "%h1" if packed == "f16" else "%r7"
        return [f"red.relaxed.{self.narrow()}.{self.space}.add.noftz.{packed} [{name}{f'+{at}' if at else ''}], {register};"]

    def publish(self):
        value = self.pick(1, 1, 2)
        way = self.pick("release", "release", "fence", "relaxed", "red")
        out = []
        if way == "fence":
            out.append(self.fence("release", "shared::cta"))
        if way == "red":
            return [f"red.release.{self.scope}.{self.space}.add.u32 [f], 1;"]
        order = "release" if way == "release" else "relaxed"
        return out + [f"st.{order}.{self.scope}.{self.space}.u32 [f], {value};"]

    def wait(self):
        label = self.label()
        order = self.pick("acquire", "acquire", "relaxed")
        test = self.pick("ne.u32 %p1, %r1, 1", "ne.u32 %p1, %r1, 1", "eq.u32 %p1, %r1, 0", "lt.u32 %p1, %r1, 1")
        out = [f"{label}: ld.{order}.{self.scope}.{self.space}.u32 %r1, [f];", f"setp.{test};", f"@%p1 bra {label};"]
        if order == "relaxed" and self.chance(60):
            out.append(self.fence("acquire", "shared::cluster"))
        return out

    def fence(self, order, memory):
        """In front of or behind a flag; now and then of shared memory alone."""
        restricted = self.place != "ctas" and self.chance(40)
        return f"fence.{order}.sync_restrict::{memory}.cluster;" if restricted else f"fence.acq_rel.{self.scope};"

    def look(self):
        """A branch on what was read, around accesses."""
        label = self.label()
        inner = self.access() + (self.access() if self.chance(30) else [])
        order = self.pick("acquire", "relaxed", "weak")
        read = f"ld.weak.{self.space}.u32 %r1, [f];" if order == "weak" else f"ld.{order}.{self.scope}.{self.space}.u32 %r1, [f];"
        return [read, f"setp.{self.pick('ne', 'eq')}.u32 %p1, %r1, {self.pick(0, 1)};", f"@%p1 bra {label};", *inner, f"{label}: mov.u32 %r6, 0;"]

    def exits(self):
        if not self.exit_some:
            return self.look()
        return [f"ld.{self.pick('weak', 'relaxed.' + self.scope)}.{self.space}.u32 %r1, [{self.pick('f', 'e')}];", "setp.ne.u32 %p2, %r1, 1;", "@%p2 exit;"]

    def barrier(self, number):
        if self.place == "blocks":
            return [self.pick("barrier.cluster.arrive;", "barrier.cluster.arrive;", "barrier.cluster.arrive.relaxed;"), "barrier.cluster.wait;"]
        if self.place == "lanes":
            return [self.pick("bar.warp.sync 0xffffffff;", "barrier.sync 0;", f"bar.warp.sync {(1 << self.threads) - 1};")]
        if self.place == "warps":
            return ["barrier.sync 0;"]
        return [f"fence.sc.{self.scope};"]

    def together(self, number):
        """What only lanes of one warp can do."""
        all_lanes = (1 << self.threads) - 1
        # Whom the exact engine takes for active has not always come that far: no exits beside it.
        way = self.pick("elect", "elect", *["active"] * (not self.exit_some), "vote", "shfl", "lane")
        if way == "elect":
            return [f"elect.sync %r5|%p3, {all_lanes};", "@%p3 " + self.plain_store()]
        if way == "active":
            return ["activemask.b32 %r5;", f"setp.eq.u32 %p3, %r5, {self.pick(all_lanes, 1 << number)};", "@%p3 " + self.plain_store()]
        if way == "vote":
            return [f"ld.relaxed.{self.scope}.{self.space}.u32 %r1, [f];", "setp.eq.u32 %p2, %r1, 1;", f"vote.sync.any.pred %p3, %p2, {all_lanes};",
                    "@%p3 " + self.plain_store()]
        if way == "shfl":
            return ["mov.u32 %r4, 1;", f"shfl.sync.idx.b32 %r5|%p3, %r4, 0, 31, {all_lanes};", "@%p3 " + self.plain_store()]
        return ["mov.u32 %r5, %laneid;", f"setp.eq.u32 %p3, %r5, {self.pick(*range(self.threads))};", "@%p3 " + self.plain_store()]

    def plain_store(self):
        return f"st.weak.{self.space}.u32 [{self.pick('d', 'e')}], {self.pick(1, 2)};"

    # ---- Threads ---------------------------------------------------------------------------------------------------
    def where(self, number):
        return {"lanes": f"cta 0, warp 0, lane {number}", "warps": f"cta 0, warp {number}", "ctas": f"cta {number}",
                "blocks": f"cluster 0, cta {number}"}[self.place]

    def thread(self, number, meets):
        self.lines.append(f"P{number} @ {self.where(number)} {{\n  .reg .u32 %r<10>;\n  .reg .b64 %w<2>;\n  .reg .b16 %h<2>;\n  .reg .pred %p<4>;")
        steps = self.steps_of(number)
        if meets:
            steps.insert(self.pick(0, 1, 1, len(steps)), lambda: self.barrier(number))
        if self.place == "lanes" and self.shared_step:
            steps.insert(self.pick(0, 0, len(steps)), lambda: self.together(number))
        for step in steps:
            self.keep(step())
        self.lines.append("}")

    def steps_of(self, number):
        """A writer that publishes, readers that wait, or whatever."""
        if self.chance(35):
            return [self.pick(self.access, self.access, self.atomic, self.publish, self.wait, self.look, self.exits) for _ in range(self.pick(1, 2, 3))]
        if number == 0:
            return [self.access] * self.pick(1, 1, 2) + [self.publish] + ([self.pick(self.access, self.atomic, self.publish)] if self.chance(25) else [])
        extra = [self.pick(self.look, self.exits, self.atomic)] if self.chance(25) else []
        return extra + [self.wait] + [self.access] * self.pick(1, 1, 2) + ([self.publish] if self.chance(25) else [])

    def first(self):
        return self.pick("", "", " = 0", " = 0", " = 1")

    def text(self, name):
        meets = self.chance(35)
        self.shared_step = self.chance(60)
        head = [f"PTX {name}", "{", f"  .{self.space} .u32 f{self.first()};", f"  .{self.space} .align 8 .b8 d[8]{self.pick('', ' = {0, 0, 0, 0, 0, 0, 0, 0}')};",
                f"  .{self.space} .align 8 .b8 e[8]{self.pick('', ' = {0, 0, 0, 0, 0, 0, 0, 0}')};", "}"]
        for number in range(self.threads):
            self.thread(number, meets)
        return "\n".join(head + self.lines + ["exists (true)", ""])


def draw(seed, name, units=None):
    return Drawing(seed, units).text(name)


def steps_of(seed):
    drawing = Drawing(seed)
    drawing.text("")
    return drawing.step


if __name__ == "__main__":
    write_programs(__doc__, "construct", draw)
