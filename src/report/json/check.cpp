// SPDX-License-Identifier: Apache-2.0
#include "report/json/check.h"

#include <nlohmann/json.hpp>

#include "explain/edges.h"
#include "explain/words/values.h"
#include "input/litmus/hash.h"
#include "ptx/program/print.h"
#include "report/json/line.h"
#include "report/many_states.h"

namespace ptxmc::report {

namespace {

using Json = nlohmann::ordered_json;

std::string_view name_of(event::Goal goal) {
  switch (goal) {
    case event::Goal::exists:
      return "exists";
    case event::Goal::not_exists:
      return "~exists";
    case event::Goal::forall:
      return "forall";
  }
  return "";
}

std::string_view name_of(explain::Word word) {
  switch (word) {
    case explain::Word::ok:
      return "Ok";
    case explain::Word::no:
      return "No";
    case explain::Word::undef:
      return "Undef";
  }
  return "";
}

std::string_view name_of(event::EventKind kind) {
  switch (kind) {
    case event::EventKind::initial_write:
      return "initial-write";
    case event::EventKind::read:
      return "read";
    case event::EventKind::write:
      return "write";
    case event::EventKind::fence:
      return "fence";
    case event::EventKind::proxy_fence:
      return "proxy-fence";
    case event::EventKind::arrival:
      return "arrival";
    case event::EventKind::wait:
      return "wait";
    case event::EventKind::end:
      return "end";
    case event::EventKind::api:
      return "api";
    case event::EventKind::mbarrier:
      return "mbarrier";
    case event::EventKind::issue:
      return "issue";
    case event::EventKind::signal:
      return "signal";
    case event::EventKind::group:
      return "group";
  }
  return "";
}

Json three_valued(const std::optional<bool>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// Numbers stay numbers, so that a reader of the lines can compute with them.
Json value_of(const event::ProgramGraph& graph, const event::Observable& observable, event::Value value) {
  if (const std::string* symbol = explain::symbol_of(graph, value)) return *symbol;
  if (observable.width == event::kUnbounded) return value;
  if (observable.is_signed) return event::as_signed(value, observable.width);
  return static_cast<std::uint64_t>(event::wrap(value, observable.width));
}

Json value_of(const event::ProgramGraph& graph, const engine::State& state, std::size_t i) {
  if (!state.names.empty() && !state.names[i].empty()) return state.names[i];
  return value_of(graph, graph.observables[i], state.values[i]);
}

// Most of what is listed is numbers, for which a serializer is dear.
std::string dump(const Json& json) {
  if (json.is_number_integer())
    return json.is_number_unsigned() ? std::to_string(json.get<std::uint64_t>())
                                     : std::to_string(json.get<std::int64_t>());
  std::string out = json_text(json);
  out.pop_back();
  return out;
}

// As text: objects of a million states would take ten times as much memory.
std::string states(const explain::Outcome& outcome) {
  const event::ProgramGraph& graph = outcome.query.graph;
  std::vector<std::string> names;
  for (const event::Observable& observable : graph.observables) names.push_back(dump(observable.name) + ":");
  std::string out = "[";
  for (const engine::State& state : outcome.result.states) {
    out += out.size() == 1 ? "{\"values\":{" : ",{\"values\":{";
    for (std::size_t i = 0; i < state.values.size(); ++i) {
      if (i != 0) out += ",";
      out += names[i] + dump(value_of(graph, state, i));
    }
    out += state.satisfied ? "},\"satisfied\":true}" : "},\"satisfied\":false}";
  }
  return out + "]";
}

StatePieces pieces(const explain::Outcome& outcome) {
  const event::ProgramGraph& graph = outcome.query.graph;
  StatePieces out{{}, ",", "{\"values\":{", "},\"satisfied\":true}", "},\"satisfied\":false}"};
  for (std::size_t i = 0; i < graph.observables.size(); ++i) {
    const std::string name = (i == 0 ? "" : ",") + dump(graph.observables[i].name) + ":";
    std::vector<std::string>& texts = out.values.emplace_back();
    for (const event::Value value : outcome.result.packed->domain(i))
      texts.push_back(name + dump(value_of(graph, graph.observables[i], value)));
  }
  return out;
}

Json event_object(const explain::Outcome& outcome, const event::Execution& execution, event::EventId e) {
  const event::ProgramGraph& graph = outcome.query.graph;
  const event::Event& event = graph.events[e];
  Json out = {{"id", e}};
  out["thread"] = event.thread == event::kNoThread ? Json(nullptr) : Json(graph.threads[event.thread].number);
  out["kind"] = name_of(event.kind);
  add_position(out, outcome.file, event.position, origin_at(graph.origins, event.position));
  if (!event.text.empty()) out["text"] = event.text;
  if (!event.is_access()) return out;
  out["cell"] = graph.cells[event.cell].name;
  out["value"] = json_value(explain::print_access_value(graph, execution, e));
  return out;
}

Json pairs(const check::PairSet& pairs) {
  Json out = Json::array();
  for (const auto& [a, b] : pairs) out.push_back({a, b});
  return out;
}

}  // namespace

Json execution_json(const explain::Outcome& outcome, const engine::State& state) {
  const event::ProgramGraph& graph = outcome.query.graph;
  Json events = Json::array();
  for (event::EventId e = 0; e < graph.size(); ++e) {
    if (state.witness.exists.test(e)) events.push_back(event_object(outcome, state.witness, e));
  }
  const explain::Edges edges = edges_of(outcome, state);
  return {{"events", std::move(events)}, {"rf", pairs(edges.rf)}, {"co", pairs(edges.co)}};
}

Json values_json(const event::ProgramGraph& graph, const engine::State& state) {
  Json out = Json::object();
  for (std::size_t i = 0; i < state.values.size(); ++i)
    out[graph.observables[i].name] = value_of(graph, state, i);
  return out;
}

namespace {

Json witness(const explain::Outcome& outcome, std::size_t index, const engine::State& state) {
  Json out = {{"state", index}};
  out.update(execution_json(outcome, state));
  return out;
}

Json witnesses(const explain::Outcome& outcome, Witnesses wanted) {
  Json out = Json::array();
  const std::vector<engine::State>& states = outcome.result.states;  // of packed ones, that which decides
  if (wanted == Witnesses::first && !states.empty()) {
    const std::size_t index = *explain::deciding_state(outcome.query.graph, outcome.result);
    out.push_back(witness(outcome, index, outcome.result.packed ? states.front() : states[index]));
  } else if (wanted == Witnesses::all) {
    for (std::size_t i = 0; i < states.size(); ++i) out.push_back(witness(outcome, i, states[i]));
  }
  return out;
}

Json counts(const event::ProgramGraph& graph) {
  Json out;
  out["threads"] = graph.threads.size();
  out["events"] = graph.size();
  out["cells"] = graph.cells.size();
  out["decisions"] = graph.decisions.size();
  return out;
}

Json variations(const explain::Outcome& outcome) {
  Json out = Json::array();
  for (const explain::Variation& variation : outcome.variations) {
    Json row = {{"reading", variation.reading}, {"answer", name_of(variation.answer)}};
    if (!variation.unknown.empty()) row["unknown"] = variation.unknown;
    row["changes-answer"] = variation.changes_answer;
    if (variation.racy) {
      row["racy"] = *variation.racy;
      row["changes-races"] = variation.changes_races;
    }
    out.push_back(std::move(row));
  }
  return out;
}

// Up to the states, and from their end on.
std::string line_head(const explain::Outcome& outcome) {
  const explain::Judgement& j = outcome.judgement;
  Json out = json_head("check");
  out["test"] = outcome.test.name;
  out["file"] = outcome.file;
  out["property"] = "condition";
  out["model"] = outcome.model;
  if (!outcome.readings.empty()) out["readings"] = outcome.readings;
  out["engine"] = outcome.engine;
  out["quantifier"] = name_of(outcome.query.graph.goal);
  out["condition"] = program::print_condition_line(outcome.test.property);
  out["verdict"] = name_of(j.word);
  out["loop"] = j.loop;
  out["answer"] = name_of(j.answer);
  if (!j.unknown.empty()) out["unknown"] = j.unknown;
  if (j.by_atomicity) out["by-atomicity"] = name_of(*j.by_atomicity);
  if (const litmus::Verdict* stated = explain::stated_for(outcome.test, outcome.model, outcome.readings)) {
    out["stated"] = json_stated(explain::print(*stated), is_met(*stated, j, outcome.flags), outcome.file,
                                stated->position, explain::found_instead(*stated, j, outcome.flags));
  }
  std::string line = dump(out);
  line.back() = ',';
  return line + "\"states\":";
}

std::string line_tail(const explain::Outcome& outcome, Witnesses wanted) {
  const explain::Judgement& j = outcome.judgement;
  Json out = Json::object();
  out["complete"] = outcome.count ? outcome.count->states.has_value() : outcome.result.complete;
  if (const auto& count = outcome.count) {
    out["count"] = count->states ? Json(*count->states) : Json(nullptr);
    if (!count->states) out["count-unknown"] = count->unknown;
  }
  out["positive"] = j.positive;
  out["negative"] = j.negative;
  out["flags"] = Json::object();
  for (const explain::FlagOutcome& flag : outcome.flags) {
    out["flags"][flag.name] = three_valued(flag.raised);
    if (!flag.detail.empty()) out["flag-details"][flag.name] = flag.detail;
  }
  if (!outcome.warnings.empty()) out["warnings"] = outcome.warnings;
  if (!outcome.variations.empty()) out["sensitivity"] = variations(outcome);
  if (outcome.vacuity != explain::Vacuity::none) out["vacuous"] = name_of(outcome.vacuity);
  out["witnesses"] = witnesses(outcome, wanted);
  out["counts"] = counts(outcome.query.graph);
  out["statistics"] = outcome.result.statistics;
  out["seconds"] = outcome.seconds;
  out["hash"] = litmus::meaning_hash(outcome.test);
  return "," + dump(out).substr(1) + "\n";
}

}  // namespace

std::string json_line(const explain::Outcome& outcome, Witnesses wanted) {
  return line_head(outcome) + (outcome.count ? "[]" : states(outcome)) + line_tail(outcome, wanted);
}

std::string json_summary(const explain::Outcome& outcome) {
  return line_head(outcome) + "[]" + line_tail(outcome, Witnesses::none);
}

void write_json_line(std::ostream& out, const explain::Outcome& outcome, Witnesses wanted) {
  out << line_head(outcome) << "[";
  write_states(out, *outcome.result.packed, pieces(outcome), outcome.query.jobs);
  out << "]" << line_tail(outcome, wanted);
}

}  // namespace ptxmc::report
