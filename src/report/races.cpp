// SPDX-License-Identifier: Apache-2.0
#include "report/races.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "check/flag_probe.h"
#include "report/async_words.h"
#include "report/dot.h"
#include "report/edges.h"
#include "report/event_names.h"
#include "report/herd.h"
#include "report/json.h"
#include "report/misuse_words.h"
#include "report/race_words.h"
#include "report/tensor_words.h"
#include "report/value.h"

namespace ptxmc::report {

using check::Finding;
using event::EventId;

namespace {

using Json = nlohmann::ordered_json;

/// A finding's execution, as the printers of `check` take it.
class Witness {
 public:
  Witness(const RaceOutcome& races, const engine::Query& query, const Finding& finding)
      : outcome_{races.test, query,       result_,      judgement_,   flags_,
                 races.file, races.model, races.engine, races.seconds} {
    result_.states.push_back(finding.state);
  }
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;

  const Outcome& outcome() const { return outcome_; }
  const engine::State& state() const { return result_.states.front(); }

 private:
  engine::Result result_;
  const Judgement judgement_;
  const std::vector<FlagOutcome> flags_;
  const Outcome outcome_;
};

std::string joined(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

// ---- Text

/// "R1 x=0 from W0", in the names that `explain` uses
std::string what_happens(const EventNames& names, const Edges& edges, EventId e) {
  std::string out = names.title(e);
  for (const auto& [source, target] : edges.rf) {
    if (target == e) out += " from " + names.name(source);
  }
  return out;
}

std::string execution_lines(const RaceOutcome& outcome, const Finding& finding) {
  const event::ProgramGraph& graph = outcome.query.graph;
  const Witness witness(outcome, outcome.query, finding);
  const Edges edges = edges_of(witness.outcome(), witness.state());
  const EventNames names(graph, finding.state.witness);
  struct Row {
    std::string mark, place, text, what;
  };
  std::vector<Row> rows;
  std::size_t places = 0, texts = 0;
  for (EventId e = 0; e < graph.size(); ++e) {
    const event::Event& event = graph.events[e];
    const bool exists = finding.state.witness.exists.test(e) && event.thread != event::kNoThread;
    if (!exists || !is_shown(graph, e)) continue;
    const bool racing = std::count(finding.accesses.begin(), finding.accesses.end(), e) != 0;
    rows.push_back({racing ? "*" : " ", place_of(graph, e), event.text,
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

std::string headline(const Finding& finding) {
  std::string out = joined(finding.flags, ", ");
  std::vector<std::string> missing;
  for (const check::Missing m : finding.diagnosis.missing) missing.emplace_back(describe(m));
  if (finding.diagnosis.async) missing.emplace_back(describe(finding.diagnosis.async->kind));
  if (finding.diagnosis.tensor) missing.emplace_back(describe(finding.diagnosis.tensor->kind));
  if (!missing.empty()) out += ": " + joined(missing, "; ");
  if (!finding.diagnosis.unknown.empty())
    out += fmt::format(": not classified ({})", finding.diagnosis.unknown);
  return out;
}

bool same_execution(const event::Execution& a, const event::Execution& b) {
  return a.decisions == b.decisions && a.exists == b.exists && a.values == b.values &&
         a.reads_from == b.reads_from && a.orders == b.orders && a.enumerated == b.enumerated;
}

// An execution with several races is printed once; the marks are those of the first.
std::string execution_text(const RaceOutcome& outcome, std::size_t index) {
  const std::vector<Finding>& findings = outcome.races.findings;
  const engine::State& state = findings[index].state;
  for (std::size_t i = 0; i < index; ++i) {
    if (same_execution(findings[i].state.witness, state.witness))
      return fmt::format("  execution: that of {}\n", i + 1);
  }
  std::string out = "  execution:\n" + execution_lines(outcome, findings[index]);
  const std::string shown = print_state(outcome.query.graph, state);
  return shown.empty() ? out : out + fmt::format("  state: {}\n", shown);
}

std::optional<MisuseWords> misuse_of(const event::ProgramGraph& graph, const Finding& finding) {
  if (finding.flags.front() != "mbarrier-misuse" && finding.flags.front() != "barrier-misuse")
    return std::nullopt;
  return misuse_words(graph, finding.state.witness);
}

std::string finding_text(const RaceOutcome& outcome, std::size_t index) {
  const Finding& finding = outcome.races.findings[index];
  const event::ProgramGraph& graph = outcome.query.graph;
  std::string out = headline(finding) + "\n";
  for (const EventId e : finding.accesses)
    out += fmt::format("  {}: {}\n", place_of(graph, e), graph.events[e].text);
  if (const std::string_view words = about_flag(finding.flags.front()); !words.empty())
    out += fmt::format("  why: {}\n", words);
  if (const auto misuse = misuse_of(graph, finding))
    out += fmt::format("  why: {}\n  advice: {}\n", misuse->why, misuse->remedy);
  if (finding.diagnosis.async) out += fmt::format("  why: {}\n", why(graph, *finding.diagnosis.async));
  if (finding.diagnosis.tensor) out += fmt::format("  why: {}\n", why(graph, *finding.diagnosis.tensor));
  for (const std::string& sentence : advice(graph, finding)) out += fmt::format("  advice: {}\n", sentence);
  return out + execution_text(outcome, index);
}

std::string misuse_text(const check::Undefined& misuse) {
  return fmt::format("{} {} ({})\n", misuse.happens ? "Undefined" : "Perhaps undefined", misuse.name,
                     misuse.detail);
}

// ---- JSON

Json access(const event::ProgramGraph& graph, EventId e) {
  const event::Event& event = graph.events[e];
  Json out = {{"event", e}};
  out["thread"] = event.thread == event::kNoThread ? Json(nullptr) : Json(graph.threads[event.thread].number);
  if (event.position.known()) {
    out["line"] = event.position.line;
    out["column"] = event.position.column;
  }
  out["text"] = event.text;
  return out;
}

Json finding_json(const RaceOutcome& outcome, const Finding& finding) {
  const event::ProgramGraph& graph = outcome.query.graph;
  Json out = {{"flags", finding.flags}, {"accesses", Json::array()}, {"missing", Json::array()}};
  for (const EventId e : finding.accesses) out["accesses"].push_back(access(graph, e));
  for (const check::Missing m : finding.diagnosis.missing) out["missing"].push_back(name_of(m));
  if (!finding.diagnosis.unknown.empty()) out["unclassified"] = finding.diagnosis.unknown;
  if (finding.diagnosis.tensor) {
    out["missing"].push_back(name_of(finding.diagnosis.tensor->kind));
    out["why"] = why(graph, *finding.diagnosis.tensor);
  }
  if (finding.diagnosis.async) {
    out["missing"].push_back(name_of(finding.diagnosis.async->kind));
    out["why"] = why(graph, *finding.diagnosis.async);
  }
  out["advice"] = advice(graph, finding);
  if (const auto misuse = misuse_of(graph, finding)) {
    out["why"] = misuse->why;
    out["advice"].push_back(misuse->remedy);
  }
  if (finding.diagnosis.awaited) {
    const auto [write, read] = *finding.diagnosis.awaited;
    out["awaited"] = {write, read};
  }
  const Witness witness(outcome, outcome.query, finding);
  out["execution"] = Json::parse(json_witness(witness.outcome(), 0));
  return out;
}

// ---- Graphs

/// The query with the finding's flag, cut to its accesses, as a definition that can be drawn.
std::string graph_of(const RaceOutcome& outcome, const Finding& finding) {
  relation::MemoryModel model = outcome.query.model;
  std::vector<std::string> shown;
  const relation::Constraint& flag = model.flags.at(finding.flag);
  if (flag.test == relation::Test::empty && flag.negated && !finding.accesses.empty()) {
    model.definitions.push_back({flag.name, flag.expression, "", {}, nullptr});
    shown.push_back(flag.name);
  }
  const engine::Query& q = outcome.query;
  const engine::Query query{q.graph, q.base, q.signature, model, engine::Ask::flag, finding.flag, {}};
  const Witness witness(outcome, query, finding);
  return dot_graph(witness.outcome(), shown);
}

}  // namespace

std::string_view name_of(RaceAnswer answer) {
  switch (answer) {
    case RaceAnswer::racy:
      return "Racy";
    case RaceAnswer::race_free:
      return "RaceFree";
    case RaceAnswer::unknown:
      return "Unknown";
  }
  return "";
}

std::string race_text(const RaceOutcome& outcome) {
  std::string out = fmt::format("Test {} {}", outcome.test.name, name_of(outcome.answer));
  const std::size_t count = outcome.races.findings.size();
  if (count != 0) out += fmt::format(" {}", count);
  const bool vacuous = outcome.unknown.starts_with("vacuous-");  // there is no execution that could race
  if (!outcome.unknown.empty())
    out += fmt::format(" ({}{})", outcome.unknown, vacuous ? "" : ": there may be more");
  out += "\n";
  for (std::size_t i = 0; i < count; ++i) out += fmt::format("{}. {}", i + 1, finding_text(outcome, i));
  for (const check::Undefined& misuse : outcome.misuses) out += misuse_text(misuse);
  return count == 0 && outcome.misuses.empty() ? out : out + "\n";
}

std::string race_json(const RaceOutcome& outcome) {
  Json out;
  out["test"] = outcome.test.name;
  out["file"] = outcome.file;
  out["model"] = outcome.model;
  out["engine"] = outcome.engine;
  out["answer"] = name_of(outcome.answer);
  if (!outcome.unknown.empty()) out["unknown"] = outcome.unknown;
  if (outcome.stated) {
    const bool open = outcome.answer == RaceAnswer::unknown;
    const bool met = *outcome.stated == (outcome.answer == RaceAnswer::racy);
    out["stated"] = {{"verdict", *outcome.stated ? "Racy" : "RaceFree"},
                     {"met", open ? Json(nullptr) : Json(met)}};
  }
  out["findings"] = Json::array();
  for (const Finding& finding : outcome.races.findings)
    out["findings"].push_back(finding_json(outcome, finding));
  out["undefined"] = Json::array();
  for (const check::Undefined& misuse : outcome.misuses) {
    Json row = {{"name", misuse.name}};
    row["happens"] = misuse.happens ? Json(*misuse.happens) : Json(nullptr);
    row["detail"] = misuse.detail;
    out["undefined"].push_back(std::move(row));
  }
  out["seconds"] = outcome.seconds;
  out["hash"] = meaning_hash(outcome.test);
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string race_graphs(const RaceOutcome& outcome) {
  std::string out;
  for (const Finding& finding : outcome.races.findings) out += graph_of(outcome, finding);
  return out;
}

}  // namespace ptxmc::report
