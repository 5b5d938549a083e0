// SPDX-License-Identifier: Apache-2.0
#include "report/draw/dot.h"

#include <fmt/format.h>

#include <array>
#include <map>

#include "check/definition.h"
#include "explain/edges.h"
#include "explain/words/values.h"
#include "support/diagnostic.h"
#include "support/refuse.h"

namespace ptxmc::report {

using check::PairSet;
using event::EventId;

namespace {

// What --show names takes these in turn; po, rf, co and fr have their own.
constexpr std::array<std::string_view, 6> kPalette = {"purple", "darkgreen", "deeppink",
                                                      "teal",   "sienna",    "gray40"};

std::string thread_title(const event::ThreadInfo& thread) {
  if (thread.host) return fmt::format("P{} @ host", thread.number);
  return fmt::format("P{} @ gpu {}, cta {}", thread.number, thread.gpu, thread.cta);
}

// The end of a thread is bookkeeping, not something that the program does.
bool is_drawn(const event::ProgramGraph& graph, EventId e) {
  return graph.events[e].kind != event::EventKind::end;
}

std::string edge_lines(const event::ProgramGraph& graph, const PairSet& pairs, std::string_view name,
                       std::string_view color) {
  std::string out;
  for (const auto& [a, b] : pairs) {
    if (!is_drawn(graph, a) || !is_drawn(graph, b)) continue;
    out += fmt::format("  e{} -> e{} [label={}, color={}, fontcolor={}];\n", a, b, dot_string(name), color,
                       color);
  }
  return out;
}

// Marks of the sets shown: event -> "{REL ACQ}".
using Marks = std::map<EventId, std::string>;

std::string node_line(const explain::Outcome& outcome, const event::Execution& execution, EventId e,
                      const Marks& marks) {
  const event::ProgramGraph& graph = outcome.query.graph;
  const event::Event& event = graph.events[e];
  std::string label;
  if (event.kind == event::EventKind::initial_write) {
    label = fmt::format("{} = {}", graph.cells[event.cell].name,
                        explain::print_access_value(graph, execution, e));
  } else {
    label = event.text.empty() ? fmt::format("event {}", e) : event.text;
    if (event.is_access()) {
      label += fmt::format("\n{} {} = {}", event.is_read() ? "reads" : "writes", graph.cells[event.cell].name,
                           explain::print_access_value(graph, execution, e));
    }
  }
  if (const auto mark = marks.find(e); mark != marks.end()) label += fmt::format("\n{{{}}}", mark->second);
  return fmt::format("e{} [label={}];\n", e, dot_string(label));
}

std::string nodes(const explain::Outcome& outcome, const event::Execution& execution, const Marks& marks) {
  const event::ProgramGraph& graph = outcome.query.graph;
  std::string out;
  const auto of_thread = [&](event::ThreadId thread, std::string_view indent) {
    for (EventId e = 0; e < graph.size(); ++e) {
      if (graph.events[e].thread != thread || !execution.exists.test(e) || !is_drawn(graph, e)) continue;
      out += fmt::format("{}{}", indent, node_line(outcome, execution, e, marks));
    }
  };
  of_thread(event::kNoThread, "  ");
  for (event::ThreadId t = 0; t < graph.threads.size(); ++t) {
    out += fmt::format("  subgraph cluster_{} {{\n    label={};\n", t,
                       dot_string(thread_title(graph.threads[t])));
    of_thread(t, "    ");
    out += "  }\n";
  }
  return out;
}

std::string shown_edges(const explain::Outcome& outcome, const engine::State& state,
                        const std::vector<std::string>& shown, Marks& marks) {
  std::string out;
  std::size_t color = 0;
  for (const std::string& name : shown) {
    const auto value = check::evaluate_definition(naive_input(outcome, state), name);
    if (!value) {
      refuse(fmt::format("--show: model {} defines no '{}', and no base set or relation has that name",
                         outcome.model, name));
    }
    if (const auto* pairs = std::get_if<PairSet>(&*value)) {
      out += edge_lines(outcome.query.graph, *pairs, name, kPalette[color++ % kPalette.size()]);
    } else {
      for (const EventId e : std::get<check::EventSet>(*value)) {
        std::string& mark = marks[e];
        mark += (mark.empty() ? "" : " ") + name;
      }
    }
  }
  return out;
}

}  // namespace

std::string dot_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return out + '"';
}

std::string dot_graph(const explain::Outcome& outcome, const std::vector<std::string>& shown) {
  const std::optional<std::size_t> index = explain::deciding_state(outcome.query.graph, outcome.result);
  const std::string head = fmt::format("digraph {} {{\n", dot_string(outcome.test.name));
  if (!index) return head + "  label=\"no execution\";\n}\n";
  const engine::State& state = outcome.result.states[*index];
  Marks marks;
  const std::string extra = shown_edges(outcome, state, shown, marks);
  const explain::Edges edges = edges_of(outcome, state);
  std::string out = head;
  out +=
      fmt::format("  label={};\n", dot_string(fmt::format("{} under {}\n{}", outcome.test.name, outcome.model,
                                                          explain::print_state(outcome.query.graph, state))));
  out += "  node [shape=plaintext, fontname=\"monospace\", fontsize=11];\n  edge [fontsize=10];\n";
  out += nodes(outcome, state.witness, marks);
  out += edge_lines(outcome.query.graph, edges.po, "po", "black");
  out += edge_lines(outcome.query.graph, edges.rf, "rf", "red");
  out += edge_lines(outcome.query.graph, edges.co, "co", "blue");
  out += edge_lines(outcome.query.graph, edges.fr, "fr", "orange");
  return out + extra + "}\n";
}

}  // namespace ptxmc::report
