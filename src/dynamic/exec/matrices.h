// SPDX-License-Identifier: Apache-2.0
// ldmatrix, stmatrix, wmma and mma (9.7.13): fragments in registers, rows in memory.
#pragma once

#include "dynamic/exec/accesses.h"
#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

class Matrices : public Unit {
 public:
  using Unit::Unit;

  void start(const Options& options) { rows_ = options.detail.matrix_rows; }
  void matrix_access(Warp&, const Step&, LaneMask);
  void byte_matrix_access(Warp&, const Step&, LaneMask);
  void fragment_access(Warp&, const Step&, LaneMask);
  void matrix_product(Warp&, const Step&, LaneMask);

 private:
  void check_sparsity(Warp& warp, const Step& step, LaneMask group);
  bool access_line(Warp& warp, const Step& step, LaneMask group, const trace::Range& line,
                   std::uint64_t unit);
  void load_matrices(Warp& warp, const Step& step, LaneMask group, const ReachedBytes& reached,
                     const Row& at);
  void tell_together(const Warp& warp, const Step& step, LaneMask group, const trace::Range& bytes,
                     trace::Effect effect);
  void givers_exited(const Warp& warp, const Step& step, LaneMask group);
  void tell_loaded(const Warp& warp, const Step& step, LaneMask group, const Row& at);
  void store_matrix(Warp& warp, const Step& step, LaneMask group, const ReachedBytes& reached,
                    const Row& rows, Slot slot);
  void tell_stored(const Warp& warp, const Step& step, LaneMask group, const Row& begin, LaneMask tainted);

  MatrixRows rows_ = MatrixRows::by_rows;
  std::array<std::uint64_t, kLanes> written_{};  // by one instruction
};

}  // namespace ptxmc::exec
