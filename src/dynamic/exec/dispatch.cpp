// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/dispatch.h"

#include <fmt/format.h>

namespace ptxmc::exec {

namespace {

using isa::Opcode;

struct OpcodeAct {
  Opcode opcode;
  Act act = Act::none;
};

constexpr Act kPure = Act::none, kJump = Act::none, kRefused = Act::none;

constexpr OpcodeAct kOpcodeActs[] = {
    {Opcode::ld, Act::load},
    {Opcode::st, Act::store},
    {Opcode::atom, Act::atomic},
    {Opcode::red, Act::atomic},
    {Opcode::fence, Act::fence},
    {Opcode::fence_proxy, Act::proxy_fence},
    {Opcode::bar_sync, Act::barrier},
    {Opcode::bar_arrive, Act::barrier},
    {Opcode::bar_red, Act::barrier},
    {Opcode::cluster_arrive, Act::cluster_arrive},
    {Opcode::cluster_wait, Act::cluster_wait},
    {Opcode::fence_mbarrier_init, Act::init_fence},
    {Opcode::mbarrier_init, Act::mbarrier_update},
    {Opcode::mbarrier_inval, Act::mbarrier_update},
    {Opcode::mbarrier_expect_tx, Act::mbarrier_update},
    {Opcode::mbarrier_complete_tx, Act::mbarrier_update},
    {Opcode::mbarrier_arrive, Act::mbarrier_arrive},
    {Opcode::mbarrier_arrive_drop, Act::mbarrier_arrive},
    {Opcode::mbarrier_test_wait, Act::mbarrier_wait},
    {Opcode::mbarrier_try_wait, Act::mbarrier_wait},
    {Opcode::mbarrier_pending_count, Act::pending_count},
    {Opcode::mbarrier_check_layout, Act::check_layout},
    {Opcode::mov, kPure},
    {Opcode::cvt, kPure},
    {Opcode::selp, kPure},
    {Opcode::setp, kPure},
    {Opcode::cvta, Act::convert_address},
    {Opcode::mapa, Act::convert_address},
    {Opcode::add, kPure},
    {Opcode::sub, kPure},
    {Opcode::mul, kPure},
    {Opcode::mad, kPure},
    {Opcode::div, kPure},
    {Opcode::rem, kPure},
    {Opcode::min, kPure},
    {Opcode::max, kPure},
    {Opcode::abs, kPure},
    {Opcode::neg, kPure},
    {Opcode::and_, kPure},
    {Opcode::or_, kPure},
    {Opcode::xor_, kPure},
    {Opcode::not_, kPure},
    {Opcode::lop3, kPure},
    {Opcode::shl, kPure},
    {Opcode::shr, kPure},
    {Opcode::addc, kPure},
    {Opcode::subc, kPure},
    {Opcode::madc, kPure},
    {Opcode::mul24, kPure},
    {Opcode::mad24, kPure},
    {Opcode::sad, kPure},
    {Opcode::popc, kPure},
    {Opcode::clz, kPure},
    {Opcode::bfind, kPure},
    {Opcode::fns, kPure},
    {Opcode::brev, kPure},
    {Opcode::bfe, kPure},
    {Opcode::bfi, kPure},
    {Opcode::szext, kPure},
    {Opcode::bmsk, kPure},
    {Opcode::dp4a, kPure},
    {Opcode::dp2a, kPure},
    {Opcode::cnot, kPure},
    {Opcode::shf, kPure},
    {Opcode::prmt, kPure},
    {Opcode::slct, kPure},
    {Opcode::set, kPure},
    {Opcode::fma, kPure},
    {Opcode::rcp, kPure},
    {Opcode::sqrt, kPure},
    {Opcode::rsqrt, kPure},
    {Opcode::sin, kPure},
    {Opcode::cos, kPure},
    {Opcode::lg2, kPure},
    {Opcode::ex2, kPure},
    {Opcode::tanh, kPure},
    {Opcode::testp, kPure},
    {Opcode::copysign, kPure},
    {Opcode::cvt_pack, kPure},
    {Opcode::create_policy, kPure},
    {Opcode::isspacep, Act::convert_address},
    {Opcode::getctarank, Act::convert_address},
    {Opcode::bra, kJump},
    {Opcode::branch_compare, Act::compare_branch},
    {Opcode::exit, Act::leave},
    {Opcode::ret, Act::leave},
    {Opcode::trap, Act::trap},
    {Opcode::nop, Act::nothing},
    {Opcode::nanosleep, Act::pass_time},
    {Opcode::prefetch, Act::nothing},
    {Opcode::prefetchu, Act::nothing},
    {Opcode::applypriority, Act::apply_priority},
    {Opcode::setmaxnreg, Act::exchange},
    {Opcode::pmevent, Act::nothing},
    {Opcode::brkpt, Act::nothing},
    {Opcode::cp_async, Act::copy_async},
    {Opcode::cp_async_commit, Act::commit},
    {Opcode::cp_async_wait, Act::wait_group},
    {Opcode::cp_async_wait_all, Act::wait_group},
    {Opcode::cp_async_arrive, Act::copy_arrive},
    {Opcode::cp_async_bulk, Act::copy_bulk},
    {Opcode::cp_reduce_async_bulk, Act::copy_bulk},
    {Opcode::cp_async_bulk_prefetch, Act::prefetch_bulk},
    {Opcode::cp_async_bulk_tensor, Act::copy_tensor},
    {Opcode::cp_reduce_async_bulk_tensor, Act::copy_tensor},
    {Opcode::cp_async_bulk_prefetch_tensor, Act::prefetch_tensor},
    {Opcode::tensormap_replace, Act::replace_map},
    {Opcode::tensormap_cp_fenceproxy, Act::exchange},
    {Opcode::prefetch_tensormap, Act::nothing},
    {Opcode::st_async, Act::store_async},
    {Opcode::red_async, Act::reduce_async},
    {Opcode::st_bulk, Act::fill_bulk},
    {Opcode::launch_cancel, Act::cancel_launch},
    {Opcode::cancel_query, Act::query_cancel},
    {Opcode::discard, Act::discard},
    {Opcode::multimem_load, Act::multimem},
    {Opcode::multimem_store, Act::multimem},
    {Opcode::multimem_reduce, Act::multimem},
    {Opcode::shuffle, Act::exchange},
    {Opcode::vote, Act::exchange},
    {Opcode::match, Act::exchange},
    {Opcode::redux, Act::exchange},
    {Opcode::elect, Act::exchange},
    {Opcode::active_mask, Act::active_mask},
    {Opcode::ldmatrix, Act::exchange},
    {Opcode::stmatrix, Act::exchange},
    {Opcode::movmatrix, Act::exchange},
    {Opcode::mma, Act::exchange},
    {Opcode::wmma_load, Act::exchange},
    {Opcode::wmma_store, Act::exchange},
    {Opcode::wmma_mma, Act::exchange},
    {Opcode::wgmma_fence, Act::exchange},
    {Opcode::wgmma_mma, Act::exchange},
    {Opcode::wgmma_commit, Act::exchange},
    {Opcode::wgmma_wait, Act::exchange},
    {Opcode::tcgen05_alloc, Act::exchange},
    {Opcode::tcgen05_dealloc, Act::exchange},
    {Opcode::tcgen05_relinquish, Act::exchange},
    {Opcode::tcgen05_ld, Act::exchange},
    {Opcode::tcgen05_st, Act::exchange},
    {Opcode::tcgen05_wait, Act::exchange},
    {Opcode::tcgen05_cp, Act::tensor_copy},
    {Opcode::tcgen05_shift, Act::tensor_shift},
    {Opcode::tcgen05_mma, Act::tensor_product},
    {Opcode::tcgen05_fence, Act::tensor_fence},
    {Opcode::tcgen05_commit, Act::tensor_commit},
    {Opcode::griddep_wait, Act::wait_for_grids},
    {Opcode::griddep_launch, Act::launch_dependents},
    {Opcode::heap_allocate, Act::allocate},
    {Opcode::heap_free, Act::free_blocks},
    {Opcode::local_begin, Act::begin_local},
    {Opcode::local_end, Act::end_local},
    {Opcode::api_call, kRefused},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(kOpcodeActs); ++i) {
    if (kOpcodeActs[i].opcode != static_cast<Opcode>(i)) return false;
  }
  return std::size(kOpcodeActs) == static_cast<std::size_t>(Opcode::api_call) + 1;
}
static_assert(in_order(), "a row for each opcode, in the order of Opcode");

/// What of it is not supported; empty: nothing.
std::string unsupported(const program::Instruction& instruction) {
  const isa::Modifiers& m = instruction.modifiers;
  const Opcode opcode = instruction.opcode;
  if (m.instance_first) return "barriers of the short form";
  const bool access =
      opcode == Opcode::ld || opcode == Opcode::st || opcode == Opcode::atom || opcode == Opcode::red;
  if (access && m.proxy != isa::Proxy::generic && m.proxy != isa::Proxy::constant &&
      m.proxy != isa::Proxy::texture && m.proxy != isa::Proxy::surface)
    return "accesses by this proxy";
  return "";
}

}  // namespace

bool is_pure(Opcode opcode) {
  if (opcode == Opcode::cancel_query) return false;  // its operand is a response, not a number
  const isa::Pure pure = isa::traits(opcode).pure;
  return pure != isa::Pure::none && pure != isa::Pure::address;
}

Act act_of(Opcode opcode) {
  return kOpcodeActs[static_cast<std::size_t>(opcode)].act;
}

std::string refusal(const program::Instruction& instruction) {
  if (const std::string what = unsupported(instruction); !what.empty())
    return fmt::format("`{}`: {} are not supported by verify yet", instruction.text, what);
  const Opcode opcode = instruction.opcode;
  const bool runs = act_of(opcode) != Act::none || is_pure(opcode) || opcode == Opcode::bra;
  return runs ? "" : fmt::format("`{}` is not supported by verify yet", instruction.text);
}

}  // namespace ptxmc::exec
