// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/memory/tensor_cells.h"

#include <algorithm>
#include <set>

namespace ptxmc::lower {
namespace {

std::vector<std::int64_t> sorted(const std::set<std::int64_t>& edges) {
  return {edges.begin(), edges.end()};
}

/// By column and then by lane.
bool before(const TensorBox& a, const TensorBox& b) {
  return a.column != b.column ? a.column < b.column : a.lane < b.lane;
}

}  // namespace

void TensorCells::divide(std::uint32_t cta, const std::vector<TensorRegion>& accesses) {
  std::set<std::int64_t> lanes, columns;
  for (const TensorRegion& region : accesses) {
    for (const TensorBox& box : region) {
      lanes.insert({box.lane, box.lane + box.lanes});
      columns.insert({box.column, box.column + box.columns});
    }
  }
  const auto rows = sorted(lanes), lines = sorted(columns);
  std::map<std::vector<std::size_t>, TensorRegion> by_accesses;
  for (std::size_t c = 0; c + 1 < lines.size(); ++c) {
    for (std::size_t r = 0; r + 1 < rows.size(); ++r) {
      const TensorBox box{rows[r], rows[r + 1] - rows[r], lines[c], lines[c + 1] - lines[c]};
      std::vector<std::size_t> covered;
      for (std::size_t i = 0; i < accesses.size(); ++i) {
        const bool covers = std::any_of(accesses[i].begin(), accesses[i].end(),
                                        [&](const TensorBox& other) { return overlap(box, other); });
        if (covers) covered.push_back(i);
      }
      if (!covered.empty()) by_accesses[covered].push_back(box);
    }
  }
  std::vector<TensorRegion> regions;
  for (auto& entry : by_accesses) regions.push_back(std::move(entry.second));
  std::sort(regions.begin(), regions.end(),
            [](const TensorRegion& a, const TensorRegion& b) { return before(a.front(), b.front()); });
  for (TensorRegion& region : regions) cells_.push_back({cta, std::move(region)});
}

void TensorCells::freeze() {
  for (auto& [cta, accesses] : accesses_) {
    for (TensorRegion& region : accesses) std::sort(region.begin(), region.end());
    std::sort(accesses.begin(), accesses.end());
    accesses.erase(std::unique(accesses.begin(), accesses.end()), accesses.end());
    divide(cta, accesses);
  }
}

std::vector<std::size_t> TensorCells::covering(std::uint32_t cta, const TensorRegion& region) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const bool inside = std::any_of(region.begin(), region.end(), [&](const TensorBox& box) {
      return overlap(box, cells_[i].boxes.front());
    });
    if (cells_[i].cta == cta && inside) found.push_back(i);
  }
  return found;
}

}  // namespace ptxmc::lower
