// SPDX-License-Identifier: Apache-2.0
#include "gpu/collective.h"

namespace ptxmc::gpu {

using isa::Opcode;

bool is_collective(Opcode opcode) {
  switch (opcode) {
    case Opcode::bar_sync:
    case Opcode::bar_arrive:
    case Opcode::bar_red:
    case Opcode::cluster_arrive:
    case Opcode::cluster_wait:
    case Opcode::shuffle:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::elect:
    case Opcode::active_mask:
    case Opcode::ldmatrix:
    case Opcode::stmatrix:
    case Opcode::movmatrix:
    case Opcode::tensormap_cp_fenceproxy:
    case Opcode::mma:
    case Opcode::wgmma_fence:
    case Opcode::wgmma_mma:
    case Opcode::wgmma_commit:
    case Opcode::wgmma_wait:
    case Opcode::tcgen05_alloc:
    case Opcode::tcgen05_dealloc:
    case Opcode::tcgen05_relinquish:
    case Opcode::tcgen05_ld:
    case Opcode::tcgen05_st:
    case Opcode::tcgen05_wait:
      return true;
    default:
      return false;
  }
}

bool needs_convergence(Opcode opcode, const isa::Modifiers& modifiers) {
  if (!is_collective(opcode) || modifiers.warp) return false;
  const bool cluster = opcode == Opcode::cluster_arrive || opcode == Opcode::cluster_wait;
  const bool barrier =
      opcode == Opcode::bar_sync || opcode == Opcode::bar_arrive || opcode == Opcode::bar_red;
  return !(cluster || barrier) || modifiers.aligned;
}

bool has_effect(Opcode opcode) {
  switch (opcode) {
    case Opcode::st:
    case Opcode::atom:
    case Opcode::red:
    case Opcode::mbarrier_init:
    case Opcode::mbarrier_inval:
    case Opcode::mbarrier_expect_tx:
    case Opcode::mbarrier_complete_tx:
    case Opcode::mbarrier_arrive:
    case Opcode::mbarrier_arrive_drop:
    case Opcode::cp_async:
    case Opcode::cp_async_arrive:
    case Opcode::cp_async_bulk:
    case Opcode::cp_reduce_async_bulk:
    case Opcode::cp_async_bulk_prefetch:
    case Opcode::cp_async_bulk_tensor:
    case Opcode::cp_reduce_async_bulk_tensor:
    case Opcode::cp_async_bulk_prefetch_tensor:
    case Opcode::tensormap_replace:
    case Opcode::st_async:
    case Opcode::red_async:
    case Opcode::st_bulk:
    case Opcode::launch_cancel:
    case Opcode::tcgen05_cp:
    case Opcode::tcgen05_shift:
    case Opcode::tcgen05_mma:
    case Opcode::tcgen05_commit:
      return true;
    default:
      return false;
  }
}

bool needs_warpgroup(Opcode opcode) {
  return opcode == Opcode::wgmma_fence || opcode == Opcode::wgmma_mma || opcode == Opcode::wgmma_commit ||
         opcode == Opcode::wgmma_wait;
}

}  // namespace ptxmc::gpu
