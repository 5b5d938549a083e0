// SPDX-License-Identifier: Apache-2.0
// The cells of tensor memory: the coarsest partition that no access splits.
//
// An access covers rectangles of lanes and columns. Their edges divide the plane into boxes; boxes that the
// same accesses cover are one cell, so two accesses overlap exactly iff they have a cell in common. Cost:
// edges of lanes times edges of columns times accesses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ptx/footprint/tensor_memory.h"

namespace ptxmc::lower {

using footprint::TensorBox;
using footprint::TensorRegion;

/// A cell: boxes of one CTA's tensor memory, by column and then by lane.
struct TensorCell {
  std::uint32_t cta = 0;
  TensorRegion boxes;
};

/// Columns that are allocated together.
struct TensorAllocation {
  std::uint32_t cta = 0;
  std::int64_t column = 0, columns = 0;
  std::uint32_t owner = 0;  // who has it: the CTA, or the lower one of a pair that allocates together
};

class TensorCells {
 public:
  void access(std::uint32_t cta, const TensorRegion& region) { accesses_[cta].push_back(region); }
  void freeze();
  /// After freeze(): by CTA, column and lane.
  const std::vector<TensorCell>& cells() const { return cells_; }
  /// After freeze(): numbers of the cells in a region, ascending.
  std::vector<std::size_t> covering(std::uint32_t cta, const TensorRegion& region) const;

 private:
  void divide(std::uint32_t cta, const std::vector<TensorRegion>& accesses);

  std::map<std::uint32_t, std::vector<TensorRegion>> accesses_;  // by CTA
  std::vector<TensorCell> cells_;
};

}  // namespace ptxmc::lower
