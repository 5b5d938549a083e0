// SPDX-License-Identifier: Apache-2.0
// What each opcode does: one row an opcode.
#include "isa/opcode.h"
#include "lower/operations.h"
#include "lower/thread.h"
#include "support/check.h"

namespace ptxmc::lower {

using event::Op;
using isa::Opcode;

namespace {

constexpr Op kNoOp = Op::constant;

}  // namespace

struct ThreadLowering::Row {
  Opcode opcode;
  void (ThreadLowering::*execute)(const Instruction&, State&);  // null: where it goes is all that it does
  Op op = kNoOp;                                                // of apply
  Op of_unsigned = kNoOp;                                       // where that is another
};

struct ThreadLowering::Execution {
  using T = ThreadLowering;

  static constexpr Row kRows[] = {
      {Opcode::ld, &T::load},
      {Opcode::st, &T::store},
      {Opcode::atom, &T::atomic},
      {Opcode::red, &T::atomic},
      {Opcode::fence, &T::fence},
      {Opcode::fence_proxy, &T::fence},
      {Opcode::bar_sync, &T::barrier},
      {Opcode::bar_arrive, &T::barrier},
      {Opcode::bar_red, &T::barrier},
      {Opcode::cluster_arrive, &T::cluster_barrier},
      {Opcode::cluster_wait, &T::cluster_barrier},
      {Opcode::fence_mbarrier_init, &T::fence_mbarrier_init},
      {Opcode::mbarrier_init, &T::mbarrier_update},
      {Opcode::mbarrier_inval, &T::mbarrier_update},
      {Opcode::mbarrier_expect_tx, &T::mbarrier_update},
      {Opcode::mbarrier_complete_tx, &T::mbarrier_update},
      {Opcode::mbarrier_arrive, &T::mbarrier_arrive},
      {Opcode::mbarrier_arrive_drop, &T::mbarrier_arrive},
      {Opcode::mbarrier_test_wait, &T::mbarrier_wait},
      {Opcode::mbarrier_try_wait, &T::mbarrier_wait},
      {Opcode::mbarrier_pending_count, &T::pending_count},
      {Opcode::mov, &T::move},
      {Opcode::cvt, &T::convert},
      {Opcode::selp, &T::select},
      {Opcode::setp, &T::set_predicate},
      {Opcode::cvta, &T::convert_address},
      {Opcode::mapa, &T::convert_address},
      {Opcode::add, &T::apply, Op::add},
      {Opcode::sub, &T::apply, Op::sub},
      {Opcode::mul, &T::multiply},
      {Opcode::mad, &T::multiply},
      {Opcode::div, &T::apply, Op::div_s, Op::div_u},
      {Opcode::rem, &T::apply, Op::rem_s, Op::rem_u},
      {Opcode::min, &T::apply, Op::min_s, Op::min_u},
      {Opcode::max, &T::apply, Op::max_s, Op::max_u},
      {Opcode::abs, &T::apply, Op::abs},
      {Opcode::neg, &T::apply, Op::neg},
      {Opcode::and_, &T::apply, Op::and_},
      {Opcode::or_, &T::apply, Op::or_},
      {Opcode::xor_, &T::apply, Op::xor_},
      {Opcode::not_, &T::apply, Op::not_},
      {Opcode::lop3, &T::look_up},
      {Opcode::shl, &T::shift},
      {Opcode::shr, &T::shift},
      {Opcode::bra, nullptr},
      {Opcode::branch_compare, nullptr},
      {Opcode::exit, nullptr},
      {Opcode::ret, nullptr},
      {Opcode::nop, &T::do_nothing},
      {Opcode::cp_async, &T::copy_plain},
      {Opcode::cp_async_commit, &T::commit_group},
      {Opcode::cp_async_wait, &T::wait_group},
      {Opcode::cp_async_wait_all, &T::wait_group},
      {Opcode::cp_async_arrive, &T::copy_arrive},
      {Opcode::cp_async_bulk, &T::copy_bulk},
      {Opcode::cp_reduce_async_bulk, &T::reduce_bulk},
      {Opcode::cp_async_bulk_prefetch, &T::prefetch_bulk},
      {Opcode::cp_async_bulk_tensor, &T::copy_tensor},
      {Opcode::cp_reduce_async_bulk_tensor, &T::copy_tensor},
      {Opcode::cp_async_bulk_prefetch_tensor, &T::prefetch_tensor},
      {Opcode::tensormap_replace, &T::replace_map_field},
      {Opcode::tensormap_cp_fenceproxy, &T::copy_map},
      {Opcode::prefetch_tensormap, &T::prefetch_map},
      {Opcode::st_async, &T::store_async},
      {Opcode::red_async, &T::reduce_async},
      {Opcode::st_bulk, &T::store_bulk},
      {Opcode::launch_cancel, &T::cancel_launch},
      {Opcode::shuffle, &T::exchange<ExchangeKind::shuffle>},
      {Opcode::vote, &T::exchange<ExchangeKind::vote>},
      {Opcode::match, &T::exchange<ExchangeKind::match>},
      {Opcode::redux, &T::exchange<ExchangeKind::redux>},
      {Opcode::elect, &T::exchange<ExchangeKind::elect>},
      {Opcode::active_mask, &T::active_mask},
      {Opcode::ldmatrix, &T::load_matrix},
      {Opcode::stmatrix, &T::store_matrix},
      {Opcode::movmatrix, &T::move_matrix},
      {Opcode::mma, &T::product},
      {Opcode::wgmma_fence, &T::wgmma_fence},
      {Opcode::wgmma_mma, &T::wgmma},
      {Opcode::wgmma_commit, &T::commit_group},
      {Opcode::wgmma_wait, &T::wait_group},
      {Opcode::tcgen05_alloc, &T::tensor_allocate},
      {Opcode::tcgen05_dealloc, &T::tensor_deallocate},
      {Opcode::tcgen05_relinquish, &T::tensor_relinquish},
      {Opcode::tcgen05_ld, &T::tensor_load},
      {Opcode::tcgen05_st, &T::tensor_store},
      {Opcode::tcgen05_wait, &T::tensor_wait},
      {Opcode::tcgen05_cp, &T::tensor_copy},
      {Opcode::tcgen05_shift, &T::tensor_shift},
      {Opcode::tcgen05_mma, &T::tensor_product},
      {Opcode::tcgen05_fence, &T::tensor_fence},
      {Opcode::tcgen05_commit, &T::tensor_commit},
      {Opcode::griddep_wait, &T::wait_for_grids},
      {Opcode::griddep_launch, &T::do_nothing},  // a hint to the scheduler: no memory ordering (D53)
      {Opcode::api_call, &T::api_call},
  };

