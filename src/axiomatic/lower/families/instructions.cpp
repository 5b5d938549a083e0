// SPDX-License-Identifier: Apache-2.0
// What each opcode does: one row an opcode.
#include "axiomatic/lower/families/instructions.h"

#include <memory>
#include <tuple>
#include <type_traits>

#include "axiomatic/lower/families/address_conversion.h"
#include "axiomatic/lower/families/async_copies.h"
#include "axiomatic/lower/families/async_groups.h"
#include "axiomatic/lower/families/async_stores.h"
#include "axiomatic/lower/families/atomics.h"
#include "axiomatic/lower/families/barriers.h"
#include "axiomatic/lower/families/calls.h"
#include "axiomatic/lower/families/comparisons.h"
#include "axiomatic/lower/families/exchanges.h"
#include "axiomatic/lower/families/fences.h"
#include "axiomatic/lower/families/functions.h"
#include "axiomatic/lower/families/integers.h"
#include "axiomatic/lower/families/matrices.h"
#include "axiomatic/lower/families/mbarriers.h"
#include "axiomatic/lower/families/multimem.h"
#include "axiomatic/lower/families/operations.h"
#include "axiomatic/lower/families/plain_memory.h"
#include "axiomatic/lower/families/tcgen05.h"
#include "axiomatic/lower/families/tcgen05_mma.h"
#include "axiomatic/lower/families/tcgen05_moves.h"
#include "axiomatic/lower/families/tensor_copies.h"
#include "axiomatic/lower/families/tensor_maps.h"
#include "axiomatic/lower/families/wgmma.h"
#include "axiomatic/lower/families/wmma.h"
#include "ptx/isa/opcode.h"
#include "ptx/isa/table.h"
#include "support/check.h"

namespace ptxmc::lower {

using event::Op;
using isa::Opcode;
using isa::Semantics;

/// The families of one thread, each made when its first instruction comes: a thread uses two or three of them.
class Families {
 public:
  Families(const ThreadContext& context, Progress& progress, SpinTurn& spin)
      : context_(context), progress_(progress), spin_(spin) {}

  template <class Family>
  Family& of() {
    auto& family = std::get<std::unique_ptr<Family>>(made_);
    if (!family) family = make<Family>();
    return *family;
  }

 private:
  template <class Family>
  std::unique_ptr<Family> make() {
    if constexpr (std::is_constructible_v<Family, const ThreadContext&, Progress&, SpinTurn&>) {
      return std::make_unique<Family>(context_, progress_, spin_);
    } else if constexpr (std::is_constructible_v<Family, const ThreadContext&, Progress&>) {
      return std::make_unique<Family>(context_, progress_);
    } else if constexpr (std::is_constructible_v<Family, const ThreadContext&, SpinTurn&>) {
      return std::make_unique<Family>(context_, spin_);
    } else {
      return std::make_unique<Family>(context_);
    }
  }

  template <class... Family>
  using Made = std::tuple<std::unique_ptr<Family>...>;

