// SPDX-License-Identifier: Apache-2.0
#include "session/turn_blocks.h"

#include <algorithm>
#include <map>

namespace ptxmc::session {

namespace {

/// A block that grows: none of its turns reads what one of them compares with.
struct Block {
  std::size_t first = 0;
  std::set<std::uint64_t> read, compared;
};

bool meet(const std::set<std::uint64_t>& a, const std::set<std::uint64_t>& b) {
  return std::any_of(a.begin(), a.end(), [&](std::uint64_t value) { return b.contains(value); });
}

}  // namespace

std::vector<std::size_t> blocks_of(const std::vector<kernel::Turn>& turns) {
  std::vector<std::size_t> out;
  std::map<trace::Address, Block> last;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const kernel::Turn& turn = turns[i];
    Block grown{i, {}, {}};
    const auto before = last.find(turn.at);
    const auto& counted = turn.counted;
    if (counted && before != last.end()) {
      const auto& first = turns[before->second.first].counted;
      if (first && first->op == counted->op && first->operand == counted->operand) grown = before->second;
    }
    if (counted) {
      grown.read.insert(counted->read);
      grown.compared.insert(counted->compared.begin(), counted->compared.end());
      if (meet(grown.read, grown.compared))
        grown = {i, {counted->read}, {counted->compared.begin(), counted->compared.end()}};
    }
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

}  // namespace ptxmc::session
