// SPDX-License-Identifier: Apache-2.0
#include "face/api/convert.h"

#include <fmt/format.h>

#include <utility>

#include "explain/edges.h"
#include "explain/words/events.h"
#include "explain/words/values.h"
#include "report/draw/drawing.h"
#include "report/draw/svg.h"
#include "report/witness.h"
#include "support/beyond_limits.h"
#include "support/budget.h"

namespace ptxmc::api {

namespace {

Event event_of(const event::ProgramGraph& graph, const explain::EventNames& names, const engine::State& state,
               event::EventId e) {
  const event::Event& event = graph.events[e];
  Event out;
  out.name = names.name(e);
  if (event.thread != event::kNoThread) out.thread = graph.threads[event.thread].number;
  out.line = event.position.line;
  out.text = event.text;
  if (!event.is_access()) return out;
  out.location = names.location(e);
  out.value = explain::print_access_value(graph, state.witness, e);
  return out;
}

}  // namespace

const char* word_of(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "error";
}

Severity shown(ptxmc::Severity severity) {
  switch (severity) {
    case ptxmc::Severity::note:
      return Severity::note;
    case ptxmc::Severity::warning:
      return Severity::warning;
    case ptxmc::Severity::error:
      return Severity::error;
  }
  return Severity::error;
}

Diagnostic shown(const ptxmc::Diagnostic& diagnostic) {
  Diagnostic out{diagnostic.position.line, diagnostic.position.column, diagnostic.message,
                 shown(diagnostic.severity)};
  for (const ptxmc::Note& note : diagnostic.notes)
    out.notes.push_back({note.position.line, note.position.column, note.message});
  return out;
}

Witness witness_of(const explain::Outcome& outcome, const engine::State& state, Pictures pictures,
                   const explain::Violation* violation) {
  const event::ProgramGraph& graph = outcome.query.graph;
  const explain::EventNames names(graph, state.witness);
  Witness out;
  std::vector<std::size_t> index(graph.size());
  const auto is_there = [&](event::EventId e) {
    return state.witness.exists.test(e) && explain::is_shown(graph, e);
  };
  for (event::EventId e = 0; e < graph.size(); ++e) {
    if (!is_there(e)) continue;
    index[e] = out.events.size();
    out.events.push_back(event_of(graph, names, state, e));
  }
  const auto pairs = [&](const check::PairSet& from, Witness::Edges& to) {
    for (const auto& [a, b] : from) {
      if (is_there(a) && is_there(b)) to.emplace_back(index[a], index[b]);
    }
  };
  const explain::Edges edges = edges_of(outcome, state);
  pairs(edges.po, out.program_order);
  pairs(edges.rf, out.reads_from);
  pairs(edges.co, out.coherence);
  if (pictures == Pictures::drawn)
    out.svg = report::svg(report::draw(outcome, state, violation), "execution");
  return out;
}

Finding shown(const explain::Finding& finding) {
  Finding out;
  out.rule = finding.name;
  out.severity = shown(finding.severity);
  out.certain = finding.certain;
  out.instances = finding.instances;
  for (const explain::Place& place : finding.places)
    out.places.push_back(
        {place.who, place.position.line, place.position.column, place.text, place.origin.text()});
  for (const explain::Reason& reason : finding.reasons) out.missing.push_back(reason.name);
  out.cause = finding.cause;
  out.advice = finding.advice;
  out.section = finding.section;
  if (finding.exact) out.confirmed = finding.exact->races;
  return out;
}

std::vector<Finding> shown(const report::FindingReport& report, Pictures pictures) {
  std::vector<Finding> out;
  for (const explain::Finding& finding : report.findings) {
    out.push_back(shown(finding));
    if (finding.evidence.state == nullptr) continue;
    const report::Witness witness(report, report.query, *finding.evidence.state);
    out.back().witness = witness_of(witness.outcome(), witness.state(), pictures);
  }
  return out;
}

bool within(Common& out, const std::stop_token& stop, const std::function<void()>& work) {
  try {
    work();
    name_cancelled(out.unknown, stop);
    return true;
  } catch (const BeyondLimits&) {
    out.unknown = "too-large";
  } catch (const InputError& error) {
    for (const ptxmc::Diagnostic& diagnostic : error.diagnostics())
      out.diagnostics.push_back(shown(diagnostic));
  } catch (const OutOfTime& over) {
    out.unknown = over.what();
    name_cancelled(out.unknown, stop);
  }
  return false;
}

void name_cancelled(std::string& unknown, const std::stop_token& stop) {
  if (unknown == OutOfTime().what() && stop.stop_requested()) unknown = "cancelled";
}

}  // namespace ptxmc::api
