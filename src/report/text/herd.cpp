// SPDX-License-Identifier: Apache-2.0
#include "report/text/herd.h"

#include <fmt/format.h>

#include <ostream>
#include <vector>

#include "explain/words/values.h"
#include "input/litmus/hash.h"
#include "ptx/program/print.h"
#include "report/many_states.h"

namespace ptxmc::report {

namespace {

std::string_view head_word(event::Goal goal) {
  switch (goal) {
    case event::Goal::exists:
      return "Allowed";
    case event::Goal::not_exists:
      return "Forbidden";
    case event::Goal::forall:
      return "Required";
  }
  return "";
}

std::string verdict_line(const explain::Judgement& judgement) {
  if (judgement.word == explain::Word::undef) return "Undef";
  return fmt::format("{}{}", judgement.loop ? "Loop " : "",
                     judgement.word == explain::Word::ok ? "Ok" : "No");
}

// The word is of all executions, so an open answer, or none to speak of, is neither Never nor Always. A list of states that was
// cut may count none where the answer is known.
std::string_view observation_word(const explain::Judgement& judgement) {
  const bool some = judgement.some == true || judgement.positive != 0;
  const bool fails = judgement.all == false || judgement.negative != 0;
  if (some && fails) return "Sometimes";
  if (judgement.some == false && judgement.all == true) return "Unknown";  // there is none
  if (judgement.some == false) return "Never";
  return judgement.all == true ? "Always" : "Unknown";
}

// Raised flags of the model, then what is unknown. A list of states may be incomplete although the answer is
// definite.
std::string flag_lines(const explain::Outcome& outcome) {
  std::string out;
  for (const explain::FlagOutcome& flag : outcome.flags) {
    const std::string detail = flag.detail.empty() ? "" : fmt::format(" ({})", flag.detail);
    if (flag.raised == true) out += fmt::format("Flag {}{}\n", flag.name, detail);
    if (!flag.raised) out += fmt::format("Flag unknown-{}\n", flag.name);
  }
  for (const std::string& warning : outcome.warnings) out += fmt::format("Warning {}\n", warning);
  if (const auto& answer = outcome.judgement.by_atomicity)
    out += fmt::format("Note {} by 8.7.2 alone: atomics stay indivisible to each other\n", name_of(*answer));
  if (outcome.vacuity != explain::Vacuity::none) out += fmt::format("Flag {}\n", name_of(outcome.vacuity));
  std::string reason = outcome.judgement.word == explain::Word::undef ? outcome.judgement.unknown : "";
  if (reason.empty() && !outcome.result.complete && outcome.query.ask == engine::Ask::states) {
    reason = outcome.result.unknown;
  }
  constexpr std::string_view kPrefix = "unknown-";
  if (reason.starts_with(kPrefix)) reason.erase(0, kPrefix.size());
  if (!reason.empty()) out += fmt::format("Flag {}{}\n", kPrefix, reason);
  return out;
}

StatePieces pieces(const explain::Outcome& outcome) {
  const event::ProgramGraph& graph = outcome.query.graph;
  StatePieces out{{}, "", "", "\n", "\n"};
  for (std::size_t i = 0; i < graph.observables.size(); ++i) {
    std::vector<std::string>& texts = out.values.emplace_back();
    for (const event::Value value : outcome.result.packed->domain(i))
      texts.push_back((i == 0 ? "" : " ") + explain::print_assignment(graph, graph.observables[i], value));
  }
  return out;
}

std::string states(const explain::Outcome& outcome) {
  std::string out = fmt::format("States {}\n", outcome.result.states.size());
  for (const engine::State& state : outcome.result.states)
    out += explain::print_state(outcome.query.graph, state) + "\n";
  return out;
}

// herd counts witnesses of the quantified condition, so `~exists` swaps; Observation never does.
std::string witnesses(const explain::Outcome& outcome) {
  const explain::Judgement& j = outcome.judgement;
  const bool swap = outcome.query.graph.goal == event::Goal::not_exists;
  return fmt::format("Witnesses\nPositive: {} Negative: {}\n", swap ? j.negative : j.positive,
                     swap ? j.positive : j.negative);
}

std::string head(const explain::Outcome& outcome) {
  return fmt::format("Test {} {}\n", outcome.test.name, head_word(outcome.query.graph.goal));
}

// What follows the states.
std::string tail(const explain::Outcome& outcome) {
  const explain::Judgement& j = outcome.judgement;
  const bool full = outcome.query.ask == engine::Ask::states;
  const std::string& name = outcome.test.name;
  std::string out;
  if (const auto& count = outcome.count)
    out += count->states ? fmt::format("States {}\n", *count->states)
                         : fmt::format("States unknown ({})\n", count->unknown);
  out += verdict_line(j) + "\n";
  if (full) out += witnesses(outcome);
  out += flag_lines(outcome);
  out += fmt::format("Condition {}\n", program::print_condition_line(outcome.test.property));
  if (full)
    out += fmt::format("Observation {} {} {} {}\n", name, observation_word(j), j.positive, j.negative);
  out += fmt::format("Time {} {:.2f}\n", name, outcome.seconds);
  if (full) out += fmt::format("Hash={}\n", litmus::meaning_hash(outcome.test));
  return out + "\n";
}

}  // namespace

std::string herd_text(const explain::Outcome& outcome) {
  const bool listed = outcome.query.ask == engine::Ask::states && !outcome.count;
  return head(outcome) + (listed ? states(outcome) : "") + tail(outcome);
}

void write_herd_text(std::ostream& out, const explain::Outcome& outcome) {
  out << head(outcome) << fmt::format("States {}\n", outcome.result.packed->size());
  write_states(out, *outcome.result.packed, pieces(outcome), outcome.query.jobs);
  out << tail(outcome);
}

}  // namespace ptxmc::report
