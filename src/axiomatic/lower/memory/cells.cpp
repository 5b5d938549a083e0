// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/memory/cells.h"

#include <algorithm>

namespace ptxmc::lower {
namespace {

using event::CellId;

constexpr std::uint32_t kWord = 8;  // bytes of the widest cell

}  // namespace

void Cells::access(const Block& block, Range range) {
  blocks_[block].accesses.push_back(range);
}

void Cells::tile(const Block& block, Range range) {
  blocks_[block].tiles.push_back(range);
}

void Cells::link(const Block& from, std::int64_t begin, const Block& to, std::int64_t at,
                 std::uint32_t bytes) {
  links_.push_back({from, to, begin, at, bytes});
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
    const bool seen = !division.accesses.empty() || !division.tiles.empty() || !division.cells.empty();
    if (block.variable == variable && seen) found.push_back(block.instance);
  }
  return found;
}

/// The boundaries that the accesses of a block themselves make.
void Cells::cut(Division& division) {
  std::set<std::int64_t>& cuts = division.cuts;
  for (const Range& range : division.accesses) {
    cuts.insert(range.begin);
    cuts.insert(range.end());
    for (std::int64_t at = range.begin + kWord; at < range.end(); at += kWord) cuts.insert(at);
  }
  for (const Range& range : division.tiles) {
    cuts.insert(range.begin);
    cuts.insert(range.end());
  }
  if (division.tiles.empty()) return;
  for (const Range& range : division.observations) {
    cuts.insert(range.begin);
    cuts.insert(range.end());
  }
}

void Cells::cut_bytes(Division& division) {
  std::set<std::int64_t> inside;  // boundaries that no kept element may have
  for (const Range& range : division.kept) {
    for (std::int64_t at = range.begin + 1; at < range.end(); ++at) inside.insert(at);
  }
  for (const Range& range : division.accesses) {
    for (std::int64_t at = range.begin; at < range.end(); ++at) {
      if (!inside.contains(at)) division.cuts.insert(at);
    }
  }
}

/// In a variable that holds values, divides what copies cover into words. True when that added a boundary.
bool Cells::cut_wide(const Block& block, Division& division) const {
  if (!refined_.contains(block.variable)) return false;
  bool added = false;
  for (const Range& range : division.tiles) {
    for (std::int64_t at = range.begin; at < range.end();) {
      const std::int64_t next = *division.cuts.upper_bound(at);
      if (next - at > kWord) added = division.cuts.insert(at + kWord).second || added;
      at = std::min(next, at + kWord);
    }
  }
  return added;
}

/// Boundaries at one end of a copy are boundaries at the other.
bool Cells::cut_alike(const Link& link) {
  bool added = false;
  const auto carry = [&](const Block& from, std::int64_t begin, const Block& to, std::int64_t at) {
    const std::set<std::int64_t> known = blocks_[from].cuts;
    for (auto cut = known.upper_bound(begin); cut != known.end() && *cut <= begin + link.bytes; ++cut) {
      added = blocks_[to].cuts.insert(*cut - begin + at).second || added;
    }
  };
  carry(link.from, link.begin, link.to, link.at);
  carry(link.to, link.at, link.from, link.begin);
  return added;
}

void Cells::divide(const Block& block, Division& division) {
  const std::set<std::int64_t>& cuts = division.cuts;
  std::vector<Range> covered = division.accesses;
  covered.insert(covered.end(), division.tiles.begin(), division.tiles.end());
  covered = united(covered);
  std::vector<Range> pieces;
  for (const Range& range : covered) {
    for (auto at = cuts.find(range.begin); *at < range.end(); ++at) {
      pieces.push_back({*at, static_cast<std::uint32_t>(*std::next(at) - *at)});
    }
  }
  // What only conditions show: the gaps of an observed range, whole.
  for (const Range& seen : division.observations) {
    std::int64_t at = seen.begin;
    const auto gap = [&](std::int64_t end) {
      if (at < end) pieces.push_back({at, static_cast<std::uint32_t>(end - at)});
    };
    for (const Range& range : covered) {
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
  for (auto& [block, division] : blocks_) {
    cut(division);
    if (shattered_.contains(block.variable)) cut_bytes(division);
  }
  for (bool added = true; added;) {
    added = false;
    for (auto& [block, division] : blocks_) added = cut_wide(block, division) || added;
    for (const Link& link : links_) added = cut_alike(link) || added;
  }
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
