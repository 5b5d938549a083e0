#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""contended.py --seed S --count N --write DIR: random litmus tests in which atomics contend for a location and their
results decide what threads do: last arrivals, first arrivals, tickets, locks, resets, flags that only a winner sets; locks
that are looked at before they are tried, swaps that are tried again with what they read, several locks, plain strong reads; threads that
announce themselves and look for others, and such that wait for a status of the one before, whose value decides; barriers
whose phase is the sign of a counter; swaps and other atomics whose results nothing looks at."""
import sys

sys.dont_write_bytecode = True

from drawing import Lines, write_programs


class Drawing(Lines):
    def __init__(self, seed):
        super().__init__(seed)
        self.registers = 0
        self.budget = 0
        self.threads = self.random.choice([2, 2, 3])
        self.counters = ["c", "d"] if self.random.random() < 0.15 else ["c"]
        self.narrow = self.random.random() < 0.1
        self.style = self.random.choice(["last", "any", "any", "lock", "ticket", "look", "swap", "several", "several",
                                         "announce", "status", "sign", "quiet"])
        self.sequential = self.random.random() < 0.5
        if self.style == "several":
            self.counters = ["c", "d"]
        if self.style in ("announce", "status"):
            self.counters = [f"s{i}" for i in range(self.threads)]

    def scope(self):
        return ".cta" if self.narrow and self.chance(40) else ".gpu"

    def register(self):
        self.registers += 1
        return f"%r{self.registers}"

    def data(self, mine=None):
        self.budget -= 1
        where = mine if mine and self.chance(70) else self.pick("x", "y", *(f"z{i}" for i in range(self.threads)))
        if self.chance(50):
            self.emit(f"st.weak.global.u32 [{where}], {self.pick(1, 2)};")
        else:
            self.emit(f"ld.weak.global.u32 {self.register()}, [{where}];")

    def fence(self):
        kinds = ("sc",) if self.sequential and self.chance(90) else ("acq_rel", "acq_rel", "sc")
        self.emit(f"fence.{self.pick(*kinds)}{self.scope()};")

    def atomic(self, counter):
        self.budget -= 1
        result = self.register()
        order = self.pick("relaxed", "acquire", "release", "acq_rel", "acq_rel")
        last = self.threads - 1
        if self.style in ("any", "several") and self.chance(20):
            self.emit(f"ld.{self.pick('relaxed', 'acquire')}{self.scope()}.global.u32 {result}, [{counter}];")
            return result
        what = {
            "last": lambda: self.pick(f"add.u32 {result}, [{counter}], 1", f"inc.u32 {result}, [{counter}], {last}"),
            "ticket": lambda: f"add.u32 {result}, [{counter}], 1",
        }.get(self.style, lambda: self.pick(
            f"add.u32 {result}, [{counter}], 1", f"exch.b32 {result}, [{counter}], {self.pick(0, 1, 2)}",
            f"cas.b32 {result}, [{counter}], {self.pick(0, 1)}, {self.pick(1, 2)}", f"or.b32 {result}, [{counter}], 1"))()
        self.emit(f"atom.{order}{self.scope()}.global.{what};")
        return result

    def decided(self, result):
        """What some value of the result leads to."""
        value = self.threads - 1 if self.style == "last" else self.pick(0, 0, 1, 2)
        skip = self.label()
        self.emit(f"setp.{self.pick('eq', 'ne', 'ne', 'ne', 'lt')}.u32 %p, {result}, {value};")
        self.emit(f"@%p bra {skip};")
        if self.chance(70):
            self.fence()
        for _ in range(self.pick(1, 1, 2)):
            self.data()
        if self.chance(12):
            self.emit(f"st.{self.pick('release', 'relaxed')}.gpu.global.u32 [f], 1;")
        if self.chance(10):
            self.emit(f"st.weak.global.u32 [{self.counters[0]}], 0;")
        if self.chance(15) and self.budget > 0:
            self.decided(self.atomic(self.pick(*self.counters)))
        self.lines.append(f"{skip}:")

    def locked(self):
        result, again = self.register(), self.label()
        self.lines.append(f"{again}:")
        how = self.pick("cas.b32 {}, [{}], 0, 1", "exch.b32 {}, [{}], 1").format(result, self.counters[0])
        self.emit(f"atom.{self.pick('acquire', 'acquire', 'relaxed')}{self.scope()}.global.{how};")
        self.emit(f"setp.ne.u32 %p, {result}, 0;")
        self.emit(f"@%p bra {again};")
        if self.chance(70):
            self.fence()
        self.data("x")
        if self.chance(70):
            self.fence()
        if self.chance(85):
            self.emit(self.pick("st.release.gpu.global.u32 [c], 0;", "st.relaxed.gpu.global.u32 [c], 0;",
                                f"atom.release.gpu.global.exch.b32 {self.register()}, [c], 0;"))

    def looked(self):
        """A lock that is tried when a read finds it free, and if that fails is looked at again."""
        seen, result, again = self.register(), self.register(), self.label()
        self.lines.append(f"{again}:")
        self.emit(f"ld.{self.pick('relaxed', 'acquire')}{self.scope()}.global.u32 {seen}, [c];")
        self.emit(f"setp.ne.u32 %p, {seen}, 0;")
        self.emit(f"@%p bra {again};")
        self.emit(f"atom.{self.pick('acquire', 'relaxed')}{self.scope()}.global.cas.b32 {result}, [c], 0, 1;")
        self.emit(f"setp.ne.u32 %p, {result}, 0;")
        self.emit(f"@%p bra {again};")
        self.held()

    def tried(self):
        """A lock that is tried once."""
        result, skip = self.register(), self.label()
        self.emit(f"atom.{self.pick('acquire', 'relaxed', 'acq_rel')}{self.scope()}.global.cas.b32 {result}, [c], 0, 1;")
        self.emit(f"setp.ne.u32 %p, {result}, 0;")
        self.emit(f"@%p bra {skip};")
        self.held()
        self.lines.append(f"{skip}:")

    def held(self):
        if self.chance(75):
            self.fence()
        self.data("x")
        if self.chance(75):
            self.fence()
        if self.chance(90):
            self.emit(self.pick("st.release.gpu.global.u32 [c], 0;", "st.relaxed.gpu.global.u32 [c], 0;",
                                f"atom.release.gpu.global.exch.b32 {self.register()}, [c], 0;"))

    def swapped(self):
        """A swap, tried again with what it read; what it found decides."""
        seen, more, old, again = self.register(), self.register(), self.register(), self.label()
        self.emit(f"ld.{self.pick('relaxed', 'acquire')}.gpu.global.u32 {seen}, [c];")
        self.lines.append(f"{again}:")
        self.emit(f"add.u32 {more}, {seen}, 1;")
        self.emit(f"atom.{self.pick('relaxed', 'acquire', 'release', 'acq_rel')}{self.scope()}.global.cas.b32 {old}, [c], {seen}, {more};")
        self.emit(f"setp.ne.u32 %p, {old}, {seen};")
        self.emit(f"mov.u32 {seen}, {old};")
        self.emit(f"@%p bra {again};")
        if self.chance(70):
            self.decided(old)

    def several(self):
        """Turns at several locations, or locks that are held one behind the other or together."""
        held = []
        for counter in self.random.sample(self.counters, self.pick(1, 2)):
            if self.chance(60):
                result, again = self.register(), self.label()
                self.lines.append(f"{again}:")
                how = self.pick("cas.b32 {}, [{}], 0, 1", "exch.b32 {}, [{}], 1").format(result, counter)
                self.emit(f"atom.{self.pick('acquire', 'relaxed')}.gpu.global.{how};")
                self.emit(f"setp.ne.u32 %p, {result}, 0;")
                self.emit(f"@%p bra {again};")
                held.append(counter)
            else:
                result = self.atomic(counter)
                if self.chance(60):
                    self.decided(result)
            if self.chance(85):
                self.fence()
            if self.chance(40):
                self.data("x")
                if self.chance(85):
                    self.fence()
                if held and self.chance(50):
                    self.emit(f"st.{self.pick('release', 'relaxed')}.gpu.global.u32 [{held.pop()}], 0;")
                    if self.chance(85):
                        self.fence()
        if self.chance(60):
            self.data("y")
        for counter in held:
            if self.chance(85):
                self.fence()
            self.emit(f"st.{self.pick('release', 'relaxed')}.gpu.global.u32 [{counter}], 0;")

    def ticketed(self):
        """A turn, which is waited for: the threads go one after the other."""
        result = self.atomic(self.counters[0])
        now, again, next_one = self.register(), self.label(), self.register()
        self.lines.append(f"{again}:")
        self.emit(f"ld.{self.pick('acquire', 'acquire', 'relaxed')}.gpu.global.u32 {now}, [f];")
        self.emit(f"setp.ne.u32 %p, {now}, {result};")
        self.emit(f"@%p bra {again};")
        self.data("x")
        self.emit(f"add.u32 {next_one}, {result}, 1;")
        if self.chance(90):
            self.emit(f"st.{self.pick('release', 'release', 'relaxed')}.gpu.global.u32 [f], {next_one};")

    def announced(self, number):
        """Says that it is there, and looks whether another is: who sees none goes in."""
        for _ in range(self.pick(1, 1, 2)):
            self.emit(f"st.{self.pick('relaxed', 'release')}.gpu.global.u32 [s{number}], {self.pick(1, 1, 2)};")
            if self.chance(60):
                self.fence()
            result, skip = self.register(), self.label()
            other = (number + self.pick(1, self.threads - 1)) % self.threads
            self.emit(f"ld.{self.pick('relaxed', 'acquire')}.gpu.global.u32 {result}, [s{other}];")
            self.emit(f"setp.ne.u32 %p, {result}, {self.pick(0, 0, 1)};")
            self.emit(f"@%p bra {skip};")
            if self.chance(50):
                self.fence()
            self.data("x")
            self.lines.append(f"{skip}:")

    def status(self, number):
        """Tells a status, waits for that of the thread before, does what its value says, and tells the last one."""
        tell = lambda value: self.emit(f"st.{self.pick('release', 'release', 'relaxed')}.gpu.global.u32 [s{number}], {value};")
        self.data(f"z{number}")
        if self.chance(85):
            tell(1)
        if number > 0:
            result, again, skip = self.register(), self.label(), self.label()
            self.lines.append(f"{again}:")
            self.emit(f"ld.{self.pick('acquire', 'acquire', 'relaxed')}.gpu.global.u32 {result}, [s{number - 1}];")
            self.emit(f"setp.eq.u32 %p, {result}, 0;")
            self.emit(f"@%p bra {again};")
            self.emit(f"setp.ne.u32 %p, {result}, 2;")
            self.emit(f"@%p bra {skip};")
            self.data(f"z{self.random.randrange(number)}")
            self.lines.append(f"{skip}:")
            self.data(f"z{number - 1}")
        tell(2)

    def signed(self, number):
        """Barriers whose phase is the sign of a counter, to which one thread adds what the others leave to it."""
        for _ in range(self.pick(1, 2)):
            added = 0x80000000 - (self.threads - 1) if number == 0 else 1
            if self.chance(8):
                added = self.pick(2, 0x40000000, 0x80000000)
            old, now, both, again = self.register(), self.register(), self.register(), self.label()
            order = self.pick("release", "release", "acq_rel", "relaxed")
            self.emit(f"atom.{order}{self.scope()}.global.add.u32 {old}, [c], {added};")
            self.lines.append(f"{again}:")
            self.emit(f"ld.{self.pick('acquire', 'acquire', 'relaxed')}{self.scope()}.global.u32 {now}, [c];")
            self.emit(f"xor.b32 {both}, {now}, {old};")
            if self.chance(50):
                self.emit(f"setp.gt.s32 %p, {both}, -1;")
            else:
                self.emit(f"and.b32 {both}, {both}, 0x80000000;")
                self.emit(f"setp.eq.u32 %p, {both}, 0;")
            self.emit(f"@%p bra {again};")
            if self.chance(10):
                self.emit(f"st.weak.global.u32 [x], {old};")
            self.data(self.pick("x", f"z{number}", f"z{(number + 1) % self.threads}"))

    def quiet(self):
        """Relaxed atomics without an order but that of their location; their threads may read it."""
        for _ in range(self.pick(1, 2, 2, 3)):
            result = self.register()
            what = self.pick(*[f"cas.b32 {result}, [c], {self.pick('0, 1', '0, 1', '0, 2', '1, 2', '1, 0', '2, 1')}"] * 3,
                             f"exch.b32 {result}, [c], {self.pick(0, 1, 2)}", f"add.u32 {result}, [c], 1")
            self.emit(f"atom.{self.pick(*['relaxed'] * 6, 'acq_rel')}.gpu.global.{what};")
            if self.chance(30):
                self.data()
        if self.chance(40):
            self.emit(f"ld.{self.pick('weak', 'weak', 'weak', 'relaxed.gpu')}.global.u32 {self.register()}, [c];")
        if self.chance(8):
            self.emit(f"st.{self.pick('weak', 'relaxed.gpu')}.global.u32 [c], 1;")

    def thread(self, number):
        self.lines.append(f"P{number} @ cta {0 if self.chance(8) else number} {{")
        start = len(self.lines)
        self.registers = 0
        self.budget = 4
        own = f"z{number}" if self.chance(60) else None
        if self.chance(70):
            self.data(own or "x")
        if self.chance(8 if self.style == "quiet" else 60):
            self.fence()
        if self.style == "lock" and self.chance(90):
            self.locked()
        elif self.style == "ticket" and self.chance(80):
            self.ticketed()
        elif self.style == "look" and self.chance(90):
            self.looked() if self.chance(60) else self.tried()
        elif self.style == "swap" and self.chance(80):
            self.swapped()
        elif self.style == "several" and self.chance(90):
            self.several()
        elif self.style == "announce":
            self.announced(number)
        elif self.style == "status":
            self.status(number)
        elif self.style == "sign":
            self.signed(number)
        elif self.style == "quiet":
            self.quiet()
        else:
            for _ in range(self.pick(1, 1, 1, 2)):
                result = self.atomic(self.pick(*self.counters))
                if self.chance(90):
                    self.decided(result)
            if self.chance(10):
                again, got = self.label(), self.register()
                self.lines.append(f"{again}:")
                self.emit(f"ld.{self.pick('acquire', 'relaxed')}.gpu.global.u32 {got}, [f];")
                self.emit(f"setp.eq.u32 %p, {got}, 0;")
                self.emit(f"@%p bra {again};")
                self.data()
        self.emit("exit;")
        self.lines.append("}")
        names = ", ".join(f"%r{i}" for i in range(1, self.registers + 1)) or "%r0"
        self.lines[start:start] = [f"  .reg .u32 {names};", "  .reg .pred %p;"]

    def text(self, name):
        variables = [*self.counters, "x", "y", "f", *(f"z{i}" for i in range(self.threads))]
        for number in range(self.threads):
            self.thread(number)
        return "\n".join([f"PTX {name}", "{", *(f"  .global .u32 {v} = 0;" for v in variables), "}", *self.lines,
                          "exists (x == 0)", ""])


if __name__ == "__main__":
    write_programs(__doc__, "contended", lambda seed, name: Drawing(seed).text(name))
