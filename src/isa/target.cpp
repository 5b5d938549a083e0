// SPDX-License-Identifier: Apache-2.0
// A row per opcode, and what its modifiers add. Only what is later than PTX 6.0 and sm_70 matters.
#include "isa/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "isa/opcode.h"
#include "support/check.h"

namespace ptxmc::isa {

namespace {

struct Row {
  Opcode opcode;
  Target target;
};

constexpr Target kBase{60, 70, false};
constexpr Target kCluster{78, 90, false};  // clusters, .shared::cluster
constexpr Target kBulk{80, 90, false};     // bulk copies, transaction counts
constexpr Target kWgmma{80, 90, true};
constexpr Target kTensor{86, 100, true};

constexpr Row kRows[] = {
    {Opcode::ld, kBase},
    {Opcode::st, kBase},
    {Opcode::atom, kBase},
    {Opcode::red, kBase},
    {Opcode::fence, kBase},
    {Opcode::fence_proxy, {75, 70, false}},
    {Opcode::bar_sync, kBase},
    {Opcode::bar_arrive, kBase},
    {Opcode::bar_red, kBase},
    {Opcode::cluster_arrive, kCluster},
    {Opcode::cluster_wait, kCluster},
    {Opcode::fence_mbarrier_init, kBulk},
    {Opcode::mbarrier_init, {70, 80, false}},
    {Opcode::mbarrier_inval, {70, 80, false}},
    {Opcode::mbarrier_expect_tx, kBulk},
    {Opcode::mbarrier_complete_tx, kBulk},
    {Opcode::mbarrier_arrive, {71, 80, false}},
    {Opcode::mbarrier_arrive_drop, {71, 80, false}},
    {Opcode::mbarrier_test_wait, {71, 80, false}},
    {Opcode::mbarrier_try_wait, kCluster},
    {Opcode::mbarrier_pending_count, {70, 80, false}},
    {Opcode::mov, kBase},
    {Opcode::cvt, kBase},
    {Opcode::selp, kBase},
    {Opcode::setp, kBase},
    {Opcode::cvta, kBase},
    {Opcode::mapa, kCluster},
    {Opcode::add, kBase},
    {Opcode::sub, kBase},
    {Opcode::mul, kBase},
    {Opcode::mad, kBase},
    {Opcode::div, kBase},
    {Opcode::rem, kBase},
    {Opcode::min, kBase},
    {Opcode::max, kBase},
    {Opcode::abs, kBase},
    {Opcode::neg, kBase},
    {Opcode::and_, kBase},
    {Opcode::or_, kBase},
    {Opcode::xor_, kBase},
    {Opcode::not_, kBase},
    {Opcode::shl, kBase},
    {Opcode::shr, kBase},
    {Opcode::bra, kBase},
    {Opcode::branch_compare, kBase},
    {Opcode::exit, kBase},
    {Opcode::ret, kBase},
    {Opcode::nop, kBase},
    {Opcode::cp_async, {70, 80, false}},
    {Opcode::cp_async_commit, {70, 80, false}},
    {Opcode::cp_async_wait, {70, 80, false}},
    {Opcode::cp_async_wait_all, {70, 80, false}},
    {Opcode::cp_async_arrive, {70, 80, false}},
    {Opcode::cp_async_bulk, kBulk},
    {Opcode::cp_reduce_async_bulk, kBulk},
    {Opcode::cp_async_bulk_prefetch, kBulk},
    {Opcode::cp_async_bulk_tensor, kBulk},
    {Opcode::cp_reduce_async_bulk_tensor, kBulk},
    {Opcode::cp_async_bulk_prefetch_tensor, kBulk},
    {Opcode::tensormap_replace, {83, 90, true}},
    {Opcode::tensormap_cp_fenceproxy, {83, 90, false}},
    {Opcode::prefetch_tensormap, kBulk},
    {Opcode::st_async, {81, 90, false}},
    {Opcode::red_async, {81, 90, false}},
    {Opcode::st_bulk, {86, 100, false}},
    {Opcode::launch_cancel, {86, 100, false}},
    {Opcode::shuffle, kBase},
    {Opcode::vote, kBase},
    {Opcode::match, kBase},
    {Opcode::redux, {70, 80, false}},
    {Opcode::elect, kBulk},
    {Opcode::active_mask, {62, 70, false}},
    {Opcode::ldmatrix, {65, 75, false}},
    {Opcode::stmatrix, kCluster},
    {Opcode::movmatrix, {78, 75, false}},
    {Opcode::mma, {70, 80, false}},
    {Opcode::wgmma_fence, kWgmma},
    {Opcode::wgmma_mma, kWgmma},
    {Opcode::wgmma_commit, kWgmma},
    {Opcode::wgmma_wait, kWgmma},
    {Opcode::tcgen05_alloc, kTensor},
    {Opcode::tcgen05_dealloc, kTensor},
    {Opcode::tcgen05_relinquish, kTensor},
    {Opcode::tcgen05_ld, kTensor},
    {Opcode::tcgen05_st, kTensor},
    {Opcode::tcgen05_wait, kTensor},
    {Opcode::tcgen05_cp, kTensor},
    {Opcode::tcgen05_shift, kTensor},
    {Opcode::tcgen05_mma, kTensor},
    {Opcode::tcgen05_fence, kTensor},
    {Opcode::tcgen05_commit, kTensor},
    {Opcode::griddep_wait, kCluster},
    {Opcode::griddep_launch, kCluster},
    {Opcode::api_call, kBase},
};

const Row* row_of(Opcode opcode) {
  const Row* row =
      std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& r) { return r.opcode == opcode; });
  return row == std::end(kRows) ? nullptr : row;
}

