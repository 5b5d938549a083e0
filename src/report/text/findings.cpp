// SPDX-License-Identifier: Apache-2.0
// Findings for people.
#include "report/text/findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "explain/edges.h"
#include "explain/words/events.h"
#include "explain/words/races.h"
#include "explain/words/values.h"
#include "report/text/finding.h"
#include "report/witness.h"

namespace ptxmc::report {

namespace {

using event::EventId;

/// "R1 x=0 from W0", in the names that `explain` uses
std::string what_happens(const explain::EventNames& names, const explain::Edges& edges, EventId e) {
  std::string out = names.title(e);
  for (const auto& [source, target] : edges.rf) {
    if (target == e) out += " from " + names.name(source);
  }
  return out;
}

bool is_place(const explain::Finding& finding, EventId e) {
  return std::any_of(finding.places.begin(), finding.places.end(),
                     [&](const explain::Place& place) { return place.event == e; });
}

std::string execution_lines(const FindingReport& report, const explain::Finding& finding) {
  const event::ProgramGraph& graph = report.query.graph;
  const engine::State& state = *finding.evidence.state;
  const Witness witness(report, report.query, state);
  const explain::Edges edges = edges_of(witness.outcome(), witness.state());
  const explain::EventNames names(graph, state.witness);
  struct Row {
    std::string mark, place, text, what;
  };
  std::vector<Row> rows;
  std::size_t places = 0, texts = 0;
  for (EventId e = 0; e < graph.size(); ++e) {
    const event::Event& event = graph.events[e];
    const bool exists = state.witness.exists.test(e) && event.thread != event::kNoThread;
    if (!exists || !explain::is_shown(graph, e)) continue;
    rows.push_back({is_place(finding, e) ? "*" : " ", explain::place_of(graph, e), event.text,
                    event.is_access() ? what_happens(names, edges, e) : names.name(e)});
    places = std::max(places, rows.back().place.size());
    texts = std::max(texts, rows.back().text.size());
  }
  std::string out;
  for (const Row& row : rows) {
    std::string line =
        fmt::format("  {} {:<{}}  {:<{}}  {}", row.mark, row.place, places, row.text, texts, row.what);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

bool same_execution(const event::Execution& a, const event::Execution& b) {
  return a.decisions == b.decisions && a.exists == b.exists && a.values == b.values &&
         a.reads_from == b.reads_from && a.orders == b.orders && a.enumerated == b.enumerated;
}

// An execution with several findings is printed once; the marks are those of the first.
std::string execution_text(const FindingReport& report, std::size_t index) {
  const engine::State* state = report.findings[index].evidence.state;
  if (state == nullptr) return "";
  for (std::size_t i = 0; i < index; ++i) {
    const engine::State* before = report.findings[i].evidence.state;
    if (before != nullptr && same_execution(before->witness, state->witness))
      return fmt::format("  execution: that of finding {}\n", i + 1);
  }
  std::string out = "  execution:\n" + execution_lines(report, report.findings[index]);
  const std::string shown = explain::print_state(report.query.graph, *state);
  return shown.empty() ? out : out + fmt::format("  state: {}\n", shown);
}

}  // namespace

std::string findings_text(const FindingReport& report, SourceFiles& compiled) {
  std::string out = fmt::format("Test {} {}", report.test.name, report.answer);
  const std::size_t count = report.findings.size();
  if (count != 0) out += fmt::format(" {}", count);
  const bool vacuous = report.unknown.starts_with("vacuous-");  // there is no execution that could race
  if (!report.unknown.empty())
    out += fmt::format(" ({}{})", report.unknown, vacuous ? "" : ": there may be more");
  if (!report.remark.empty()) out += fmt::format(" ({})", report.remark);
  out += "\n";
  const Quoted quoted{report.test.source, compiled};
  for (std::size_t i = 0; i < count; ++i)
    out += finding_text(report.findings[i], quoted) + execution_text(report, i);
  return count == 0 ? out : out + "\n";
}

}  // namespace ptxmc::report
