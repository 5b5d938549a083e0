#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""assumptions.py PTXMC COUNT [SEED]: random kernels that are wrong only where something holds that no launch says: what is in
memory at first, where memory lies, which lane is elected, facts of the machine, that another block has started, that all threads
come to an instruction that is for all of them. `verify` must not call them proven. Beside each
stands its control, in which the launch or the code makes sure of it: most of these must be proven, or the instrument says nothing.
"""
import collections
import concurrent.futures
import pathlib
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

HEAD = """.version 8.6
.target sm_90a
.address_size 64
{globals}
.visible .entry k(.param .u64 p0, .param .u64 p1)
{{
  .reg .pred %p<8>;
  .reg .b32 %r<32>;
  .reg .b64 %rd<16>;
  {variables}
  ld.param.u64 %rd1, [p0];
  ld.param.u64 %rd2, [p1];
  cvta.to.global.u64 %rd1, %rd1;
  cvta.to.global.u64 %rd2, %rd2;
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, %ctaid.x;
{code}
  ret;
}}
"""

# Every thread writes the one word if %p1 holds: a race. Each its own word if it does not.
RACE_IF_P1 = """  mul.wide.u32 %rd9, %r1, 4;
  add.s64 %rd9, %rd2, %rd9;
  selp.b64 %rd9, %rd2, %rd9, %p1;
  st.global.u32 [%rd9], %r1;"""
RACE_BRANCH = """  @!%p1 bra OWN;
  st.global.u32 [%rd2], %r1;
  bra DONE;
OWN:
  mul.wide.u32 %rd9, %r1, 4;
  add.s64 %rd9, %rd2, %rd9;
  st.global.u32 [%rd9], %r1;
DONE:"""


class Kernel:
    def __init__(self, code, variables="", globals_="", options=("--block", "64"), args=("buffer:4K", "buffer:4K")):
        self.text = HEAD.format(code=code, variables=variables, globals=globals_)
        self.options = [*options, *(word for arg in args for word in ("--arg", arg))]


def race_if(draw, condition, **others):
    return Kernel(condition + "\n" + draw.choice([RACE_IF_P1, RACE_BRANCH]), **others)


# Each family: (random, wrong) -> Kernel

def first_contents(draw, wrong):
    """A flag whose first value may be what a loop waits for."""
    awaited = draw.choice([1, 2, 7])
    shared = draw.random() < 0.5
    flag = "%r9" if shared else "%rd1"
    space = "shared" if shared else "global"
    scope = draw.choice(["cta", "gpu"])
    clear = {True: draw.choice(["", "", "late"]), False: "barrier"}[wrong]
    args = ["buffer:4K", "buffer:4K"]
    if not shared and not wrong and draw.random() < 0.5:
        clear, args[0] = "", "buffer:4K:zero"
    code = ["  mov.u32 %r9, flag;" if shared else "", "  setp.eq.u32 %p2, %r1, 0;", "  setp.eq.u32 %p3, %r1, 32;"]
    if clear:
        code.append(f"  @%p2 st.{space}.u32 [{flag}], 0;")
    if clear == "barrier":
        code.append("  bar.sync 0;")
    code.append(f"""  @%p3 st.global.u32 [%rd2], 5;
  @%p3 st.release.{scope}.{space}.u32 [{flag}], {awaited};
  @!%p2 bra END;
WAIT:
  ld.acquire.{scope}.{space}.u32 %r3, [{flag}];
  setp.ne.u32 %p4, %r3, {awaited};
  @%p4 bra WAIT;
  ld.global.u32 %r4, [%rd2];
