// SPDX-License-Identifier: Apache-2.0
// The rows. A new opcode needs one; a column that is left out is an error below.
#include "ptx/isa/opcode.h"

#include <array>

#include "ptx/isa/form_targets.h"
#include "ptx/isa/number_targets.h"
#include "ptx/isa/resolver.h"
#include "ptx/isa/spelling.h"

namespace ptxmc::isa {
namespace {

using namespace form_targets;  // NOLINT: their names are what a column below consists of

// ---- The rows -----------------------------------------------------------------------------------------------
constexpr Trait kNone = Trait::none, kRepeats = Trait::repeats, kActs = Trait::acts,
                kCollective = Trait::collective, kWarpgroup = Trait::warpgroup, kRemote = Trait::remote,
                kCommits = Trait::commits, kWaits = Trait::waits, kOfWgmma = Trait::of_wgmma,
                kOfCopies = Trait::of_copies, kEnds = Trait::ends, kBits = Trait::bits,
                kBraces = Trait::braces;
constexpr auto kAlways = nullptr;

constexpr OpcodeTraits row(Opcode opcode, Family family, Trait traits, Target target, std::string_view name,
                           Spelled spell, Since since = kAlways, Rules rules = nullptr) {
  return {opcode, family, traits, Pure::none, target, since, rules, name, spell};
}

/// On registers alone; it is as old as PTX, and written NAME.TYPE, as a rule.
constexpr OpcodeTraits pure(Opcode opcode, Pure pure, std::string_view name, Trait more = kNone,
                            Spelled spell = spelling::plain, Target target = kBase, Rules rules = nullptr,
                            Since since = kAlways) {
  return {opcode, Family::arithmetic, kRepeats | more, pure, target, since, rules, name, spell};
}

/// The same of one that has forms in mixed precision.
constexpr OpcodeTraits sum(Opcode opcode, Pure kind, std::string_view name) {
  return pure(opcode, kind, name, kNone, spelling::plain, kBase, nullptr, of_sum);
}

constexpr auto kTraits = std::to_array<OpcodeTraits>({
    row(Opcode::ld, Family::memory, kRepeats | kBraces, kBase, "ld", spelling::access, of_memory,
        &Resolver::memory_rules),
    row(Opcode::st, Family::memory, kActs | kBraces, kBase, "st", spelling::access, of_memory,
        &Resolver::memory_rules),
    row(Opcode::atom, Family::memory, kActs, kBase, "atom", spelling::access, of_atom,
        &Resolver::atomic_rules),
    row(Opcode::red, Family::memory, kActs, kBase, "red", spelling::access, of_red, &Resolver::atomic_rules),
    row(Opcode::fence, Family::fence, kRepeats, kBase, "fence", spelling::fence, of_fence),
    row(Opcode::fence_proxy, Family::fence, kRepeats, {75, 70, false}, "fence.proxy", spelling::proxy_fence,
        of_proxy_fence, &Resolver::proxy_fence_rules),
    row(Opcode::bar_sync, Family::barrier, kCollective, kBase, "bar.sync", spelling::barrier),
    row(Opcode::bar_arrive, Family::barrier, kCollective, kBase, "bar.arrive", spelling::barrier),
    row(Opcode::bar_red, Family::barrier, kCollective, kBase, "bar.red", spelling::barrier, kAlways,
        &Resolver::barrier_rules),
    row(Opcode::cluster_arrive, Family::barrier, kCollective, kCluster, "barrier.cluster.arrive",
        spelling::cluster, of_cluster_barrier),
    row(Opcode::cluster_wait, Family::barrier, kCollective, kCluster, "barrier.cluster.wait",
        spelling::cluster),
    row(Opcode::fence_mbarrier_init, Family::barrier, kNone, kBulk, "fence.mbarrier_init.release.cluster",
        spelling::fixed),
    row(Opcode::mbarrier_init, Family::mbarrier, kActs, {70, 80, false}, "mbarrier.init", spelling::mbarrier,
        of_layout),
    row(Opcode::mbarrier_inval, Family::mbarrier, kActs, {70, 80, false}, "mbarrier.inval",
        spelling::mbarrier),
    row(Opcode::mbarrier_expect_tx, Family::mbarrier, kActs | kRemote, kBulk, "mbarrier.expect_tx",
        spelling::mbarrier, of_mbarrier, &Resolver::mbarrier_rules),
    row(Opcode::mbarrier_complete_tx, Family::mbarrier, kActs | kRemote, kBulk, "mbarrier.complete_tx",
        spelling::mbarrier, of_mbarrier, &Resolver::mbarrier_rules),
    row(Opcode::mbarrier_arrive, Family::mbarrier, kActs | kRemote, {71, 80, false}, "mbarrier.arrive",
        spelling::mbarrier, of_arrival, &Resolver::mbarrier_rules),
    row(Opcode::mbarrier_arrive_drop, Family::mbarrier, kActs | kRemote, {71, 80, false},
        "mbarrier.arrive_drop", spelling::mbarrier, of_arrival, &Resolver::mbarrier_rules),
    row(Opcode::mbarrier_test_wait, Family::mbarrier, kRepeats, {71, 80, false}, "mbarrier.test_wait",
        spelling::mbarrier, of_wait, &Resolver::mbarrier_rules),
    row(Opcode::mbarrier_try_wait, Family::mbarrier, kRepeats, kCluster, "mbarrier.try_wait",
        spelling::mbarrier, of_wait, &Resolver::mbarrier_rules),
    row(Opcode::mbarrier_pending_count, Family::arithmetic, kRepeats, {70, 80, false},
        "mbarrier.pending_count", spelling::mbarrier),
    row(Opcode::mbarrier_check_layout, Family::mbarrier, kRepeats, {93, 90, false}, "mbarrier.check_layout",
        spelling::mbarrier_layout),
    pure(Opcode::mov, Pure::move, "mov", kBits | kBraces),
    {Opcode::cvt, Family::arithmetic, kRepeats, Pure::convert, kBase, of_conversion, &Resolver::convert_rules,
     "cvt", spelling::plain},
    pure(Opcode::selp, Pure::select, "selp"),
    pure(Opcode::setp, Pure::compare, "setp", kNone, spelling::setp, kBase, &Resolver::setp_rules),
    pure(Opcode::cvta, Pure::address, "cvta", kNone, spelling::address_conversion),
    pure(Opcode::mapa, Pure::address, "mapa", kNone, spelling::address_conversion, kCluster),
    sum(Opcode::add, Pure::apply, "add"),
    sum(Opcode::sub, Pure::apply, "sub"),
    pure(Opcode::mul, Pure::product, "mul", kNone, spelling::plain, kBase, &Resolver::mul_rules),
    pure(Opcode::mad, Pure::product, "mad", kNone, spelling::plain, kBase, &Resolver::mul_rules),
    pure(Opcode::div, Pure::apply, "div"),
    pure(Opcode::rem, Pure::apply, "rem"),
    pure(Opcode::min, Pure::apply, "min"),
    pure(Opcode::max, Pure::apply, "max"),
    pure(Opcode::abs, Pure::apply, "abs"),
    pure(Opcode::neg, Pure::apply, "neg"),
    pure(Opcode::and_, Pure::apply, "and", kBits),
    pure(Opcode::or_, Pure::apply, "or", kBits),
    pure(Opcode::xor_, Pure::apply, "xor", kBits),
    pure(Opcode::not_, Pure::apply, "not", kBits),
    pure(Opcode::lop3, Pure::apply, "lop3"),
    pure(Opcode::shl, Pure::shift, "shl", kBits),
    pure(Opcode::shr, Pure::shift, "shr"),
    pure(Opcode::addc, Pure::bits, "addc"),
    pure(Opcode::subc, Pure::bits, "subc"),
    pure(Opcode::madc, Pure::bits, "madc"),
    pure(Opcode::mul24, Pure::bits, "mul24"),
    pure(Opcode::mad24, Pure::bits, "mad24", kNone, spelling::plain, kBase, &Resolver::saturation_rules),
    pure(Opcode::sad, Pure::bits, "sad"),
    pure(Opcode::popc, Pure::bits, "popc"),
    pure(Opcode::clz, Pure::bits, "clz"),
    pure(Opcode::bfind, Pure::bits, "bfind"),
    pure(Opcode::fns, Pure::bits, "fns"),
    pure(Opcode::brev, Pure::bits, "brev"),
    pure(Opcode::bfe, Pure::bits, "bfe"),
    pure(Opcode::bfi, Pure::bits, "bfi"),
    pure(Opcode::szext, Pure::bits, "szext", kNone, spelling::plain, {76, 70, false}),
    pure(Opcode::bmsk, Pure::bits, "bmsk", kNone, spelling::plain, {76, 70, false}),
    pure(Opcode::dp4a, Pure::bits, "dp4a", kNone, spelling::plain, kBase, &Resolver::two_type_rules),
    pure(Opcode::dp2a, Pure::bits, "dp2a", kNone, spelling::plain, kBase, &Resolver::two_type_rules),
    pure(Opcode::cnot, Pure::bits, "cnot"),
    pure(Opcode::shf, Pure::bits, "shf"),
    pure(Opcode::prmt, Pure::bits, "prmt", kNone, spelling::permutation),
    pure(Opcode::slct, Pure::bits, "slct", kNone, spelling::plain, kBase, &Resolver::choice_rules),
    pure(Opcode::set, Pure::compare, "set", kNone, spelling::setp, kBase, &Resolver::set_rules),
    sum(Opcode::fma, Pure::function, "fma"),
    pure(Opcode::rcp, Pure::function, "rcp"),
    pure(Opcode::sqrt, Pure::function, "sqrt"),
    pure(Opcode::rsqrt, Pure::function, "rsqrt"),
    pure(Opcode::sin, Pure::function, "sin"),
    pure(Opcode::cos, Pure::function, "cos"),
    pure(Opcode::lg2, Pure::function, "lg2"),
    pure(Opcode::ex2, Pure::function, "ex2"),
    pure(Opcode::tanh, Pure::function, "tanh", kNone, spelling::plain, {70, 75, false}),
    pure(Opcode::testp, Pure::function, "testp"),
    pure(Opcode::copysign, Pure::function, "copysign"),
    pure(Opcode::cvt_pack, Pure::function, "cvt.pack", kNone, spelling::packing, {65, 72, false},
         &Resolver::pack_rules),
    pure(Opcode::create_policy, Pure::function, "createpolicy", kNone, spelling::policy, {74, 80, false},
         &Resolver::policy_rules),
    pure(Opcode::isspacep, Pure::address, "isspacep", kNone, spelling::space_query),
    pure(Opcode::getctarank, Pure::address, "getctarank", kNone, spelling::address_conversion, kCluster),
    row(Opcode::bra, Family::control, kRepeats, kBase, "bra", spelling::branch),
    row(Opcode::branch_compare, Family::control, kRepeats, kBase, "b", spelling::comparing_branch),
    row(Opcode::exit, Family::control, kEnds, kBase, "exit", spelling::fixed),
    row(Opcode::ret, Family::control, kEnds, kBase, "ret", spelling::branch),
    row(Opcode::trap, Family::control, kEnds, kBase, "trap", spelling::fixed),
    row(Opcode::nop, Family::control, kRepeats, kBase, "", spelling::fixed),
    row(Opcode::nanosleep, Family::control, kRepeats, {63, 70, false}, "nanosleep", spelling::plain),
    row(Opcode::prefetch, Family::control, kRepeats, kBase, "prefetch", spelling::cache_hint, kAlways,
        &Resolver::prefetch_rules),
    row(Opcode::prefetchu, Family::control, kRepeats, kBase, "prefetchu.L1", spelling::fixed),
    row(Opcode::applypriority, Family::control, kRepeats, {74, 80, false}, "applypriority",
        spelling::cache_hint),
    row(Opcode::setmaxnreg, Family::control, kRepeats, kWarpgroupProducts, "setmaxnreg",
        spelling::register_count),
    row(Opcode::pmevent, Family::control, kRepeats, kBase, "pmevent", spelling::event),
    row(Opcode::brkpt, Family::control, kRepeats, kBase, "brkpt", spelling::fixed),
    row(Opcode::cp_async, Family::async_copy, kActs | kOfCopies, {70, 80, false}, "cp.async",
        spelling::async_copy),
    row(Opcode::cp_async_commit, Family::async_copy, kCommits | kOfCopies, {70, 80, false},
        "cp.async.commit_group", spelling::async_group, of_group),
    row(Opcode::cp_async_wait, Family::async_copy, kWaits | kOfCopies, {70, 80, false}, "cp.async.wait_group",
        spelling::async_group, of_group),
    row(Opcode::cp_async_wait_all, Family::async_copy, kCommits | kWaits | kOfCopies, {70, 80, false},
        "cp.async.wait_all", spelling::fixed),
    row(Opcode::cp_async_arrive, Family::async_copy, kActs, {70, 80, false}, "cp.async.mbarrier.arrive",
        spelling::async_arrive),
    row(Opcode::cp_async_bulk, Family::async_copy, kActs | kRemote | kOfCopies, kBulk, "cp.async.bulk",
        spelling::bulk_copy, of_bulk_copy, &Resolver::bulk_copy_rules),
    row(Opcode::cp_reduce_async_bulk, Family::async_copy, kActs | kRemote | kOfCopies, kBulk,
        "cp.reduce.async.bulk", spelling::bulk_copy, of_bulk_reduction, &Resolver::bulk_reduction_rules),
    row(Opcode::cp_async_bulk_prefetch, Family::async_copy, kActs, kBulk, "cp.async.bulk.prefetch",
        spelling::bulk_prefetch),
    row(Opcode::cp_async_bulk_tensor, Family::async_copy, kActs | kRemote | kOfCopies, kBulk,
        "cp.async.bulk.tensor", spelling::tensor_copy, of_bulk_copy, &Resolver::load_mode_rules),
    row(Opcode::cp_reduce_async_bulk_tensor, Family::async_copy, kActs | kOfCopies, kBulk,
        "cp.reduce.async.bulk.tensor", spelling::tensor_copy, of_bulk_copy, &Resolver::load_mode_rules),
    row(Opcode::cp_async_bulk_prefetch_tensor, Family::async_copy, kActs, kBulk,
        "cp.async.bulk.prefetch.tensor", spelling::tensor_prefetch, of_bulk_copy, &Resolver::load_mode_rules),
    row(Opcode::tensormap_replace, Family::async_copy, kActs, {83, 90, true}, "tensormap.replace",
        spelling::map_replace, of_map, &Resolver::map_rules),
    row(Opcode::tensormap_cp_fenceproxy, Family::async_copy, kCollective, {83, 90, false},
        "tensormap.cp_fenceproxy", spelling::map_copy),
    row(Opcode::prefetch_tensormap, Family::async_copy, kNone, kBulk, "prefetch.tensormap",
        spelling::map_prefetch),
    row(Opcode::st_async, Family::async_copy, kActs | kRemote | kBraces, {81, 90, false}, "st.async",
        spelling::async_store, of_async_store, &Resolver::async_store_rules),
    row(Opcode::red_async, Family::async_copy, kActs | kRemote, {81, 90, false}, "red.async",
        spelling::async_reduction, of_async_store, &Resolver::async_reduction_rules),
    row(Opcode::st_bulk, Family::async_copy, kActs, {86, 100, false}, "st.bulk", spelling::bulk_store),
    row(Opcode::launch_cancel, Family::async_copy, kActs | kRemote, {86, 100, false},
        "clusterlaunchcontrol.try_cancel", spelling::launch_cancel, of_cancel),
    pure(Opcode::cancel_query, Pure::function, "clusterlaunchcontrol.query_cancel", kNone,
         spelling::cancel_query, {86, 100, false}),
    row(Opcode::discard, Family::memory, kActs, {74, 80, false}, "discard", spelling::cache_hint),
    row(Opcode::multimem_load, Family::memory, kRepeats, {81, 90, false}, "multimem.ld_reduce",
        spelling::access, of_multimem, &Resolver::multimem_rules),
    row(Opcode::multimem_store, Family::memory, kActs, {81, 90, false}, "multimem.st", spelling::access,
        of_multimem, &Resolver::multimem_rules),
    row(Opcode::multimem_reduce, Family::memory, kActs, {81, 90, false}, "multimem.red", spelling::access,
        kAlways, &Resolver::multimem_rules),
    row(Opcode::shuffle, Family::exchange, kCollective, kBase, "shfl.sync", spelling::between_lanes),
    row(Opcode::vote, Family::exchange, kCollective, kBase, "vote.sync", spelling::between_lanes, kAlways,
        &Resolver::vote_rules),
    row(Opcode::match, Family::exchange, kCollective, kBase, "match.sync", spelling::between_lanes),
    row(Opcode::redux, Family::exchange, kCollective, {70, 80, false}, "redux.sync", spelling::between_lanes,
        of_redux, &Resolver::redux_rules),
    row(Opcode::elect, Family::exchange, kCollective, kBulk, "elect.sync", spelling::fixed),
    row(Opcode::active_mask, Family::exchange, kCollective, {62, 70, false}, "activemask.b32",
        spelling::fixed),
    row(Opcode::ldmatrix, Family::matrix, kCollective, {65, 75, false}, "ldmatrix", spelling::matrix_move,
        of_matrix_move, &Resolver::matrix_move_rules),
    row(Opcode::stmatrix, Family::matrix, kCollective, kCluster, "stmatrix", spelling::matrix_move,
        of_matrix_move, &Resolver::matrix_move_rules),
    row(Opcode::movmatrix, Family::matrix, kCollective, {78, 75, false},
        "movmatrix.sync.aligned.m8n8.trans.b16", spelling::fixed, kAlways, &Resolver::transposition_rules),
    row(Opcode::mma, Family::matrix, kCollective | kBraces, kBase, "mma", spelling::warp_product,
        of_warp_product, &Resolver::product_rules),
    row(Opcode::wmma_load, Family::matrix, kCollective, kBase, "wmma.load", spelling::fragment_move,
        of_fragment, &Resolver::fragment_rules),
    row(Opcode::wmma_store, Family::matrix, kCollective, kBase, "wmma.store", spelling::fragment_move,
        of_fragment, &Resolver::fragment_rules),
    row(Opcode::wmma_mma, Family::matrix, kCollective, kBase, "wmma.mma", spelling::fragment_product,
        of_fragment, &Resolver::fragment_rules),
    row(Opcode::wgmma_fence, Family::matrix, kCollective | kWarpgroup, kWarpgroupProducts,
        "wgmma.fence.sync.aligned", spelling::fixed),
    row(Opcode::wgmma_mma, Family::matrix, kCollective | kWarpgroup | kOfWgmma, kWarpgroupProducts,
        "wgmma.mma_async", spelling::group_product, of_group_product, &Resolver::product_rules),
    row(Opcode::wgmma_commit, Family::matrix, kCollective | kWarpgroup | kCommits | kOfWgmma,
        kWarpgroupProducts, "wgmma.commit_group.sync.aligned", spelling::fixed),
    row(Opcode::wgmma_wait, Family::matrix, kCollective | kWarpgroup | kWaits | kOfWgmma, kWarpgroupProducts,
        "wgmma.wait_group.sync.aligned", spelling::fixed),
    row(Opcode::tcgen05_alloc, Family::tensor, kCollective, kTensor, "tcgen05.alloc",
        spelling::tensor_allocation, of_tensor),
    row(Opcode::tcgen05_dealloc, Family::tensor, kCollective, kTensor, "tcgen05.dealloc",
        spelling::tensor_allocation, of_tensor),
    row(Opcode::tcgen05_relinquish, Family::tensor, kCollective, kTensor, "tcgen05.relinquish_alloc_permit",
        spelling::tensor_allocation, of_tensor),
    row(Opcode::tcgen05_ld, Family::tensor, kCollective, kTensor, "tcgen05.ld", spelling::tensor_load,
        of_tensor, &Resolver::tensor_move_rules),
    row(Opcode::tcgen05_st, Family::tensor, kCollective, kTensor, "tcgen05.st", spelling::tensor_store,
        of_tensor, &Resolver::tensor_move_rules),
    row(Opcode::tcgen05_wait, Family::tensor, kRepeats | kCollective, kTensor, "tcgen05.wait",
        spelling::tensor_wait, of_tensor),
    row(Opcode::tcgen05_cp, Family::tensor, kActs, kTensor, "tcgen05.cp", spelling::tensor_copy_in, of_tensor,
        &Resolver::tensor_copy_rules),
    row(Opcode::tcgen05_shift, Family::tensor, kActs, kTensor, "tcgen05.shift", spelling::tensor_shift,
        of_tensor),
    row(Opcode::tcgen05_mma, Family::tensor, kActs, kTensor, "tcgen05.mma", spelling::tensor_product,
        of_tensor, &Resolver::tensor_product_rules),
    row(Opcode::tcgen05_fence, Family::tensor, kRepeats, kTensor, "tcgen05.fence", spelling::tensor_fence,
        of_tensor),
    row(Opcode::tcgen05_commit, Family::tensor, kActs | kRemote, kTensor, "tcgen05.commit",
        spelling::tensor_commit, of_tensor),
    row(Opcode::griddep_wait, Family::grid, kNone, kCluster, "griddepcontrol.wait", spelling::fixed),
    row(Opcode::griddep_launch, Family::grid, kNone, kCluster, "griddepcontrol.launch_dependents",
        spelling::fixed),
    row(Opcode::heap_allocate, Family::heap, kNone, kBase, "call.malloc", spelling::fixed),
    row(Opcode::heap_free, Family::heap, kNone, kBase, "call.free", spelling::fixed),
    row(Opcode::local_begin, Family::heap, kNone, kBase, "call.begin", spelling::fixed),
    row(Opcode::local_end, Family::heap, kNone, kBase, "call.end", spelling::fixed),
    row(Opcode::api_call, Family::api, kNone, kBase, "", spelling::api_call),
});

constexpr bool opcodes_in_order() {
  for (std::size_t i = 0; i < kTraits.size(); ++i) {
    if (kTraits[i].opcode != static_cast<Opcode>(i)) return false;
  }
  return kTraits.back().opcode == Opcode::api_call;
}
static_assert(opcodes_in_order(), "a row for each opcode, in the order of Opcode; api_call is the last");

}  // namespace

std::span<const OpcodeTraits> opcode_traits() {
  return kTraits;
}

const OpcodeTraits& traits(Opcode opcode) {
  return kTraits[static_cast<std::size_t>(opcode)];
}

Pure pure_of(Opcode opcode, const Modifiers& m) {
  const auto floating = [](const std::optional<Type>& type) { return type && type->is_floating(); };
  const Pure own = traits(opcode).pure;
  switch (own) {
    case Pure::none:
    case Pure::move:
    case Pure::address:
    case Pure::select:
    case Pure::compare:
    case Pure::shift:
    case Pure::function:
      return own;
    case Pure::bits:  // slct.f32.s32 moves bits
      return floating(m.source_type) ? Pure::function : own;
    case Pure::convert:
    case Pure::product:
    case Pure::apply:
      break;
  }
  if (floating(m.type) || floating(m.source_type)) return Pure::function;
  const bool composed = m.packed != Packed::none || m.variants.has(Variant::sat) ||
                        m.variants.has(Variant::carry) || m.variants.has(Variant::relu);
  return composed ? Pure::bits : own;
}

bool needs_convergence(Opcode opcode, const Modifiers& modifiers) {
  return traits(opcode).has(Trait::collective) && !modifiers.warp && modifiers.aligned;
}

Target target_of(Opcode opcode, const Modifiers& m) {
  const OpcodeTraits& row = traits(opcode);
  Target target = row.since == nullptr ? row.target : both(row.target, row.since(m));
  if (m.scope == Scope::cluster) target = both(target, kCluster);
  const bool halves = m.packed == Packed::u16x2 || m.packed == Packed::s16x2;
  if (row.pure == Pure::apply && halves) target = both(target, {80, 90, false});  // 9.7.1.1
  target = both(target, target_of_numbers(opcode, m));
  for (const Space space : {m.space, m.source_space}) {
    if (space == Space::shared_cta) target = both(target, {78, 70, false});
    if (space == Space::shared_cluster) target = both(target, kCluster);
  }
  return target;
}

}  // namespace ptxmc::isa