bool is_mbarrier(Opcode opcode) {
  return opcode >= Opcode::mbarrier_expect_tx && opcode <= Opcode::mbarrier_try_wait;
}

// Spaces and scopes that came with clusters.
Target of_cluster(const Modifiers& m) {
  Target target;
  if (m.scope == Scope::cluster) target = both(target, kCluster);
  for (const Space space : {m.space, m.source_space}) {
    if (space == Space::shared_cta) target = both(target, {78, 70, false});
    if (space == Space::shared_cluster) target = both(target, kCluster);
  }
  return target;
}

Target of_memory(Opcode opcode, const Modifiers& m) {
  Target target;
  if (m.semantics == Semantics::mmio) target = both(target, {82, 70, false});
  const int bits = m.type ? m.type->bits : 64;
  if (bits == 128) target = both(target, {m.scope == Scope::sys ? 84 : 83, 70, false});
  if (opcode == Opcode::atom) {
    if (bits == 128) target = both(target, {84, 90, false});
    if (bits == 16) target = both(target, {63, 70, false});
  }
  if (m.vector * bits > 128) target = both(target, {88, 100, false});
  return target;
}

Target of_fence(const Modifiers& m) {
  const bool one_sided = m.semantics == Semantics::acquire || m.semantics == Semantics::release;
  return one_sided ? Target{86, 90, false} : kBase;
}

Target of_proxy_fence(const Modifiers& m) {
  switch (m.proxy) {
    case Proxy::tensormap:
      return {83, 90, false};
    case Proxy::async:  // .acquire and .release: the uni-directional forms
      return m.semantics == Semantics::weak ? kBulk : Target{86, 90, false};
    default:
      return kBase;
  }
}

Target of_mbarrier(Opcode opcode, const Modifiers& m, bool wait) {
  Target target;
  if (m.expect_tx) target = both(target, kBulk);
  // Where .acquire and .release are the defaults that nobody wrote, this asks for a little too much.
  if (m.scope != Scope::none) target = both(target, {80, 80, false});
  if (m.semantics == Semantics::relaxed && opcode != Opcode::mbarrier_expect_tx &&
      opcode != Opcode::mbarrier_complete_tx)
    target = both(target, {86, 90, false});
  if (!wait && m.space == Space::shared_cluster) target = both(target, kBulk);
  return target;
}

