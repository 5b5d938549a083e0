// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/families/shared_matrices.h"

#include "axiomatic/lower/memory/descriptor_bits.h"
#include "axiomatic/lower/unit/matrix_values.h"
#include "ptx/isa/opcode.h"

namespace ptxmc::lower {

using event::Value;
using footprint::MatrixLayout;
using footprint::MatrixSize;

namespace {

constexpr std::uint32_t kAlignment = 16;  // bytes, of a matrix in shared memory

}  // namespace

/// The matrix that a descriptor names: a variable, the offset in it, and its layout.
SharedMatrices::SharedMatrix SharedMatrices::shared_matrix(const Instruction& instruction, const State& state,
                                                           const Operand& operand, const MatrixSize& size,
                                                           bool transposed) {
  if (const auto* written = std::get_if<program::Descriptor>(&operand.value)) {
    MatrixLayout layout = footprint::packed_layout(size, written->swizzle, transposed);
    if (written->leading) layout.leading = *written->leading;
    if (written->stride) layout.stride = *written->stride;
    return {layout_.find(written->variable, operand.position), written->offset, layout};
  }
  const Expr value = registers_.operand(state, operand, 64);
  const auto read = descriptor_bits(pool_, unit_.places, value);
  if (!read && !pool_.is_constant(value))
    unsupported(operand.position, "a matrix descriptor that is not constant");
  const Value bits = read ? read->rest : pool_[value].constant;
  const bool tensor = isa::traits(instruction.opcode).family == isa::Family::tensor;
  footprint::Problem problem;
  footprint::MatrixDescriptor found =
      footprint::decode_descriptor(tensor ? footprint::MatrixUnit::tcgen05 : footprint::MatrixUnit::wgmma,
                                   static_cast<std::uint64_t>(bits), problem);
  if (problem.unsupported) unsupported(operand.position, problem.text);
  if (!problem.text.empty()) fail(operand.position, problem.text);
  found.layout.transposed = transposed;
  if (read) return {read->start.variable, read->start.offset, found.layout};
  constexpr Value kSpan = footprint::kDescriptorSpan;
  for (VariableId id = 0; id < layout_.variables() && !unit_.places.symbolic(); ++id) {
    if (!layout_.is_shared(id) || layout_.root(id) != id) continue;
    const Value offset = (found.start - layout_.address(id) % kSpan + kSpan) % kSpan;
    if (offset < layout_.extent(id)) return {id, offset, found.layout};
  }
  fail(operand.position, "the descriptor's start address is of no .shared variable");
}

/// The reads of a matrix in a CTA's shared memory; returns its contents as one opaque value.
Expr SharedMatrices::read_shared_matrix(const Instruction& instruction, const Operand& operand,
                                        const State& state, const MatrixSize& size, bool transposed,
                                        EventId issue, std::uint32_t cta, std::vector<EventId>& reads) {
  const SharedMatrix matrix = shared_matrix(instruction, state, operand, size, transposed);
  const Expr guard = graph_.events[issue].guard;
  Contents contents(pool_);
  for (const Range& range : footprint::bytes_of(size, matrix.layout, matrix.offset)) {
    Location place;
    place.variable = matrix.variable;
    place.offset = range.begin;
    if (cta != info_.cta) place.cta = cta;
    const isa::Space space = cta == info_.cta ? isa::Space::shared_cta : isa::Space::shared_cluster;
    const Tile from =
        tiles_.tile(instruction, operand, place, {space, range.bytes, kAlignment, false, false});
    Words words;
    Event read = tiles_.tile_event(EventKind::read, instruction, from, issue, guard);
    read.labels.proxy = isa::Proxy::async;
    reads.push_back(tiles_.add_tile_read(std::move(read), from, words));
    for (std::size_t k = 0; k < words.size(); ++k) {
      const std::int64_t end = k + 1 < words.size() ? from.begins[k + 1] : range.bytes;
      contents.add(range.begin - matrix.offset + from.begins[k], end - from.begins[k], words[k]);
    }
  }
  return contents.result();
}

}  // namespace ptxmc::lower
