// SPDX-License-Identifier: Apache-2.0
// The collector buffers of tcgen05.mma (9.7.16.10): `use` and `lastuse` require that an earlier fill of the
// buffer is still valid (R282), or what they multiply is undefined.
//
// The buffer is a cache, so values do not depend on it; what is tracked is whether it holds the matrix. Fills
// of the issuing thread count, in program order: a `use` keeps the buffer, `lastuse` and `discard` (the
// default, of a or b0) give it up. Each mma exists on its own paths, so the validity is a formula over them.
#include "lower/thread.h"

namespace ptxmc::lower {

using event::EventId;
using event::Expr;
using event::Op;
using isa::Collector;

namespace {

/// The operand that the buffer holds: A, of .ws B. Empty: no variable is named.
std::string matrix_of(const litmus::Instruction& instruction) {
  const std::size_t place = instruction.modifiers.tensor.weight_stationary ? 2 : 1;
  const auto* descriptor = std::get_if<litmus::Descriptor>(&instruction.operands.at(place).value);
  return descriptor == nullptr ? "" : descriptor->variable;
}

bool same_buffer(const CollectorUse& a, const CollectorUse& b) {
  return a.weight_stationary == b.weight_stationary && a.buffer == b.buffer;
}

bool may_be_same_matrix(const CollectorUse& a, const CollectorUse& b) {
  return a.matrix.empty() || b.matrix.empty() || a.matrix == b.matrix;
}

}  // namespace

void ThreadLowering::use_collector(const Instruction& instruction, State& state, EventId issue, Expr guard) {
  auto& pool = unit_.pool();
  const isa::Tensor& t = instruction.modifiers.tensor;
  const CollectorUse now{issue, t.collector, t.weight_stationary, t.buffer, matrix_of(instruction)};
  if (t.collector == Collector::use || t.collector == Collector::lastuse) {
    Expr valid = pool.truth(false);
    for (const CollectorUse& earlier : state.tensor.collected) {
      if (!same_buffer(earlier, now)) continue;
      const Expr exists = unit_.graph.events[earlier.issue].guard;
      // A use keeps what there was; it is judged where it stands
      if (earlier.what == Collector::use && may_be_same_matrix(earlier, now)) continue;
      const bool fills = earlier.what == Collector::fill && may_be_same_matrix(earlier, now);
      valid = fills ? pool.disjunction(exists, valid) : pool.conjunction(pool.negation(exists), valid);
    }
    const Expr misuse = pool.conjunction(guard, pool.negation(valid));
    if (!pool.is_false(misuse))
      unit_.graph.misuses.push_back({"collector-buffer", misuse, instruction.position, instruction.text});
  }
  state.tensor.collected.push_back(now);
}

}  // namespace ptxmc::lower
