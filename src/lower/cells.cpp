// SPDX-License-Identifier: Apache-2.0
#include "lower/cells.h"

#include <algorithm>

namespace ptxmc::lower {
namespace {

using event::CellId;

constexpr std::uint32_t kWord = 8;  // bytes of the widest cell

/// Sorts ranges and joins those that touch.
std::vector<Range> united(std::vector<Range> ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  std::vector<Range> out;
  for (const Range& range : ranges) {
    if (out.empty() || range.begin > out.back().end()) {
      out.push_back(range);
    } else {
      const std::int64_t end = std::max(out.back().end(), range.end());
      out.back().bytes = static_cast<std::uint32_t>(end - out.back().begin);
    }
  }
  return out;
}

}  // namespace

void Cells::access(const Block& block, Range range) {
  blocks_[block].accesses.push_back(range);
}

void Cells::observe(const Block& block, Range range) {
  blocks_[block].observations.push_back(range);
}

void Cells::split(const Block& block, std::int64_t at) {
  blocks_[block].cuts.insert(at);
}

std::vector<std::int64_t> Cells::instances(VariableId variable) const {
  std::vector<std::int64_t> found;
  for (const auto& [block, division] : blocks_) {
    const bool seen = !division.accesses.empty() || !division.cells.empty();
    if (block.variable == variable && seen) found.push_back(block.instance);
  }
  return found;
}

void Cells::divide(const Block& block, Division& division) {
  std::set<std::int64_t> cuts = division.cuts;
  for (const Range& range : division.accesses) {
    cuts.insert(range.begin);
    cuts.insert(range.end());
    for (std::int64_t at = range.begin + kWord; at < range.end(); at += kWord) cuts.insert(at);
  }
  std::vector<Range> pieces;
  for (const Range& range : united(division.accesses)) {
    for (auto at = cuts.find(range.begin); *at < range.end(); ++at) {
      pieces.push_back({*at, static_cast<std::uint32_t>(*std::next(at) - *at)});
    }
  }
  // What only conditions show: the gaps of an observed range, whole.
  const std::vector<Range> accessed = united(division.accesses);
  for (const Range& seen : division.observations) {
    std::int64_t at = seen.begin;
    const auto gap = [&](std::int64_t end) {
      if (at < end) pieces.push_back({at, static_cast<std::uint32_t>(end - at)});
    };
    for (const Range& range : accessed) {
      if (range.end() <= at || range.begin >= seen.end()) continue;
      gap(range.begin);
      at = std::max(at, range.end());
    }
    gap(seen.end());
  }
  std::sort(pieces.begin(), pieces.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  for (const Range& piece : pieces) {
    const bool fresh = division.cells.try_emplace(piece.begin, static_cast<CellId>(owners_.size())).second;
    if (fresh) owners_.push_back({block, piece});  // an element that is shown twice is one gap
  }
}

void Cells::freeze() {
  for (auto& [block, division] : blocks_) divide(block, division);
}

std::vector<CellId> Cells::covering(const Block& block, Range range) const {
  std::vector<CellId> found;
  const auto place = blocks_.find(block);
  if (place == blocks_.end()) return found;
  const auto& cells = place->second.cells;
  auto at = cells.upper_bound(range.begin);
  if (at != cells.begin()) --at;
  for (; at != cells.end() && at->first < range.end(); ++at) {
    if (owners_[at->second].range.end() > range.begin) found.push_back(at->second);
  }
  return found;
}

}  // namespace ptxmc::lower
