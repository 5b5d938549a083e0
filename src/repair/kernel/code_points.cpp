// SPDX-License-Identifier: Apache-2.0
#include "repair/kernel/code_points.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "ptx/flow/jumps.h"
#include "repair/kernel/nesting.h"
#include "repair/points.h"

namespace ptxmc::repair {

namespace {

using program::Instruction;

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

/// Keeps those of many that are farthest out, of these those in the middle.
void drop_deep(std::vector<std::size_t>& points, const Nesting& nesting, std::size_t middle) {
  constexpr std::size_t kMost = 40;
  if (points.size() <= kMost) return;
  std::vector<std::tuple<std::size_t, std::size_t, std::size_t>> keyed;
  for (const std::size_t i : points) keyed.emplace_back(nesting(i), i > middle ? i - middle : middle - i, i);
  std::nth_element(keyed.begin(), keyed.begin() + kMost, keyed.end());
  points.clear();
  for (std::size_t n = 0; n < kMost; ++n) points.push_back(std::get<2>(keyed[n]));
  std::sort(points.begin(), points.end());
}

}  // namespace

std::size_t index_of(const std::vector<Instruction>& code, Position at) {
  const auto found =
      std::find_if(code.begin(), code.end(), [&](const Instruction& i) { return i.position == at; });
  return static_cast<std::size_t>(found - code.begin());
}

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
  drop_deep(points, Nesting(code), (stretch->begin + stretch->end) / 2);
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
