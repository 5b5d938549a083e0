// SPDX-License-Identifier: Apache-2.0
#include "explain/sentences.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "explain/words/events.h"
#include "explain/words/relations.h"
#include "finding/rules.h"

namespace ptxmc::explain {

using event::EventId;

namespace {

// Which clause of a release or acquire pattern a pair is (8.8): one operation; two on a location; with a
// fence.
std::string clause(const event::ProgramGraph& graph, const Step& step) {
  const bool release = step.name == "relpat";
  if ((!release && step.name != "acqpat") || first_section(step.section) != "8.8") return "";
  const event::EventId fence = release ? step.from : step.to;
  if (graph.events[fence].kind == event::EventKind::fence) return "(3)";
  return step.from == step.to ? "(1)" : "(2)";
}

std::string section_text(const event::ProgramGraph& graph, const Step& step) {
  const std::string section = first_section(step.section);
  return section.empty() ? "" : " " + section + clause(graph, step);
}

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
    lines_.push_back({level, fmt::format("and {}", arrow(condition)), condition.from, condition.to});
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
  void add(int level, const Step& step) { lines_.push_back({level, arrow(step), step.from, step.to}); }

  const event::ProgramGraph& graph_;
  const EventNames& names_;
  int depth_;
  std::vector<Line> lines_;
};

}  // namespace

std::vector<const Step*> unwrapped(const Step& step) {
  std::vector<const Step*> out = {&step};
  while (out.back()->because.size() == 1) {
    const Step& inner = out.back()->because.front();
    if (inner.from != step.from || inner.to != step.to) break;
    out.push_back(&inner);
  }
  return out;
}

std::string arrow_text(const event::ProgramGraph& graph, const Step& step) {
  const std::vector<const Step*> layers = unwrapped(step);
  const Step& outer = *layers.front();
  const Step& inner = *layers.back();
  const std::string outer_words = words_of(outer.name), inner_words = words_of(inner.name);
  std::string out = outer_words;
  if (layers.size() > 1 && inner_words != outer_words) {
    if (section_text(graph, outer) != section_text(graph, inner)) out += section_text(graph, outer);
    out += ": " + inner_words;
    out += inner.section.empty() ? section_text(graph, outer) : section_text(graph, inner);
  } else {
    out += section_text(graph, outer);
  }
  std::vector<std::string> said;
  for (const Step* layer : layers) {
    for (const Step& condition : layer->conditions) {
      if (role_of(condition.name) == Role::silent || !condition.because.empty()) continue;
      std::string words = words_of(condition.name) + section_text(graph, condition);
      if (std::find(said.begin(), said.end(), words) == said.end()) said.push_back(std::move(words));
    }
  }
  for (const std::string& words : said) out += ", " + words;
  return out;
}

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

std::string titles(const std::vector<Violation>& violations) {
  std::vector<std::string> parts;
  for (const Violation& violation : violations) parts.push_back(title_of(violation));
  return fmt::format("{}", fmt::join(parts, " together with "));
}

// A mixed-size race, or an address that names nothing, voids what the axioms say of the rest.
std::string undefined_lines(const Outcome& outcome) {
  std::string out;
  if (outcome.judgement.answer != Answer::undefined) return out;
  for (const FlagOutcome& flag : outcome.flags) {
    const bool misuse = !flag.detail.empty() && flag.raised == true;
    const finding::RuleId rule = flag.rule->id;
    const bool race =
        flag.raised == true && (rule == finding::RuleId::mixed_size_race || rule == finding::RuleId::race);
    if (!misuse && !race) continue;
    if (rule == finding::RuleId::race && raised(outcome.flags, finding::RuleId::mixed_size_race) == true)
      continue;
    out += fmt::format("Undefined under {}: {}{}{}\n", outcome.model, flag.name,
                       flag.detail.empty() ? "" : ": " + flag.detail,
                       rule == finding::RuleId::mixed_size_race ? " (8.7.2: no axiom applies)" : "");
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
             "\nWhatever each read returns, some thread waits forever in a loop or at a barrier, or its values "
             "contradict each other; `ptxmc check --property liveness` says who waits for what";
    case Explanation::Kind::unknown:
      return out + fmt::format("\nWhich axioms exclude them is unknown: {}", explanation.reason);
    case Explanation::Kind::reachable:
      break;
  }
  return out;
}

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

}  // namespace ptxmc::explain