  static constexpr bool in_order() {
    for (std::size_t i = 0; i < std::size(kRows); ++i) {
      if (kRows[i].opcode != static_cast<Opcode>(i)) return false;
    }
    return std::size(kRows) == static_cast<std::size_t>(Opcode::api_call) + 1;
  }
  static constexpr bool applied() {
    for (const Row& row : kRows) {
      if ((row.execute == &T::apply) != (row.op != kNoOp)) return false;
    }
    return true;
  }

  static const Row& of(Opcode opcode) { return kRows[static_cast<std::size_t>(opcode)]; }
};

void ThreadLowering::execute(const Instruction& instruction, State& state) {
  static_assert(Execution::in_order(), "a row for each opcode, in the order of Opcode");
  static_assert(Execution::applied(), "apply has an operation, and nothing else has");
  check_host(instruction);
  stop_before(instruction, state);
  const isa::OpcodeTraits& traits = isa::traits(instruction.opcode);
  if (traits.family == isa::Family::tensor && traits.has(isa::Trait::collective)) need_warp(instruction);
  const auto function = Execution::of(instruction.opcode).execute;
  PTXMC_CHECK(function != nullptr, "control flow is not executed here");
  (this->*function)(instruction, state);
}

std::optional<Op> arithmetic_of(Opcode opcode, bool is_signed) {
  return ThreadLowering::arithmetic_of(opcode, is_signed);
}

std::optional<Op> ThreadLowering::arithmetic_of(Opcode opcode, bool is_signed) {
  const Row& row = Execution::of(opcode);
  if (row.op == kNoOp) return std::nullopt;
  return is_signed || row.of_unsigned == kNoOp ? row.op : row.of_unsigned;
}

}  // namespace ptxmc::lower
