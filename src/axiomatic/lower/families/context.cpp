// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/families/context.h"

#include <limits>
#include <set>
#include <utility>

#include "finding/rules.h"

namespace ptxmc::lower {

ThreadContext::ThreadContext(Unit& unit, event::ThreadId thread)
    : unit_(unit),
      graph_(unit.graph),
      pool_(unit.pool()),
      layout_(unit.layout),
      thread_(thread),
      source_(unit.program.threads[thread]),
      info_(unit.graph.threads[thread]),
      body_(unit.bodies.of(source_)) {}

void ThreadContext::misuse(finding::RuleId rule, Expr where, const Instruction& instruction) const {
  graph_.misuses.push_back({rule, where, instruction.position, instruction.text});
}

Cluster ThreadContext::cluster_ctas() const {
  std::set<std::pair<int, std::uint32_t>> ctas;  // those without a number come last
  for (event::ThreadId t = 0; t < graph_.threads.size(); ++t) {
    const event::ThreadInfo& thread = graph_.threads[t];
    const int number = unit_.program.threads[t].placement.cta.value_or(std::numeric_limits<int>::max());
    if (!thread.host && thread.cluster == info_.cluster) ctas.emplace(number, thread.cta);
  }
  Cluster ranked;
  for (const auto& entry : ctas) ranked.push_back(entry.second);
  return ranked;
}

std::uint32_t ThreadContext::cta_of_rank(const Instruction& instruction, event::Value rank) const {
  const Cluster ctas = cluster_ctas();
  if (rank < 0 || rank >= static_cast<event::Value>(ctas.size())) {
    fail(instruction.position,
         "CTA rank " + std::to_string(rank) + " in a cluster of " + std::to_string(ctas.size()));
  }
  return ctas[static_cast<std::size_t>(rank)];
}

void ThreadContext::note_converged(const Instruction& instruction, Expr guard,
                                   std::optional<Expr> taken) const {
  if ((lanes_of_warp(graph_, thread_) & ~info_.lanes) == 0) return;  // no thread beside it
  const bool exits = instruction.opcode == isa::Opcode::exit || instruction.opcode == isa::Opcode::ret;
  unit_.converged.push_back({thread_, guard, taken, exits, instruction.text, instruction.position});
}

void ThreadContext::need_warp(const Instruction& instruction) const {
  if (info_.lanes == kAllLanes) return;
  unsupported(instruction.position, "`" + instruction.text +
                                        "` by a single lane; a thread that has its warp to itself, "
                                        "and names no lane, stands for all 32");
}

Event ThreadContext::new_event(EventKind kind, const Instruction& instruction, Expr guard) const {
  Event event;
  event.kind = kind;
  event.thread = thread_;
  event.guard = guard;
  event.opcode = instruction.opcode;
  event.spelling = instruction.spelling;
  event.bulk = instruction.modifiers.bulk;
  event.position = instruction.position;
  event.text = instruction.text;
  return event;
}

}  // namespace ptxmc::lower
