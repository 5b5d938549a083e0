// SPDX-License-Identifier: Apache-2.0
#include "dynamic/explore/commuting_accesses.h"

#include <algorithm>
#include <map>

#include "support/check.h"

namespace ptxmc::explore {

namespace {

/// A block that grows: none of its turns reads what one of them compares with; or in no order of them does one read other
/// bits of those that they look at.
struct Block {
  std::size_t first = 0;
  std::set<std::uint64_t> read, compared;
  std::vector<std::uint64_t> added = {};
};

bool meet(const std::set<std::uint64_t>& a, const std::set<std::uint64_t>& b) {
  return std::any_of(a.begin(), a.end(), [&](std::uint64_t value) { return b.contains(value); });
}

/// Numbers added in any order, of each turn those of the others before it: they carry into none of the bits.
bool leaves_bits(std::uint64_t begin, const std::vector<std::uint64_t>& added, std::uint64_t bits) {
  const std::uint64_t lowest = bits & (~bits + 1);
  std::uint64_t all = begin & (lowest - 1);
  for (const std::uint64_t number : added) {
    if (number >= lowest) return false;
    all += number;
  }
  return std::all_of(added.begin(), added.end(), [&](std::uint64_t number) { return all - number < lowest; });
}

/// The block with one turn more, which is like the first one; else one of that turn alone.
Block with_bits(Block block, const exec::ContendedAccess::Counted& first,
                const exec::ContendedAccess::Counted& counted, std::size_t turn) {
  block.added.push_back(counted.operand);
  if (block.first == turn || leaves_bits(first.read, block.added, counted.looked_at)) return block;
  return {turn, {}, {}, {counted.operand}};
}

/// Two that may be in one block.
bool are_alike(const exec::ContendedAccess::Counted& a, const exec::ContendedAccess::Counted& b) {
  return a.op == b.op && a.looked_at == b.looked_at && (a.looked_at != 0 || a.operand == b.operand);
}

}  // namespace

std::vector<std::size_t> blocks_of(const std::vector<exec::ContendedAccess>& turns) {
  std::vector<std::size_t> out;
  std::map<trace::Address, Block> last;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const exec::ContendedAccess& turn = turns[i];
    Block grown{i, {}, {}, {}};
    const auto before = last.find(turn.at);
    const auto& counted = turn.counted;
    if (counted && before != last.end()) {
      const auto& first = turns[before->second.first].counted;
      if (first && are_alike(*first, *counted)) grown = before->second;
    }
    if (counted && counted->looked_at != 0) {
      const exec::ContendedAccess::Counted& first = *turns[grown.first].counted;
      grown = with_bits(std::move(grown), first, *counted, i);
    } else if (counted) {
      grown.read.insert(counted->read);
      grown.compared.insert(counted->compared.begin(), counted->compared.end());
      if (meet(grown.read, grown.compared))
        grown = {i, {counted->read}, {counted->compared.begin(), counted->compared.end()}, {}};
    }
    PTXMC_CHECK(grown.first <= i && (grown.first == i || out[grown.first] == grown.first),
                "a block is named by its first access, which comes first");
    out.push_back(grown.first);
    last[turn.at] = std::move(grown);
  }
  return out;
}

std::set<std::size_t> in_blocks(const std::vector<std::size_t>& blocks) {
  std::set<std::size_t> out;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (std::count(blocks.begin(), blocks.end(), blocks[i]) > 1) out.insert(i);
  }
  return out;
}

}  // namespace ptxmc::explore
