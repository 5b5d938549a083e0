// SPDX-License-Identifier: Apache-2.0
#include "report/json/liveness.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/json/finding.h"
#include "report/json/line.h"

namespace ptxmc::report {

namespace {

using check::Absence;
using check::Awaited;
using check::Fate;
using check::Wait;
using event::EventId;
using event::Hang;
using Json = nlohmann::ordered_json;

std::string_view name_of(Absence absence) {
  switch (absence) {
    case Absence::waits:
      return "waits";
    case Absence::stopped:
      return "stopped";
    case Absence::not_started:
      return "not-started";
    case Absence::ended:
      return "ended";
    case Absence::invisible:
      return "invisible";
    case Absence::races:
      return "races";
  }
  return "";
}

std::string_view name_of(Fate fate) {
  switch (fate) {
    case Fate::ended:
      return "ended";
    case Fate::waits:
      return "waits";
    case Fate::stopped:
      return "stopped";
    case Fate::not_started:
      return "not-started";
  }
  return "";
}

std::string_view name_of(Hang::Kind kind) {
  switch (kind) {
    case Hang::Kind::spin:
      return "spin";
    case Hang::Kind::barrier:
      return "barrier";
    case Hang::Kind::phase:
      return "phase";
  }
  return "";
}

class Printer {
 public:
  explicit Printer(const explain::LivenessOutcome& outcome)
      : file_(outcome.file), teller_(outcome), graph_(outcome.query.graph) {}

  Json json(const Wait& wait) const {
    Json out;
    out["thread"] = thread(wait.thread);
    out["kind"] = name_of(wait.kind);
    add_place(out, teller_.position_of(wait));
    if (wait.event != event::kNoEvent) out["text"] = graph_.events[wait.event].text;
    if (wait.kind == Hang::Kind::spin && wait.event != event::kNoEvent) {
      out["location"] = teller_.location(wait);
      out["value"] = json_value(teller_.value(wait));
      out["write"] = teller_.is_initial(wait.source) ? Json() : instruction(wait.source);
    }
    if (wait.count) out["count"] = *wait.count;
    if (wait.phase) {
      out["phase"] = wait.phase->phase;
      out["pending"] = wait.phase->pending;
      out["tx-count"] = wait.phase->tx;
    }
    if (wait.kind == Hang::Kind::barrier && wait.expected != 0) {
      out["expected"] = wait.expected;
      out["ended"] = wait.ended;
      out["arrived"] = Json::array();
      for (const EventId e : wait.arrived) out["arrived"].push_back(instruction(e));
    }
    out["for"] = Json::array();
    for (const Awaited& awaited : wait.awaited) {
      Json row = awaited.event == event::kNoEvent ? Json{{"thread", thread(awaited.thread)}}
                                                  : instruction(awaited.event);
      row["why"] = name_of(awaited.absence);
      out["for"].push_back(std::move(row));
    }
    return out;
  }

  int thread(event::ThreadId t) const { return graph_.threads[t].number; }

 private:
  Json instruction(EventId e) const {
    const event::Event& event = graph_.events[e];
    Json out{{"thread", thread(event.thread)}};
    add_place(out, event.position);
    out["text"] = event.text;
    return out;
  }
  void add_place(Json& out, Position position) const {
    add_position(out, file_, position, origin_at(graph_.origins, position));
  }

  const std::string& file_;
  const explain::WaitTeller teller_;
  const event::ProgramGraph& graph_;
};

}  // namespace

std::string liveness_json(const explain::LivenessOutcome& outcome) {
  const Printer printer(outcome);
  Json out = json_head("check");
  out["test"] = outcome.test.name;
  out["file"] = outcome.file;
  out["property"] = "liveness";
  out["model"] = outcome.model;
  if (!outcome.readings.empty()) out["readings"] = outcome.readings;
  out["engine"] = outcome.engine;
  out["progress"] = outcome.progress;
  out["answer"] = explain::answer_of(outcome.hangs);
  if (outcome.bound) out["unroll"] = *outcome.bound;
  if (!outcome.unknown.empty()) out["unknown"] = outcome.unknown;
  if (outcome.stated) {
    const bool hangs = *outcome.stated->hangs;
    out["stated"] = json_stated(
        hangs ? "Hangs" : "Terminates", outcome.hangs ? std::optional(*outcome.hangs == hangs) : std::nullopt,
        outcome.file, outcome.stated->position, std::string(explain::answer_of(outcome.hangs)));
  }
  if (outcome.state) {
    out["waits"] = Json::array();
    for (const Wait& wait : outcome.standstill.waits) out["waits"].push_back(printer.json(wait));
    out["findings"] = Json::array();
    for (const explain::Finding& finding : findings_of(outcome))
      out["findings"].push_back(json_of(finding, outcome.file));
    out["threads"] = Json::array();
    for (event::ThreadId t = 0; t < outcome.standstill.fates.size(); ++t) {
      out["threads"].push_back(
          {{"thread", printer.thread(t)}, {"fate", name_of(outcome.standstill.fates[t])}});
    }
  }
  out["seconds"] = outcome.seconds;
  return json_text(out);
}

}  // namespace ptxmc::report
