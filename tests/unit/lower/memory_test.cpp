// SPDX-License-Identifier: Apache-2.0
// Memory: accesses, atomics, fences, addresses, initial values, aliases, placement.
#include <set>

#include "lowered.h"

namespace ptxmc::lower {
namespace {

using event::EventKind;
using event::Op;
using isa::Proxy;
using isa::Scope;
using isa::Semantics;

const std::string kAlways = "forall (true)";

TEST_CASE("events come in order: initial writes, then thread by thread, END last") {
  const auto graph = lowered(
      "PTX t\n{ x=1; y=2; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n"
      " st.weak x, 5 | ld.acquire.gpu r0, y ;\n fence.sc.gpu | atom.acq_rel.sys.add r1, x, 3 ;\nforall "
      "(true)\n");
  std::vector<EventKind> kinds;
  for (const auto& e : graph.events) kinds.push_back(e.kind);
  CHECK(kinds == std::vector<EventKind>{EventKind::initial_write, EventKind::initial_write, EventKind::write,
                                        EventKind::fence, EventKind::end, EventKind::read, EventKind::read,
                                        EventKind::write, EventKind::end});
  CHECK(graph.cells.size() == 2);
  CHECK(graph.exprs[graph.events[0].value].constant == 1);
  CHECK(graph.events[0].thread == event::kNoThread);
  CHECK(graph.events[3].labels.semantics == Semantics::sc);
  CHECK(graph.events[3].labels.scope == Scope::gpu);
  CHECK(graph.events[5].labels.semantics == Semantics::acquire);
  CHECK(graph.events[6].rmw_partner == 7);
  CHECK(graph.events[7].rmw_partner == 6);
  CHECK(graph.events[7].labels.atomic);
  CHECK(!graph.events[7].labels.no_return);
  CHECK(graph.exprs[graph.events[7].value].op == Op::add);
  CHECK(graph.events[6].text == "atom.acq_rel.sys.add r1, x, 3");
  CHECK(graph.events[6].position.line == 5);
}

/// What the atomic stores when it reads `old`; nothing when it does not write.
std::optional<event::Value> stored(const std::string& instruction, event::Value old) {
  const auto graph =
      lowered(one_thread(".global .u32 x; .global .s32 s; .global .b64 b;", instruction, kAlways));
  const auto write = events_of(graph, EventKind::write).at(0);
  const auto read = [&](const event::Node&) { return std::optional<event::Value>(old); };
  if (graph.exprs.evaluate(graph.events[write].guard, read) == 0) return std::nullopt;
  return graph.exprs.evaluate(graph.events[write].value, read);
}

TEST_CASE("atomic operations") {
  CHECK(stored("atom.global.add.u32 %r, [x], 2;", 0xffffffff) == 1);
  CHECK(stored("atom.global.exch.b32 %r, [x], 2;", 7) == 2);
  CHECK(stored("atom.global.and.b32 %r, [x], 6;", 3) == 2);
  CHECK(stored("atom.global.or.b32 %r, [x], 6;", 3) == 7);
  CHECK(stored("atom.global.xor.b32 %r, [x], 6;", 3) == 5);
  CHECK(stored("atom.global.min.u32 %r, [x], 1;", 0xffffffff) == 1);
  CHECK(stored("atom.global.min.s32 %r, [s], 1;", 0xffffffff) == 0xffffffff);
  CHECK(stored("atom.global.max.u32 %r, [x], 1;", 0xffffffff) == 0xffffffff);
  CHECK(stored("atom.global.max.s32 %r, [s], 1;", 0xffffffff) == 1);
  CHECK(stored("atom.global.inc.u32 %r, [x], 5;", 4) == 5);
  CHECK(stored("atom.global.inc.u32 %r, [x], 5;", 5) == 0);
  CHECK(stored("atom.global.inc.u32 %r, [x], 5;", 9) == 0);
  CHECK(stored("atom.global.dec.u32 %r, [x], 5;", 4) == 3);
  CHECK(stored("atom.global.dec.u32 %r, [x], 5;", 0) == 5);
  CHECK(stored("atom.global.dec.u32 %r, [x], 5;", 6) == 5);
  CHECK(stored("atom.global.cas.b32 %r, [x], 5, 9;", 5) == 9);
  CHECK(stored("atom.global.cas.b32 %r, [x], 5, 9;", 6) == std::nullopt);
  CHECK(stored("red.global.add.u64 [b], 1;", 4) == 5);
}

TEST_CASE("atomic operations that only short forms have") {
  const auto stores = [](const std::string& instruction, event::Value old) {
    const auto graph =
        lowered("PTX t\n{ uint32_t x; int s; }\n P0 ;\n " + instruction + " ;\nforall (true)\n");
    const auto write = events_of(graph, EventKind::write).at(0);
    return graph.exprs.evaluate(graph.events[write].value,
                                [&](const event::Node&) { return std::optional<event::Value>(old); });
  };
  CHECK(stores("atom.sub r1, x, 2", 1) == 0xffffffff);
  CHECK(stores("atom.mul r1, x, 3", 5) == 15);
  CHECK(stores("atom.div r1, s, 2", 0xfffffffe) == 0xffffffff);
}

TEST_CASE("cas: the write is guarded by success, which is a decision") {
  const auto graph =
      lowered(one_thread(".global .u32 x;", "atom.relaxed.gpu.global.cas.b32 %r, [x], 0, 1;", kAlways));
  REQUIRE(graph.decisions.size() == 1);
  const auto write = events_of(graph, EventKind::write).at(0), read = events_of(graph, EventKind::read).at(0);
  CHECK(graph.events[write].guard == graph.decisions[0].condition);
  CHECK(graph.exprs.is_true(graph.events[read].guard));
  CHECK(base(event::compute_base(graph), "ctrl").test(read, write));
}

TEST_CASE("red, and an atom without destination, return nothing (D18)") {
  const auto graph = lowered(one_thread(".global .u32 x;",
                                        "red.global.add.u32 [x], 1; atom.global.add.u32 _, [x], 1;"
                                        "atom.global.add.u32 %r, [x], 1;",
                                        kAlways));
  std::vector<bool> no_return;
  for (const auto e : events_of(graph, EventKind::read))
    no_return.push_back(graph.events[e].labels.no_return);
  CHECK(no_return == std::vector<bool>{true, true, false});
  CHECK(graph.events[events_of(graph, EventKind::read)[0]].labels.scope == Scope::gpu);
}

TEST_CASE("volatile is relaxed at scope sys, weak has no scope") {
  const auto graph = lowered(
      one_thread(".global .u32 x;", "ld.volatile.global.u32 %r, [x]; ld.weak.global.u32 %s, [x];", kAlways));
  const auto reads = events_of(graph, EventKind::read);
  CHECK(graph.events[reads[0]].labels.scope == Scope::sys);
  CHECK(graph.events[reads[1]].labels.scope == Scope::none);
}

TEST_CASE("loaded values widen by the sign of the load") {
  const auto final_of = [](const std::string& code) {
    const auto graph = lowered(one_thread(".global .u32 x;", code, "locations [P0:%r;] forall (true)"));
    return graph.exprs.evaluate(observable(graph, "0:r").value,
                                [](const auto&) { return std::optional<event::Value>(0xffffffff); });
  };
  CHECK(final_of("ld.global.u32 %a, [x]; mov.u64 %r, %a;") == 0xffffffff);
  CHECK(final_of("ld.global.s32 %a, [x]; mov.u64 %r, %a;") == -1);
  CHECK(final_of("ld.global.u32 %r, [x];") == 0xffffffff);
}

TEST_CASE("dependencies: data through registers, gone when folding removes the value") {
  const auto dep = [](const std::string& code) {
    const auto graph = lowered(one_thread(".global .u32 x; .global .u32 y;", code, kAlways));
    return base(event::compute_base(graph), "dep")
        .test(events_of(graph, EventKind::read)[0], events_of(graph, EventKind::write)[0]);
  };
  CHECK(dep("ld.relaxed.gpu.u32 %r, [x]; add.u32 %s, %r, 1; st.relaxed.gpu.u32 [y], %s;"));
  CHECK(!dep("ld.relaxed.gpu.u32 %r, [x]; xor.b32 %s, %r, %r; st.relaxed.gpu.u32 [y], %s;"));
  CHECK(!dep("ld.relaxed.gpu.u32 %r, [x]; and.b32 %s, %r, 0; st.relaxed.gpu.u32 [y], %s;"));
  CHECK(dep("ld.relaxed.gpu.u32 %r, [x]; setp.eq.u32 %p, %r, 1; @%p st.relaxed.gpu.u32 [y], 1;"));
  CHECK(
      dep("ld.relaxed.gpu.u32 %r, [x]; setp.eq.u32 %p, %r, 1; selp.u32 %s, 1, 2, %p; st.relaxed.gpu.u32 [y], "
          "%s;"));
  CHECK(
      !dep("ld.relaxed.gpu.u32 %r, [x]; setp.eq.u32 %p, %r, 1; selp.u32 %s, 2, 2, %p; st.relaxed.gpu.u32 "
           "[y], %s;"));
  CHECK(!dep("ld.relaxed.gpu.u32 %r, [x]; setp.eq.u32 %p, %r, 1; @%p bra L; L: st.relaxed.gpu.u32 [y], 1;"));
}

TEST_CASE("a predicated access exists under its predicate") {
  const auto graph = lowered(one_thread(".global .u32 x;",
                                        "ld.relaxed.gpu.u32 %r, [x]; setp.eq.u32 %p, %r, 1; mov.u32 %s, 9;"
                                        "@!%p ld.relaxed.gpu.u32 %s, [x];",
                                        "locations [P0:%s;] forall (true)"));
  const auto reads = events_of(graph, EventKind::read);
  REQUIRE(graph.decisions.size() == 1);
  CHECK(graph.exprs[graph.events[reads[1]].guard].op == Op::not_);
  const auto value = [&](event::Value first) {
    return graph.exprs.evaluate(observable(graph, "0:s").value, [&](const event::Node& n) {
      return std::optional<event::Value>(n.atom == reads[0] ? first : 4);
    });
  };
  CHECK(value(1) == 9);
  CHECK(value(0) == 4);
}

TEST_CASE("addresses: arrays, registers that hold one, and how they print") {
  const auto graph =
      lowered(one_thread(".global .u32 a[4] = {1,2,3,4}; .global .u32 x; .global .u64 ptr = x;",
                         "mov.u64 %rd, a; add.u64 %rd, %rd, 4; ld.global.u32 %r, [%rd+4];"
                         "st.global.u32 [a+12], 7; ld.global.u64 %q, [ptr];",
                         "locations [P0:%rd; a[1];] forall (true)"));
  std::vector<std::string> cells;
  for (const auto& cell : graph.cells) cells.push_back(cell.name);
  CHECK(cells == std::vector<std::string>{"a[1]", "a[2]", "a[3]", "ptr"});
  CHECK(graph.exprs[graph.events[1].value].constant == 3);
  CHECK(graph.events[events_of(graph, EventKind::read)[0]].cell == 1);
  CHECK(graph.events[events_of(graph, EventKind::write)[0]].cell == 2);
  const auto printed = [&](event::Value value) {
    for (const auto& [v, name] : graph.symbols) {
      if (v == value) return name;
    }
    return std::string();
  };
  CHECK(printed(folded(graph, "0:rd")) == "a[1]");
  CHECK(printed(graph.exprs[graph.events[3].value].constant) == "x");
  CHECK(observable(graph, "a[1]").is_memory);
}

TEST_CASE("addresses keep clear of the test's constants") {
  const auto graph = lowered(one_thread(".global .u32 x;", "mov.u64 %r, x; mov.u64 %s, 0x10000000;",
                                        "locations [P0:%r; P0:%s;] forall (true)"));
  CHECK(folded(graph, "0:r") != folded(graph, "0:s"));
}

TEST_CASE("aliases share the cell, not the name") {
  const auto graph = lowered(
      "PTX t\n{ x=0; y @ generic aliases x; s @ surface aliases y; t @ texture aliases x; }\n P0@cta 0,gpu 0 "
      ";\n"
      " st.weak x, 1 ;\n ld.weak r0, y ;\n sust.weak s, 2 ;\n tld.weak r1, t ;\nexists (y == 1)\n");
  CHECK(graph.cells.size() == 1);
  REQUIRE(graph.names.size() == 4);
  const auto& x = graph.events[1].labels;
  const auto& y = graph.events[2].labels;
  const auto& s = graph.events[3].labels;
  const auto& t = graph.events[4].labels;
  CHECK(x.generic_name != y.generic_name);
  CHECK(s.generic_name == y.name);
  CHECK(s.name != y.name);
  CHECK(t.generic_name == x.name);
  CHECK(s.proxy == Proxy::surface);
  CHECK(t.proxy == Proxy::texture);
  CHECK(graph.names[t.name].proxy == Proxy::texture);
  CHECK(graph.observables[0].name == "[y]");
}

TEST_CASE(".shared has an instance per CTA that accesses it") {
  const std::string text =
      "PTX t\n{ .shared .u32 s; .global .u32 x; }\n P0 @ cta 0 | P1 @ cta 0 | P2 @ cta 1 ;\n"
      " st.shared.u32 [s], 1 | ld.shared.u32 %r0, [s] | ld.shared.u32 %r0, [s] ;\n";
  const auto graph = lowered(text + "forall (true)\n");
  REQUIRE(graph.cells.size() == 2);
  CHECK(graph.cells[0].cta != graph.cells[1].cta);
  const auto reads = events_of(graph, EventKind::read);
  CHECK(graph.events[reads[0]].cell == 0);
  CHECK(graph.events[reads[1]].cell == 1);
  CHECK(fails_with(text + "forall (s == 0)\n", "an instance in each of 2 CTAs"));
  const auto one =
      lowered("PTX t\n{ .shared .u32 s; }\n P0 @ cta 3 ;\n st.shared.u32 [s], 1 ;\nexists (s == 1)\n");
  CHECK(one.cells.size() == 1);
}

TEST_CASE("addresses are terms only where something depends on where variables lie") {
  const auto has_place = [](const std::string& code, const std::string& condition) {
    const auto graph =
        lowered(one_thread(".global .u32 x; .global .u32 y; .global .u64 p;", code, condition));
    const auto& terms = graph.exprs.terms();
    return std::any_of(terms.begin(), terms.end(), [](const event::Term& term) { return term.is_place; });
  };
  const std::string load =
      "mov.u64 %a, x; st.global.u64 [p], %a; ld.global.u64 %b, [p]; ld.global.u32 %r, [%b];";
  CHECK(!has_place(load, "exists (P0:%a == &x)"));
  CHECK(!has_place(load, "exists (P0:%b == 0)"));  // no variable is there
  CHECK(!has_place(load + "setp.eq.u64 %p, %b, %a; selp.u32 %s, 1, 2, %p;", "exists (P0:%s == 1)"));
  CHECK(!has_place(load + "sub.u64 %d, %b, %a;", kAlways));               // nobody looks at it
  CHECK(has_place(load + "sub.u64 %d, %b, %a;", "exists (P0:%d == 0)"));  // p may hold y's address, or 0
  CHECK(!has_place("mov.u64 %a, x; add.u64 %b, %a, 4; sub.u64 %d, %b, %a;", "exists (P0:%d == 4)"));
  CHECK(has_place(load, "exists (P0:%a == 4096)"));
  CHECK(has_place(load + "and.b64 %d, %b, 7;", "exists (P0:%d == 0)"));
  CHECK(!has_place(load + "and.b64 %d, %b, 3;", "exists (P0:%d == 0)"));
  CHECK(has_place(load + "shr.u64 %d, %b, 2;", "exists (P0:%d == 0)"));
  CHECK(
      has_place("mov.u64 %a, x; mov.u64 %b, y; setp.lt.u64 %p, %a, %b; @%p st.global.u32 [x], 1;", kAlways));
}

TEST_CASE("unset memory: zero, but .shared holds an unknown constant") {
  const auto graph = lowered(one_thread(".shared .u32 s; .global .u32 x;",
                                        "ld.shared.u32 %r, [s]; ld.global.u32 %q, [x]; setp.eq.u32 %p, %r, 5;"
                                        "@%p st.global.u32 [x], 1;",
                                        "exists (P0:%r == 7)"));
  const event::Node& initial = graph.exprs[graph.events[0].value];
  CHECK(initial.op == Op::term);
  REQUIRE(graph.exprs.terms().size() == 1);
  const event::Term& term = graph.exprs.terms()[initial.atom];
  CHECK(term.name == "s_init");
  CHECK(term.width == 32);
  CHECK(!term.is_place);
  CHECK(graph.symbols.back() == std::pair<event::Value, std::string>{term.sample, "s_init"});
  CHECK(graph.exprs.is_constant(graph.events[1].value));
}

TEST_CASE("5.4.4: a shorter initializer is filled up with zeros in every state space") {
  const auto graph =
      lowered(one_thread(".shared .u32 s[4] = {7}; .shared .u32 t[2];",
                         "ld.shared.u32 %r, [s]; ld.shared.u32 %q, [s+12]; ld.shared.u32 %p, [t];", kAlways));
  std::size_t unknown = 0;
  for (const auto& event : graph.events) {
    if (event.kind != event::EventKind::initial_write) continue;
    const bool known = graph.exprs.is_constant(event.value);
    CHECK(known == (graph.cells[event.cell].name.front() == 's'));
    unknown += known ? 0 : 1;
  }
  CHECK(unknown == 1);
}

TEST_CASE("untyped variables take the width of their accesses") {
  const auto graph = lowered(
      "PTX t\n{ x=-1; }\n P0@cta 0,gpu 0 ;\n st.weak.u32 x, 5 ;\n ld.weak r0, x ;\nforall (x == -1)\n");
  CHECK(graph.cells[0].width == 32);
  CHECK(graph.exprs[graph.events[0].value].constant == 0xffffffff);
  const auto none = lowered("PTX t\n{ x=-1; }\n P0@cta 0,gpu 0 ;\n ld.weak r0, x ;\nforall (x == -1)\n");
  CHECK(none.cells[0].width == 64);
}

TEST_CASE("placement: numbers per gpu, fresh CTAs and clusters where none is said") {
  const auto graph = lowered(
      "PTX t\n{ x=0; }\n P0 @ gpu 0, cta 0 | P1 @ gpu 0, cta 0 | P2 @ gpu 1, cta 0 | P3 | P4 | P5 @ cluster "
      "1, cta 5 |"
      " P6 @ cluster 1, cta 6 | P7 @ cta 5 | P8 @ host ;\n ld.weak r0, x | ld.weak r0, x | ld.weak r0, x |"
      " ld.weak r0, x | ld.weak r0, x | ld.weak r0, x | ld.weak r0, x | ld.weak r0, x | ld.weak r0, x ;\n"
      "forall (true)\n");
  const auto& t = graph.threads;
  CHECK(t[0].cta == t[1].cta);
  CHECK(t[0].cta != t[2].cta);
  CHECK(t[3].cta != t[4].cta);
  CHECK(t[3].cluster != t[4].cluster);
  CHECK(t[5].cta != t[6].cta);
  CHECK(t[5].cluster == t[6].cluster);
  CHECK(t[7].cta == t[5].cta);
  CHECK(t[7].cluster == t[5].cluster);
  CHECK(t[8].host);
  CHECK(t[8].cta != t[0].cta);
}

TEST_CASE("errors about memory") {
  const std::string decl = ".global .u32 x; .global .u32 a[2]; .shared .u32 s; .global .u64 p;";
  const auto error = [&](const std::string& code, const char* part) {
    CHECK_MESSAGE(fails_with(one_thread(decl, code, kAlways), part), code);
  };
  error("ld.global.u64 %r, [x];", "8 bytes at offset 0 are outside of x");
  error("ld.global.u16 %r, [x+1];", "misaligned");
  const auto declared = [&](const std::string& align, const std::string& code) {
    return fails_with(one_thread(".shared " + align + " .b8 s[16];", code, kAlways),
                      "declared with an alignment of");
  };
  CHECK(declared(".align 1", "st.shared.u32 [s], 1;"));
  CHECK(declared(".align 4", "mbarrier.init.shared.b64 [s], 1;"));
  CHECK(declared(".align 8", "st.shared.v2.u64 [s], {1, 2};"));
  error("ld.global.u32 %r, [a+2];", "offset 2 of a is no multiple of 4 bytes");
  error("ld.global.u32 %r, [a+8];", "outside of a");
  error("ld.global.u32 %r, [a+9223372036854775804];", "outside of a");
  error("ld.global.u32 %r, [a-9223372036854775808];", "outside of a");
  error("ld.shared.u32 %r, [x];", "x is .global");
  error("ld.global.u32 %r, [s];", "s is .shared");
  error("mov.u64 %q, 3; ld.global.u32 %r, [%q];", "no address");
  error("ld.const.u32 %r, [x];", ".const");
  CHECK(fails_with(
      "PTX t\n{ x=0; t @ texture aliases x; }\n P0@cta 0,gpu 0 ;\n suld.weak r0, t ;\nforall (true)\n",
      "texture"));
}

TEST_CASE("errors about placement and host threads") {
  const auto text = [](const std::string& place, const std::string& code) {
    return "PTX t\n{ .global .u32 x; .shared .u32 s; }\n P0 @ " + place + " ;\n " + code +
           " ;\nforall (true)\n";
  };
  CHECK(fails_with(text("host", "ld.relaxed.gpu.global.u32 %r, [x]"), "scope sys only"));
  CHECK(fails_with(text("host", "fence.sc.cta"), "scope sys only"));
  CHECK(fails_with(text("host", "ld.weak.shared.u32 %r, [s]"), "host"));
  CHECK(fails_with(text("host", "bar.sync 0"), "host"));
  CHECK(error_of(text("host", "ld.relaxed.sys.global.u32 %r, [x]")).empty());
  CHECK(error_of(text("host", "ld.volatile.global.u32 %r, [x]")).empty());
  CHECK(
      fails_with("PTX t\n{ x=0; }\n P0 @ cluster 0, cta 1 | P1 @ cluster 1, cta 1 ;\n ld r0, 1 | ld r0, 1 ;\n"
                 "forall (true)\n",
                 "in cluster 0 and in cluster 1"));
}

}  // namespace
}  // namespace ptxmc::lower
