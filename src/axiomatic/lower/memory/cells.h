// SPDX-License-Identifier: Apache-2.0
// Cells: the bytes of each variable, divided as coarsely as no access splits a part (8.2.2).
//
// The survey run reports every access and every observation; freeze() divides; the second run asks which
// cells a range of bytes covers. A boundary stands where an access begins or ends, and every 8 bytes of a
// 16-byte access (values have 64 bits at most), so two bytes share a cell iff the same accesses cover them.
// Bytes that no access covers but a condition shows get cells of their own. A same-size test has one cell an
// element.
//
// An asynchronous copy moves any number of bytes as they are, so a cell that only copies touch may be wider
// than 8 bytes: its value stands for all of them. Source and destination of a copy are divided alike (link),
// so that values are copied cell by cell.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "axiomatic/event/program_graph.h"
#include "ptx/footprint/range.h"

namespace ptxmc::lower {

using VariableId = std::uint32_t;

/// One instance of a variable: .shared variables have one per CTA, .local ones one per thread; others have
/// -1.
struct Block {
  VariableId variable = 0;
  std::int64_t instance = -1;
  friend auto operator<=>(const Block&, const Block&) = default;
};

using footprint::Range;  // of a block

struct CellOwner {
  Block block;
  Range range;
};

class Cells {
 public:
  void access(const Block& block, Range range);
  void observe(const Block& block, Range range);
  /// A copy reads or writes these bytes.
  void tile(const Block& block, Range range);
  /// Bytes that a copy moves: both ends are divided alike.
  void link(const Block& from, std::int64_t begin, const Block& to, std::int64_t at, std::uint32_t bytes);
  /// The variable holds values: none of its cells is wider than 8 bytes.
  void refine(VariableId variable) { refined_.insert(variable); }
  /// What accesses of the variable cover is cut into single bytes, but for the elements that are kept.
  void shatter(VariableId variable) { shattered_.insert(variable); }
  void keep(const Block& block, Range range) { blocks_[block].kept.push_back(range); }
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
    std::vector<Range> accesses, tiles, observations, kept;
    std::set<std::int64_t> cuts;
    std::map<std::int64_t, event::CellId> cells;  // by first byte
  };
  struct Link {
    Block from, to;
    std::int64_t begin = 0, at = 0;
    std::uint32_t bytes = 0;
  };
  static void cut(Division& division);
  static void cut_bytes(Division& division);
  bool cut_wide(const Block& block, Division& division) const;
  bool cut_alike(const Link& link);
  void divide(const Block& block, Division& division);

  std::map<Block, Division> blocks_;
  std::vector<Link> links_;
  std::set<VariableId> refined_, shattered_;
  std::vector<CellOwner> owners_;
};

}  // namespace ptxmc::lower
