// SPDX-License-Identifier: Apache-2.0
// tcgen05.mma, cp and shift (9.7.16.9, 9.7.16.10): which one thread issues, and with .cta_group::2 are of both CTAs of a
// pair. What they read in shared memory, they read by the async proxy (R280).
#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "dynamic/exec/machine.h"

namespace ptxmc::exec {

namespace {

using footprint::MatrixSize;
using footprint::Product;
using footprint::TensorAddress;
using footprint::TensorRegion;
using isa::Role;
using trace::Range;
using trace::TensorOp;

constexpr std::size_t kMaskWords = 4;  // of the lanes of one CTA

/// Equal for equal accumulators and shapes: of those, products are pipelined (9.7.16.6.2).
std::uint64_t number_of(const Product& product, TensorAddress d) {
  const auto part = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
  return 1U | part(d.column) << 1U | part(d.lane) << 11U | part(product.m) << 19U | part(product.n) << 29U |
         part(product.k) << 39U;
}

}  // namespace

/// The bytes of the matrix that a descriptor names, in the shared memory of one CTA.
void TensorUnit::add_shared_matrix(Warp& warp, const Step& step, TensorUse& use, std::uint32_t cta, Role role,
                                   const MatrixSize& size, bool transposed) {
  const auto lane = static_cast<unsigned>(std::countr_zero(use.lanes));
  MatrixBytes written;
  const Places::Bounds* bounds = nullptr;
  const MatrixBytes* bytes = &written;
  const auto* descriptor = std::get_if<program::Descriptor>(&step.instruction->operand(role).value);
  if (descriptor != nullptr) {
    footprint::MatrixLayout layout = footprint::packed_layout(size, descriptor->swizzle, transposed);
    if (descriptor->leading) layout.leading = *descriptor->leading;
    if (descriptor->stride) layout.stride = *descriptor->stride;
    const auto start = static_cast<std::int64_t>(run_.memory->offset_of(descriptor->variable));
    written.ranges = footprint::bytes_of(size, layout, start + descriptor->offset);
  } else {
    run_.decided_by(warp, step, role, Decided::address, LaneMask{1} << lane);
    bounds = machine_.forms.descriptor_bounds(warp, step, role, lane);
    bytes = &run_.matrix_footprints.find(footprint::MatrixUnit::tcgen05, value_of(warp, step, role, lane),
                                         size, transposed);
  }
  if (!bytes->problem.text.empty()) {
    use.valid = false;
    return run_.fault(RuleId::bad_operand, step, warp, lane, bytes->problem.text);
  }
  for (const footprint::Range& range : bytes->ranges) {
    const Range there{run_.memory->shared(cta) + static_cast<Address>(range.begin),
                      static_cast<std::uint64_t>(range.bytes)};
    if ((bounds != nullptr && !machine_.forms.in_object(warp, step, lane, there, *bounds)) ||
        !machine_.copies.in_memory(warp, step, lane, there)) {
      use.valid = false;
      return;
    }
    (use.op == TensorOp::mma && role == Role::a ? use.shared_a : use.shared).push_back(there);
  }
}

std::optional<Product> TensorUnit::product_of(Warp& warp, const Step& step, unsigned lane) {
  run_.decided_by(warp, step, Role::descriptor, Decided::address, LaneMask{1} << lane);
  std::string error;
  const auto product = footprint::decode_product(
      step.modifiers().tensor, static_cast<std::uint32_t>(value_of(warp, step, Role::descriptor, lane)),
      error);
  if (!product) run_.fault(RuleId::bad_operand, step, warp, lane, error);
  return product;
}

/// A, B, metadata and scale factors of one CTA: of a pair it has its rows of A, and half of the columns of B.
void TensorUnit::add_multiplicands(Warp& warp, const Step& step, TensorUse& use, std::uint32_t cta,
                                   const Product& product) {
  const isa::Tensor& t = step.modifiers().tensor;
  const auto lane = static_cast<unsigned>(std::countr_zero(use.lanes));
  const std::int64_t rows = product.m / t.cta_group, columns = product.n / t.cta_group;
  const auto address = [&](Role role) { return tensor_address(warp, step, role, lane); };
  const auto add = [&](const TensorRegion& region) { add_region(warp, step, use, cta, region, use.reads); };
  const bool a_in_tensor = std::any_of(step.in_tensor.begin(), step.in_tensor.end(),
                                       [](const auto& one) { return one.first == Role::a; });
  if (a_in_tensor) {
    add(footprint::multiplicand_region(t, product, address(Role::a)));
  } else {
    const std::int64_t depth = t.sparse ? product.k / 2 : product.k;
    add_shared_matrix(warp, step, use, cta, Role::a, {rows, depth, product.bits}, product.transpose_a);
  }
  add_shared_matrix(warp, step, use, cta, Role::b, {columns, product.k, product.bits}, product.transpose_b);
  if (t.sparse) {
    add(footprint::metadata_region(t, product, address(Role::metadata)));
    run_.outcome.metadata.insert(step.site);
  }
  if (!t.block_scale) return;
  std::vector<Range>& scales = run_.readings.scales_are_apart ? use.unpaired : use.reads;
  add_region(warp, step, use, cta, footprint::scale_region(t, product, rows, address(Role::scale_a)), scales);
  add_region(warp, step, use, cta, footprint::scale_region(t, product, product.n, address(Role::scale_b)),
             scales);
}

void TensorUnit::tensor_product(Warp& warp, const Step& step, LaneMask mask) {
  for_lanes(mask, [&](unsigned lane) {
    check_group(warp, step, lane);
    const auto product = product_of(warp, step, lane);
    if (!product) return;
    const isa::Tensor& t = step.modifiers().tensor;
    const TensorAddress d = tensor_address(warp, step, Role::address, lane);
    TensorUse use;
    use.op = TensorOp::mma;
    use.lanes = LaneMask{1} << lane;
    use.product = number_of(*product, d);
    std::vector<std::uint32_t> words;  // lanes of D that stay as they are
    for (const Slot slot : step.fragments) {
      words.push_back(static_cast<std::uint32_t>(warp.row(slot)[lane]));
      run_.decided_by(warp, step, slot, Decided::address, LaneMask{1} << lane);
    }
    const std::vector<std::uint32_t> ctas = tensor_ctas(warp, step, lane);
    for (std::size_t c = 0; c < ctas.size(); ++c) {
      add_multiplicands(warp, step, use, ctas[c], *product);
      TensorRegion region = footprint::accumulator_region(t, *product, d);
      if (words.size() >= kMaskWords * (c + 1)) {
        const auto own = words.begin() + static_cast<std::ptrdiff_t>(kMaskWords * c);
        region = footprint::without_lanes(region, {own, own + kMaskWords});
      }
      add_region(warp, step, use, ctas[c], region, use.writes);
    }
    issue_tensor(warp, step, use);
  });
}

/// Each CTA of a pair copies from its own shared memory, at the same offset, to its own tensor memory.
void TensorUnit::tensor_copy(Warp& warp, const Step& step, LaneMask mask) {
  const isa::Tensor& t = step.modifiers().tensor;
  const footprint::CopySource source = footprint::copy_source(t);
  for_lanes(mask, [&](unsigned lane) {
    check_group(warp, step, lane);
    const TensorAddress at = tensor_address(warp, step, Role::address, lane);
    TensorUse use;
    use.op = t.shape == isa::TensorShape::l4x256b ? TensorOp::cp_4x256b : TensorOp::cp;
    use.lanes = LaneMask{1} << lane;
    for (const std::uint32_t cta : tensor_ctas(warp, step, lane)) {
      add_shared_matrix(warp, step, use, cta, Role::a, {source.rows, source.bytes, 8}, false);
      add_region(warp, step, use, cta, footprint::copy_region(t, at), use.writes);
    }
    issue_tensor(warp, step, use);
  });
}

void TensorUnit::tensor_shift(Warp& warp, const Step& step, LaneMask mask) {
  for_lanes(mask, [&](unsigned lane) {
    check_group(warp, step, lane);
    const TensorAddress at = tensor_address(warp, step, Role::address, lane);
    if (at.lane % kLanes != 0)
      run_.fault(RuleId::tmem_misuse, step, warp, lane,
                 fmt::format("a shift from lane {} on, which is no multiple of 32", at.lane));
    TensorUse use;
    use.op = TensorOp::shift;
    use.lanes = LaneMask{1} << lane;
    for (const std::uint32_t cta : tensor_ctas(warp, step, lane))
      add_region(warp, step, use, cta, footprint::shift_region(at), use.writes);
    issue_tensor(warp, step, use);
  });
}

}  // namespace ptxmc::exec