  const ThreadContext& context_;
  Progress& progress_;
  SpinTurn& spin_;
  Made<Integers, Comparisons, Functions, AddressConversion, PlainMemory, Multimem, Fences, Atomics, Barriers,
       Exchanges, Mbarriers, AsyncCopies, AsyncGroups, AsyncStores, TensorMaps, TensorCopies, Matrices, Wmma,
       Wgmma, Tcgen05, Tcgen05Moves, Tcgen05Mma, Calls>
      made_;
};

namespace {

using Execute = void (*)(Families&, const Instruction&, State&);

constexpr Op kNoOp = Op::constant;

struct Row {
  Opcode opcode;
  Execute execute;         // null: where it goes is all that it does
  Op op = kNoOp;           // of apply
  Op of_unsigned = kNoOp;  // where that is another
};

template <class Family, class Function>
Family& owner(Families& families, Function Family::*) {
  return families.of<Family>();
}

/// A function of a family.
template <auto function>
void run(Families& families, const Instruction& instruction, State& state) {
  (owner(families, function).*function)(instruction, state);
}

void do_nothing(Families&, const Instruction&, State&) {}

constexpr Execute apply = run<&Integers::apply>;

constexpr Execute compute = run<&Functions::compute>;
constexpr Execute apply_unknown = run<&Functions::apply_unknown>;

template <ExchangeKind kind>
constexpr Execute exchange = run<&Exchanges::exchange<kind>>;

/// The copy, the meeting of those who make it together, and the fence that each of them has.
void copy_map(Families& families, const Instruction& instruction, State& state) {
  families.of<TensorMaps>().copy_map(instruction, state);
  families.of<Barriers>().warp_meets(instruction, state);
  families.of<TensorMaps>().release_map(instruction, state);
}

constexpr Row kRows[] = {
    {Opcode::ld, run<&PlainMemory::load>},
    {Opcode::st, run<&PlainMemory::store>},
    {Opcode::atom, run<&Atomics::atomic>},
    {Opcode::red, run<&Atomics::atomic>},
    {Opcode::fence, run<&Fences::fence>},
    {Opcode::fence_proxy, run<&Fences::fence>},
    {Opcode::bar_sync, run<&Barriers::barrier>},
    {Opcode::bar_arrive, run<&Barriers::barrier>},
    {Opcode::bar_red, run<&Barriers::barrier>},
    {Opcode::cluster_arrive, run<&Barriers::cluster_barrier>},
    {Opcode::cluster_wait, run<&Barriers::cluster_barrier>},
    {Opcode::fence_mbarrier_init, run<&Fences::fence_mbarrier_init>},
    {Opcode::mbarrier_init, run<&Mbarriers::mbarrier_update>},
    {Opcode::mbarrier_inval, run<&Mbarriers::mbarrier_update>},
    {Opcode::mbarrier_expect_tx, run<&Mbarriers::mbarrier_update>},
    {Opcode::mbarrier_complete_tx, run<&Mbarriers::mbarrier_update>},
    {Opcode::mbarrier_arrive, run<&Mbarriers::mbarrier_arrive>},
    {Opcode::mbarrier_arrive_drop, run<&Mbarriers::mbarrier_arrive>},
    {Opcode::mbarrier_test_wait, run<&Mbarriers::mbarrier_wait>},
    {Opcode::mbarrier_try_wait, run<&Mbarriers::mbarrier_wait>},
    {Opcode::mbarrier_pending_count, run<&Mbarriers::pending_count>},
    {Opcode::mbarrier_check_layout, run<&Mbarriers::check_layout>},
    {Opcode::mov, run<&Integers::move>},
    {Opcode::cvt, run<&Integers::convert>},
    {Opcode::selp, run<&Integers::select>},
    {Opcode::setp, run<&Comparisons::set_predicate>},
    {Opcode::cvta, run<&AddressConversion::convert_address>},
    {Opcode::mapa, run<&AddressConversion::convert_address>},
    {Opcode::add, apply, Op::add},
    {Opcode::sub, apply, Op::sub},
    {Opcode::mul, run<&Integers::multiply>},
    {Opcode::mad, run<&Integers::multiply>},
    {Opcode::div, apply, Op::div_s, Op::div_u},
    {Opcode::rem, apply, Op::rem_s, Op::rem_u},
    {Opcode::min, apply, Op::min_s, Op::min_u},
    {Opcode::max, apply, Op::max_s, Op::max_u},
    {Opcode::abs, apply, Op::abs},
    {Opcode::neg, apply, Op::neg},
    {Opcode::and_, apply, Op::and_},
    {Opcode::or_, apply, Op::or_},
    {Opcode::xor_, apply, Op::xor_},
    {Opcode::not_, apply, Op::not_},
    {Opcode::lop3, run<&Integers::look_up>},
    {Opcode::shl, run<&Integers::shift>},
    {Opcode::shr, run<&Integers::shift>},
    {Opcode::addc, compute},
    {Opcode::subc, compute},
    {Opcode::madc, compute},
    {Opcode::mul24, compute},
    {Opcode::mad24, compute},
    {Opcode::sad, compute},
    {Opcode::popc, compute},
    {Opcode::clz, compute},
    {Opcode::bfind, compute},
    {Opcode::fns, compute},
    {Opcode::brev, compute},
    {Opcode::bfe, compute},
    {Opcode::bfi, compute},
    {Opcode::szext, compute},
    {Opcode::bmsk, compute},
    {Opcode::dp4a, compute},
    {Opcode::dp2a, compute},
    {Opcode::cnot, compute},
    {Opcode::shf, compute},
    {Opcode::prmt, compute},
    {Opcode::slct, compute},
    {Opcode::set, run<&Comparisons::set_number>},
    {Opcode::fma, apply_unknown},
    {Opcode::rcp, apply_unknown},
    {Opcode::sqrt, apply_unknown},
    {Opcode::rsqrt, apply_unknown},
    {Opcode::sin, apply_unknown},
    {Opcode::cos, apply_unknown},
    {Opcode::lg2, apply_unknown},
    {Opcode::ex2, apply_unknown},
    {Opcode::tanh, apply_unknown},
    {Opcode::testp, apply_unknown},
    {Opcode::copysign, apply_unknown},
    {Opcode::cvt_pack, apply_unknown},
    {Opcode::create_policy, apply_unknown},
    {Opcode::isspacep, run<&AddressConversion::query_address>},
    {Opcode::getctarank, run<&AddressConversion::query_address>},
    {Opcode::bra, nullptr},
    {Opcode::branch_compare, nullptr},
    {Opcode::exit, nullptr},
    {Opcode::ret, nullptr},
    {Opcode::trap, nullptr},
    {Opcode::nop, do_nothing},
    {Opcode::nanosleep, do_nothing},
    {Opcode::prefetch, do_nothing},
    {Opcode::prefetchu, do_nothing},
    {Opcode::applypriority, do_nothing},
    {Opcode::setmaxnreg, do_nothing},
    {Opcode::pmevent, do_nothing},
    {Opcode::brkpt, do_nothing},
    {Opcode::cp_async, run<&AsyncCopies::copy_plain>},
    {Opcode::cp_async_commit, run<&AsyncGroups::commit_group>},
    {Opcode::cp_async_wait, run<&AsyncGroups::wait_group>},
    {Opcode::cp_async_wait_all, run<&AsyncGroups::wait_group>},
    {Opcode::cp_async_arrive, run<&AsyncGroups::copy_arrive>},
    {Opcode::cp_async_bulk, run<&AsyncCopies::copy_bulk>},
    {Opcode::cp_reduce_async_bulk, run<&AsyncCopies::reduce_bulk>},
    {Opcode::cp_async_bulk_prefetch, run<&AsyncCopies::prefetch_bulk>},
    {Opcode::cp_async_bulk_tensor, run<&TensorCopies::copy_tensor>},
    {Opcode::cp_reduce_async_bulk_tensor, run<&TensorCopies::copy_tensor>},
    {Opcode::cp_async_bulk_prefetch_tensor, run<&TensorCopies::prefetch_tensor>},
    {Opcode::tensormap_replace, run<&TensorMaps::replace_map_field>},
    {Opcode::tensormap_cp_fenceproxy, copy_map},
    {Opcode::prefetch_tensormap, run<&TensorMaps::prefetch_map>},
    {Opcode::st_async, run<&AsyncStores::store_async>},
    {Opcode::red_async, run<&AsyncStores::reduce_async>},
    {Opcode::st_bulk, run<&AsyncStores::store_bulk>},
    {Opcode::launch_cancel, run<&AsyncCopies::cancel_launch>},
    {Opcode::cancel_query, apply_unknown},
    {Opcode::discard, run<&PlainMemory::discard>},
    {Opcode::multimem_load, run<&Multimem::load>},
    {Opcode::multimem_store, run<&Multimem::store>},
    {Opcode::multimem_reduce, run<&Multimem::reduce>},
    {Opcode::shuffle, exchange<ExchangeKind::shuffle>},
    {Opcode::vote, exchange<ExchangeKind::vote>},
    {Opcode::match, exchange<ExchangeKind::match>},
    {Opcode::redux, exchange<ExchangeKind::redux>},
    {Opcode::elect, exchange<ExchangeKind::elect>},
    {Opcode::active_mask, run<&Exchanges::active_mask>},
    {Opcode::ldmatrix, run<&Matrices::load_matrix>},
    {Opcode::stmatrix, run<&Matrices::store_matrix>},
    {Opcode::movmatrix, run<&Matrices::move_matrix>},
    {Opcode::mma, run<&Matrices::product>},
    {Opcode::wmma_load, run<&Wmma::load>},
    {Opcode::wmma_store, run<&Wmma::store>},
    {Opcode::wmma_mma, run<&Matrices::product>},
    {Opcode::wgmma_fence, run<&Wgmma::wgmma_fence>},
    {Opcode::wgmma_mma, run<&Wgmma::wgmma>},
    {Opcode::wgmma_commit, run<&AsyncGroups::commit_group>},
    {Opcode::wgmma_wait, run<&AsyncGroups::wait_group>},
    {Opcode::tcgen05_alloc, run<&Tcgen05::tensor_allocate>},
    {Opcode::tcgen05_dealloc, run<&Tcgen05::tensor_deallocate>},
    {Opcode::tcgen05_relinquish, run<&Tcgen05::tensor_relinquish>},
    {Opcode::tcgen05_ld, run<&Tcgen05Moves::tensor_load>},
    {Opcode::tcgen05_st, run<&Tcgen05Moves::tensor_store>},
    {Opcode::tcgen05_wait, run<&Tcgen05::tensor_wait>},
    {Opcode::tcgen05_cp, run<&Tcgen05Moves::tensor_copy>},
    {Opcode::tcgen05_shift, run<&Tcgen05Moves::tensor_shift>},
    {Opcode::tcgen05_mma, run<&Tcgen05Mma::tensor_product>},
    {Opcode::tcgen05_fence, run<&Tcgen05::tensor_fence>},
    {Opcode::tcgen05_commit, run<&Tcgen05::tensor_commit>},
    {Opcode::griddep_wait, run<&Calls::wait_for_grids>},
    {Opcode::griddep_launch, run<&Calls::launch_dependents>},
    {Opcode::heap_allocate, run<&Calls::heap_call>},
    {Opcode::heap_free, run<&Calls::heap_call>},
    {Opcode::local_begin, run<&Calls::local_call>},
    {Opcode::local_end, run<&Calls::local_call>},
    {Opcode::api_call, run<&Calls::api_call>},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(kRows); ++i) {
    if (kRows[i].opcode != static_cast<Opcode>(i)) return false;
  }
  return std::size(kRows) == static_cast<std::size_t>(Opcode::api_call) + 1;
}

constexpr bool applied() {
  for (const Row& row : kRows) {
    if ((row.execute == apply) != (row.op != kNoOp)) return false;
  }
  return true;
}

static_assert(in_order(), "a row for each opcode, in the order of Opcode");
static_assert(applied(), "apply has an operation, and nothing else has");

const Row& row_of(Opcode opcode) {
  return kRows[static_cast<std::size_t>(opcode)];
}

}  // namespace

