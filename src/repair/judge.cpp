// SPDX-License-Identifier: Apache-2.0
#include "repair/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "axiomatic/event/base.h"
#include "axiomatic/lower/lower.h"
#include "axiomatic/question/undefined.h"
#include "explain/judgement.h"
#include "input/litmus/parse.h"
#include "input/litmus/verdict_words.h"
#include "model/flag_rules.h"
#include "repair/solo_termination.h"
#include "session/auto.h"
#include "session/liveness.h"
#include "session/vacuity.h"
#include "support/beyond_limits.h"
#include "support/refuse.h"

namespace ptxmc::repair {

namespace {

litmus::Test parsed(const std::string& text) {
  return litmus::parse(std::make_shared<const Source>(Source{"changed", text}));
}

/// What the verb asks with, with flags.
session::Settings asking(session::Settings settings) {
  settings.flags = true;
  settings.verdict_only = true;
  settings.sensitivity = false;
  settings.count = false;
  settings.witnesses = 1;
  return settings;
}

}  // namespace

bool is_other_finding(const finding::Rule& rule) {
  return rule.kind == finding::Kind::misuse && rule.severity != Severity::note;
}

std::string Wanted::text(const litmus::Test& test) const {
  std::string out;
  const auto add = [&](bool part, const std::string& word) {
    if (part) out += (out.empty() ? "" : " ") + word;
  };
  add(outcome, test.property.is_forall() ? "Required" : "Forbidden");
  add(race_free, "RaceFree");
  add(terminates, "Terminates");
  add(defined, "defined");
  for (const std::string& finding : without) add(true, "no " + finding);
  return out;
}

bool Found::has(const Wanted& wanted) const {
  if (undefined || vacuous || !problems.empty()) return false;
  if (wanted.outcome && outcome != false) return false;
  if (wanted.race_free && races != false) return false;
  if (wanted.terminates && hangs != false) return false;
  return std::none_of(wanted.without.begin(), wanted.without.end(), [&](const std::string& name) {
    return std::find(findings.begin(), findings.end(), name) != findings.end();
  });
}

bool has_new_finding(const Found& before, const Found& now) {
  return !before.undefined && !before.vacuous &&
         std::any_of(now.findings.begin(), now.findings.end(), [&](const std::string& name) {
           return std::find(before.findings.begin(), before.findings.end(), name) == before.findings.end();
         });
}

Found look(const session::Session& session, const litmus::Test& test, const Budget& budget) {
  litmus::Test plain = test;
  plain.verdicts.clear();  // what the file states of it asks for nothing here
  const session::Session flagged(asking(session.settings()));
  const auto analysis = session::check_test(flagged, plain, budget);
  Found out;
  const explain::Judgement& judgement = analysis->judgement;
  out.outcome = analysis->graph.goal == event::Goal::forall
                    ? (judgement.all ? std::optional<bool>(!*judgement.all) : std::nullopt)
                    : judgement.some;
  out.undefined = judgement.answer == explain::Answer::undefined;
  out.vacuous = analysis->vacuity != explain::Vacuity::none;
  out.open = judgement.unknown;
  out.races = explain::raced(analysis->flags);
  out.engine = analysis->decision.engine;
  out.problems = analysis->problems;
  for (const explain::FlagOutcome& flag : analysis->flags) {
    if (flag.raised != false && is_other_finding(*flag.rule)) out.findings.emplace_back(flag.rule->name);
    if (flag.raised == true && is_other_finding(*flag.rule)) out.certain.emplace_back(flag.rule->name);
    if (!flag.raised && out.open.empty()) out.open = flag.name;
  }
  try {
    const auto live = session::check_liveness(flagged, plain, lower::ProgressModel::fair, budget);
    out.hangs = live->hangs;
    if (!live->hangs) out.hangs_open = live->unknown.empty() ? "liveness" : live->unknown;
    out.problems.insert(out.problems.end(), live->problems.begin(), live->problems.end());
  } catch (const BeyondLimits&) {
    out.hangs_open = "too-large";
  } catch (const InputError&) {  // not supported
    out.hangs_open = "liveness-of-kernels";
  }
  return out;
}

Wanted wrong_with(const Found& found) {
  Wanted out;
  out.outcome = found.outcome == true;
  out.race_free = found.races == true;
  out.terminates = found.hangs == true;
  out.defined = found.undefined;
  if (out.nothing()) out.without = found.certain;
  return out;
}

Wanted wanted_by(const std::string& words, const litmus::Test& test) {
  const litmus::Verdict verdict = litmus::read_verdict(words);
  Wanted out;
  if (verdict.proposition) {
    const auto good = test.property.is_forall() ? litmus::Stated::required : litmus::Stated::forbidden;
    if (*verdict.proposition != good) {
      refuse(fmt::format(
          "--want: a repair is for {} of this test, RaceFree, Terminates, or a finding that is to go",
          test.property.is_forall() ? "Required" : "Forbidden"));
    }
    out.outcome = true;
  }
  if (verdict.racy == true || verdict.hangs == true || verdict.vacuous)
    refuse("--want: a repair is for RaceFree and Terminates, not for Racy, Hangs or Vacuous");
  out.race_free = verdict.racy == false;
  out.terminates = verdict.hangs == false;
  out.without = verdict.findings;
  return out;
}

Judge::Judge(const session::Session& session, Wanted wanted, const Budget& whole)
    : session_(session), wanted_(std::move(wanted)), whole_(whole) {}

std::optional<bool> Judge::safe(const std::string& text) {
  const auto known = safe_.find(text);
  if (known != safe_.end()) return known->second.safe;
  whole_.check();
  ++asked_;
  Answer answer;
  try {
    answer = ask_safe(parsed(text), whole_.at_most(kMostSeconds));
  } catch (const BeyondLimits&) {  // too large to be asked: open
  } catch (const InputError&) {    // no test at all
    answer.safe = false;
  } catch (const OutOfTime&) {
    whole_.check();
  }
  safe_.emplace(text, answer);
  return answer.safe;
}

void Judge::allow_outcome() {
  wanted_.outcome = false;
  std::erase_if(safe_, [](const auto& known) { return known.second.by_outcome || !known.second.safe; });
}

Judge::Answer Judge::ask_safe(const litmus::Test& test, const Budget& budget) {
  const event::ProgramGraph graph = lower::lower(test, session::lowering(session_.settings(), budget));
  const event::BaseValues base = event::compute_base(graph);
  const relation::MemoryModel& model = session_.model();
  engine::Query query = session_.query(graph, base, engine::Ask::verdict, budget);
  const bool bounded = session_.settings().unroll.has_value();
  bool open = false;
  const check::Solve solve = [&](const engine::Query& asked) {
    return session::decide(asked, session_.settings().engine, &session_.specialiser()).result;
  };
  const auto found = [&](const engine::Query& asked) {
    const engine::Result result = solve(asked);
    if (!result.states.empty()) return true;
    open = open || !explain::open_reason(graph, result, bounded).empty();
    return false;
  };
  const auto raises = [&](std::size_t flag) {
    engine::Query asked = query;
    asked.ask = engine::Ask::flag;
    asked.flag = flag;
    if (!found(asked)) return false;
    last_flag_ = flag;
    return true;
  };
  const auto bad = [&](std::size_t flag) {
    const finding::Rule& rule = model::rule_of(model.flags[flag]);
    const auto& names = wanted_.without;
    return (wanted_.race_free && rule.kind == finding::Kind::race) ||
           std::find(names.begin(), names.end(), rule.name) != names.end();
  };
  const Answer by_outcome{false, true}, unsafe{false};
  if (wanted_.outcome && outcome_first_ && !outcome_last_ && found(query)) return by_outcome;
  outcome_first_ = false;
  if (last_flag_ < model.flags.size() && bad(last_flag_) && raises(last_flag_)) return unsafe;
  const std::size_t asked_first = last_flag_;
  if (wanted_.outcome && !outcome_last_ && found(query)) {
    outcome_first_ = true;
    return by_outcome;
  }
  for (std::size_t flag = 0; flag < model.flags.size(); ++flag) {
    if (flag != asked_first && bad(flag) && raises(flag)) return unsafe;
  }
  const auto wrong = [&](const check::Undefined& undefined) {
    if (undefined.happens == false) return false;
    const auto& names = wanted_.without;
    return undefined.rule->undefined ||
           std::find(names.begin(), names.end(), undefined.rule->name) != names.end();
  };
  for (const auto& list : {check::find_undefined_flags(query, solve), check::find_misuses(query, solve)}) {
    if (std::any_of(list.begin(), list.end(), wrong)) return unsafe;
  }
  if (wanted_.outcome && outcome_last_ && found(query)) return by_outcome;
  return {open ? std::nullopt : std::optional<bool>(true)};
}

std::optional<bool> Judge::ask(std::map<std::string, std::optional<bool>>& known, const std::string& text,
                               const Question& question) {
  const auto [at, first] = known.try_emplace(text);
  if (!first) return at->second;
  try {
    whole_.check();
    ++asked_;
    at->second = question(parsed(text), whole_.at_most(kMostSeconds));
  } catch (const BeyondLimits&) {  // too large to be asked: open
  } catch (const InputError&) {    // no test at all
    at->second = false;
  } catch (const OutOfTime&) {
    whole_.check();
  }
  return at->second;
}

std::optional<bool> Judge::ask_ends(const litmus::Test& test, const Budget& budget) {
  const event::ProgramGraph graph = lower::lower(test, session::lowering(session_.settings(), budget));
  const event::BaseValues base = event::compute_base(graph);
  const engine::Query query = session_.query(graph, base, engine::Ask::verdict, budget);
  const session::FoundVacuity vacuity =
      session::find_vacuity(query, {}, session_.settings().engine, &session_.specialiser());
  if (!vacuity.open.empty()) return std::nullopt;
  return vacuity.kind == explain::Vacuity::none;
}

std::optional<bool> Judge::ends(const std::string& text) {
  return ask(ends_, text,
             [&](const litmus::Test& test, const Budget& budget) { return ask_ends(test, budget); });
}

std::optional<bool> Judge::live(const std::string& text, bool terminates) {
  const std::optional<bool> some = ends(text);
  if (some != true || !terminates) return some;
  return ask(terminates_, text, [&](const litmus::Test& test, const Budget& budget) {
    const auto live = session::check_liveness(session_, test, lower::ProgressModel::fair, budget);
    return live->hangs ? std::optional<bool>(!*live->hangs) : std::nullopt;
  });
}

bool Judge::still_waits(const litmus::Test& before, const std::string& text) {
  const Budget budget = whole_.at_most(kMostSeconds);
  try {
    if (!waited_) waited_ = waits_for_others(session_, before, budget);
    const std::vector<std::optional<bool>> now = waits_for_others(session_, parsed(text), budget);
    for (std::size_t thread = 0; thread < now.size(); ++thread) {
      if ((*waited_)[thread] == true && now[thread] == false) return false;
    }
  } catch (const OutOfTime&) {
    whole_.check();
    return false;
  }
  return true;
}

std::string stating(const litmus::Test& test, const std::string& text, const Found& found,
                    const Wanted& wanted) {
  if (test.verdicts.empty()) return text;
  std::string words;
  const auto add = [&](const std::string& word) { words += (words.empty() ? "" : " ") + word; };
  const litmus::Verdict& stated = test.verdicts.front();
  if ((stated.proposition || wanted.outcome) && found.outcome) {
    const bool forall = test.property.is_forall();
    add(!*found.outcome ? (forall ? "Required" : "Forbidden") : "Allowed");
  }
  if ((stated.racy || wanted.race_free) && found.races) add(*found.races ? "Racy" : "RaceFree");
  if ((stated.hangs || wanted.terminates) && found.hangs) add(*found.hangs ? "Hangs" : "Terminates");
  for (const std::string& name : stated.findings) {
    if (std::find(found.findings.begin(), found.findings.end(), name) != found.findings.end()) add(name);
  }
  std::string out;
  bool first = true;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end == std::string_view::npos ? end : end + 1);
    rest.remove_prefix(line.size());
    if (!line.starts_with("Verdict")) {
      out += line;
    } else if (std::exchange(first, false) && !words.empty()) {
      out += "Verdict=" + words + "\n";
    }
  }
  return out;
}

}  // namespace ptxmc::repair
