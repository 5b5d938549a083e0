// SPDX-License-Identifier: Apache-2.0
// The columns of a CTA's tensor memory that are allocated (9.7.16.7).
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <vector>

#include "dynamic/exec/registers.h"
#include "ptx/footprint/tensor_memory.h"

namespace ptxmc::exec {

class TensorColumns {
 public:
  /// A variable in tensor memory, which is there from the start.
  void declare(std::int64_t column, std::int64_t columns);
  /// The first columns that are free, from a multiple of their number on; nothing: there are not enough, or one of the
  /// allocations would be exclusive, and is not alone.
  std::optional<std::int64_t> allocate(std::int64_t columns, trace::Site site, bool exclusive);
  /// Were they one allocation, of this kind?
  bool free(std::int64_t column, std::int64_t columns, bool exclusive);
  /// All of them are or were allocated; so is everything where nothing ever was.
  bool were_allocated(std::int64_t column, std::int64_t columns) const;

  /// They begin in an allocation and go on behind it.
  bool crosses(std::int64_t column, std::int64_t columns) const;

  /// What a warp of each CTA of a pair executes together (R285, R291).
  enum class Shared : std::uint8_t { alloc, dealloc, relinquish };
  std::array<std::uint32_t, 3> executed{};  // how often, by Shared

  bool relinquished = false;
  std::int64_t last = footprint::kTensorColumns;  // columns of the allocation before (R286)
  std::optional<std::uint32_t> warp;              // that allocated or relinquished last
  bool by_several = false;                        // which columns are free depends on who comes first
  std::uint8_t cta_group = 0;                     // of its instructions (R287)

  struct Allocation {
    std::int64_t column = 0, columns = 0;
    std::optional<trace::Site> site;  // of the alloc; nothing: a variable
    bool exclusive = false;           // PTX ISA 9.4, 9.7.18.7.1
  };
  const std::vector<Allocation>& live() const { return live_; }

 private:
  using Columns = std::bitset<footprint::kTensorColumns>;
  static Columns range(std::int64_t column, std::int64_t columns);
  Columns used_, ever_;
  std::vector<Allocation> live_;
};

}  // namespace ptxmc::exec
