// SPDX-License-Identifier: Apache-2.0
// Cells: the bytes of each variable, divided as coarsely as no access splits a part (8.2.2).
//
// The survey run reports every access and every observation; freeze() divides; the second run asks which
// cells a range of bytes covers. A boundary stands where an access begins or ends, and every 8 bytes of a
// 16-byte access (values have 64 bits at most), so two bytes share a cell iff the same accesses cover them.
// Bytes that no access covers but a condition shows get cells of their own. A same-size test has one cell an
// element.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "event/program_graph.h"

namespace ptxmc::lower {

using VariableId = std::uint32_t;

/// One instance of a variable: .shared variables have one per CTA, .local ones one per thread; others have
/// -1.
struct Block {
  VariableId variable = 0;
  std::int64_t instance = -1;
  friend auto operator<=>(const Block&, const Block&) = default;
};

/// Bytes begin .. begin + bytes - 1 of a block.
struct Range {
  std::int64_t begin = 0;
  std::uint32_t bytes = 0;
  std::int64_t end() const { return begin + bytes; }
};

struct CellOwner {
  Block block;
  Range range;
};

class Cells {
 public:
  void access(const Block& block, Range range);
  void observe(const Block& block, Range range);
  /// No cell goes across byte `at`.
  void split(const Block& block, std::int64_t at);
  /// Instances of a variable that are accessed.
  std::vector<std::int64_t> instances(VariableId variable) const;

  void freeze();
  /// After freeze(): all cells, by block and then by address.
  const std::vector<CellOwner>& owners() const { return owners_; }
  /// After freeze(): the cells that share a byte with the range, ascending.
  std::vector<event::CellId> covering(const Block& block, Range range) const;

 private:
  struct Division {
    std::vector<Range> accesses, observations;
    std::set<std::int64_t> cuts;
    std::map<std::int64_t, event::CellId> cells;  // by first byte
  };
  void divide(const Block& block, Division& division);

  std::map<Block, Division> blocks_;
  std::vector<CellOwner> owners_;
};

}  // namespace ptxmc::lower
