// SPDX-License-Identifier: Apache-2.0
#include "explain/finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "explain/words/async.h"
#include "explain/words/events.h"
#include "explain/words/misuse.h"
#include "explain/words/races.h"
#include "explain/words/tensor.h"
#include "support/check.h"

namespace ptxmc::explain {

namespace {

using event::EventId;
using finding::Kind;

void add_diagnosis(const event::ProgramGraph& graph, const check::Finding& found, Finding& out) {
  const check::Diagnosis& diagnosis = found.diagnosis;
  const auto add = [&](auto kind) {
    out.reasons.push_back({std::string(name_of(kind)), std::string(describe(kind))});
  };
  for (const check::Missing missing : diagnosis.missing) add(missing);
  if (diagnosis.async) {
    for (const check::AsyncStory::Kind kind : diagnosis.async->kinds) {
      add(kind);
      out.cause.push_back(why(graph, *diagnosis.async, kind));
    }
  }
  if (diagnosis.tensor) {
    for (const check::TensorStory::Kind kind : diagnosis.tensor->kinds) {
      add(kind);
      out.cause.push_back(why(graph, *diagnosis.tensor, kind));
    }
  }
  for (std::string& sentence : advice(graph, found)) out.advice.push_back(std::move(sentence));
  out.unclassified = diagnosis.unknown;
  out.awaited = diagnosis.awaited;
}

/// What the rule itself says. Accesses that nothing orders have a diagnosis instead.
void add_rule(const finding::Rule& rule, Finding& out) {
  if (rule.kind == Kind::race && rule.id != finding::RuleId::warp_exchange) return;
  out.cause.emplace_back(rule.summary);
  out.advice.emplace_back(rule.fix);
}

Finding finding_of(const event::ProgramGraph& graph, const check::Finding& found) {
  Finding out = finding_by(*found.rule, found.flags.front());
  out.flags = found.flags;
  for (const EventId e : found.accesses) out.places.push_back(place_in(graph, e));
  if (found.rule->kind == Kind::race && found.accesses.size() == 2)
    out.pairs.push_back({0, 1, location_of(graph, found.accesses.front())});
  const bool counted =
      found.rule->id == finding::RuleId::mbarrier_misuse || found.rule->id == finding::RuleId::barrier_misuse;
  const auto words = counted ? misuse_words(graph, found.state.witness) : std::nullopt;
  if (words) {
    out.cause.push_back(words->why);
    out.advice.push_back(words->remedy);
  } else {
    add_rule(*found.rule, out);
  }
  add_diagnosis(graph, found, out);
  out.evidence.state = &found.state;
  return out;
}

Finding finding_of(const event::ProgramGraph& graph, const check::Undefined& misuse) {
  Finding out = finding_by(*misuse.rule, misuse.name);
  out.certain = misuse.happens.has_value();
  out.places.push_back(
      {std::nullopt, misuse.position, misuse.text, std::nullopt, origin_at(graph.origins, misuse.position)});
  add_rule(*misuse.rule, out);
  return out;
}

bool through_multimem(const event::Event& event) {
  const bool multimem = event.opcode == isa::Opcode::multimem_load ||
                        event.opcode == isa::Opcode::multimem_store ||
                        event.opcode == isa::Opcode::multimem_reduce;
  return multimem && event.labels.proxy == isa::Proxy::alias;
}

/// Through a multimem address and through a location of it, which `multimem=alias` takes for two names (D50).
bool by_multimem(const event::ProgramGraph& graph, const check::Finding& found) {
  if (found.rule->kind != Kind::race || found.accesses.size() != 2) return false;
  return through_multimem(graph.events[found.accesses.front()]) !=
         through_multimem(graph.events[found.accesses.back()]);
}

}  // namespace

Place place_in(const event::ProgramGraph& graph, EventId e) {
  const event::Event& event = graph.events[e];
  Place place;
  if (event.thread != event::kNoThread) place.thread = graph.threads[event.thread].number;
  place.position = event.position;
  place.text = event.text;
  place.event = e;
  place.origin = origin_at(graph.origins, event.position);
  if (place.thread) place.who = fmt::format("P{}", *place.thread);
  place.access = access_of(event);
  return place;
}

Finding finding_by(const finding::Rule& rule, const std::string& flag) {
  Finding out;
  out.rule = &rule;
  out.name = rule.name.empty() ? flag : std::string(rule.name);
  out.severity = rule.severity;
  out.section = rule.section;
  return out;
}

namespace {

/// Accesses that nothing orders: what they are of says more than why.
bool is_data_race(const Finding& finding) {
  return finding.rule->kind == Kind::race && finding.rule->id != finding::RuleId::own_flag &&
         finding.severity == Severity::error;
}

/// What is missing, and why that is so.
std::vector<std::string> causes_of(const Finding& finding) {
  std::vector<std::string> out;
  for (const Reason& reason : finding.reasons) out.push_back(reason.words);
  out.insert(out.end(), finding.cause.begin(), finding.cause.end());
  if (!finding.unclassified.empty()) out.push_back(fmt::format("not classified ({})", finding.unclassified));
  return out;
}

}  // namespace

std::string title_of(const Finding& finding) {
  const std::string perhaps = finding.certain ? "" : "perhaps ";
  if (is_data_race(finding)) {
    const std::string& of = finding.pairs.empty() ? std::string() : finding.pairs.front().bytes;
    return fmt::format("{}data race{}", perhaps, of.empty() ? "" : " on " + of);
  }
  if (finding.rule->id == finding::RuleId::own_flag)
    return fmt::format("{}flag {} of the model", perhaps, finding.name);
  const std::vector<std::string> causes = causes_of(finding);
  return perhaps + (causes.empty() ? std::string(finding.rule->summary) : causes.front());
}

std::vector<std::string> why_of(const Finding& finding) {
  std::vector<std::string> causes = causes_of(finding);
  const bool in_title = !is_data_race(finding) && finding.rule->id != finding::RuleId::own_flag;
  if (in_title && !causes.empty()) causes.erase(causes.begin());
  return causes;
}

std::string times_of(const Finding& finding) {
  if (finding.instances <= 1) return "";
  const bool is_of_pairs = !finding.pairs.empty() && finding.rule->id != finding::RuleId::tcgen05_order;
  return fmt::format("{} {}", finding.instances, is_of_pairs ? "thread pairs" : "times");
}

namespace {

/// That the instructions of a kernel differ in .cta_group is one finding, at all of them.
void join_of_kernel(std::vector<Finding>& findings) {
  const auto is_of_kernel = [](const Finding& finding) {
    return finding.rule->id == finding::RuleId::tensor_cta_group;
  };
  const auto first = std::find_if(findings.begin(), findings.end(), is_of_kernel);
  if (first == findings.end()) return;
  const auto has = [&](const Place& place) {
    return std::any_of(first->places.begin(), first->places.end(), [&](const Place& known) {
      return known.position.line == place.position.line && known.position.column == place.position.column;
    });
  };
  for (auto other = first + 1; other != findings.end(); ++other) {
    if (!is_of_kernel(*other)) continue;
    for (Place& place : other->places) {
      if (!has(place)) first->places.push_back(std::move(place));
    }
    first->certain = first->certain || other->certain;
  }
  findings.erase(std::remove_if(first + 1, findings.end(), is_of_kernel), findings.end());
}

}  // namespace

std::vector<Finding> findings_of(const event::ProgramGraph& graph, const check::RaceReport& races,
                                 const std::vector<check::Undefined>& misuses) {
  std::vector<Finding> out;
  std::optional<std::size_t> first;
  std::size_t more = 0;  // of one kind: a fence for one of them is one for all, as a rule
  for (const check::Finding& found : races.findings) {
    const bool multimem = by_multimem(graph, found);
    if (multimem && first) {
      ++more;
      continue;
    }
    out.push_back(finding_of(graph, found));
    if (!multimem) continue;
    first = out.size() - 1;
    out.back().cause.emplace_back(
        "the reading multimem=alias takes a multimem address for another name of its locations, which needs "
        "an "
        "alias fence between the two; multimem=same-name needs none");
  }
  if (more != 0)
    out[*first].cause.push_back(fmt::format(
        "so are {} more pairs of accesses through a multimem address and through its locations", more));
  for (const check::Undefined& misuse : misuses) out.push_back(finding_of(graph, misuse));
  join_of_kernel(out);
  return out;
}

std::string line_of(const Place& place) {
  if (!place.position.known()) return "outside of the launch";
  return place.origin.known() ? place.origin.text() : fmt::format("line {}", place.position.line);
}

std::string plural(std::uint64_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

bool is_stated(const litmus::Verdict& verdict, const Finding& finding) {
  const auto named = [&](const std::string& name) {
    return std::any_of(verdict.findings.begin(), verdict.findings.end(), [&](const std::string& stated) {
      return finding::current_name(stated) == finding::current_name(name);
    });
  };
  if (named(finding.name) || std::any_of(finding.flags.begin(), finding.flags.end(), named)) return true;
  if (finding.rule->undefined && verdict.proposition == litmus::Stated::undefined) return true;
  if (finding.rule->kind == Kind::race) return verdict.racy == true;
  return finding.rule->kind == Kind::hang && verdict.hangs == true;
}

}  // namespace ptxmc::explain
