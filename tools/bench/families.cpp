// SPDX-License-Identifier: Apache-2.0
#include "families.h"

#include <fmt/format.h>

namespace ptxmc::bench {

namespace {

// Rows of a test whose threads all run the same, each in a CTA of its own; {} is the thread's number.
std::string threads(unsigned count, const std::vector<std::string>& instructions) {
  std::string out;
  const auto row = [&](const std::string& text) {
    for (unsigned thread = 0; thread < count; ++thread)
      out += (thread == 0 ? " " : " | ") +
             fmt::format(fmt::runtime(text), fmt::arg("i", thread), fmt::arg("next", thread + 1));
    out += " ;\n";
  };
  row("P{i}@cta {i},gpu 0");
  for (const std::string& instruction : instructions) row(instruction);
  return out;
}

std::string increments(const std::string& name, unsigned count, unsigned sum) {
  return fmt::format("PTX {}\n{{\nx=0;\n}}\n{}exists (x == {})\n", name,
                     threads(count, {"atom.relaxed.gpu.add r0, x, 1"}), sum);
}

// The same, where the order of the increments is observed.
std::string ordered_increments(const std::string& name, unsigned count) {
  std::string registers;
  for (unsigned thread = 0; thread < count; ++thread) registers += fmt::format("P{}:r0; ", thread);
  return fmt::format("PTX {}\n{{\nx=0;\n}}\n{}locations [{}x;]\nforall (x == {})\n", name,
                     threads(count, {"atom.relaxed.gpu.add r0, x, 1"}), registers, count);
}

// Everybody writes, fences, and reads what the next one writes.
std::string store_buffering(const std::string& name, unsigned count) {
  std::string objects, rows[4], none;
  for (unsigned i = 0; i < count; ++i) {
    const char* bar = i == 0 ? " " : " | ";
    objects += fmt::format("x{}=0; ", i);
    rows[0] += fmt::format("{0}P{1}@cta {1},gpu 0", bar, i);
    rows[1] += fmt::format("{}st.relaxed.gpu x{}, 1", bar, i);
    rows[2] += fmt::format("{}fence.sc.gpu", bar);
    rows[3] += fmt::format("{}ld.relaxed.gpu r0, x{}", bar, (i + 1) % count);
    none += fmt::format("{}P{}:r0 == 0", i == 0 ? "" : " /\\ ", i);
  }
  return fmt::format("PTX {}\n{{\n{}\n}}\n{} ;\n{} ;\n{} ;\n{} ;\nexists ({})\n", name, objects, rows[0],
                     rows[1], rows[2], rows[3], none);
}

// Two writers, and readers who see them in one order or the other.
std::string independent_reads(const std::string& name, unsigned readers) {
  std::string rows[4] = {" P0@cta 0,gpu 0 | P1@cta 1,gpu 0", " st.relaxed.gpu x, 1 | st.relaxed.gpu y, 1",
                         " | ", " | "};
  std::string all;
  for (unsigned i = 2; i < readers + 2; ++i) {
    const char *first = i % 2 == 0 ? "x" : "y", *second = i % 2 == 0 ? "y" : "x";
    rows[0] += fmt::format(" | P{0}@cta {0},gpu 0", i);
    rows[1] += fmt::format(" | ld.relaxed.gpu r0, {}", first);
    rows[2] += " | fence.sc.gpu";
    rows[3] += fmt::format(" | ld.relaxed.gpu r1, {}", second);
    all += fmt::format("{0}P{1}:r0 == 1 /\\ P{1}:r1 == 0", i == 2 ? "" : " /\\ ", i);
  }
  return fmt::format("PTX {}\n{{\nx=0; y=0;\n}}\n{} ;\n{} ;\n{} ;\n{} ;\nexists ({})\n", name, rows[0],
                     rows[1], rows[2], rows[3], all);
}

// Two critical sections that both read what was there before.
std::string ticket_lock(const std::string& name, unsigned count) {
  std::string inside;
  for (unsigned thread = 0; thread < count; ++thread)
    inside += fmt::format("P{0}:r1 == P{0}:r2 /\\ ", thread);
  return fmt::format("PTX {}\n{{\nin=0; out=0;\nx=0;\n}}\n{}exists ({}P0:r3 == 0 /\\ P1:r3 == 0)\n", name,
                     threads(count, {"atom.acquire.gpu.add r1, in, 1", "L{i}:", "ld.acquire.gpu r2, out",
                                     "beq r1, r2, M{i}", "goto L{i}", "M{i}:", "ld.weak r3, x",
                                     "st.weak x, {next}", "atom.release.gpu.add r4, out, 1"}),
                     inside);
}

}  // namespace

std::vector<FamilyMember> family_members() {
  std::vector<FamilyMember> out;
  for (const unsigned n : {48U, 64U, 96U, 128U}) {
    const std::string all = fmt::format("AtomInc-{}", n), lost = fmt::format("AtomInc-lost-{}", n);
    out.push_back({"", all, increments(all, n, n)});
    out.push_back({"", lost, increments(lost, n, n - 1)});
  }
  for (const unsigned n : {12U, 16U, 24U, 32U, 48U, 64U}) {
    const std::string name = fmt::format("Ticketlock-{}", n);
    out.push_back({"", name, ticket_lock(name, n)});
  }
  for (const unsigned n : {18U, 20U}) {
    const std::string name = fmt::format("SB-all-{}", n);
    out.push_back({"all-states", name, store_buffering(name, n)});
  }
  out.push_back({"all-states", "IRIW-all-12", independent_reads("IRIW-all-12", 12)});
  out.push_back({"all-states", "AtomInc-all-9", ordered_increments("AtomInc-all-9", 9)});
  for (const unsigned n : {6U, 12U, 24U}) {
    const std::string name = fmt::format("SB-count-{}", n);
    out.push_back({"count", name, store_buffering(name, n)});
  }
  for (const unsigned n : {4U, 8U, 12U}) {
    const std::string reads = fmt::format("IRIW-count-{}", n), adds = fmt::format("AtomInc-count-{}", n);
    out.push_back({"count", reads, independent_reads(reads, n)});
    out.push_back({"count", adds, ordered_increments(adds, n)});
  }
  return out;
}

}  // namespace ptxmc::bench
