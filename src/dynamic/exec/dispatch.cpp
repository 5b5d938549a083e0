// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/dispatch.h"

#include <fmt/format.h>

#include "dynamic/exec/machine.h"

namespace ptxmc::exec {

namespace {

using isa::Opcode;

struct OpcodeAct {
  Opcode opcode;
  Act act = nullptr;
};

using M = Machine;
constexpr Act kPure = nullptr, kJump = nullptr, kRefused = nullptr;

constexpr OpcodeAct kOpcodeActs[] = {
    {Opcode::ld, &M::load},
    {Opcode::st, &M::store},
    {Opcode::atom, &M::atomic},
    {Opcode::red, &M::atomic},
    {Opcode::fence, &M::fence},
    {Opcode::fence_proxy, &M::proxy_fence},
    {Opcode::bar_sync, &M::barrier},
    {Opcode::bar_arrive, &M::barrier},
    {Opcode::bar_red, &M::barrier},
    {Opcode::cluster_arrive, &M::cluster_arrive},
    {Opcode::cluster_wait, &M::cluster_wait},
    {Opcode::fence_mbarrier_init, &M::init_fence},
    {Opcode::mbarrier_init, &M::mbarrier_update},
    {Opcode::mbarrier_inval, &M::mbarrier_update},
    {Opcode::mbarrier_expect_tx, &M::mbarrier_update},
    {Opcode::mbarrier_complete_tx, &M::mbarrier_update},
    {Opcode::mbarrier_arrive, &M::mbarrier_arrive},
    {Opcode::mbarrier_arrive_drop, &M::mbarrier_arrive},
    {Opcode::mbarrier_test_wait, &M::mbarrier_wait},
    {Opcode::mbarrier_try_wait, &M::mbarrier_wait},
    {Opcode::mbarrier_pending_count, &M::pending_count},
    {Opcode::mov, kPure},
    {Opcode::cvt, kPure},
    {Opcode::selp, kPure},
    {Opcode::setp, kPure},
    {Opcode::cvta, &M::convert_address},
    {Opcode::mapa, &M::convert_address},
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
    {Opcode::isspacep, &M::convert_address},
    {Opcode::getctarank, &M::convert_address},
    {Opcode::bra, kJump},
    {Opcode::branch_compare, &M::compare_branch},
    {Opcode::exit, &M::leave},
    {Opcode::ret, &M::leave},
    {Opcode::trap, &M::trap},
    {Opcode::nop, &M::nothing},
    {Opcode::nanosleep, &M::pass_time},
    {Opcode::prefetch, &M::nothing},
    {Opcode::prefetchu, &M::nothing},
    {Opcode::applypriority, &M::apply_priority},
    {Opcode::setmaxnreg, &M::exchange},
    {Opcode::pmevent, &M::nothing},
    {Opcode::brkpt, &M::nothing},
    {Opcode::cp_async, &M::copy_async},
    {Opcode::cp_async_commit, &M::commit},
    {Opcode::cp_async_wait, &M::wait_group},
    {Opcode::cp_async_wait_all, &M::wait_group},
    {Opcode::cp_async_arrive, &M::copy_arrive},
    {Opcode::cp_async_bulk, &M::copy_bulk},
    {Opcode::cp_reduce_async_bulk, &M::copy_bulk},
    {Opcode::cp_async_bulk_prefetch, &M::prefetch_bulk},
    {Opcode::cp_async_bulk_tensor, &M::copy_tensor},
    {Opcode::cp_reduce_async_bulk_tensor, &M::copy_tensor},
    {Opcode::cp_async_bulk_prefetch_tensor, &M::nothing},
    {Opcode::tensormap_replace, &M::replace_map},
    {Opcode::tensormap_cp_fenceproxy, &M::exchange},
    {Opcode::prefetch_tensormap, &M::nothing},
    {Opcode::st_async, &M::store_async},
    {Opcode::red_async, &M::reduce_async},
    {Opcode::st_bulk, &M::fill_bulk},
    {Opcode::launch_cancel, &M::cancel_launch},
    {Opcode::cancel_query, &M::query_cancel},
    {Opcode::discard, &M::discard},
    {Opcode::multimem_load, &M::multimem},
    {Opcode::multimem_store, &M::multimem},
    {Opcode::multimem_reduce, &M::multimem},
    {Opcode::shuffle, &M::exchange},
    {Opcode::vote, &M::exchange},
    {Opcode::match, &M::exchange},
    {Opcode::redux, &M::exchange},
    {Opcode::elect, &M::exchange},
    {Opcode::active_mask, &M::active_mask},
    {Opcode::ldmatrix, &M::exchange},
    {Opcode::stmatrix, &M::exchange},
    {Opcode::movmatrix, &M::exchange},
    {Opcode::mma, &M::exchange},
    {Opcode::wmma_load, &M::exchange},
    {Opcode::wmma_store, &M::exchange},
    {Opcode::wmma_mma, &M::exchange},
    {Opcode::wgmma_fence, &M::exchange},
    {Opcode::wgmma_mma, &M::exchange},
    {Opcode::wgmma_commit, &M::exchange},
    {Opcode::wgmma_wait, &M::exchange},
    {Opcode::tcgen05_alloc, &M::exchange},
    {Opcode::tcgen05_dealloc, &M::exchange},
    {Opcode::tcgen05_relinquish, &M::exchange},
    {Opcode::tcgen05_ld, &M::exchange},
    {Opcode::tcgen05_st, &M::exchange},
    {Opcode::tcgen05_wait, &M::exchange},
    {Opcode::tcgen05_cp, &M::tensor_copy},
    {Opcode::tcgen05_shift, &M::tensor_shift},
    {Opcode::tcgen05_mma, &M::tensor_product},
    {Opcode::tcgen05_fence, &M::tensor_fence},
    {Opcode::tcgen05_commit, &M::tensor_commit},
    {Opcode::griddep_wait, &M::wait_for_grids},
    {Opcode::griddep_launch, &M::launch_dependents},
    {Opcode::heap_allocate, &M::allocate},
    {Opcode::heap_free, &M::free_blocks},
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
  const bool runs = act_of(opcode) != nullptr || is_pure(opcode) || opcode == Opcode::bra;
  return runs ? "" : fmt::format("`{}` is not supported by verify yet", instruction.text);
}

}  // namespace ptxmc::exec
