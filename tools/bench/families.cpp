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
    out.push_back({all, increments(all, n, n)});
    out.push_back({lost, increments(lost, n, n - 1)});
  }
  for (const unsigned n : {12U, 16U, 24U, 32U, 48U, 64U}) {
    const std::string name = fmt::format("Ticketlock-{}", n);
    out.push_back({name, ticket_lock(name, n)});
  }
  return out;
}

}  // namespace ptxmc::bench