Instructions::Instructions(const ThreadContext& context, Progress& progress, SpinTurn& spin)
    : ThreadContext(context),
      progress_(progress),
      families_(std::make_unique<Families>(context, progress, spin)) {}

Instructions::~Instructions() = default;

void Instructions::execute(const Instruction& instruction, State& state) {
  check_host(instruction);
  progress_.stop_before(instruction, state);
  const isa::OpcodeTraits& traits = isa::traits(instruction.opcode);
  if (traits.family == isa::Family::tensor && traits.has(isa::Trait::collective)) need_warp(instruction);
  const isa::Pure pure = isa::pure_of(instruction.opcode, instruction.modifiers);
  const Execute function = pure == isa::Pure::function ? apply_unknown
                           : pure == isa::Pure::bits   ? compute
                                                       : row_of(instruction.opcode).execute;
  PTXMC_CHECK(function != nullptr, "control flow is not executed here");
  function(*families_, instruction, state);
}

void Instructions::check_host(const Instruction& instruction) const {
  if (!info_.host) return;
  const isa::Modifiers& m = instruction.modifiers;
  switch (isa::traits(instruction.opcode).family) {
    case isa::Family::barrier:
    case isa::Family::mbarrier:
      fail(instruction.position, "a host thread has no barrier");
    case isa::Family::async_copy:
      fail(instruction.position, "a host thread has no asynchronous operations of a device");
    case isa::Family::fence:
      if (instruction.opcode == Opcode::fence_proxy) return;  // has no effect there
      break;
    case isa::Family::memory:
      break;
    case isa::Family::grid:
      fail(instruction.position, "a host thread is in no grid");
    case isa::Family::heap:
      fail(instruction.position, "malloc and free are called by device code, not by a host thread");
    case isa::Family::arithmetic:
    case isa::Family::control:
    case isa::Family::exchange:
    case isa::Family::matrix:
    case isa::Family::tensor:
    case isa::Family::api:
      return;
  }
  const bool system = m.semantics == Semantics::volatile_ || m.semantics == Semantics::mmio ||
                      m.semantics == Semantics::weak || m.scope == isa::Scope::sys;
  if (!system) {
    fail(instruction.position,
         "a host thread is in scope sys only, found scope " + std::string(name_of(m.scope)));
  }
  if (m.proxy != isa::Proxy::generic) fail(instruction.position, "a host thread uses the generic proxy only");
}

std::optional<Op> arithmetic_of(Opcode opcode, bool is_signed) {
  const Row& row = row_of(opcode);
  if (row.op == kNoOp) return std::nullopt;
  return is_signed || row.of_unsigned == kNoOp ? row.op : row.of_unsigned;
}

}  // namespace ptxmc::lower
