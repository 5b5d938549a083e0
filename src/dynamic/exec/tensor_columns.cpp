// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/tensor_columns.h"

#include <algorithm>

namespace ptxmc::exec {

TensorColumns::Columns TensorColumns::range(std::int64_t column, std::int64_t columns) {
  Columns out;
  for (std::int64_t i = 0; i < columns; ++i) out.set(static_cast<std::size_t>(column + i));
  return out;
}

void TensorColumns::declare(std::int64_t column, std::int64_t columns) {
  used_ |= range(column, columns);
  ever_ |= used_;
  live_.push_back({column, columns, std::nullopt, false});
}

std::optional<std::int64_t> TensorColumns::allocate(std::int64_t columns, trace::Site site, bool exclusive) {
  const bool alone = std::none_of(live_.begin(), live_.end(),
                                  [&](const Allocation& one) { return exclusive || one.exclusive; });
  if (!alone) return std::nullopt;
  for (std::int64_t at = 0; at + columns <= footprint::kTensorColumns; at += columns) {
    const Columns wanted = range(at, columns);
    if ((used_ & wanted).any()) continue;
    used_ |= wanted;
    ever_ |= wanted;
    live_.push_back({at, columns, site, exclusive});
    last = columns;
    return at;
  }
  return std::nullopt;
}

bool TensorColumns::free(std::int64_t column, std::int64_t columns, bool exclusive) {
  const auto found = std::find_if(live_.begin(), live_.end(), [&](const Allocation& one) {
    return one.column == column && one.columns == columns && one.exclusive == exclusive;
  });
  if (found == live_.end()) return false;
  used_ &= ~range(column, columns);
  live_.erase(found);
  return true;
}

bool TensorColumns::were_allocated(std::int64_t column, std::int64_t columns) const {
  return ever_.none() || (ever_ & range(column, columns)) == range(column, columns);
}

bool TensorColumns::crosses(std::int64_t column, std::int64_t columns) const {
  return std::any_of(live_.begin(), live_.end(), [&](const Allocation& one) {
    const std::int64_t end = one.column + one.columns;
    return column >= one.column && column < end && column + columns > end;
  });
}

}  // namespace ptxmc::exec
