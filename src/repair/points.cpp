// SPDX-License-Identifier: Apache-2.0
#include "repair/points.h"

#include <fmt/format.h>

#include <algorithm>

namespace ptxmc::repair {

namespace {

bool is_fence(const program::Instruction& instruction) {
  return instruction.opcode == isa::Opcode::fence;
}

}  // namespace

bool acts(const program::Instruction& instruction) {
  switch (isa::traits(instruction.opcode).family) {
    case isa::Family::arithmetic:
    case isa::Family::control:
      return false;
    default:
      return true;
  }
}

std::string threads_of(const litmus::Test& test, const Layout& layout, std::size_t code) {
  const program::Body* body = test.threads[layout.codes()[code].thread].body.get();
  std::string first, last;
  for (const program::Thread& thread : test.threads) {
    if (thread.body.get() != body) continue;
    (first.empty() ? first : last) = fmt::format("P{}", thread.number);
  }
  return last.empty() ? first : first + "-" + last;
}

std::string Point::place(const litmus::Test& test, const Layout& layout) const {
  const std::string who = threads_of(test, layout, code);
  if (index < 0) return who + " at its beginning";
  const std::uint32_t line = layout.line(code, static_cast<std::size_t>(index));
  return fmt::format("{} {} line {}", who, before ? "before" : "behind", line);
}

std::vector<Point> points_of(const Layout& layout, std::size_t code) {
  std::vector<Point> out;
  const std::size_t count = layout.size(code);
  std::size_t last = count;
  for (std::size_t i = 0; i < count; ++i) {
    if (acts(layout.instruction(code, i))) last = i;
  }
  if (last == count) return out;
  out.push_back({code, -1, false, false, false});
  bool begun = false, fresh = false;  // something acted; nothing was put behind it yet
  std::size_t acted = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const program::Instruction& instruction = layout.instruction(code, i);
    if (isa::traits(instruction.opcode).has(isa::Trait::ends)) continue;
    const bool jump = isa::traits(instruction.opcode).family == isa::Family::control && !instruction.text.empty();
    if (begun && acts(instruction)) {
      if (!instruction.labels.empty() && !layout.columns()) out.push_back({code, static_cast<std::ptrdiff_t>(i), true});
      out.back().fenced = out.back().fenced || is_fence(instruction);
    }
    if (acts(instruction)) {
      begun = true, fresh = true, acted = i;
    } else if (!(jump && begun)) {
      continue;
    }
    if (jump && !fresh) continue;
    out.push_back({code, static_cast<std::ptrdiff_t>(i), false, i < last,
                   is_fence(layout.instruction(code, acted)) && i == acted});
  }
  return out;
}

}  // namespace ptxmc::repair
