// SPDX-License-Identifier: Apache-2.0
#include "ptx/isa/form_targets.h"

#include "ptx/isa/opcode.h"

namespace ptxmc::isa::form_targets {

Target of_memory(const Modifiers& m) {
  Target target;
  if (m.semantics == Semantics::mmio) target = both(target, {82, 70, false});
  if (m.mmio) target = both(target, {93, 70, false});
  if (m.read_only) target = both(target, {94, 90, false});
  const int bits = m.type ? m.type->bits : 64;
  if (bits == 128) target = both(target, {m.scope == Scope::sys ? 84 : 83, 70, false});
  if (m.vector * bits > 128) target = both(target, {88, 100, false});
  return target;
}

/// Vectors, and packed or short floating numbers, of atom and red (9.7.12.5, 9.7.12.6).
Target of_red(const Modifiers& m) {
  Target target = of_memory(m);
  if (m.vector > 1) target = both(target, {81, 90, false});
  const Float format = m.type ? m.type->format : Float::none;
  if (m.packed == Packed::f16x2 || format == Float::f16x2) target = both(target, {62, 60, false});
  if (m.packed == Packed::bf16x2 || format == Float::bf16x2 || format == Float::bf16)
    target = both(target, {78, 90, false});
  if (format == Float::f16) target = both(target, {63, 70, false});
  return target;
}

Target of_atom(const Modifiers& m) {
  Target target = of_red(m);
  const int bits = m.type ? m.type->bits : 64;
  if (bits == 128) target = both(target, {84, 90, false});
  if (bits == 16) target = both(target, {63, 70, false});
  return target;
}

Target of_fence(const Modifiers& m) {
  const bool one_sided = m.semantics == Semantics::acquire || m.semantics == Semantics::release;
  return one_sided ? Target{86, 70, false} : kBase;  // the scope of .sync_restrict needs more
}

Target of_proxy_fence(const Modifiers& m) {
  switch (m.proxy) {
    case Proxy::tensormap:
      return {83, 90, false};
    case Proxy::async:  // .acquire and .release: the uni-directional forms
      if (m.semantics == Semantics::weak) return kBulk;
      return m.reads_only ? Target{94, 90, false} : Target{86, 90, false};
    case Proxy::alias:
      return m.semantics == Semantics::weak ? kBase : Target{94, 90, false};
    default:
      return kBase;
  }
}

/// mbarrier.init.layout::v1
Target of_layout(const Modifiers& m) {
  return m.small_counts ? Target{93, 80, false} : kBase;
}

/// A multicast to a mask of 32 CTAs.
Target of_mask(const Modifiers& m) {
  return m.wide_mask ? Target{94, 107, true} : kBase;
}

Target of_mbarrier(const Modifiers& m) {
  Target target;
  if (m.expect_tx) target = both(target, kBulk);
  // Where .acquire and .release are unwritten defaults, this asks for a little too much.
  if (m.scope != Scope::none) target = both(target, {80, 80, false});
  if (m.space == Space::shared_cluster) target = both(target, kBulk);
  return both(target, of_mask(m));
}

/// .relaxed of an arrival or a wait
Target of_arrival(const Modifiers& m) {
  return m.semantics == Semantics::relaxed ? both(of_mbarrier(m), {86, 90, false}) : of_mbarrier(m);
}

/// The same, with what was reported
Target of_wait(const Modifiers& m) {
  return m.reports ? both(of_arrival(m), {93, 90, false}) : of_arrival(m);
}

// .release, .relaxed and .acquire of the cluster barrier came later; .release and .acquire are its defaults.
Target of_cluster_barrier(const Modifiers& m) {
  return m.semantics == Semantics::relaxed ? kBulk : kCluster;
}

Target of_group(const Modifiers& m) {
  return m.bulk ? kBulk : kBase;
}

Target of_bulk_copy(const Modifiers& m) {
  if (m.wide_mask) return of_mask(m);
  if (m.semantics != Semantics::weak && m.dimensions == 0) return {93, 90, true};
  const bool own =
      m.space == Space::shared_cta;  // the CTA's own shared memory, which gathers came to with all devices
  if (m.tensor.cta_group != 0) return {86, 100, true};
  if (has_rows(m.load_mode) || is_wide(m.load_mode)) return {86, 100, !own};
  if (m.ignore_oob) return {92, 90, false};
  if (m.byte_mask) return {86, 100, false};
  return m.space == Space::shared_cta ? Target{86, 90, false} : kBulk;
}

Target of_bulk_reduction(const Modifiers& m) {
  return m.scope != Scope::none ? Target{93, 90, false} : kBulk;
}

Target of_conversion(const Modifiers& m) {
  return m.variants.has(Variant::rs) ? Target{87, 100, true} : kBase;
}

/// Mixed precision.
Target of_sum(const Modifiers& m) {
  return m.source_type ? Target{86, 100, false} : kBase;
}

Target of_redux(const Modifiers& m) {
  return m.type->is_floating() ? Target{86, 100, true} : kBase;
}

Target of_async_store(const Modifiers& m) {
  if (m.type->bits == 128) return {92, 90, false};
  return m.space == Space::global ? Target{87, 100, false} : kBase;
}

Target of_matrix_move(const Modifiers& m) {
  return m.matrix.m == 8 && m.matrix.n == 8 ? kBase : Target{86, 100, true};
}

Target of_cancel(const Modifiers& m) {
  return m.multicast ? Target{86, 100, true} : kBase;
}

Target of_group_product(const Modifiers& m) {
  return m.matrix.sparse ? Target{82, 90, true} : kWarpgroupProducts;
}

/// 9.7.13.3; with .aligned
Target of_fragment(const Modifiers& m) {
  switch (m.matrix.a) {
    case Element::bf16:
    case Element::tf32:
    case Element::f64:
      return {70, 80, false};
    case Element::s8:
    case Element::u8:
      return {63, 72, false};
    case Element::s4:
    case Element::u4:
    case Element::b1:
      return {63, 75, false};
    default:
      return {63, 70, false};
  }
}

Target of_warp_product(const Modifiers& m) {
  if (m.tensor.kind != TensorKind::none) return {87, 120, true};
  const Matrix& matrix = m.matrix;
  if (matrix.a == Element::e4m3 || matrix.a == Element::e5m2) return {84, 89, false};
  if (matrix.ordered) return {85, 80, false};
  if (matrix.sparse) return {71, 80, false};
  const bool small = matrix.m == 8;
  switch (matrix.a) {
    case Element::f64:
      return small ? Target{70, 80, false} : Target{78, 90, false};
    case Element::f16:
      return small ? Target{64, 70, false} : matrix.k == 8 ? Target{65, 75, false} : Target{70, 80, false};
    case Element::s8:
    case Element::u8:
    case Element::s4:
    case Element::u4:
      return small ? Target{65, 75, false} : Target{70, 80, false};
    case Element::b1:
      return small && matrix.parity ? Target{70, 75, false} : Target{71, 80, false};
    default:
      return {70, 80, false};
  }
}

Target of_map(const Modifiers& m) {
  return m.map_field == MapField::swizzle_atomicity ? Target{86, 100, true} : kBase;
}

/// Numbers of 8 bits.
Target of_multimem(const Modifiers& m) {
  return m.packed >= Packed::e4m3x2 ? Target{86, 100, true} : kBase;
}

// 9.7.16.8.3, 9.7.16.10.9.1
Target of_tensor(const Modifiers& m) {
  if (m.wide_mask) return of_mask(m);
  if (m.atomic != AtomicOp::none) return {88, 103, true};  // tcgen05.ld.red
  if (m.tensor.exclusive) return {94, 107, true};
  if (m.reads_only) return {94, 100, true};  // tcgen05.commit
  const ScaleVector scale = m.tensor.scale;
  const bool blocks = scale == ScaleVector::block16 || scale == ScaleVector::block32 ||
                      (m.tensor.block_scale && scale == ScaleVector::none);  // the default is .block32
  if (blocks) return {88, 100, true};
  return m.tensor.kind == TensorKind::mxf4nvf4 ? Target{87, 100, true} : kTensor;
}

}  // namespace ptxmc::isa::form_targets
