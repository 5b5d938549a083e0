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
constexpr std::uint32_t kElement = 2;

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

void Matrices::givers_exited(const Warp& warp, const Step& step, LaneMask group) {
  run_.fault(RuleId::barrier_divergence, step, warp, first_of(group),
             "lanes that have the addresses of rows have exited");
}

/// The lanes 8i to 8i + 7 have the addresses of the rows of matrix i; a lane holds two elements of each.
void Matrices::matrix_access(Warp& warp, const Step& step, LaneMask group) {
  const isa::Matrix& matrix = step.modifiers().matrix;
  const bool loads = step.instruction->opcode == isa::Opcode::ldmatrix;
  const unsigned rows = kRows * matrix.count;
  const LaneMask givers = rows >= kLanes ? kAllLanes : (LaneMask{1} << rows) - 1;
  Row at;
  const ReachedBytes reached = machine_.accesses.reach(warp, step, group & givers, kRowBytes, at);
  if ((group & givers) != givers) return givers_exited(warp, step, group);
  if (reached.lanes != givers) return;
  run_.outcome.matrices.insert(step.site);
  if (loads) {
    load_matrices(warp, step, group, reached, at);
    return tell_loaded(warp, step, group, at);
  }
  for (unsigned i = 0; i < matrix.count && i < step.elements.size(); ++i) {
    Row of_matrix = {};
    std::copy_n(at.data() + std::size_t{i} * kRows, kRows, of_matrix.begin());
    store_matrix(warp, step, group, reached, of_matrix, step.elements[i]);
  }
  ++run_.changes;
}

/// The lanes of a row are four, or eight of a matrix that is transposed.
void Matrices::tell_loaded(const Warp& warp, const Step& step, LaneMask group, const Row& at) {
  const isa::Matrix& matrix = step.modifiers().matrix;
  const auto tell = [&](LaneMask lanes, std::uint32_t bytes, const Row& begin) {
    machine_.accesses.tell_weak(warp, step, lanes & group, trace::Effect::read, bytes, begin,
                                rows_ == MatrixRows::in_warp_order);
  };
  Row begin = {};
  for (unsigned i = 0; i < matrix.count; ++i) {
    const Address* const rows = at.data() + std::size_t{i} * kRows;
    if (rows_ != MatrixRows::by_rows) {
      const unsigned parts = matrix.transposed ? 2 : 1;  // the halves of a register lie in two rows
      for (unsigned half = 0; half < parts; ++half) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
          const auto [row, column] = place_of(lane, half, matrix.transposed);
          begin[lane] = rows[row] + column * kElement;
        }
        tell(kAllLanes, 2 * kElement / parts, begin);
      }
    } else if (matrix.transposed) {
      for (unsigned row = 0; row < kRows; ++row) {
        begin.fill(rows[row]);
        tell(LaneMask{0x11111111} << (row / 2), kRowBytes, begin);
      }
    } else {
      for (unsigned lane = 0; lane < kLanes; ++lane) begin[lane] = rows[lane / 4];
      tell(kAllLanes, kRowBytes, begin);
    }
  }
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
        value |= Memory::load(span.data + column * kElement, kElement) << (16 * half);
        sources = static_cast<Sources>(sources | span.sources(column * kElement, kElement));
        if (run_.observer.is_unsettled({of_row + column * kElement, kElement}))
          sources |= bit(Source::timing);
        halves.at(half) = machine_.shadow.load_term(of_row + column * 2, span, column * kElement, kElement);
      }
      warp.row(slot)[lane] = value;
      warp.taint(slot).set(lane, sources);
      machine_.shadow.set_term(warp, slot, lane, machine_.shadow.halves(halves[0], halves[1]));
    });
  }
}

/// One matrix: each lane writes its elements, two side by side or, of a matrix that is transposed, one after the other.
void Matrices::store_matrix(Warp& warp, const Step& step, LaneMask group, const ReachedBytes& reached,
                            const Row& rows, Slot slot) {
  if (slot == kNoSlot) return;
  const bool apart = step.modifiers().matrix.transposed;
  LaneMask tainted = 0;
  Row begin = {};
  for (unsigned half = 0; half < 2; ++half) {
    if (half == 0 || apart) {
      written_.fill(0);
      machine_.shadow.begin_words(kLanes);
    }
    for_lanes(group, [&](unsigned lane) {
      const Sources sources = warp.taint(slot).of(lane);
      const auto [row, column] = place_of(lane, half, apart);
      const Memory::Span span = machine_.accesses.span_of(reached, rows[row], kRowBytes);
      const std::uint64_t offset = column * kElement, element = warp.row(slot)[lane] >> (16 * half) & 0xffffU;
      if (half == 0 || apart) begin[lane] = rows[row] + offset;
      Memory::store(span.data + offset, kElement, element);
      span.set_sources(offset, kElement, sources);
      if (open(sources) != 0) tainted |= LaneMask{1} << lane;
      written_[lane] |= element << (apart ? 0 : 16 * half);
      machine_.shadow.store_half({span, offset, kElement}, lane, half == 0 || apart,
                                 machine_.shadow.term_of(warp, slot, lane), half == 1, open(sources) != 0);
    });
    if (half == 1 || apart) tell_stored(warp, step, group, begin, tainted);
  }
}

void Matrices::tell_stored(const Warp& warp, const Step& step, LaneMask group, const Row& begin,
                           LaneMask tainted) {
  const std::uint32_t bytes = step.modifiers().matrix.transposed ? kElement : 2 * kElement;
  trace::Access access{.site = step.site,
                       .lanes = lanes_of(warp, group),
                       .effect = trace::Effect::write,
                       .proxy = isa::Proxy::generic,
                       .strength = {},
                       .bytes = static_cast<std::uint8_t>(bytes),
                       .elements = 1,
                       .begin = begin,
                       .written = {written_.data(), kLanes},
                       .tainted = tainted};
  access.terms = machine_.shadow.stored_terms();
  access.in_warp_order = rows_ == MatrixRows::in_warp_order;
  if (machine_.blocks.follow())
    for_lanes(group, [&](unsigned lane) { machine_.blocks.refuse_global(step, {begin[lane], bytes}); });
  run_.observer.access(access);
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
