// SPDX-License-Identifier: Apache-2.0
// Matrices of a warp (9.7.13): ldmatrix and stmatrix move 8x8 matrices of 16-bit elements exactly; products are not
// evaluated.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dynamic/exec/machine.h"
#include "ptx/rules/sparsity.h"

namespace ptxmc::exec {

namespace {

constexpr unsigned kRows = 8;
constexpr std::uint32_t kRowBytes = 16;
constexpr unsigned kRowWords = 2;  // of what is told of it

struct MatrixPlace {
  unsigned row;
  std::uint64_t column;
};

/// Where in a matrix a half of a lane's register is: in its row lane / 4, or in its column where the matrix is transposed.
MatrixPlace place_of(unsigned lane, unsigned half, bool transposed) {
  const unsigned far = 2 * (lane % 4) + half, own = lane / 4;
  return transposed ? MatrixPlace{far, own} : MatrixPlace{own, far};
}

}  // namespace

/// The lanes 8i to 8i + 7 have the addresses of the rows of matrix i; a lane holds two elements of each.
void Matrices::matrix_access(Warp& warp, const Step& step, LaneMask group) {
  const isa::Matrix& matrix = step.modifiers().matrix;
  const bool loads = step.instruction->opcode == isa::Opcode::ldmatrix;
  const unsigned rows = kRows * matrix.count;
  const LaneMask givers = rows >= kLanes ? kAllLanes : (LaneMask{1} << rows) - 1;
  Row at;
  const ReachedBytes reached = machine_.accesses.reach(warp, step, group & givers, kRowBytes, at);
  if ((group & givers) != givers)
    run_.fault(RuleId::barrier_divergence, step, warp, static_cast<unsigned>(std::countr_zero(group)),
               "lanes that have the addresses of rows have exited");
  if (reached.lanes != givers) return;
  if (loads) {
    load_matrices(warp, step, group, reached, at);
    machine_.accesses.tell_weak(warp, step, givers, trace::Effect::read, kRowBytes, at);
    return;
  }
  const LaneMask tainted = store_matrices(warp, step, group, reached, at);
  ++run_.changes;
  trace::Access access{.site = step.site,
                       .lanes = lanes_of(warp, givers),
                       .effect = trace::Effect::write,
                       .proxy = isa::Proxy::generic,
                       .strength = {},
                       .bytes = static_cast<std::uint8_t>(kRowBytes),
                       .elements = 1,
                       .begin = at,
                       .written = {written_.data(), std::size_t{kLanes} * kRowWords},
                       .tainted = tainted};
  access.terms = machine_.shadow.stored_terms();
  if (machine_.blocks.follow())
    for_lanes(givers, [&](unsigned lane) { machine_.blocks.refuse_global(step, {at[lane], kRowBytes}); });
  run_.observer.access(access);
}

void Matrices::load_matrices(Warp& warp, const Step& step, LaneMask group, const ReachedBytes& reached,
                             const Row& at) {
  const isa::Matrix& matrix = step.modifiers().matrix;
  for (unsigned i = 0; i < matrix.count && i < step.elements.size(); ++i) {
    const Slot slot = step.elements[i];
    if (slot == kNoSlot) continue;
    for_lanes(group, [&](unsigned lane) {
      std::uint64_t value = 0;
      Sources sources = 0;
      std::array<Term, 2> halves{};
      for (unsigned half = 0; half < 2; ++half) {
        const auto [row, column] = place_of(lane, half, matrix.transposed);
        const Address of_row = at[i * kRows + row];
        const Memory::Span span = machine_.accesses.span_of(reached, of_row, kRowBytes);
        value |= Memory::load(span.data + column * 2, 2) << (16 * half);
        sources = static_cast<Sources>(sources | span.sources(column * 2, 2));
        if (run_.observer.is_unsettled({of_row + column * 2, 2})) sources |= bit(Source::timing);
        halves.at(half) = machine_.shadow.load_term(of_row + column * 2, span, column * 2, 2);
      }
      warp.row(slot)[lane] = value;
      warp.taint(slot).set(lane, sources);
      machine_.shadow.set_term(warp, slot, lane, machine_.shadow.halves(halves[0], halves[1]));
    });
  }
}

/// Columns of a row come in order, and become what its lane has written. Gives the lanes whose rows rest on something.
LaneMask Matrices::store_matrices(Warp& warp, const Step& step, LaneMask group, const ReachedBytes& reached,
                                  const Row& at) {
  const isa::Matrix& matrix = step.modifiers().matrix;
  LaneMask tainted = 0;
  std::fill_n(written_.begin(), std::size_t{kLanes} * kRowWords, 0);
  machine_.shadow.begin_words(std::size_t{kLanes} * kRowWords);
  for (unsigned i = 0; i < matrix.count && i < step.elements.size(); ++i) {
    const Slot slot = step.elements[i];
    if (slot == kNoSlot) continue;
    for_lanes(group, [&](unsigned lane) {
      const std::uint64_t value = warp.row(slot)[lane];
      const Sources sources = warp.taint(slot).of(lane);
      const Term term = machine_.shadow.term_of(warp, slot, lane);
      for (unsigned half = 0; half < 2; ++half) {
        const auto [row, column] = place_of(lane, half, matrix.transposed);
        const unsigned giver = i * kRows + row;
        const Memory::Span span = machine_.accesses.span_of(reached, at[giver], kRowBytes);
        const std::uint64_t element = value >> (16 * half) & 0xffffU;
        Memory::store(span.data + column * 2, 2, element);
        span.set_sources(column * 2, 2, sources);
        if (open(sources) != 0) tainted |= LaneMask{1} << giver;
        const std::size_t word = std::size_t{giver} * kRowWords + column / 4;
        written_[word] |= element << (16 * (column % 4));
        machine_.shadow.store_half({span, column * 2, 2}, word, column % 4 == 0, term, half == 1,
                                   open(sources) != 0);
      }
    });
  }
  return tainted;
}

/// 9.7.13.5.1, 9.7.14.6.1: other metadata and selectors than the manual's are undefined behaviour. Metadata that a launch leaves open
/// are taken for such as it has.
void Matrices::check_sparsity(Warp& warp, const Step& step, LaneMask group) {
  const isa::Matrix& matrix = step.modifiers().matrix;
  const auto selector = static_cast<std::int64_t>(value_of(warp, step, isa::Role::selector, first_of(group)));
  if (!rules::is_selector(matrix, selector))
    return run_.fault(RuleId::sparsity_metadata, step, warp, first_of(group),
                      fmt::format("a selector of {}", selector));
  const Taint& metadata = warp.taint(step.slot(isa::Role::metadata));
  const LaneMask open = metadata.open();
  run_.decided_by(warp, step, isa::Role::metadata, Decided::control, metadata.block & group);
  for_lanes(group, [&](unsigned lane) {
    if (!rules::holds_metadata(matrix, selector, lane)) return;
    const auto bits = static_cast<std::uint32_t>(value_of(warp, step, isa::Role::metadata, lane));
    if ((open >> lane & 1U) != 0) {
      run_.outcome.metadata.insert(step.site);
    } else if (!rules::is_metadata(matrix, bits)) {
      run_.fault(RuleId::sparsity_metadata, step, warp, lane, fmt::format("metadata of {:#010x}", bits));
    }
  });
}

/// mma, movmatrix: a function of all registers of the warp that is not evaluated.
void Matrices::matrix_product(Warp& warp, const Step& step, LaneMask group) {
  const auto unknown = [&](Slot slot) {
    if (slot == kNoSlot) return;
    for_lanes(group, [&](unsigned lane) { warp.row(slot)[lane] = 0; });
    Taint taint = warp.taint(slot);
    taint.data |= group;
    warp.taint(slot).assign(taint, group);
  };
  unknown(step.to);
  for (const Slot slot : step.elements) unknown(slot);
  if (step.has(isa::Role::metadata)) check_sparsity(warp, step, group);
}

}  // namespace ptxmc::exec