END:""")
    return Kernel("\n".join(code), variables=".shared .align 4 .b32 flag;" if shared else "", args=args)


def data_in_branch(draw, wrong):
    """A branch on what nobody wrote: shared memory, local memory, a register, opaque memory."""
    where = draw.choice(["shared", "local", "global", "register"])
    test = f"  setp.{draw.choice(['eq', 'gt'])}.u32 %p1, %r3, {draw.choice([1, 77, 4000000000])};"
    if where == "register":
        return race_if(draw, ("" if wrong else "  mov.u32 %r3, 0;\n") + test)
    address = {"shared": "[s]", "local": "[l]", "global": "[%rd1]"}[where]
    load = f"  ld.{where}.u32 %r3, {address};\n" + test
    if wrong:
        return race_if(draw, load, variables=".shared .align 4 .b32 s;\n  .local .align 4 .b32 l;")
    store = f"  st.{where}.u32 {address}, 0;\n  bar.sync 0;\n" if where == "local" else ""
    if where == "shared":
        store = "  setp.eq.u32 %p2, %r1, 0;\n  @%p2 st.shared.u32 [s], 0;\n  bar.sync 0;\n"
    return race_if(draw, store + load, variables=".shared .align 4 .b32 s;\n  .local .align 4 .b32 l;",
                   args=("buffer:4K:zero", "buffer:4K"))


def order_of_buffers(draw, wrong):
    compare = draw.choice(["gt", "lt", "ge", "le"])
    if wrong:
        return race_if(draw, f"  setp.{compare}.u64 %p1, %rd1, %rd2;")
    offset = draw.choice([4, 64])
    less = compare in ("lt", "le")
    a, b = ("%rd3", "%rd1") if less else ("%rd1", "%rd3")
    return race_if(draw, f"  add.s64 %rd3, %rd1, {offset};\n  setp.{compare}.u64 %p1, {a}, {b};")


def bits_of_addresses(draw, wrong):
    bit = draw.choice([256, 512, 4096, 1 << 20]) if wrong else draw.choice([1, 4, 16, 128])
    return race_if(draw, f"  and.b64 %rd3, %rd1, {bit};\n  setp.{'eq' if wrong and draw.random() < 0.5 else 'ne'}.u64 %p1, %rd3, 0;")


def distance_of_buffers(draw, wrong):
    other = "%rd2" if wrong else "%rd4"
    return race_if(draw, f"  add.s64 %rd4, %rd1, 64;\n  sub.s64 %rd3, {other}, %rd1;\n"
                         f"  setp.{'gt' if wrong else 'lt'}.s64 %p1, %rd3, {draw.choice([4096, 8192]) if wrong else 0};")


def overrun(draw, wrong):
    """An index past the end of an array, into its neighbour."""
    space = draw.choice(["shared", "local", "global"])
    words = draw.choice([16, 32])
    past = draw.choice([0, 3]) if wrong else -1
    index = words + past
    name = "%rd1" if space == "global" else "a"
    if space == "global":
        globals_, variables = "", ""
        code = f"  st.global.u32 [%rd1+{4 * index}], 1;"
        return Kernel("  setp.eq.u32 %p2, %r1, 0;\n  @!%p2 bra END;\n" + code + "\nEND:", globals_, variables,
                      args=(f"buffer:{4 * words}", "buffer:4K"))
    pad = f".{space} .align 4 .b32 a[{words}];\n  .{space} .align 4 .b32 b[{words}];"
    code = (f"  setp.eq.u32 %p2, %r1, 0;\n  @!%p2 bra END;\n  mov.u32 %r3, {4 * index};\n  mov.u32 %r4, {name};\n"
            f"  add.u32 %r4, %r4, %r3;\n  st.{space}.u32 [%r4], 1;\nEND:")
    if space == "local":
        code = code.replace("mov.u32 %r4, a;\n  add.u32 %r4, %r4, %r3;\n  st.local.u32 [%r4], 1;",
                            "mov.u64 %rd3, a;\n  cvt.u64.u32 %rd4, %r3;\n  add.u64 %rd3, %rd3, %rd4;\n  st.local.u32 [%rd3], 1;")
    return Kernel(code, variables=pad)


def machine_facts(draw, wrong):
    fact, width = draw.choice([("%smid", 32), ("%nsmid", 32), ("%warpid", 32), ("%nwarpid", 32), ("%gridid", 64), ("%clock", 32),
                               ("%clock64", 64), ("%globaltimer", 64), ("%globaltimer_lo", 32)])
    if not wrong:
        fact, width, value = draw.choice([("%laneid", 32, 40), ("%ntid.x", 32, 7), ("%nctaid.x", 32, 9), ("%ctaid.y", 32, 1)])
    else:
        value = draw.choice([0, 1, 3, 5, 60])
    register = "%r3" if width == 32 else "%rd3"
    return race_if(draw, f"  mov.u{width} {register}, {fact};\n  setp.{draw.choice(['eq', 'eq', 'gt']) if wrong else 'eq'}.u{width} %p1, {register}, {value};")


def elected_lane(draw, wrong):
    """Which lane is elected leads to a race; that some lane is does not."""
    if wrong:
        lane = draw.choice([0, 1, 17, 31])
        compare = draw.choice(["eq", "ne"])
        return race_if(draw, f"  elect.sync %r3|%p2, -1;\n  setp.{compare}.u32 %p1, %r3, {lane};", options=("--block", "32"))
    return Kernel("  elect.sync %r3|%p1, -1;\n  @%p1 st.global.u32 [%rd2], 7;", options=("--block", "32"))


def active_mask(draw, wrong):
    """Lanes meet under the mask of those that happen to be active."""
    mask = "  activemask.b32 %r3;" if wrong else "  mov.u32 %r3, -1;"
    distance = draw.choice([1, 2, 16])
    code = f"""{mask}
  mul.wide.u32 %rd9, %r1, 4;
  add.s64 %rd9, %rd2, %rd9;
  st.global.u32 [%rd9], %r1;
  bar.warp.sync %r3;
  xor.b32 %r4, %r1, {distance};
  mul.wide.u32 %rd8, %r4, 4;
  add.s64 %rd8, %rd2, %rd8;
  ld.global.u32 %r5, [%rd8];"""
    return Kernel(code, options=("--block", "32"))


def equal_values(draw, wrong):
    """Two blocks store to one word: equal values in the run, but not by what the program says."""
    if wrong:
        value = draw.choice(["", "  shl.b32 %r3, %r2, 31;\n  shl.b32 %r3, %r3, 1;\n  add.u32 %r3, %r3, %r2;\n"])
    else:
        value = f"  mov.u32 %r3, {draw.randrange(100)};\n"
    return Kernel(value + "  setp.eq.u32 %p2, %r1, 0;\n  @%p2 st.global.u32 [%rd2], %r3;",
                  options=("--grid", "2", "--cta", "all", "--block", "1"))


def note_hides(draw, wrong):
    """Stores of equal bytes are a note; what came before the first of them races with the second all the same."""
    before = draw.choice(["  @%p2 ld.global.u32 %r3, [%rd2];\n", "  @%p2 st.global.u32 [%rd2], 9;\n",
                          "  @%p2 ld.volatile.global.u32 %r3, [%rd2];\n"]) if wrong else ""
    return Kernel(f"  setp.eq.u32 %p2, %r2, {draw.choice([0, 1])};\n{before}  st.global.u32 [%rd2], 0;",
                  options=("--grid", "2", "--cta", "all", "--block", "1"))


def open_guard_and_index(draw, wrong):
    """Guard and index are both open; the control has an index of its own."""
    guard = draw.choice([5, 100, 4000000000])
    index = "  ld.global.u32 %r4, [%rd10+256];\n  and.b32 %r4, %r4, 63;" if wrong else "  mov.u32 %r4, %r1;"
    return Kernel(f"""  mul.wide.u32 %rd9, %r1, 4;
  add.s64 %rd10, %rd1, %rd9;
  ld.global.u32 %r3, [%rd10];
{index}
  mul.wide.u32 %rd8, %r4, 4;
  add.s64 %rd8, %rd2, %rd8;
  setp.gt.u32 %p1, %r3, {guard};
  @%p1 st.global.u32 [%rd8], %r1;""")


def initialisers(draw, wrong):
    """A variable without an initialiser, which hosts set. (What one with an initialiser holds is an assumption that the claim names.)"""
    space, name = draw.choice([("global", "n"), ("const", "c")])
    if not wrong:
        return race_if(draw, "  mov.u32 %r3, 0;\n  setp.ne.u32 %p1, %r3, 0;", globals_=f".{space} .align 4 .b32 {name};")
    return race_if(draw, f"  ld.{space}.u32 %r3, [{name}];\n  setp.{draw.choice(['ne', 'gt'])}.u32 %p1, %r3, 0;",
                   globals_=f".visible .{space} .align 4 .b32 {name};")


def peer_started(draw, wrong):
    """Shared memory of the other block of a cluster, whose threads may not have started."""
    shown = {True: draw.choice(["", "own flag", "late barrier"]), False: draw.choice(["barrier", "relaxed barrier", "flag"])}[wrong]
    barrier = "  barrier.cluster.arrive{}.aligned;\n  barrier.cluster.wait.aligned;\n"
    use = draw.choice(["  st.relaxed.cluster.shared::cluster.u32 [%r4], 1;\n", "  ld.relaxed.cluster.shared::cluster.u32 %r5, [%r4];\n",
                       "  red.relaxed.cluster.shared::cluster.add.u32 [%r4], 1;\n"])
    address = "  mov.u32 %r3, s;\n  xor.b32 %r6, %r2, 1;\n  mapa.shared::cluster.u32 %r4, %r3, %r6;\n"
    before = ""
    if "flag" in shown:  # block 0 waits for the flag, which the other one sets, or a thread of its own
        setter = 32 if shown == "own flag" else 64
        before = f"""  mad.lo.u32 %r7, %r2, 64, %r1;
  setp.eq.u32 %p2, %r7, {setter};
  @%p2 st.release.cluster.global.u32 [%rd1], 1;
  setp.ne.u32 %p3, %r7, 0;
  @%p3 bra END;
