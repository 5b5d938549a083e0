// SPDX-License-Identifier: Apache-2.0
// cvta (9.7.8.20) and mapa (9.7.8.24): addresses of instances of .shared variables.
//
// A plain address of a .shared variable means the accessing thread's own instance, as addresses of the
// .shared::cta window do. A generic address, and one that mapa makes, names the instance of one CTA whoever
// uses it. Other spaces have one address for all (.local: the window is the same, the memory behind it each
// thread's own).
#include <limits>
#include <set>

#include "lower/thread.h"

namespace ptxmc::lower {

using event::Expr;

/// The CTAs of the thread's cluster by rank: ranks count those that the test places there, by number.
std::vector<std::uint32_t> ThreadLowering::cluster_ctas() const {
  std::set<std::pair<int, std::uint32_t>> ctas;  // those without a number come last
  for (event::ThreadId t = 0; t < unit_.graph.threads.size(); ++t) {
    const event::ThreadInfo& thread = unit_.graph.threads[t];
    const int number = unit_.test.threads[t].placement.cta.value_or(std::numeric_limits<int>::max());
    if (!thread.host && thread.cluster == info_.cluster) ctas.emplace(number, thread.cta);
  }
  std::vector<std::uint32_t> ranked;
  for (const auto& entry : ctas) ranked.push_back(entry.second);
  return ranked;
}

std::uint32_t ThreadLowering::cta_of_rank(const Instruction& instruction, event::Value rank) const {
  const std::vector<std::uint32_t> ctas = cluster_ctas();
  if (rank < 0 || rank >= static_cast<event::Value>(ctas.size())) {
    fail(instruction.position,
         "CTA rank " + std::to_string(rank) + " in a cluster of " + std::to_string(ctas.size()));
  }
  return ctas[static_cast<std::size_t>(rank)];
}

void ThreadLowering::convert_address(const Instruction& instruction, State& state) {
  auto& pool = unit_.pool();
  Layout& layout = unit_.layout;
  const Width width = operation_width(instruction);
  const Operand& source = instruction.operand(Role::a);
  Expr result = operand(state, source, width);
  const bool fixed = unit_.places.is_fixed(pool, result);
  const auto location = unit_.places.locate(pool, result);
  const bool mapa = instruction.opcode == isa::Opcode::mapa;
  const bool shared = location && layout.is_shared(location->variable);
  if (mapa || !instruction.modifiers.to_space) {
    if (mapa && fixed && !shared) fail(source.position, "expected the address of a .shared variable");
    const bool of_shared = instruction.modifiers.space == isa::Space::shared ||
                           instruction.modifiers.space == isa::Space::shared_cta || mapa;
    if (of_shared && !fixed) {
      unit_.errors.unsupported(source.position,
                               "`" + instruction.text + "` of an address that is not constant");
    }
    std::optional<std::uint32_t> cta;
    if (shared) cta = location->cta.value_or(info_.cta);
    if (mapa) {
      const Expr rank = operand(state, instruction.operand(Role::rank), 32);
      if (!pool.is_constant(rank)) {
        unit_.errors.unsupported(instruction.position, "a CTA rank that is not constant");
      }
      cta = cta_of_rank(instruction, pool[rank].constant);
    }
    if (shared) {
      layout.use_address(location->variable, cta);
      result = pool.make(event::Op::add, width, unit_.places.address(pool, {location->variable, cta}, width),
                         pool.constant(location->offset, width));
    }
  }
  write_register(state, instruction, instruction.operand(Role::result), {result, false});
}

}  // namespace ptxmc::lower
