// SPDX-License-Identifier: Apache-2.0
#include "explain/liveness.h"

#include <fmt/format.h>

#include <bit>
#include <map>
#include <tuple>

#include "explain/words/values.h"
#include "finding/rules.h"

namespace ptxmc::explain {
namespace {

using check::Absence;
using check::Awaited;
using check::Wait;
using event::EventId;
using event::Hang;

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

std::string lacks(const event::StuckPhase& stuck) {
  std::string out = fmt::format("blocks forever, the mbarrier object is in phase {}", stuck.phase);
  out += fmt::format(" with {} {} pending", stuck.pending, stuck.pending == 1 ? "arrival" : "arrivals");
  if (stuck.tx != 0) out += fmt::format(" and a tx-count of {}", stuck.tx);
  return out + "\n";
}

}  // namespace

std::vector<std::string> WaitTeller::texts() const {
  std::vector<std::pair<Position, std::string>> order;
  std::map<std::pair<std::uint32_t, std::string>, Threads> alike;  // by line and what is said
  for (const Wait& wait : outcome_.standstill.waits) {
    const Position position = position_of(wait);
    const std::string said = rest(wait);
    Threads& who = alike[{position.line, said}];
    if (who.empty()) order.emplace_back(position, said);
    who.push_back(wait.thread);
  }
  std::vector<std::string> out;
  for (const auto& [position, said] : order)
    out.push_back("Wait " + place(alike[{position.line, said}], position) + said);
  return out;
}

/// The text after the place.
std::string WaitTeller::rest(const Wait& wait) const {
  if (wait.event == event::kNoEvent) return ": loops forever without reading memory\n";
  std::string out = " " + graph_.events[wait.event].text + ": ";
  if (wait.kind == Hang::Kind::spin) {
    out += fmt::format("reads {}={} forever ({})\n", location(wait), value(wait), source(wait));
  } else if (wait.phase) {
    out += lacks(*wait.phase);
  } else if (wait.kind == Hang::Kind::phase) {
    out += "blocks forever, all threads of the cluster must arrive\n";
  } else {
    out += arrivals(wait);
  }
  if (wait.awaited.empty() && wait.kind != Hang::Kind::barrier)
    return out + "  For nothing: no other instruction ends the wait\n";
  if (wait.awaited.empty()) return out + "  For nothing: no further arrival can come\n";
  return out + awaited(wait);
}

std::string WaitTeller::awaited(const Wait& wait) const {
  using Key =
      std::tuple<std::uint32_t, std::string, Absence>;  // line and text of the instruction, if there is one
  const auto key = [&](const Awaited& one) {
    if (one.event == event::kNoEvent) return Key{0, "", one.absence};
    const event::Event& event = graph_.events[one.event];
    return Key{event.position.line, " " + event.text, one.absence};
  };
  std::map<Key, Threads> who;
  std::vector<Key> order;
  for (const Awaited& one : wait.awaited) {
    Threads& threads = who[key(one)];
    if (threads.empty()) order.push_back(key(one));
    threads.push_back(one.thread);
  }
  std::string out;
  for (const Key& one : order) {
    const auto& [line, text, absence] = one;
    const Threads& all = who[one];
    out += fmt::format("  For {}{}: {}\n", place(all, {line, 1}), text,
                       why(absence, all.size() == 1 ? thread(all.front()) : "each of them"));
  }
  return out;
}

/// "P1", "P1-P4,P8"
std::string WaitTeller::threads(const Threads& all) const {
  std::string out;
  for (std::size_t i = 0; i < all.size();) {
    std::size_t last = i;
    const auto number = [&](std::size_t k) { return graph_.threads[all[k]].number; };
    while (last + 1 < all.size() && number(last + 1) == number(last) + 1) ++last;
    out += (i == 0 ? "" : ",") + thread(all[i]);
    if (last != i) out += "-" + thread(all[last]);
    i = last + 1;
  }
  return out;
}

std::string WaitTeller::thread(event::ThreadId t) const {
  return fmt::format("P{}", graph_.threads[t].number);
}

Position WaitTeller::position_of(const Wait& wait) const {
  return wait.event == event::kNoEvent ? wait.position : graph_.events[wait.event].position;
}
/// "blocks forever: 1 of 2 warps arrived (P0:8)".
std::string WaitTeller::arrivals(const Wait& wait) const {
  if (wait.expected == 0) return "blocks forever\n";
  const event::Event& event = graph_.events[wait.event];
  const bool lane = std::has_single_bit(graph_.threads[event.thread].lanes);
  const std::string_view who = event.barrier && event.barrier->warp ? "lanes" : lane ? "threads" : "warps";
  std::string out =
      fmt::format("blocks forever: {} of {} {} arrived (", wait.arrived.size(), wait.expected, who);
  std::map<std::uint32_t, Threads> by_line;
  std::vector<std::uint32_t> order;
  for (const EventId arrival : wait.arrived) {
    const event::Event& other = graph_.events[arrival];
    if (by_line[other.position.line].empty()) order.push_back(other.position.line);
    by_line[other.position.line].push_back(other.thread);
  }
  for (std::size_t i = 0; i < order.size(); ++i)
    out += (i == 0 ? "" : ", ") + place(by_line[order[i]], {order[i], 1});
  out += ")";
  if (wait.ended != 0) out += fmt::format(", {} ended", wait.ended);
  return out + "\n";
}
bool WaitTeller::is_initial(EventId e) const {
  return graph_.events[e].kind == event::EventKind::initial_write;
}

std::string WaitTeller::place(const Threads& all, Position position) const {
  if (!position.known()) return threads(all);
  return fmt::format("{}:{}{}", threads(all), position.line, origin_text(graph_.origins, position));
}
std::string WaitTeller::location(const Wait& wait) const {
  return graph_.names[graph_.events[wait.event].labels.name].name;
}
std::string WaitTeller::value(const Wait& wait) const {
  return print_access_value(graph_, outcome_.state->witness, wait.event);
}
std::string WaitTeller::source(const Wait& wait) const {
  if (is_initial(wait.source)) return "initial value";
  const event::Event& write = graph_.events[wait.source];
  return fmt::format("{} {}", place(write.thread, write.position), write.text);
}

std::vector<Finding> findings_of(const LivenessOutcome& outcome) {
  if (outcome.standstill.waits.empty()) return {};
  const event::ProgramGraph& graph = outcome.query.graph;
  const WaitTeller teller(outcome);
  Finding out = finding_by(finding::rule(finding::RuleId::hang));
  for (const Wait& wait : outcome.standstill.waits) {
    if (wait.event != event::kNoEvent) {
      out.places.push_back(place_in(graph, wait.event));
    } else {
      out.places.push_back({graph.threads[wait.thread].number, wait.position, "", std::nullopt,
                            origin_at(graph.origins, wait.position), teller.thread(wait.thread)});
    }
  }
  for (const std::string& text : teller.texts()) out.cause.push_back(text.substr(0, text.find('\n')));
  out.evidence.state = outcome.state;
  return {out};
}

std::string_view answer_of(const std::optional<bool>& hangs) {
  return !hangs ? "Unknown" : *hangs ? "Hangs" : "Terminates";
}

}  // namespace ptxmc::explain