WAIT:
  ld.acquire.cluster.global.u32 %r8, [%rd1];
  setp.eq.u32 %p4, %r8, 0;
  @%p4 bra WAIT;
"""
        use += "END:\n"
    elif "late" not in shown and shown:
        before = barrier.format(".relaxed" if "relaxed" in shown else "")
    return Kernel(address + before + use + barrier.format(""), variables=".shared .align 4 .b32 s;",
                  options=("--grid", "2", "--cta", "all", "--cluster", "2", "--block", "64"), args=("buffer:4K:zero", "buffer:4K"))


def all_of_a_group(draw, wrong):
    """Instructions for a whole warpgroup, or a whole warp, on a branch that some of its threads take."""
    one = draw.choice(["wgmma.fence.sync.aligned;", "wgmma.commit_group.sync.aligned;", "wgmma.wait_group.sync.aligned 0;",
                       "setmaxnreg.dec.sync.aligned.u32 40;"])
    few = draw.choice([1, 16, 32, 64, 96])
    bound = few if wrong else draw.choice([0, 128])
    guard = f"  setp.lt.u32 %p1, %r1, {bound};\n" if draw.random() < 0.5 else f"  setp.ge.u32 %p1, %r1, {bound};\n"
    return Kernel(f"{guard}  @%p1 bra PAST;\n  {one}\nPAST:", options=("--block", "128"))


def registers_twice(draw, wrong):
    """Two setmaxnreg, with what synchronizes all four warps between them, or some of them."""
    between = {True: ["", "  bar.warp.sync -1;\n", "  and.b32 %r3, %r1, 64;\n  setp.ne.u32 %p1, %r3, 0;\n  @%p1 bra A;\n  bar.sync 1, 64;\nA:\n"],
               False: ["  bar.sync 0;\n", "  bar.sync 3, 128;\n", "  bar.arrive 4, 128;\n  bar.sync 5, 128;\n"]}[wrong]
    first, second = draw.choice([("dec.sync.aligned.u32 40", "inc.sync.aligned.u32 120"), ("inc.sync.aligned.u32 120", "dec.sync.aligned.u32 40")])
    if not wrong:
        between = between[:2]
    return Kernel(f"  setmaxnreg.{first};\n{draw.choice(between)}  setmaxnreg.{second};", options=("--block", "128"))


def state_spaces(draw, wrong):
    """A generic address of memory that the instruction does not access, and of memory that it does."""
    everywhere = {"global", "shared", "local", "const"}
    instruction, allowed = draw.choice([
        ("atom.relaxed.gpu.add.u32 %r5, [%rd4], 1;", {"global", "shared"}),
        ("red.relaxed.gpu.add.u32 [%rd4], 1;", {"global", "shared"}),
        ("red.relaxed.gpu.global.add.v2.f32 [%rd4], {%f1, %f2};", {"global"}),
        ("red.relaxed.gpu.add.v2.f32 [%rd4], {%f1, %f2};", {"global"}),
        ("ld.acquire.gpu.u32 %r5, [%rd4];", {"global", "shared"}),
        ("ld.relaxed.gpu.u32 %r5, [%rd4];", {"global", "shared"}),
        ("ld.u32 %r5, [%rd4];", everywhere),
        ("ld.global.u32 %r5, [%rd4];", {"global"}),
        ("cp.async.ca.shared.global [to], [%rd4], 16;\n  cp.async.wait_all;", {"global"}),
        ("cp.async.bulk.prefetch.L2.global [%rd4], 16;", {"global"}),
        ("cp.async.bulk.global.shared::cta.bulk_group [%rd4], [to], 16;\n  cp.async.bulk.commit_group;\n"
         "  cp.async.bulk.wait_group 0;", {"global"}),
    ])
    if allowed == everywhere:
        wrong_spaces = everywhere
        instruction = "st.relaxed.gpu.u32 [%rd4], 1;" if wrong else instruction
        wrong_spaces = {"local", "const"}
    else:
        wrong_spaces = everywhere - allowed
    space = draw.choice(sorted(wrong_spaces if wrong else allowed))
    address = "  mov.u64 %rd4, %rd1;\n" if space == "global" else f"  cvta.{space}.u64 %rd4, %rd3;\n"
    name = "" if space == "global" else f"  mov.u64 %rd3, {space[0]}m;\n"
    code = ("  .reg .f32 %f<3>;\n  mov.f32 %f1, 0f00000000;\n  mov.f32 %f2, %f1;\n" + name + address + "  " + instruction)
    return Kernel(code, variables=".shared .align 16 .b8 sm[32];\n  .shared .align 16 .b8 to[32];\n  .local .align 16 .b8 lm[32];",
                  globals_=".const .align 16 .b8 cm[32] = {1};", options=("--block", "1"))


FAMILIES = [state_spaces, peer_started, all_of_a_group, registers_twice, first_contents, data_in_branch, order_of_buffers, bits_of_addresses, distance_of_buffers, overrun, machine_facts,
            elected_lane, active_mask, equal_values, note_hides, open_guard_and_index, initialisers]


def verify(ptxmc, kernel):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "k.ptx"
        file.write_text(kernel.text)
        done = subprocess.run([ptxmc, "verify", str(file), "--timeout", "20", *kernel.options], capture_output=True, text=True,
                              check=False)
        return done.returncode, done.stdout + done.stderr


def judge(ptxmc, seed):
    draw = random.Random(seed)
    family = draw.choice(FAMILIES)
    out = []
    for wrong in (True, False):
        kernel = family(draw, wrong)
        status, text = verify(ptxmc, kernel)
        out.append((wrong, status, kernel, text))
    return family.__name__, out


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    ptxmc, count = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(1 << 32)
    print(f"{count} kernels and their controls from seed {seed}")
    proven, controls, failures = collections.Counter(), collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for family, answers in pool.map(lambda i: judge(ptxmc, seed + i), range(count)):
            for wrong, status, kernel, text in answers:
                bad = status not in (1, 3) if wrong else status not in (0, 3)
                if not wrong:
                    controls[family] += 1
                    proven[family] += status == 0
                if bad:
                    failures += 1
                    print(f"{family}, {'wrong' if wrong else 'control'}: status {status}\n{' '.join(kernel.options)}\n{kernel.text}{text}")
    for family in sorted(controls):
        print(f"{family}: {proven[family]} of {controls[family]} controls proven")
    weak = [family for family in controls if controls[family] >= 3 and proven[family] * 2 < controls[family]]
    if weak:
        print(f"too few controls are proven to say much: {', '.join(weak)}")
    print(f"{count} kernels, {failures} answers that are not right")
    return 1 if failures or weak else 0


if __name__ == "__main__":
    sys.exit(main())
