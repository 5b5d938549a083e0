// SPDX-License-Identifier: Apache-2.0
#include "report/explain_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "check/definition.h"
#include "program/print.h"
#include "report/edges.h"
#include "report/event_names.h"
#include "report/value.h"
#include "report/words.h"

namespace ptxmc::report {

using event::EventId;
using event::kNoEvent;

namespace {

class Teller {
 public:
  Teller(const event::ProgramGraph& graph, const EventNames& names, int depth)
      : graph_(graph), names_(names), depth_(depth) {}

  void tell(const std::vector<Step>& steps, int level) {
    if (level >= depth_) return;
    for (const Step& step : steps) {
      if (step.from == step.to && role_of(step.name) == Role::path && step.because.empty()) continue;
      add(level, step);
      const Step& inner = *unwrapped(step).back();
      tell(inner.because, level + 1);
      for (const Step& condition : step.conditions) tell_condition(condition, level + 1);
    }
  }
  void tell_condition(const Step& condition, int level) {
    if (condition.because.empty() || level >= depth_) return;
    lines_.push_back({level, fmt::format("and {}", arrow(condition))});
    tell(condition.because, level + 1);
  }
  std::vector<Line> take() { return std::move(lines_); }

 private:
  std::string arrow(const Step& step) const {
    const std::string text = arrow_text(graph_, step);
    if (step.from == step.to) {
      const bool vowel = std::string_view("aeiou").find(text.front()) != std::string_view::npos;
      return fmt::format("{} is {} {}", names_.label(step.from), vowel ? "an" : "a", text);
    }
    return fmt::format("{} --{}--> {}", names_.label(step.from), text, names_.label(step.to));
  }
  void add(int level, const Step& step) { lines_.push_back({level, arrow(step)}); }

