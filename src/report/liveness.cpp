// SPDX-License-Identifier: Apache-2.0
#include "report/liveness.h"

#include <fmt/format.h>

#include <bit>
#include <nlohmann/json.hpp>

#include "report/position_json.h"
#include "report/reporter.h"
#include "report/value.h"

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

std::string why(Absence absence, const std::string& thread) {
  switch (absence) {
    case Absence::waits:
      return thread + " waits itself";
    case Absence::stopped:
      return thread + " need not be scheduled any more";
    case Absence::not_started:
      return thread + " need not be started";
    case Absence::ended:
      return thread + " ended without it";
    case Absence::invisible:
      return "done, but need not become visible to the read: not morally strong with it";
    case Absence::races:
      return "done, but in a race with the write that is read";
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

std::string lacks(const event::StuckPhase& stuck) {
  std::string out = fmt::format("blocks for ever, the mbarrier object is in phase {}", stuck.phase);
  out += fmt::format(" with {} {} pending", stuck.pending, stuck.pending == 1 ? "arrival" : "arrivals");
  if (stuck.tx != 0) out += fmt::format(" and a tx-count of {}", stuck.tx);
  return out + "\n";
}

class Printer {
 public:
  explicit Printer(const LivenessOutcome& outcome) : outcome_(outcome), graph_(outcome.query.graph) {}

  std::string text(const Wait& wait) const {
    std::string out = fmt::format("Wait {}", place(wait.thread, position_of(wait)));
    if (wait.event == event::kNoEvent) return out + ": loops for ever without reading memory\n";
    out += " " + graph_.events[wait.event].text + ": ";
    if (wait.kind == Hang::Kind::spin) {
      out += fmt::format("reads {}={} for ever ({})\n", location(wait), value(wait), source(wait));
    } else if (wait.phase) {
      out += lacks(*wait.phase);
    } else if (wait.kind == Hang::Kind::phase) {
      out += "blocks for ever, all threads of the cluster must arrive\n";
    } else {
      out += arrivals(wait);
    }
    if (wait.awaited.empty() && wait.kind != Hang::Kind::barrier)
      return out + "  For nothing: no other instruction ends the wait\n";
    if (wait.awaited.empty()) return out + "  For nothing: no further arrival is in the program\n";
    for (const Awaited& awaited : wait.awaited) {
      out += fmt::format("  For {}: {}\n", place(awaited), why(awaited.absence, thread(awaited.thread)));
    }
    return out;
  }

  Json json(const Wait& wait) const {
    Json out;
    out["thread"] = thread(wait.thread);
    out["kind"] = name_of(wait.kind);
    add_place(out, position_of(wait));
    if (wait.event != event::kNoEvent) out["text"] = graph_.events[wait.event].text;
    if (wait.kind == Hang::Kind::spin && wait.event != event::kNoEvent) {
      out["location"] = location(wait);
      out["value"] = value(wait);
      out["write"] = is_initial(wait.source) ? Json() : instruction(wait.source);
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

  std::string thread(event::ThreadId t) const { return fmt::format("P{}", graph_.threads[t].number); }

 private:
  Position position_of(const Wait& wait) const {
    return wait.event == event::kNoEvent ? wait.position : graph_.events[wait.event].position;
  }
  /// "blocks for ever: 1 of 2 warps arrived (P0:8)".
  std::string arrivals(const Wait& wait) const {
    if (wait.expected == 0) return "blocks for ever\n";
    const event::Event& event = graph_.events[wait.event];
    const bool lane = std::has_single_bit(graph_.threads[event.thread].lanes);
    const std::string_view who = event.barrier && event.barrier->warp ? "lanes" : lane ? "threads" : "warps";
    std::string out =
        fmt::format("blocks for ever: {} of {} {} arrived (", wait.arrived.size(), wait.expected, who);
    for (std::size_t i = 0; i < wait.arrived.size(); ++i) {
      const event::Event& other = graph_.events[wait.arrived[i]];
      out += (i == 0 ? "" : ", ") + place(other.thread, other.position);
    }
    out += ")";
    if (wait.ended != 0) out += fmt::format(", {} ended", wait.ended);
    return out + "\n";
  }
  bool is_initial(EventId e) const { return graph_.events[e].kind == event::EventKind::initial_write; }

  std::string place(event::ThreadId t, Position position) const {
    if (!position.known()) return thread(t);
    return fmt::format("{}:{}{}", thread(t), position.line, origin_text(graph_.origins, position));
  }
  std::string place(const Awaited& awaited) const {
    if (awaited.event == event::kNoEvent) return thread(awaited.thread);
    const event::Event& event = graph_.events[awaited.event];
    return fmt::format("{} {}", place(awaited.thread, event.position), event.text);
  }
  std::string location(const Wait& wait) const {
    return graph_.names[graph_.events[wait.event].labels.name].name;
  }
  std::string value(const Wait& wait) const {
    return print_access_value(graph_, outcome_.state->witness, wait.event);
  }
  std::string source(const Wait& wait) const {
    if (is_initial(wait.source)) return "initial value";
    const event::Event& write = graph_.events[wait.source];
    return fmt::format("{} {}", place(write.thread, write.position), write.text);
  }
  Json instruction(EventId e) const {
    const event::Event& event = graph_.events[e];
    Json out{{"thread", thread(event.thread)}};
    add_place(out, event.position);
    out["text"] = event.text;
    return out;
  }
  void add_place(Json& out, Position position) const {
    add_position(out, position, origin_at(graph_.origins, position));
  }

  const LivenessOutcome& outcome_;
  const event::ProgramGraph& graph_;
};

}  // namespace

std::vector<Finding> findings_of(const LivenessOutcome& outcome) {
  if (outcome.standstill.waits.empty()) return {};
  const event::ProgramGraph& graph = outcome.query.graph;
  const Printer printer(outcome);
  Finding out = finding_by(model::rule_named(model::kHangs));
  for (const Wait& wait : outcome.standstill.waits) {
    if (wait.event != event::kNoEvent) {
      out.places.push_back(place_in(graph, wait.event));
    } else {
      out.places.push_back({graph.threads[wait.thread].number, wait.position, "", std::nullopt,
                            origin_at(graph.origins, wait.position)});
    }
    const std::string text = printer.text(wait);
    out.cause.push_back(text.substr(0, text.find('\n')));
  }
  out.evidence.state = outcome.state;
  return {out};
}

std::string_view answer_of(const std::optional<bool>& hangs) {
  return !hangs ? "Unknown" : *hangs ? "Hangs" : "Terminates";
}

std::string liveness_text(const LivenessOutcome& outcome) {
  const Printer printer(outcome);
  std::string out = fmt::format("Liveness {} {}\n", outcome.test.name, answer_of(outcome.hangs));
  out += fmt::format("Progress {}\n", outcome.progress);
  if (!outcome.unknown.empty()) out += fmt::format("Flag unknown-{}\n", outcome.unknown);
  for (const Wait& wait : outcome.standstill.waits) out += printer.text(wait);
  return out + fmt::format("Time {} {:.2f}\n\n", outcome.test.name, outcome.seconds);
}

std::string liveness_json(const LivenessOutcome& outcome) {
  const Printer printer(outcome);
  Json out;
  out["test"] = outcome.test.name;
  out["file"] = outcome.file;
  out["model"] = outcome.model;
  if (!outcome.readings.empty()) out["readings"] = outcome.readings;
  out["engine"] = outcome.engine;
  out["property"] = "liveness";
  out["progress"] = outcome.progress;
  out["answer"] = answer_of(outcome.hangs);
  if (!outcome.unknown.empty()) out["unknown"] = outcome.unknown;
  if (outcome.stated) {
    const bool hangs = *outcome.stated->hangs;
    out["stated"] = {{"verdict", hangs ? "Hangs" : "Terminates"},
                     {"met", outcome.hangs ? Json(*outcome.hangs == hangs) : Json()}};
  }
  if (outcome.state) {
    out["waits"] = Json::array();
    for (const Wait& wait : outcome.standstill.waits) out["waits"].push_back(printer.json(wait));
    out["findings"] = Json::array();
    for (const Finding& finding : findings_of(outcome))
      out["findings"].push_back(Json::parse(json_of(finding)));
    out["threads"] = Json::object();
    for (event::ThreadId t = 0; t < outcome.standstill.fates.size(); ++t) {
      out["threads"][printer.thread(t)] = name_of(outcome.standstill.fates[t]);
    }
  }
  out["seconds"] = outcome.seconds;
  return out.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ptxmc::report
