// SPDX-License-Identifier: Apache-2.0
#include "isa/opcode.h"

#include <array>

namespace ptxmc::isa {
namespace {

constexpr bool kResult = true, kNoResult = false;
constexpr bool kRepeatable = true, kOnce = false;

constexpr auto kTraits = std::to_array<OpcodeTraits>({
    {Opcode::ld, Family::memory, kResult, kRepeatable},
    {Opcode::st, Family::memory, kNoResult, kOnce},
    {Opcode::atom, Family::memory, kResult, kOnce},
    {Opcode::red, Family::memory, kNoResult, kOnce},
    {Opcode::fence, Family::fence, kNoResult, kRepeatable},
    {Opcode::fence_proxy, Family::fence, kNoResult, kRepeatable},
    {Opcode::bar_sync, Family::barrier, kNoResult, kOnce},
    {Opcode::bar_arrive, Family::barrier, kNoResult, kOnce},
    {Opcode::bar_red, Family::barrier, kResult, kOnce},
    {Opcode::cluster_arrive, Family::barrier, kNoResult, kOnce},
    {Opcode::cluster_wait, Family::barrier, kNoResult, kOnce},
    {Opcode::fence_mbarrier_init, Family::barrier, kNoResult, kOnce},
    {Opcode::mbarrier_init, Family::mbarrier, kNoResult, kOnce},
    {Opcode::mbarrier_inval, Family::mbarrier, kNoResult, kOnce},
    {Opcode::mbarrier_expect_tx, Family::mbarrier, kNoResult, kOnce},
    {Opcode::mbarrier_complete_tx, Family::mbarrier, kNoResult, kOnce},
    {Opcode::mbarrier_arrive, Family::mbarrier, kResult, kOnce},
    {Opcode::mbarrier_arrive_drop, Family::mbarrier, kResult, kOnce},
    {Opcode::mbarrier_test_wait, Family::mbarrier, kResult, kRepeatable},
    {Opcode::mbarrier_try_wait, Family::mbarrier, kResult, kRepeatable},
    {Opcode::mbarrier_pending_count, Family::arithmetic, kResult, kRepeatable},
    {Opcode::mov, Family::arithmetic, kResult, kRepeatable},
    {Opcode::cvt, Family::arithmetic, kResult, kRepeatable},
    {Opcode::selp, Family::arithmetic, kResult, kRepeatable},
    {Opcode::setp, Family::arithmetic, kResult, kRepeatable},
    {Opcode::cvta, Family::arithmetic, kResult, kRepeatable},
    {Opcode::mapa, Family::arithmetic, kResult, kRepeatable},
    {Opcode::add, Family::arithmetic, kResult, kRepeatable},
    {Opcode::sub, Family::arithmetic, kResult, kRepeatable},
    {Opcode::mul, Family::arithmetic, kResult, kRepeatable},
    {Opcode::mad, Family::arithmetic, kResult, kRepeatable},
    {Opcode::div, Family::arithmetic, kResult, kRepeatable},
    {Opcode::rem, Family::arithmetic, kResult, kRepeatable},
    {Opcode::min, Family::arithmetic, kResult, kRepeatable},
    {Opcode::max, Family::arithmetic, kResult, kRepeatable},
    {Opcode::abs, Family::arithmetic, kResult, kRepeatable},
    {Opcode::neg, Family::arithmetic, kResult, kRepeatable},
    {Opcode::and_, Family::arithmetic, kResult, kRepeatable},
    {Opcode::or_, Family::arithmetic, kResult, kRepeatable},
    {Opcode::xor_, Family::arithmetic, kResult, kRepeatable},
    {Opcode::not_, Family::arithmetic, kResult, kRepeatable},
    {Opcode::shl, Family::arithmetic, kResult, kRepeatable},
    {Opcode::shr, Family::arithmetic, kResult, kRepeatable},
    {Opcode::bra, Family::control, kNoResult, kRepeatable},
    {Opcode::branch_compare, Family::control, kNoResult, kRepeatable},
    {Opcode::exit, Family::control, kNoResult, kOnce},
    {Opcode::ret, Family::control, kNoResult, kOnce},
    {Opcode::nop, Family::control, kNoResult, kRepeatable},
    {Opcode::cp_async, Family::async_copy, kNoResult, kOnce},
    {Opcode::cp_async_commit, Family::async_copy, kNoResult, kOnce},
    {Opcode::cp_async_wait, Family::async_copy, kNoResult, kOnce},
    {Opcode::cp_async_wait_all, Family::async_copy, kNoResult, kOnce},
    {Opcode::cp_async_arrive, Family::async_copy, kNoResult, kOnce},
    {Opcode::cp_async_bulk, Family::async_copy, kNoResult, kOnce},
    {Opcode::cp_reduce_async_bulk, Family::async_copy, kNoResult, kOnce},
    {Opcode::cp_async_bulk_prefetch, Family::async_copy, kNoResult, kOnce},
    {Opcode::cp_async_bulk_tensor, Family::async_copy, kNoResult, kOnce},
    {Opcode::cp_reduce_async_bulk_tensor, Family::async_copy, kNoResult, kOnce},
    {Opcode::cp_async_bulk_prefetch_tensor, Family::async_copy, kNoResult, kOnce},
    {Opcode::tensormap_replace, Family::async_copy, kNoResult, kOnce},
    {Opcode::tensormap_cp_fenceproxy, Family::async_copy, kNoResult, kOnce},
    {Opcode::prefetch_tensormap, Family::async_copy, kNoResult, kOnce},
    {Opcode::st_async, Family::async_copy, kNoResult, kOnce},
    {Opcode::red_async, Family::async_copy, kNoResult, kOnce},
    {Opcode::st_bulk, Family::async_copy, kNoResult, kOnce},
    {Opcode::launch_cancel, Family::async_copy, kNoResult, kOnce},
    {Opcode::shuffle, Family::exchange, kResult, kOnce},
    {Opcode::vote, Family::exchange, kResult, kOnce},
    {Opcode::match, Family::exchange, kResult, kOnce},
    {Opcode::redux, Family::exchange, kResult, kOnce},
    {Opcode::elect, Family::exchange, kResult, kOnce},
    {Opcode::active_mask, Family::exchange, kResult, kOnce},
    {Opcode::ldmatrix, Family::matrix, kResult, kOnce},
    {Opcode::stmatrix, Family::matrix, kNoResult, kOnce},
    {Opcode::movmatrix, Family::matrix, kResult, kOnce},
    {Opcode::mma, Family::matrix, kResult, kOnce},
    {Opcode::wgmma_fence, Family::matrix, kNoResult, kOnce},
    {Opcode::wgmma_mma, Family::matrix, kResult, kOnce},
    {Opcode::wgmma_commit, Family::matrix, kNoResult, kOnce},
    {Opcode::wgmma_wait, Family::matrix, kNoResult, kOnce},
    {Opcode::tcgen05_alloc, Family::tensor, kNoResult, kOnce},
    {Opcode::tcgen05_dealloc, Family::tensor, kNoResult, kOnce},
    {Opcode::tcgen05_relinquish, Family::tensor, kNoResult, kOnce},
    {Opcode::tcgen05_ld, Family::tensor, kResult, kOnce},
    {Opcode::tcgen05_st, Family::tensor, kNoResult, kOnce},
    {Opcode::tcgen05_wait, Family::tensor, kNoResult, kRepeatable},
    {Opcode::tcgen05_cp, Family::tensor, kNoResult, kOnce},
    {Opcode::tcgen05_shift, Family::tensor, kNoResult, kOnce},
    {Opcode::tcgen05_mma, Family::tensor, kNoResult, kOnce},
    {Opcode::tcgen05_fence, Family::tensor, kNoResult, kRepeatable},
    {Opcode::tcgen05_commit, Family::tensor, kNoResult, kOnce},
    {Opcode::griddep_wait, Family::grid, kNoResult, kOnce},
    {Opcode::griddep_launch, Family::grid, kNoResult, kOnce},
    {Opcode::api_call, Family::api, kResult, kOnce},
});

constexpr bool in_order() {
  for (std::size_t i = 0; i < kTraits.size(); ++i) {
    if (kTraits[i].opcode != static_cast<Opcode>(i)) return false;
  }
  return kTraits.back().opcode == Opcode::api_call;
}
static_assert(in_order(), "a row for each opcode, in the order of Opcode; api_call is the last");

}  // namespace

std::span<const OpcodeTraits> opcode_traits() {
  return kTraits;
}

const OpcodeTraits& traits(Opcode opcode) {
  return kTraits[static_cast<std::size_t>(opcode)];
}

}  // namespace ptxmc::isa
