// SPDX-License-Identifier: Apache-2.0
#include "report/text/explain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "axiomatic/question/definition.h"
#include "explain/edges.h"
#include "explain/sentences.h"
#include "explain/words/events.h"
#include "explain/words/relations.h"
#include "explain/words/values.h"
#include "ptx/program/print.h"

namespace ptxmc::report {

using event::EventId;
using event::kNoEvent;

namespace {

std::string events_text(const explain::Outcome& outcome, const event::Execution& execution) {
  const event::ProgramGraph& graph = outcome.query.graph;
  const explain::EventNames names(graph, execution);
  std::size_t width = 0;
  for (EventId e = 0; e < graph.size(); ++e) {
    const bool shown = execution.exists.test(e) && explain::is_shown(graph, e);
    if (shown && graph.events[e].is_access()) width = std::max(width, names.label(e).size());
  }
  std::string out;
  for (EventId e = 0; e < graph.size(); ++e) {
    if (!execution.exists.test(e) || !explain::is_shown(graph, e)) continue;
    const event::Event& event = graph.events[e];
    const std::string from = origin_text(graph.origins, event.position);
    const bool access = event.is_access() && event.thread != event::kNoThread;
    out += access ? fmt::format("  {:<{}}  {}{}\n", names.label(e), width, event.text, from)
                  : fmt::format("  {}{}\n", names.label(e), from);
  }
  return out;
}

std::string pairs_text(const explain::EventNames& names, const check::PairSet& pairs,
                       const std::string& words) {
  std::string out;
  for (const auto& [a, b] : pairs) {
    if (names.name(a).empty() || names.name(b).empty()) continue;
    out += fmt::format("  {} --{}--> {}\n", names.label(a), words, names.label(b));
  }
  return out;
}

std::string execution_text(const explain::Outcome& outcome, const engine::State& state) {
  const explain::EventNames names(outcome.query.graph, state.witness);
  const explain::Edges edges = edges_of(outcome, state);
  std::string out = events_text(outcome, state.witness);
  out += pairs_text(names, edges.rf, explain::words_of("rf"));
  out += pairs_text(names, edges.co, explain::words_of("co"));
  out += pairs_text(names, edges.fr, explain::words_of("fr"));
  const auto sync = check::evaluate_role(naive_input(outcome, state), model::Role::synchronization);
  if (sync) out += pairs_text(names, *sync, explain::words_of("sync"));
  return out;
}

std::string violation_text(const explain::Outcome& outcome, const explain::Violation& violation, int depth) {
  std::string out = fmt::format("\n{}: {}\n", explain::title_of(violation), violation.text);
  out += explain::lead_of(violation) + "\n";
  if (!violation.state) return out;
  const event::ProgramGraph& graph = outcome.query.graph;
  const event::Execution& execution = violation.state->witness;
  const std::string shown = explain::print_state(graph, *violation.state);
  if (!shown.empty()) out += fmt::format("  {}\n", shown);
  out += events_text(outcome, execution);
  constexpr std::string_view kWhat[] = {
      "Cycle:", "Cycle:", "Pair:", "Element:", "Nothing there.", "Followed in coherence:"};
  out += fmt::format("{}\n", kWhat[static_cast<int>(violation.shape)]);
  if (violation.at != kNoEvent)
    out += fmt::format("  {}\n", explain::EventNames(graph, execution).label(violation.at));
  for (const explain::Line& line : lines_of(graph, execution, violation.chain, depth))
    out += fmt::format("  {:{}}{}\n", "", 4 * line.level, line.text);
  return out;
}

}  // namespace

std::string explain_text(const explain::Outcome& outcome, const explain::Explanation& explanation,
                         int depth) {
  std::string out = fmt::format("Test {}\nCondition {}\n{}\n", outcome.test.name,
                                program::print_condition_line(outcome.test.property),
                                explain::headline(outcome, explanation));
  if (explanation.state) {
    const std::string shown = explain::print_state(outcome.query.graph, *explanation.state);
    out += fmt::format("\n{}\n", explain::state_lead(explanation));
    if (!shown.empty()) out += fmt::format("  {}\n", shown);
    out += execution_text(outcome, *explanation.state);
  }
  for (const explain::Violation& violation : explanation.axioms)
    out += violation_text(outcome, violation, depth);
  for (const explain::Violation& violation : explanation.alternatives)
    out += violation_text(outcome, violation, depth);
  return out + "\n";
}

}  // namespace ptxmc::report
