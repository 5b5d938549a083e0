// SPDX-License-Identifier: Apache-2.0
#include "repair/kernel/code_points.h"

#include <algorithm>
#include <optional>

#include "ptx/flow/jumps.h"
#include "repair/points.h"

namespace ptxmc::repair {

namespace {

using program::Instruction;

/// The size of the code: it is nowhere there.
std::size_t index_of(const std::vector<Instruction>& code, Position at) {
  const auto found =
      std::find_if(code.begin(), code.end(), [&](const Instruction& i) { return i.position == at; });
  return static_cast<std::size_t>(found - code.begin());
}

bool is_written(const Instruction& i) {
  return i.position.known() && !i.text.empty();
}

/// From the first to the last of the two, and on to the end of the loop that both are in.
struct Stretch {
  std::size_t begin = 0, end = 0;
};
std::optional<Stretch> stretch_of(const std::vector<Instruction>& code, Position first, Position second) {
  const auto [begin, end] = std::minmax({index_of(code, first), index_of(code, second)});
  if (end >= code.size()) return std::nullopt;
  Stretch out{begin, end};
  const std::vector<flow::Jump> jumps = flow::jumps_of(code).of;
  for (std::size_t i = end; i < code.size(); ++i) {
    if (!jumps[i].target || *jumps[i].target > begin) continue;
    out.end = i;
    out.begin = *jumps[i].target;
    break;
  }
  return out;
}

/// Keeps those in the middle of many.
void drop_distant(std::vector<std::size_t>& points, std::size_t middle) {
  constexpr std::size_t kMost = 40;
  if (points.size() <= kMost) return;
  const auto far = [&](std::size_t i) { return i > middle ? i - middle : middle - i; };
  std::nth_element(points.begin(), points.begin() + kMost, points.end(),
                   [&](std::size_t a, std::size_t b) { return far(a) < far(b); });
  points.resize(kMost);
  std::sort(points.begin(), points.end());
}

}  // namespace

std::vector<std::size_t> points_between(const std::vector<Instruction>& code, Position first,
                                        Position second) {
  const auto stretch = stretch_of(code, first, second);
  if (!stretch) return {};
  std::vector<std::size_t> points;
  for (std::size_t i = stretch->begin; i <= std::min(stretch->end + 1, code.size() - 1); ++i) {
    const bool ends = code[i].opcode == isa::Opcode::bra || code[i].opcode == isa::Opcode::nop;
    const bool begins = !code[i].labels.empty();
    const bool near = acts(code[i]) || (i > 0 && acts(code[i - 1]));
    if ((ends || begins || near) && is_written(code[i])) points.push_back(i);
  }
  drop_distant(points, (stretch->begin + stretch->end) / 2);
  return points;
}

std::vector<std::size_t> points_above(const std::vector<Instruction>& code, Position from) {
  constexpr std::size_t kMost = 24;
  std::vector<std::size_t> points;
  std::size_t i = index_of(code, from);
  if (i == code.size()) return points;
  for (; i > 0 && points.size() < kMost; --i) {
    const bool point = acts(code[i - 1]) || !code[i].labels.empty();
    if (point && is_written(code[i])) points.push_back(i);
  }
  return points;
}

}  // namespace ptxmc::repair
