// SPDX-License-Identifier: Apache-2.0
// Layout of tensor memory: .tensor variables, allocations, and the cells.
#include <algorithm>

#include "axiomatic/lower/memory/layout.h"
#include "ptx/rules/limits.h"
#include "support/check.h"

namespace ptxmc::lower {
namespace {

std::string numbers(const char* what, std::int64_t begin, std::int64_t count) {
  const std::string first = std::to_string(begin);
  if (count == 1) return std::string(what) + " " + first;
  return std::string(what) + "s " + first + "-" + std::to_string(begin + count - 1);
}

}  // namespace

/// 9.7.16.1.2: 32 to 512 columns, a power of two; the variables lie one after the other.
void Layout::assign_tensor_columns() {
  for (VariableId id = 0; id < variables(); ++id) {
    if (root_[id] != id || !is_tensor(id)) continue;
    const program::Variable& v = variable(id);
    tensor_columns_[id] = declared_columns_;
    if (v.name == kTensorMemory) continue;
    if (!rules::is_column_count(v.elements) || bits(id) != 32) {
      errors_.fail(v.position,
                   v.name + ": a .tensor variable has 32, 64, 128, 256 or 512 columns of 32 bits");
    }
    for (std::uint32_t cta = 0; cta < ctas_; ++cta)
      allocations_.push_back({cta, declared_columns_, static_cast<std::int64_t>(v.elements), cta});
    declared_columns_ += v.elements;
    if (declared_columns_ > footprint::kTensorColumns)
      errors_.fail(v.position, ".tensor variables have more than " +
                                   std::to_string(footprint::kTensorColumns) + " columns together");
  }
  for (VariableId id = 0; id < variables(); ++id) {
    if (root_[id] != id && is_tensor(id)) errors_.fail(variable(id).position, "tensor memory has no aliases");
  }
}

VariableId Layout::tensor_memory() const {
  const auto place = ids_.find(kTensorMemory);
  PTXMC_CHECK(place != ids_.end(), "tensor memory without its variable");
  return place->second;
}

void Layout::note_allocation(const TensorAllocation& allocation) {
  const bool known =
      std::any_of(allocations_.begin(), allocations_.end(), [&](const TensorAllocation& other) {
        return other.cta == allocation.cta && other.column == allocation.column;
      });
  if (!known && !frozen_) allocations_.push_back(allocation);
}

std::vector<event::CellId> Layout::tensor_covering(std::uint32_t cta, const TensorRegion& region) const {
  const auto first = static_cast<event::CellId>(cells_.owners().size());
  std::vector<event::CellId> found;
  for (const std::size_t cell : tensor_.covering(cta, region))
    found.push_back(first + static_cast<event::CellId>(cell));
  return found;
}

const TensorCell& Layout::tensor_cell(event::CellId cell) const {
  return tensor_.cells().at(cell - cells_.owners().size());
}

std::uint32_t Layout::named_tensor_cta(VariableId id, Position position) const {
  if (ctas_ > 1) {
    errors_.fail(position, variable(id).name + " is in the tensor memory of " + std::to_string(ctas_) +
                               " CTAs; name a register that was loaded from it instead");
  }
  return 0;
}

std::optional<VariableId> Layout::tensor_variable(std::int64_t column) const {
  for (const auto& [id, first] : tensor_columns_) {
    const bool hidden = variable(id).name == kTensorMemory;
    if (!hidden && column >= first && column < first + variable(id).elements) return id;
  }
  return std::nullopt;
}

/// Columns with an initial value of their own are cells of their own; the others of their variable are zero.
void Layout::freeze_tensor() {
  if (!ids_.contains(kTensorMemory)) return;
  for (const auto& [id, first] : tensor_columns_) {
    if (variable(id).name == kTensorMemory) continue;
    const std::int64_t columns = variable(id).elements;
    const auto stated = static_cast<std::int64_t>(variable(id).initial.size());
    for (std::uint32_t cta = 0; cta < ctas_; ++cta) {
      for (std::int64_t c = 0; c < stated; ++c)
        tensor_.access(cta, {{0, footprint::kTensorLanes, first + c, 1}});
      tensor_.access(cta, {{0, footprint::kTensorLanes, first, columns}});
    }
  }
  tensor_.freeze();
  for (std::size_t i = 0; i < tensor_.cells().size(); ++i) {
    const Block block{tensor_memory(), tensor_.cells()[i].cta};
    owners_.push_back({block, {static_cast<std::int64_t>(i), 4}});
  }
}

/// "acc[3]", "acc[0..7] lanes 0-31", "tensor memory columns 0-7"
std::string Layout::tensor_cell_name(const CellOwner& owner) const {
  const TensorCell& cell = tensor_.cells().at(static_cast<std::size_t>(owner.range.begin));
  const TensorBox& box = cell.boxes.front();
  std::string name;
  if (const auto id = tensor_variable(box.column)) {
    const std::int64_t begin = box.column - tensor_columns_.at(*id);
    name = variable(*id).name + "[" + std::to_string(begin) +
           (box.columns == 1 ? "" : ".." + std::to_string(begin + box.columns - 1)) + "]";
  } else {
    name = numbers("tensor memory column", box.column, box.columns);
  }
  if (box.lanes != footprint::kTensorLanes) name += " " + numbers("lane", box.lane, box.lanes);
  if (ctas_ > 1) name += " of CTA " + std::to_string(cell.cta);
  return name;
}

}  // namespace ptxmc::lower