// .release, .relaxed and .acquire of the cluster barrier came later; .release and .acquire are its defaults.
Target of_cluster_barrier(const Modifiers& m) {
  return m.semantics == Semantics::relaxed ? kBulk : kCluster;
}

Target of_bulk(Opcode opcode, const Modifiers& m) {
  const bool copies = opcode == Opcode::cp_async_bulk || opcode == Opcode::cp_async_bulk_tensor;
  if (copies && m.space == Space::shared_cta) return {86, 90, false};
  return kBase;
}

Target of_product(Opcode opcode, const Modifiers& m) {
  if (opcode == Opcode::wgmma_mma) return m.matrix.sparse ? Target{82, 90, true} : kWgmma;
  if (m.matrix.a == Element::e4m3 || m.matrix.a == Element::e5m2) return {84, 89, false};
  if (m.matrix.ordered) return {85, 80, false};
  if (m.matrix.sparse) return {71, 80, false};
  return kBase;
}

// 9.7.16.8.3, 9.7.16.10.9.1
Target of_tensor(const Modifiers& m) {
  if (m.atomic != AtomicOp::none) return {88, 103, true};  // tcgen05.ld.red
  const ScaleVector scale = m.tensor.scale;
  const bool blocks = scale == ScaleVector::block16 || scale == ScaleVector::block32 ||
                      (m.tensor.block_scale && scale == ScaleVector::none);  // the default is .block32
  if (blocks) return {88, 100, true};
  return m.tensor.kind == TensorKind::mxf4nvf4 ? Target{87, 100, true} : kTensor;
}

}  // namespace

bool has_target(Opcode opcode) {
  return row_of(opcode) != nullptr;
}

Target target_of(Opcode opcode, const Modifiers& m) {
  const Row* row = row_of(opcode);
  PTXMC_CHECK(row != nullptr, "no target is known of opcode " + std::to_string(static_cast<int>(opcode)));
  Target target = both(row->target, of_cluster(m));
  const bool memory =
      opcode == Opcode::ld || opcode == Opcode::st || opcode == Opcode::atom || opcode == Opcode::red;
  if (memory) target = both(target, of_memory(opcode, m));
  if (opcode == Opcode::fence) target = both(target, of_fence(m));
  if (opcode == Opcode::fence_proxy) target = both(target, of_proxy_fence(m));
  if (is_mbarrier(opcode)) {
    const bool wait = opcode == Opcode::mbarrier_test_wait || opcode == Opcode::mbarrier_try_wait;
    target = both(target, of_mbarrier(opcode, m, wait));
  }
  if (opcode == Opcode::cluster_arrive) target = both(target, of_cluster_barrier(m));
  if (opcode == Opcode::launch_cancel && m.multicast) target = both(target, {86, 100, true});
  if (m.bulk) target = both(target, both(kBulk, of_bulk(opcode, m)));
  if (opcode == Opcode::st_async && m.space == Space::global) target = both(target, {87, 100, false});
  if (opcode == Opcode::mma || opcode == Opcode::wgmma_mma) target = both(target, of_product(opcode, m));
  if (traits(opcode).family == Family::tensor) target = both(target, of_tensor(m));
  return target;
}

Target both(const Target& a, const Target& b) {
  Target result = a.sm > b.sm || (a.sm == b.sm && a.specific) ? a : b;
  result.version = std::max(a.version, b.version);
  return result;
}

bool lacks(const Target& have, const Target& need) {
  if (have.version < need.version || have.sm < need.sm) return true;
  return need.specific && (!have.specific || have.sm != need.sm);
}

std::string version_name(const Target& target) {
  return fmt::format("{}.{}", target.version / 10, target.version % 10);
}

std::string sm_name(const Target& target) {
  return fmt::format("sm_{}{}", target.sm, target.specific ? "a" : "");
}

}  // namespace ptxmc::isa
