// SPDX-License-Identifier: Apache-2.0
#include "repair/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace ptxmc::repair {

namespace {

bool is_fence(const program::Instruction& instruction) {
  return instruction.opcode == isa::Opcode::fence;
}

/// It goes on for as long as others let it: it reads, and jumps back.
bool only_waits(const program::Instruction& instruction) {
  using isa::Opcode;
  return !acts(instruction) || instruction.opcode == Opcode::ld || instruction.opcode == Opcode::fence ||
         instruction.opcode == Opcode::mbarrier_try_wait || instruction.opcode == Opcode::mbarrier_test_wait;
}

/// After which instructions one is inside a loop that only waits.
std::vector<bool> inside_spins(const Layout& layout, std::size_t code) {
  std::vector<bool> out(layout.size(code));
  std::map<std::string, std::size_t> labels;
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (const std::string& label : layout.instruction(code, i).labels) labels.emplace(label, i);
    for (const program::Operand& operand : layout.instruction(code, i).operands) {
      const auto* label = std::get_if<program::LabelName>(&operand.value);
      if (label == nullptr || !labels.contains(label->name)) continue;
      const std::size_t begin = labels.at(label->name);
      bool waits = true;
      for (std::size_t k = begin; k <= i; ++k) waits = waits && only_waits(layout.instruction(code, k));
      for (std::size_t k = begin; waits && k < i; ++k) out[k] = true;
    }
  }
  return out;
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
  return fmt::format("{} {} line {}", who, before ? "before" : "after", line);
}

std::vector<Point> points_of(const Layout& layout, std::size_t code) {
  std::vector<Point> out;
  const std::size_t count = layout.size(code);
  std::size_t last = count;
  for (std::size_t i = 0; i < count; ++i) {
    if (acts(layout.instruction(code, i))) last = i;
  }
  if (last == count) return out;
  const std::vector<bool> spins = inside_spins(layout, code);
  out.push_back({code, -1, false, false, false});
  bool begun = false, fresh = false;  // something acted; nothing was put after it yet
  std::size_t acted = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const program::Instruction& instruction = layout.instruction(code, i);
    if (isa::traits(instruction.opcode).has(isa::Trait::ends)) continue;
    const bool jump =
        isa::traits(instruction.opcode).family == isa::Family::control && !instruction.text.empty();
    if (begun && acts(instruction)) {
      if (!instruction.labels.empty() && !layout.columns() && !spins[i])
        out.push_back({code, static_cast<std::ptrdiff_t>(i), true});
      out.back().fenced = out.back().fenced || is_fence(instruction);
    }
    if (acts(instruction)) {
      begun = true, fresh = true, acted = i;
    } else if (!(jump && begun)) {
      continue;
    }
    if ((jump && !fresh) || spins[i]) continue;
    out.push_back({code, static_cast<std::ptrdiff_t>(i), false, i < last,
                   is_fence(layout.instruction(code, acted)) && i == acted});
  }
  return out;
}

}  // namespace ptxmc::repair