  const event::ProgramGraph& graph_;
  const EventNames& names_;
  int depth_;
  std::vector<Line> lines_;
};

std::string events_text(const Outcome& outcome, const event::Execution& execution) {
  const event::ProgramGraph& graph = outcome.query.graph;
  const EventNames names(graph, execution);
  std::size_t width = 0;
  for (EventId e = 0; e < graph.size(); ++e) {
    const bool shown = execution.exists.test(e) && is_shown(graph, e);
    if (shown && graph.events[e].is_access()) width = std::max(width, names.label(e).size());
  }
  std::string out;
  for (EventId e = 0; e < graph.size(); ++e) {
    if (!execution.exists.test(e) || !is_shown(graph, e)) continue;
    const event::Event& event = graph.events[e];
    const std::string from = origin_text(graph.origins, event.position);
    const bool access = event.is_access() && event.thread != event::kNoThread;
    out += access ? fmt::format("  {:<{}}  {}{}\n", names.label(e), width, event.text, from)
                  : fmt::format("  {}{}\n", names.label(e), from);
  }
  return out;
}

std::string pairs_text(const EventNames& names, const check::PairSet& pairs, const std::string& words) {
  std::string out;
  for (const auto& [a, b] : pairs) {
    if (names.name(a).empty() || names.name(b).empty()) continue;
    out += fmt::format("  {} --{}--> {}\n", names.label(a), words, names.label(b));
  }
  return out;
}

std::string execution_text(const Outcome& outcome, const engine::State& state) {
  const EventNames names(outcome.query.graph, state.witness);
  const Edges edges = edges_of(outcome, state);
  std::string out = events_text(outcome, state.witness);
  out += pairs_text(names, edges.rf, words_of("rf"));
  out += pairs_text(names, edges.co, words_of("co"));
  out += pairs_text(names, edges.fr, words_of("fr"));
  const auto sync = check::evaluate_role(naive_input(outcome, state), model::Role::synchronization);
  if (sync) out += pairs_text(names, *sync, words_of("sync"));
  return out;
}

std::string violation_text(const Outcome& outcome, const Violation& violation, int depth) {
  std::string out = fmt::format("\n{}: {}\n", title_of(violation), violation.text);
  out += lead_of(violation) + "\n";
  if (!violation.state) return out;
  const event::ProgramGraph& graph = outcome.query.graph;
  const event::Execution& execution = violation.state->witness;
  const std::string shown = print_state(graph, *violation.state);
  if (!shown.empty()) out += fmt::format("  {}\n", shown);
  out += events_text(outcome, execution);
  constexpr std::string_view kWhat[] = {
      "Cycle:", "Cycle:", "Pair:", "Element:", "Nothing there.", "Followed in coherence:"};
  out += fmt::format("{}\n", kWhat[static_cast<int>(violation.shape)]);
  if (violation.at != kNoEvent)
    out += fmt::format("  {}\n", EventNames(graph, execution).label(violation.at));
  for (const Line& line : lines_of(graph, execution, violation.chain, depth))
    out += fmt::format("  {:{}}{}\n", "", 4 * line.level, line.text);
  return out;
}

std::string titles(const std::vector<Violation>& violations);

// A mixed-size race, or an address that names nothing, voids what the axioms say of the rest.
std::string undefined_lines(const Outcome& outcome) {
  std::string out;
  if (outcome.judgement.answer != Answer::undefined) return out;
  for (const FlagOutcome& flag : outcome.flags) {
    const bool misuse = !flag.detail.empty() && flag.raised == true;
    const std::string_view rule = flag.rule->name;
    const bool race = flag.raised == true && (rule == model::kMixedSizeRace || rule == model::kDataRace);
    if (!misuse && !race) continue;
    if (rule == model::kDataRace && raised(outcome.flags, model::kMixedSizeRace) == true) continue;
    out += fmt::format("Undefined under {}: {}{}{}\n", outcome.model, flag.name,
                       flag.detail.empty() ? "" : ": " + flag.detail,
                       rule == model::kMixedSizeRace ? " (8.7.2: no axiom applies)" : "");
  }
  if (const auto& answer = outcome.judgement.by_atomicity)
    out += fmt::format("{} all the same: atomics stay indivisible to each other (8.7.2)\n", name_of(*answer));
  return out + "Apart from that: ";
}

// What a bound leaves open is not explained away.
std::string open_lines(const Outcome& outcome, const Explanation& explanation) {
  const Judgement& judgement = outcome.judgement;
  if (judgement.answer != Answer::unknown || explanation.kind == Explanation::Kind::unknown) return "";
  if (outcome.vacuity != Vacuity::none) return "";  // said by the headline itself
  const bool bound = judgement.unknown == kUnrollBound;
  return fmt::format("Unknown under {}: {}\n{}: ", outcome.model, judgement.unknown,
                     bound ? "Within the bound" : "As far as is known");
}

std::string also_alone(const Explanation& explanation) {
  std::string out;
  for (const Violation& other : explanation.alternatives)
    out += fmt::format("\nForbidden by {} alone, too", title_of(other));
  return out;
}

// What the explanation of a vacuous test is about: that there is any execution, or any that meets the filter.
std::string vacuous_headline(const Outcome& outcome, const Explanation& explanation) {
  const bool filter = outcome.vacuity == Vacuity::filter;
  std::string out =
      filter ? fmt::format("Vacuous: no consistent execution under {} meets the filter", outcome.model)
             : fmt::format("Vacuous: no execution is consistent under {}", outcome.model);
  switch (explanation.kind) {
    case Explanation::Kind::forbidden:
      return out +
             fmt::format("\n{} forbidden by {}", filter ? "Those that meet it are" : "Every one is",
                         titles(explanation.axioms)) +
             also_alone(explanation);
    case Explanation::Kind::impossible:
      if (filter) return out + "\nNo choice of what each read returns meets it, whatever the axioms";
      return out +
             "\nWhatever each read returns, somebody waits for ever in a loop or at a barrier, or its values "
             "contradict each other; `ptxmc check --property liveness` says who waits for what";
    case Explanation::Kind::unknown:
      return out + fmt::format("\nWhich axioms exclude them is unknown: {}", explanation.reason);
    case Explanation::Kind::reachable:
      break;
  }
  return out;
}

std::string titles(const std::vector<Violation>& violations) {
  std::vector<std::string> parts;
  for (const Violation& violation : violations) parts.push_back(title_of(violation));
  return fmt::format("{}", fmt::join(parts, " together with "));
}

}  // namespace

std::vector<Line> lines_of(const event::ProgramGraph& graph, const event::Execution& execution,
                           const Chain& chain, int depth) {
  const EventNames names(graph, execution);
  Teller teller(graph, names, depth);
  teller.tell(chain.steps, 0);
  for (const Step& condition : chain.conditions) {
    if (!condition.because.empty()) {
      teller.tell_condition(condition, 0);
    } else if (role_of(condition.name) != Role::silent) {
      teller.tell({condition}, 0);
    }
  }
  return teller.take();
}

std::string title_of(const Violation& violation) {
  return violation.section.empty() ? violation.axiom
                                   : fmt::format("{} ({})", violation.axiom, violation.section);
}

namespace {

std::string plain_headline(const Outcome& outcome, const Explanation& explanation) {
  if (outcome.vacuity != Vacuity::none) return vacuous_headline(outcome, explanation);
  const bool forall = outcome.query.graph.goal == event::Goal::forall;
  switch (explanation.kind) {
    case Explanation::Kind::reachable:
      return fmt::format("{} under {}", forall ? "Not required: an execution violates it" : "Allowed",
                         outcome.model);
    case Explanation::Kind::forbidden: {
      std::string out =
          fmt::format("{} under {} by {}", forall ? "Required: the contrary is forbidden" : "Forbidden",
                      outcome.model, titles(explanation.axioms));
      out += also_alone(explanation);
      if (!explanation.minimal) out += "\nFewer axioms may do: a question about them stayed open";
      return out;
    }
    case Explanation::Kind::impossible:
      return fmt::format(
          "{} without any axiom: no choice of what each read returns, and of the paths and barrier phases "
          "that follow from it, has {} outcome",
          forall ? "Required" : "Forbidden", forall ? "another" : "this");
    case Explanation::Kind::unknown:
      return fmt::format("Unknown under {}: {}", outcome.model, explanation.reason);
  }
  return "";
}

}  // namespace

std::string headline(const Outcome& outcome, const Explanation& explanation) {
  return undefined_lines(outcome) + open_lines(outcome, explanation) + plain_headline(outcome, explanation);
}

std::string lead_of(const Violation& violation) {
  if (!violation.state)
    return fmt::format("No execution that violates {} was found in time", violation.axiom);
  std::vector<std::string> others;
  for (const std::string& name : violation.also_violated) {
    if (name != violation.axiom) others.push_back(name);
  }
  if (others.empty())
    return fmt::format("An execution with this outcome that violates {} alone:", violation.axiom);
  return fmt::format("An execution with this outcome that violates {} (and {}):", violation.axiom,
                     fmt::join(others, ", "));
}

std::string state_lead(const Explanation& explanation) {
  return explanation.kind == Explanation::Kind::impossible ? "An execution, for comparison:"
                                                           : "An execution that satisfies every axiom:";
}

std::string explain_text(const Outcome& outcome, const Explanation& explanation, int depth) {
  std::string out =
      fmt::format("Test {}\nCondition {}\n{}\n", outcome.test.name,
                  program::print_condition_line(outcome.test.property), headline(outcome, explanation));
  if (explanation.state) {
    const std::string shown = print_state(outcome.query.graph, *explanation.state);
    out += fmt::format("\n{}\n", state_lead(explanation));
    if (!shown.empty()) out += fmt::format("  {}\n", shown);
    out += execution_text(outcome, *explanation.state);
  }
  for (const Violation& violation : explanation.axioms) out += violation_text(outcome, violation, depth);
  for (const Violation& violation : explanation.alternatives)
    out += violation_text(outcome, violation, depth);
  return out + "\n";
}

}  // namespace ptxmc::report
