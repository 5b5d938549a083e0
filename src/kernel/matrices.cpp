// SPDX-License-Identifier: Apache-2.0
// Matrices of a warp (9.7.13): ldmatrix and stmatrix move 8x8 matrices of 16-bit elements exactly; products are not
// evaluated.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "kernel/machine.h"

namespace ptxmc::kernel {

namespace {

constexpr unsigned kRows = 8;
constexpr std::uint32_t kRowBytes = 16;

}  // namespace

/// The lanes 8i to 8i + 7 have the addresses of the rows of matrix i; a lane holds two elements of its row lane / 4, or of
/// its column where the matrix is transposed.
void Machine::matrix_access(Warp& warp, const Step& step, LaneMask group) {
  const isa::Matrix& matrix = step.modifiers().matrix;
  const bool loads = step.instruction->opcode == isa::Opcode::ldmatrix;
  const unsigned rows = kRows * matrix.count;
  const LaneMask givers = rows >= kLanes ? kAllLanes : (LaneMask{1} << rows) - 1;
  Row at;
  const Reached reached = reach(warp, step, group & givers, kRowBytes, at);
  if ((group & givers) != givers)
    fault(FaultKind::barrier_divergence, step, warp, static_cast<unsigned>(std::countr_zero(group)),
          "lanes that have the addresses of rows have exited");
  if (reached.lanes != givers) return;
  LaneMask tainted = 0;
  for (unsigned i = 0; i < matrix.count && i < step.elements.size(); ++i) {
    const Slot slot = step.elements[i];
    if (slot == kNoSlot) continue;
    for_lanes(group, [&](unsigned lane) {
      std::uint64_t value = loads ? 0 : warp.row(slot)[lane];
      Sources sources = loads ? Sources{0} : warp.taint(slot).of(lane);
      std::array<Term, 2> halves{};
      if (sources != 0) tainted = kAllLanes;
      for (unsigned half = 0; half < 2; ++half) {
        const unsigned far = 2 * (lane % 4) + half, own = lane / 4;
        const unsigned row = matrix.transposed ? far : own;
        const std::uint64_t column = matrix.transposed ? own : far;
        const Memory::Span span = span_of(reached, at[i * kRows + row], kRowBytes);
        if (loads) {
          value |= Memory::load(span.data + column * 2, 2) << (16 * half);
          sources = static_cast<Sources>(sources | span.sources(column * 2, 2));
          if (terms_ != nullptr)
            halves.at(half) = terms_->load(at[i * kRows + row] + column * 2, span, column * 2, 2);
        } else {
          Memory::store(span.data + column * 2, 2, value >> (16 * half));
          span.set_sources(column * 2, 2, sources);
        }
      }
      if (!loads) return;
      warp.row(slot)[lane] = value;
      warp.taint(slot).set(lane, sources);
      if (terms_ != nullptr) terms_->set(warp, slot, lane, terms_->halves(halves[0], halves[1]));
    });
  }
  if (!loads) ++changes_;
  if (observer_ == nullptr) return;
  trace::Access access{.site = step.site,
                       .lanes = lanes(warp, givers),
                       .effect = loads ? trace::Effect::read : trace::Effect::write,
                       .proxy = isa::Proxy::generic,
                       .strength = {},
                       .bytes = static_cast<std::uint8_t>(kRowBytes),
                       .elements = 1,
                       .begin = at,
                       .written = {},
                       .tainted = tainted};
  observer_->access(access);
}

/// mma, movmatrix: a function of all registers of the warp that nobody evaluates.
void Machine::matrix_product(Warp& warp, const Step& step, LaneMask group) {
  const auto unknown = [&](Slot slot) {
    if (slot == kNoSlot) return;
    for_lanes(group, [&](unsigned lane) { warp.row(slot)[lane] = 0; });
    Taint taint = warp.taint(slot);
    taint.data |= group;
    warp.taint(slot).assign(taint, group);
  };
  unknown(step.to);
  for (const Slot slot : step.elements) unknown(slot);
}

}  // namespace ptxmc::kernel
