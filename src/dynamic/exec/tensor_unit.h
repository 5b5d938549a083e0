// SPDX-License-Identifier: Apache-2.0
// tcgen05 (9.7.16): columns of tensor memory, moves, products, commits.
#pragma once

#include "dynamic/exec/operations.h"
#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

class TensorUnit : public Unit {
 public:
  using Unit::Unit;

  void tensor_product(Warp&, const Step&, LaneMask);
  void tensor_copy(Warp&, const Step&, LaneMask);
  void tensor_shift(Warp&, const Step&, LaneMask);
  void tensor_fence(Warp&, const Step&, LaneMask);
  void tensor_commit(Warp&, const Step&, LaneMask);
  void tensor_collective(Warp& warp, const Step& step, LaneMask group);
  void check_leak(Warp& warp);

 private:
  Form form_of_allocation(std::int64_t column, std::int64_t columns);
  void check_form(Warp& warp, const Step& step, Slot base, unsigned lane, const footprint::TensorAddress& at);
  bool meets_peer(Warp& warp, const Step& step, LaneMask group);
  void tensor_manage(Warp& warp, const Step& step, LaneMask group);
  void tensor_allocate(Warp& warp, const Step& step, LaneMask group);
  void tensor_deallocate(Warp& warp, const Step& step, LaneMask group);
  void retry_allocations(std::uint32_t cta);
  void tensor_move(Warp& warp, const Step& step, LaneMask group);
  std::optional<std::int64_t> number_in_cta(const Warp& warp) const;
  void note_allocator(const Warp& warp, const Step& step);
  void check_group(Warp& warp, const Step& step, unsigned lane);
  std::optional<std::int64_t> column_count(Warp& warp, const Step& step, LaneMask group);
  std::optional<footprint::Product> product_of(Warp& warp, const Step& step, unsigned lane);
  std::vector<std::uint32_t> tensor_ctas(Warp& warp, const Step& step, unsigned lane);
  footprint::TensorAddress tensor_address(Warp& warp, const Step& step, isa::Role role, unsigned lane);
  void add_region(Warp& warp, const Step& step, TensorUse& use, std::uint32_t cta,
                  const footprint::TensorRegion& region, std::vector<trace::Range>& out);
  void add_shared_matrix(Warp& warp, const Step& step, TensorUse& use, std::uint32_t cta, isa::Role role,
                         const footprint::MatrixSize& size, bool transposed);
  void add_multiplicands(Warp& warp, const Step& step, TensorUse& use, std::uint32_t cta,
                         const footprint::Product& product);
  void issue_tensor(Warp& warp, const Step& step, const TensorUse& use);
  void arrive_behind_tensor(Warp& warp, const Step& step, unsigned lane, Address at);

  std::array<std::uint64_t, kScratchWords> written_{};  // by one instruction
};

}  // namespace ptxmc::exec
