// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/question/undefined.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "axiomatic/event/barriers.h"
#include "axiomatic/event/sync_machine.h"
#include "axiomatic/question/flag_probe.h"
#include "model/flag_rules.h"

namespace ptxmc::check {
namespace {

using event::Event;
using event::EventId;
using event::ProgramGraph;

bool overlap(const ProgramGraph& graph, EventId a, EventId b) {
  for (std::size_t k = 0; k < graph.slots_of(a); ++k) {
    if (graph.covers(b, graph.slot(graph.slot_of(a, k)).cell)) return true;
  }
  return false;
}

bool same_bytes(const ProgramGraph& graph, EventId a, EventId b) {
  if (graph.slots_of(a) != graph.slots_of(b)) return false;
  for (std::size_t k = 0; k < graph.slots_of(a); ++k) {
    if (!graph.covers(b, graph.slot(graph.slot_of(a, k)).cell)) return false;
  }
  return true;
}

bool in_thread(const Event& e) {
  return e.is_access() && e.thread != event::kNoThread;
}

/// One thread's accesses by one way: program order is causality there (8.9.5).
bool in_order(const Event& a, const Event& b) {
  return a.thread == b.thread && a.labels.generic_name == b.labels.generic_name &&
         a.labels.proxy == b.labels.proxy;
}

std::string place(const ProgramGraph& graph, EventId e) {
  const Event& event = graph.events[e];
  if (event.thread == event::kNoThread) return event.text;
  if (event.kind == event::EventKind::end)
    return "the end of P" + std::to_string(graph.threads[event.thread].number);
  return "P" + std::to_string(graph.threads[event.thread].number) + " " +
         line_text(graph.origins, event.position) + " `" + event.text + "`";
}

/// The two halves of an atomic, or two elements of a vector, are one instruction.
std::string places(const ProgramGraph& graph, const std::pair<EventId, EventId>& pair) {
  const std::string a = place(graph, std::min(pair.first, pair.second));
  const std::string b = place(graph, std::max(pair.first, pair.second));
  return a == b ? a : a + ", " + b;
}

/// An access shares a byte with an mbarrier object.
bool meets_object(const ProgramGraph& graph) {
  std::set<event::CellId> cells;
  for (const Event& event : graph.events) {
    if (event.mbarrier) cells.insert(event.named.begin(), event.named.end());
  }
  for (EventId e = 0; !cells.empty() && e < graph.size(); ++e) {
    if (!in_thread(graph.events[e])) continue;
    for (std::size_t k = 0; k < graph.slots_of(e); ++k) {
      if (cells.contains(graph.slot(graph.slot_of(e, k)).cell)) return true;
    }
  }
  return false;
}

/// Two arrivals at a bar whose counts may differ (R163); one that does not wait, or two of which one is a barrier.red
/// (R170); one at the barrier of a cluster (R175).
bool bars_may_be_misused(const ProgramGraph& graph) {
  std::set<std::optional<event::Value>> counts;
  std::set<bool> reduce;
  for (const Event& event : graph.events) {
    if (event.kind != event::EventKind::arrival || !event.barrier || of_pair(*event.barrier)) continue;
    if (event.barrier->wait == event::kNoEvent) return true;  // barrier.cluster.arrive, too
    if (!event.barrier->exchange && !event.barrier->warp) reduce.insert(event.opcode == isa::Opcode::bar_red);
    const auto& count = event.barrier->count;
    if (count && !graph.exprs.is_constant(*count)) return true;
    counts.insert(count ? std::optional(graph.exprs[*count].constant) : std::nullopt);
  }
  return counts.size() > 1 || reduce.size() > 1 || counts.contains(event::kNoCount);
}

/// Some barrier event that could be wrong; where control flow decides nothing, the machine knows.
bool barriers_may_be_misused(const ProgramGraph& graph, finding::RuleId rule, const Budget& budget) {
  const bool some = rule == finding::RuleId::barrier_misuse
                        ? bars_may_be_misused(graph)
                        : std::any_of(graph.events.begin(), graph.events.end(),
                                      [](const Event& event) { return event.mbarrier.has_value(); });
  if (!some || !event::sync_decisions(graph).empty()) return some;
  const event::Assignment path(graph.decisions.size(), event::Truth::unset);
  return event::may_misuse(graph, path, budget);
}

/// Whether the program has what a rule is about.
bool may_break(const ProgramGraph& graph, const finding::Rule& rule, const Budget& budget) {
  if (rule.id == finding::RuleId::mixed_size_race) return sizes_differ(graph);
  if (rule.id == finding::RuleId::mbarrier_misuse)
    return meets_object(graph) || barriers_may_be_misused(graph, rule.id, budget);
  if (rule.id == finding::RuleId::barrier_misuse) return barriers_may_be_misused(graph, rule.id, budget);
  if (rule.id != finding::RuleId::mbarrier_uninitialised) return true;
  return std::any_of(graph.events.begin(), graph.events.end(), [](const Event& event) {
    return event.mbarrier && event.mbarrier->op == event::MbarrierOp::init;
  });
}

/// The two events of a raised flag; of a misuse, the event and what is wrong.
std::string detail(const engine::Query& query, std::size_t flag, const event::Execution& execution) {
  const finding::RuleId rule = model::rule_of(query.model.flags[flag]).id;
  if (rule == finding::RuleId::mbarrier_misuse || rule == finding::RuleId::barrier_misuse) {
    for (const auto& phase : execution.enumerated) {
      if (phase.size() == 0) continue;
      const auto misuse = event::phase_misuse(query.graph, execution.decisions, phase, query.budget);
      if (misuse) return place(query.graph, misuse->first) + ": " + event::describe(misuse->second);
    }
  }
  const PairSet pairs = FlagProbe(query, flag).pairs(execution);
  return pairs.empty() ? "" : places(query.graph, *pairs.begin());
}

}  // namespace

bool sizes_differ(const ProgramGraph& graph) {
  if (graph.parts.empty()) return false;  // every access covers one cell: all that meet are equal
  for (EventId a = 0; a < graph.size(); ++a) {
    if (!in_thread(graph.events[a])) continue;
    for (EventId b = a + 1; b < graph.size(); ++b) {
      const Event& x = graph.events[a];
      const Event& y = graph.events[b];
      if (!in_thread(y) || in_order(x, y) || (!x.is_write() && !y.is_write())) continue;
      if (overlap(graph, a, b) && !same_bytes(graph, a, b)) return true;
    }
  }
  return false;
}

std::vector<Undefined> find_undefined_flags(const engine::Query& query, const Solve& solve) {
  std::vector<Undefined> found;
  for (std::size_t flag = 0; flag < query.model.flags.size(); ++flag) {
    const finding::Rule& rule = model::rule_of(query.model.flags[flag]);
    if (!rule.undefined || !may_break(query.graph, rule, query.budget)) continue;
    engine::Query ask = query;
    ask.ask = engine::Ask::flag;
    ask.flag = flag;
    ask.witnesses = 1;
    const engine::Result result = solve(ask);
    Undefined one{query.model.flags[flag].name, &rule, std::nullopt, ""};
    if (result.complete) one.happens = false;
    if (!result.states.empty()) {
      one.happens = true;
      one.detail = detail(ask, flag, result.states.front().witness);
    }
    found.push_back(std::move(one));
  }
  return found;
}

bool may_be_misused(const ProgramGraph& graph, const relation::MemoryModel& model, const Budget& budget) {
  return std::any_of(model.flags.begin(), model.flags.end(), [&](const relation::Constraint& flag) {
    const finding::Rule& rule = model::rule_of(flag);
    return rule.undefined && rule.id != finding::RuleId::mixed_size_race && may_break(graph, rule, budget);
  });
}

namespace {

/// What threads that share a body do at one instruction is one misuse.
std::vector<event::Misuse> by_instruction(ProgramGraph& graph) {
  std::vector<event::Misuse> out;
  std::map<std::tuple<finding::RuleId, std::uint32_t, std::uint32_t>, std::size_t> known;
  for (const event::Misuse& misuse : graph.misuses) {
    const Position at = misuse.position;
    const auto [row, fresh] = known.try_emplace({misuse.rule, at.line, at.column}, out.size());
    if (fresh || !at.known()) {
      out.push_back(misuse);
    } else {
      out[row->second].guard = graph.exprs.disjunction(out[row->second].guard, misuse.guard);
    }
  }
  return out;
}

}  // namespace

std::vector<Undefined> find_misuses(const engine::Query& query, const Solve& solve) {
  std::vector<Undefined> found;
  if (query.graph.misuses.empty()) return found;
  ProgramGraph graph = query.graph;
  for (const event::Misuse& misuse : by_instruction(graph)) {
    graph.proposition = misuse.guard;
    graph.goal = event::Goal::exists;
    engine::Query ask = query.about(graph, query.base, query.model, engine::Ask::verdict);
    ask.witnesses = query.witnesses;
    const engine::Result result = solve(ask);
    const finding::Rule& rule = finding::rule(misuse.rule);
    Undefined one{
        std::string(rule.name), &rule,
        std::nullopt,           line_text(graph.origins, misuse.position) + " `" + misuse.text + "`",
        misuse.position,        misuse.text};
    if (result.complete) one.happens = false;
    for (const engine::State& state : result.states) {
      if (state.satisfied) one.happens = true;
    }
    if (one.happens != false) found.push_back(std::move(one));
  }
  return found;
}

std::vector<std::string> split_vector_reads(const ProgramGraph& graph) {
  std::map<EventId, std::vector<EventId>> vectors;
  for (EventId e = 0; e < graph.size(); ++e) {
    const Event& event = graph.events[e];
    if (event.is_read() && event.vector != event::kNoEvent) vectors[event.vector].push_back(e);
  }
  std::vector<std::string> warnings;
  for (const auto& [first, elements] : vectors) {
    // Writers, by thread: the elements that a thread's writes meet, and whether one of these writes is
    // strong.
    std::map<event::ThreadId, std::pair<std::set<EventId>, bool>> writers;
    for (const EventId read : elements) {
      for (EventId w = 0; w < graph.size(); ++w) {
        const Event& write = graph.events[w];
        if (!in_thread(write) || !write.is_write() || write.thread == graph.events[read].thread) continue;
        if (!overlap(graph, read, w)) continue;
        auto& [met, strong] = writers[write.thread];
        met.insert(w);
        strong = strong || write.labels.semantics != isa::Semantics::weak;
      }
    }
    for (const auto& [thread, entry] : writers) {
      std::set<EventId> instructions;
      for (const EventId w : entry.first) {
        instructions.insert(graph.events[w].vector == event::kNoEvent ? w : graph.events[w].vector);
      }
      if (!entry.second || instructions.size() < 2) continue;
      warnings.push_back(place(graph, first) + ": its elements are read in no order (8.2.4); P" +
                         std::to_string(graph.threads[thread].number) +
                         " writes them one by one, so none guards another");
    }
  }
  return warnings;
}

std::vector<std::string> non_coherent_reads(const ProgramGraph& graph) {
  std::map<std::string, std::string> warnings;  // by place: an instruction is one, at however many addresses
  for (EventId read = 0; read < graph.size(); ++read) {
    const Event& event = graph.events[read];
    const bool by_texture = event.labels.proxy == isa::Proxy::texture &&
                            graph.names[event.labels.name].proxy == isa::Proxy::generic;
    if (!event.is_read() || !by_texture) continue;
    for (EventId w = 0; w < graph.size(); ++w) {
      const Event& write = graph.events[w];
      if (!in_thread(write) || !write.is_write() || !overlap(graph, read, w)) continue;
      if (graph.threads[write.thread].kernel != graph.threads[event.thread].kernel) continue;
      warnings.try_emplace(place(graph, read),
                           "is for memory that no thread writes while the kernel runs (8.1); " +
                               place(graph, w) + " writes it");
    }
  }
  std::vector<std::string> out;
  out.reserve(warnings.size());
  for (const auto& [at, what] : warnings) out.push_back((at + " ").append(what));
  return out;
}

}  // namespace ptxmc::check
