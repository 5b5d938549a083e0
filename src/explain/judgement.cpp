// SPDX-License-Identifier: Apache-2.0
#include "explain/judgement.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/models.h"
#include "support/check.h"

namespace ptxmc::explain {

namespace {

// What a `Verdict=` may name: a rule, or a flag of the model.
std::optional<bool> named(const std::vector<FlagOutcome>& flags, std::string_view stated) {
  const std::string_view today = finding::current_name(stated);
  for (const FlagOutcome& flag : flags) {
    if (flag.rule->name == today || flag.name == stated || flag.name == today) return flag.raised;
  }
  return false;  // a rule that nothing in the program is about
}

// An answer that only an exhausted bound keeps open prints as herd's `Loop No` or `Loop Ok`, not as `Undef`.
bool open_by_bound_only(const event::ProgramGraph& graph, const engine::Result& result) {
  return result.complete && !graph.meetings_open && graph.cut;
}

Word word_of(event::Goal goal, const std::optional<bool>& some, const std::optional<bool>& all,
             bool bound_only) {
  const auto word = [&](const std::optional<bool>& open, bool ok_when, bool by_default) {
    if (!open && !bound_only) return Word::undef;
    return open.value_or(by_default) == ok_when ? Word::ok : Word::no;
  };
  switch (goal) {
    case event::Goal::exists:
      return word(some, true, false);
    case event::Goal::not_exists:
      return word(some, false, false);
    case event::Goal::forall:
      return word(all, true, true);
  }
  return Word::undef;
}

Answer answer_of(event::Goal goal, const std::optional<bool>& some, const std::optional<bool>& all) {
  if (goal != event::Goal::forall) {
    if (!some) return Answer::unknown;
    return *some ? Answer::allowed : Answer::forbidden;
  }
  if (!all) return Answer::unknown;
  if (*all) return Answer::required;
  if (!some) return Answer::not_required;
  return *some ? Answer::allowed : Answer::forbidden;
}

void make_undefined(Judgement& judgement) {
  judgement.undefined = true;
  judgement.answer = Answer::undefined;
  judgement.word = Word::undef;
  judgement.unknown.clear();
}

/// Undefined behaviour of that name could not be excluded, so nothing is known.
void make_unknown(Judgement& judgement, std::string_view undefined) {
  judgement.undefined.reset();
  judgement.answer = Answer::unknown;
  judgement.word = Word::undef;
  judgement.unknown = fmt::format("unknown-{}", undefined);
  judgement.some.reset();
  judgement.all.reset();
}

std::string_view name_of(litmus::Stated stated) {
  switch (stated) {
    case litmus::Stated::allowed:
      return "Allowed";
    case litmus::Stated::forbidden:
      return "Forbidden";
    case litmus::Stated::required:
      return "Required";
    case litmus::Stated::unknown:
      return "Unknown";
    case litmus::Stated::undefined:
      return "Undefined";
  }
  return "";
}

std::optional<bool> opposite(const std::optional<bool>& value) {
  if (!value) return std::nullopt;
  return !*value;
}

bool means_undefined(const FlagOutcome& flag) {
  return flag.rule->undefined;
}

/// Nothing: no execution was found, and others may exist.
std::optional<bool> is_vacuous(const Judgement& j) {
  if (j.vacuity != Vacuity::none) return true;
  if (j.positive + j.negative != 0 || j.unknown.empty()) return false;
  return std::nullopt;
}

std::optional<bool> proposition_met(litmus::Stated stated, const Judgement& j) {
  if (stated == litmus::Stated::unknown) return j.answer == Answer::unknown;
  if (stated == litmus::Stated::undefined) return j.undefined;
  if (j.answer == Answer::undefined) return false;
  switch (stated) {
    case litmus::Stated::allowed:
      return j.some;
    case litmus::Stated::forbidden:
      return opposite(j.some);
    default:
      return j.all;
  }
}

}  // namespace

std::string_view name_of(Answer answer) {
  switch (answer) {
    case Answer::allowed:
      return "Allowed";
    case Answer::forbidden:
      return "Forbidden";
    case Answer::required:
      return "Required";
    case Answer::not_required:
      return "NotRequired";
    case Answer::undefined:
      return "Undefined";
    case Answer::unknown:
      return "Unknown";
  }
  return "";
}

std::string_view name_of(Vacuity vacuity) {
  switch (vacuity) {
    case Vacuity::none:
      return "";
    case Vacuity::no_execution:
      return "vacuous-no-execution";
    case Vacuity::filter:
      return "vacuous-filter";
  }
  return "";
}

std::string open_reason(const event::ProgramGraph& graph, const engine::Result& result, bool accept_bound) {
  if (!result.complete) return result.unknown.empty() ? "incomplete" : result.unknown;
  if (graph.meetings_open) return event::kTooManyPhases;
  if (graph.cut && !accept_bound) return std::string(kUnrollBound);
  return "";
}

std::optional<bool> raised(const std::vector<FlagOutcome>& flags, finding::RuleId rule) {
  for (const FlagOutcome& flag : flags) {
    if (flag.rule->id == rule) return flag.raised;
  }
  return std::nullopt;
}

std::optional<bool> raced(const std::vector<FlagOutcome>& flags) {
  bool some = false, open = false;
  for (const FlagOutcome& flag : flags) {
    if (flag.rule->kind != finding::Kind::race) continue;
    if (flag.raised == true) return true;
    some = true;
    open = open || !flag.raised;
  }
  return some && !open ? std::optional<bool>(false) : std::nullopt;
}

Judgement judge(const event::ProgramGraph& graph, const engine::Result& result, engine::Ask ask,
                bool accept_bound, const std::vector<FlagOutcome>& flags, Excluded excluded) {
  PTXMC_CHECK(ask != engine::Ask::flag, "a flag query says nothing about the condition");
  Judgement j;
  for (const engine::State& state : result.states) ++(state.satisfied ? j.positive : j.negative);
  if (result.packed) {
    j.positive = result.packed->satisfied();
    j.negative = result.packed->size() - j.positive;
  }
  j.loop = graph.cut;
  const std::string open = open_reason(graph, result, accept_bound);
  const bool exhaustive = open_reason(graph, {}, accept_bound).empty();  // were the list of states complete
  // A verdict query for `forall` looks for violations only, one for the others for satisfaction only.
  const bool lists_violations = ask == engine::Ask::states || graph.goal == event::Goal::forall;
  const bool lists_satisfactions = ask == engine::Ask::states || graph.goal != event::Goal::forall;
  if (j.positive != 0) j.some = true;
  const bool no_more = open.empty();
  if (j.positive == 0 && ((no_more && lists_satisfactions) || (exhaustive && excluded.satisfying)))
    j.some = false;
  if (j.negative != 0) j.all = false;
  if (j.negative == 0 && ((no_more && lists_violations) || (exhaustive && excluded.violating))) j.all = true;
  j.word = word_of(graph.goal, j.some, j.all, open_by_bound_only(graph, result));
  j.answer = answer_of(graph.goal, j.some, j.all);
  if (j.answer == Answer::unknown) j.unknown = open;
  make_void(j, flags, means_undefined);
  return j;
}

void make_void(Judgement& judgement, const std::vector<FlagOutcome>& flags,
               const std::function<bool(const FlagOutcome&)>& voids) {
  if (judgement.undefined == true) return;
  const FlagOutcome* open = nullptr;
  for (const FlagOutcome& flag : flags) {
    if (!voids(flag) || flag.raised == false) continue;
    if (flag.raised) return make_undefined(judgement);
    if (open == nullptr) open = &flag;
  }
  if (open != nullptr) make_unknown(judgement, open->name);
}

void judge_by_flags(Judgement& judgement, const std::vector<FlagOutcome>& flags, bool asked) {
  if (judgement.answer != Answer::required) return;
  const FlagOutcome* open = nullptr;
  for (const FlagOutcome& flag : flags) {
    if (flag.rule->severity != Severity::error || flag.raised == false) continue;
    if (flag.raised) {
      judgement.answer = Answer::not_required;
      judgement.word = Word::no;
      return;
    }
    if (open == nullptr) open = &flag;
  }
  if (asked && open == nullptr) return;
  judgement.answer = Answer::unknown;
  judgement.word = Word::undef;
  judgement.unknown = asked ? fmt::format("unknown-{}", open->name) : "nothing-asked";
}

void make_vacuous(Judgement& judgement, Vacuity vacuity) {
  judgement.vacuity = vacuity;
  if (vacuity == Vacuity::none || judgement.answer == Answer::undefined) return;
  judgement.answer = Answer::unknown;
  judgement.unknown = name_of(vacuity);
}

const litmus::Verdict* stated_for(const litmus::Test& test, std::string_view model,
                                  const std::vector<std::string>& readings) {
  std::vector<std::string> wanted = readings;
  std::sort(wanted.begin(), wanted.end());
  const litmus::Verdict* general = nullptr;
  for (const litmus::Verdict& verdict : test.verdicts) {
    if (verdict.readings != wanted) continue;
    if (!verdict.model.empty() && model::profile_name(verdict.model) == model) return &verdict;
    if (verdict.model.empty()) general = &verdict;
  }
  return general;
}

std::string print(const litmus::Verdict& verdict) {
  std::string out;
  const auto add = [&](std::string_view word) {
    if (!out.empty()) out += ' ';
    out += word;
  };
  if (verdict.proposition) add(name_of(*verdict.proposition));
  if (verdict.racy) add(*verdict.racy ? "Racy" : "RaceFree");
  if (verdict.hangs) add(*verdict.hangs ? "Hangs" : "Terminates");
  if (verdict.vacuous) add("Vacuous");
  for (const std::string& finding : verdict.findings) add(finding);
  return out;
}

std::string found_instead(const litmus::Verdict& verdict, const Judgement& judgement,
                          const std::vector<FlagOutcome>& flags) {
  std::string out;
  if (verdict.proposition) {
    out = name_of(judgement.answer);
    if (!judgement.unknown.empty()) out += " (" + judgement.unknown + ")";
  }
  if (verdict.racy) {
    const std::optional<bool> found = raced(flags);
    out += out.empty() ? "" : " ";
    out += !found ? "unknown races" : *found ? "Racy" : "RaceFree";
  }
  if (verdict.hangs) {
    const std::optional<bool> hangs = raised(flags, finding::RuleId::hang);
    out += out.empty() ? "" : " ";
    out += !hangs ? "unknown termination" : *hangs ? "Hangs" : "Terminates";
  }
  if (verdict.vacuous) {
    out += out.empty() ? "" : " ";
    out += judgement.vacuity != Vacuity::none ? "Vacuous" : "not Vacuous";
  }
  for (const std::string& finding : verdict.findings) {
    const std::optional<bool> found = named(flags, finding);
    out += fmt::format("{}{}{}", out.empty() ? "" : " ", !found ? "unknown " : *found ? "" : "no ", finding);
  }
  return out;
}

std::optional<bool> is_met(const litmus::Verdict& verdict, const Judgement& judgement,
                           const std::vector<FlagOutcome>& flags) {
  std::vector<std::optional<bool>> parts;
  const bool vacuous = judgement.vacuity != Vacuity::none && judgement.answer == Answer::unknown;
  if (vacuous && !verdict.vacuous && verdict.hangs != true) parts.push_back(std::nullopt);
  if (verdict.vacuous) parts.push_back(is_vacuous(judgement));
  if (verdict.proposition) parts.push_back(proposition_met(*verdict.proposition, judgement));
  if (verdict.racy) {
    const std::optional<bool> found = raced(flags);
    parts.push_back(found ? std::optional<bool>(*found == *verdict.racy) : std::nullopt);
  }
  if (verdict.hangs) {
    const std::optional<bool> hangs = raised(flags, finding::RuleId::hang);
    parts.push_back(hangs ? std::optional<bool>(*hangs == *verdict.hangs) : std::nullopt);
  }
  for (const std::string& finding : verdict.findings) parts.push_back(named(flags, finding));
  if (std::find(parts.begin(), parts.end(), std::optional<bool>(false)) != parts.end()) return false;
  if (std::find(parts.begin(), parts.end(), std::nullopt) != parts.end()) return std::nullopt;
  return true;
}

}  // namespace ptxmc::explain
