// SPDX-License-Identifier: Apache-2.0
#include "session/analysis.h"

#include <fmt/format.h>

#include <algorithm>

#include "axiomatic/engine/smt/smt.h"
#include "axiomatic/event/base.h"
#include "axiomatic/lower/lower.h"
#include "axiomatic/question/barrier_warnings.h"
#include "axiomatic/question/undefined.h"
#include "axiomatic/recheck/agree.h"
#include "axiomatic/recheck/recheck.h"
#include "input/litmus/parse.h"
#include "model/cat/print.h"
#include "model/flag_rules.h"
#include "model/models.h"
#include "session/aligned_barriers.h"
#include "session/decide_condition.h"
#include "session/decisive_witness.h"
#include "session/liveness.h"
#include "session/stated_verdict.h"
#include "session/stopwatch.h"
#include "session/vacuity.h"
#include "support/diagnostic.h"
#include "support/refuse.h"

namespace ptxmc::session {

lower::Options lowering(const Settings& settings, const Budget& budget) {
  lower::Options options;
  options.budget = budget;
  if (settings.unroll) options.unroll = *settings.unroll;
  options.unbounded = settings.unbounded;
  options.all_turns = settings.all_turns;
  options.readings.read_waits_for_maps = settings.readings.has("wait-read=map");
  options.readings.reductions_of_sys = settings.readings.has("bulk-reduce-scope=sys");
  options.readings.tensor_reductions_of_sys = settings.readings.has("tensor-reduce-scope=sys");
  options.readings.async_stores_use_async_proxy = settings.readings.has("async-stores=async");
  options.readings.sink_is_red = settings.readings.has("atom-sink=red");
  options.readings.failed_cas_writes = settings.readings.has("failed-cas=write");
  options.readings.wide_in_halves = settings.readings.has("wide=halves");
  options.readings.vector_is_whole = settings.readings.has("vector=whole");
  options.readings.null_is_address = settings.readings.has("null-address=possible");
  options.readings.multimem_is_generic = settings.readings.has("multimem=same-name");
  options.readings.tests_may_fail = settings.readings.has("test-wait=may-fail");
  options.readings.nc_is_generic = settings.readings.has("non-coherent=generic");
  options.readings.tears_at_bytes = settings.readings.has("tearing=bytes");
  options.readings.first_fence_is_free = settings.readings.has("wgmma-first-fence=free");
  options.readings.lanes_are_named = settings.readings.has("tmem-lane=named");
  options.readings.scales_are_apart = settings.readings.has("scale-factors=apart");
  options.readings.dependents_always_early = settings.readings.has("grid-overlap=always");
  return options;
}

lower::Options lowering_for_flags(const Session& session, const Budget& budget) {
  lower::Options options = lowering(session.settings(), budget);
  const bool known = !session.user_model() && model::find_profile(session.model_name())->of_the_manual;
  if (known && !session.settings().all_cells) options.alike = lower::Alike::large;
  return options;
}

namespace {

/// Where one engine is built, that is what `auto` chooses. Throws InputError for one that is not.
EngineChoice built(EngineChoice choice) {
  if (engine::smt::is_built() || choice == EngineChoice::explicit_) return choice;
  if (choice == EngineChoice::auto_) return EngineChoice::explicit_;
  refuse("the SMT engine is not in this build (PTXMC_SMT=OFF); the explicit engine is");
}

// A verdict query looks only for what the quantifier asks; a stated verdict about the other side needs all
// states.
engine::Ask what_to_ask(const Settings& settings, const litmus::Test& test, const litmus::Verdict* stated) {
  if (!settings.verdict_only) return engine::Ask::states;
  if (!stated || !stated->proposition) return engine::Ask::verdict;
  const bool forall = test.property.is_forall();
  switch (*stated->proposition) {
    case litmus::Stated::allowed:
    case litmus::Stated::forbidden:
      return forall ? engine::Ask::states : engine::Ask::verdict;
    case litmus::Stated::required:
      return forall ? engine::Ask::verdict : engine::Ask::states;
    case litmus::Stated::unknown:
    case litmus::Stated::undefined:
      return engine::Ask::verdict;
  }
  return engine::Ask::states;
}

/// By these readings, flags decide what is undefined, whatever is asked.
bool flags_decide(const model::Readings& readings) {
  return readings.has("race=undefined") || readings.has("after-exit=undefined");
}

/// A launch of which nothing is asserted, say: then what can go wrong in it is what is asked.
bool asks_nothing(const litmus::Test& test, const litmus::Verdict* stated) {
  return !test.property.condition && stated == nullptr;
}

bool flags_wanted(const Session& session, const litmus::Test& test, const litmus::Verdict* stated) {
  if (flags_decide(session.readings())) return true;
  if (session.settings().flags) return *session.settings().flags;
  if (asks_nothing(test, stated)) return true;
  const bool stated_needs = stated && (stated->racy || !stated->findings.empty() ||
                                       stated->proposition == litmus::Stated::undefined);
  return session.user_model() || stated_needs;
}

void judge_states_again(const engine::Query& query, const engine::Result& result, Recheck wanted,
                        std::vector<std::string>& problems) {
  for (const engine::State& state : result.states) {
    const bool kept = state.witness.exists.size() != 0;
    if (!kept && wanted == Recheck::first) continue;  // only some states keep a witness then
    for (const std::string& what : check::recheck(query, state)) {
      const std::string shown = check::describe_state(query.graph, state);
      problems.push_back(fmt::format("the witness of {} fails its re-check: {}", shown, what));
    }
    if (wanted == Recheck::first) return;
  }
  if (wanted == Recheck::first && !result.states.empty())
    problems.push_back("no state has a witness to re-check");
}

// A witness of every state, or of the first, judged again. What there is no time to judge again is no answer.
void recheck_states(const engine::Query& query, engine::Result& result, Recheck wanted,
                    std::vector<std::string>& problems) {
  if (wanted == Recheck::off) return;
  try {
    judge_states_again(query, result, wanted, problems);
  } catch (const OutOfTime& timeout) {
    result.states.clear();
    result.packed.reset();
    result.complete = false;
    result.unknown = timeout.what();
  }
}

void raise_flags(const Session& session, Analysis& a) {
  for (std::size_t flag = 0; flag < session.model().flags.size(); ++flag) {
    const finding::Rule& rule = model::rule_of(session.model().flags[flag]);
    if (rule.undefined) continue;  // raise_undefined
    engine::Query query = a.query(session);
    query.ask = engine::Ask::flag;
    query.flag = flag;
    Decision decision = decide(query, session.settings().engine, &session.specialiser());
    for (const std::string& line : decision.disagreements) a.problems.push_back(line);
    recheck_states(query, decision.result, session.settings().recheck, a.problems);
    std::optional<bool> raised;
    if (explain::open_reason(a.graph, decision.result, session.settings().unroll.has_value()).empty())
      raised = false;
    if (!decision.result.states.empty()) raised = true;
    a.flags.push_back({session.model().flags[flag].name, raised, &rule});
  }
}

/// `Hangs` and `Terminates` of a verdict speak of fair scheduling.
void decide_termination(const Session& session, Analysis& a) {
  const auto live = check_liveness(session, a.test, lower::ProgressModel::fair, a.budget);
  a.flags.push_back({std::string(finding::name_of(finding::RuleId::hang)), live->hangs,
                     &finding::rule(finding::RuleId::hang)});
  for (const std::string& problem : live->problems) a.problems.push_back("liveness: " + problem);
}

// Undefined behaviour makes the verdict void, so it is looked for wherever the accesses leave it possible.
void raise_undefined(const Session& session, Analysis& a) {
  const check::Solve solve = [&](const engine::Query& query) {
    Decision decision = decide(query, session.settings().engine, &session.specialiser());
    for (const std::string& line : decision.disagreements) a.problems.push_back(line);
    recheck_states(query, decision.result, session.settings().recheck, a.problems);
    return std::move(decision.result);
  };
  const engine::Query query = a.query(session);
  const bool axioms_hold = session.readings().has("mixed-size=axioms");
  for (const check::Undefined& flag : check::find_undefined_flags(query, solve)) {
    if (flag.rule->id == finding::RuleId::mixed_size_race && axioms_hold) continue;
    std::erase_if(a.flags, [&](const explain::FlagOutcome& known) { return known.name == flag.name; });
    a.flags.push_back({flag.name, flag.happens, flag.rule, flag.detail});
  }
  for (const check::Undefined& misuse : check::find_misuses(query, solve)) {
    const bool known = std::any_of(a.flags.begin(), a.flags.end(), [&](const explain::FlagOutcome& flag) {
      return flag.rule == misuse.rule && flag.raised == true;
    });
    if (known) continue;
    std::erase_if(a.flags, [&](const explain::FlagOutcome& flag) { return flag.rule == misuse.rule; });
    a.flags.push_back({misuse.name, misuse.happens, misuse.rule, misuse.detail});
  }
}

void raise_by_letter(const model::Readings& readings, Analysis& a) {
  if (!readings.has("aligned-barrier=cta")) return;
  if (const auto where = aligned_barrier_apart(a.test, a.graph))
    a.flags.push_back({std::string(finding::name_of(finding::RuleId::barrier_divergence)), true,
                       &finding::rule(finding::RuleId::barrier_divergence), *where});
}

/// Behaviour that is undefined by the readings in force alone (D14, R18).
void apply_readings(const model::Readings& readings, Analysis& a) {
  if (a.atomicity_alone) return;
  const bool races = readings.has("race=undefined"), exits = readings.has("after-exit=undefined");
  explain::make_void(a.judgement, a.flags, [&](const explain::FlagOutcome& flag) {
    return (races && flag.rule->kind == finding::Kind::race) ||
           (exits && flag.rule->id == finding::RuleId::shared_after_exit);
  });
}

/// The states by the model that applies, judged again.
explain::Excluded find_states(const Session& session, const litmus::Verdict* stated, Analysis& a) {
  engine::Query query = a.query(session);
  query.budget = budget_to_list(a.budget, a.ask);
  if (session.settings().packed) query.packs_from = kManyStates;
  a.decision = decide(query, session.settings().engine, &a.specialiser(session));
  a.problems.insert(a.problems.end(), a.decision.disagreements.begin(), a.decision.disagreements.end());
  const explain::Excluded excluded = decide_condition(session, stated, a);
  if (session.settings().decisive_witness) find_decisive_witness(session, a);
  query.budget = a.budget;
  recheck_states(query, a.decision.result, session.settings().recheck, a.problems);
  return excluded;
}

/// What the states and the flags say of the condition.
void judge_states(const Session& session, const explain::Excluded& excluded, Analysis& a) {
  const engine::Result& found = a.decision.result;
  const std::optional<bool> depends =
      a.graph.goal == event::Goal::forall ? found.all_depends : found.some_depends;
  if (depends != false)
    a.flags.push_back({std::string(finding::name_of(finding::RuleId::depends_on_unknown)), depends,
                       &finding::rule(finding::RuleId::depends_on_unknown), found.depends_on});
  a.judgement =
      explain::judge(a.graph, found, a.ask, session.settings().unroll.has_value(), a.flags, excluded);
  apply_readings(session.readings(), a);
  if (!a.judgement.unknown.empty()) return;
  const FoundVacuity vacuity =
      find_vacuity(a.query(session), found, session.settings().engine, &a.specialiser(session));
  a.vacuity = vacuity.kind;
  if (!vacuity.open.empty()) a.warnings.push_back(open_vacuity(vacuity));
  explain::make_vacuous(a.judgement, a.vacuity);
}

/// How many states the condition was decided over; as the list of them would be complete or not.
void count_states(const Session& session, Analysis& a) {
  if (!session.settings().count) return;
  engine::Query query = a.query(session);
  query.ask = engine::Ask::states;
  query.count = true;
  const Decision decision = decide(query, session.settings().engine, &a.specialiser(session));
  a.problems.insert(a.problems.end(), decision.disagreements.begin(), decision.disagreements.end());
  const std::string open =
      explain::open_reason(a.graph, decision.result, session.settings().unroll.has_value());
  a.count = explain::Count{open.empty() ? decision.result.count : std::nullopt, open};
}

/// Whether nothing but races can make the behaviour undefined, as far as that is known of executions of which no
/// axiom holds.
bool undefined_by_races(const Session& session, const Analysis& a) {
  if (a.judgement.answer != explain::Answer::undefined) return false;
  const bool other = std::any_of(a.flags.begin(), a.flags.end(), [](const explain::FlagOutcome& flag) {
    return flag.rule->undefined && flag.rule->id != finding::RuleId::mixed_size_race && flag.raised != false;
  });
  return !other && !session.readings().has("after-exit=undefined") &&
         !check::may_be_misused(a.graph, session.model(), a.budget);
}

// 8.7.2: no axiom applies, but atomics stay indivisible to each other. An answer that follows from this alone is
// said; where the reading is that this is what is left, it is the answer.
void apply_atomicity(const Session& session, const litmus::Verdict* stated, Analysis& a) {
  if (!undefined_by_races(session, a)) return;
  const bool left =
      session.readings().has("mixed-size=indivisible") && !session.readings().has("race=undefined");
  Analysis alone;
  alone.test = a.test;
  alone.budget = a.budget;
  alone.atomicity_alone = true;
  alone.graph = a.graph;
  alone.graph.final_reads.clear();  // no final value is read at once
  alone.base = a.base;
  alone.ask = left ? a.ask : engine::Ask::verdict;
  judge_states(session, find_states(session, stated, alone), alone);
  const check::Solve solve = [&](const engine::Query& query) {
    return decide(query, session.settings().engine, &alone.specialiser(session)).result;
  };
  const bool sound = check::find_misuses(alone.query(session), solve).empty();
  a.problems.insert(a.problems.end(), alone.problems.begin(), alone.problems.end());
  const explain::Answer answer = alone.judgement.answer;
  const bool definite = answer == explain::Answer::forbidden || answer == explain::Answer::required;
  if (!left && sound && definite) a.judgement.by_atomicity = answer;
  if (!left || !sound) return;
  std::erase_if(a.flags, [](const explain::FlagOutcome& flag) {
    return flag.rule->id == finding::RuleId::mixed_size_race ||
           flag.rule->id == finding::RuleId::depends_on_unknown;
  });
  a.flags.insert(a.flags.end(), alone.flags.begin(), alone.flags.end());
  a.atomicity_alone = true;
  a.graph = std::move(alone.graph);
  a.decision = std::move(alone.decision);
  a.judgement = alone.judgement;
  a.vacuity = alone.vacuity;
  a.warnings.insert(a.warnings.end(), alone.warnings.begin(), alone.warnings.end());
}

/// What is compared under two readings. That a test says nothing is an answer, too.
enum class AnswerClass : std::uint8_t { holds, fails, undefined, vacuous };

/// Nothing: unknown.
std::optional<AnswerClass> answer_class(const Analysis& a) {
  if (a.judgement.answer == explain::Answer::undefined) return AnswerClass::undefined;
  if (a.vacuity != explain::Vacuity::none) return AnswerClass::vacuous;
  const std::optional<bool> held = a.graph.goal == event::Goal::forall ? a.judgement.all : a.judgement.some;
  if (!held) return std::nullopt;
  return *held ? AnswerClass::holds : AnswerClass::fails;
}

std::vector<std::string> warnings_about(const event::ProgramGraph& graph, const Budget& budget) {
  std::vector<std::string> warnings = check::split_vector_reads(graph);
  for (std::string& warning : check::non_coherent_reads(graph)) warnings.push_back(std::move(warning));
  for (std::string& warning : check::mbarrier_warnings(graph, budget)) warnings.push_back(std::move(warning));
  for (std::string& warning : check::exited_lanes(graph)) warnings.push_back(std::move(warning));
  return warnings;
}

void try_variants(const Session& session, Analysis& a) {
  for (const Session::Variant& variant : session.variants()) {
    explain::Variation variation;
    variation.reading = variant.reading;
    std::unique_ptr<Analysis> other;
    try {
      other = check_test(*variant.session, a.test, a.budget);
    } catch (const InputError&) {  // more than can be listed, under this reading
      variation.unknown = "refused";
      a.variations.push_back(std::move(variation));
      continue;
    }
    const std::optional<AnswerClass> before = answer_class(a), after = answer_class(*other);
    const std::optional<bool> raced_before = explain::raced(a.flags),
                              raced_after = explain::raced(other->flags);
    variation.answer = other->judgement.answer;
    variation.unknown = other->judgement.unknown;
    variation.vacuity = other->vacuity;
    variation.racy = raced_after;
    variation.changes_answer = before && after && *before != *after;
    variation.changes_races = raced_before && raced_after && *raced_before != *raced_after;
    a.variations.push_back(std::move(variation));
    for (const std::string& problem : other->problems) {
      a.problems.push_back(fmt::format("under {}: {}", variant.reading, problem));
    }
  }
}

}  // namespace

Session::Session(Settings settings) : settings_(std::move(settings)), signature_(event::base_signature()) {
  settings_.engine = built(settings_.engine);
  if (settings_.model.empty()) settings_.model = settings_.model_text ? "<model>" : model::kDefaultProfile;
  settings_.model = model::profile_name(settings_.model);
  settings_.readings.take_edition(model::edition_of(settings_.model));
  if (settings_.model_text) {
    const auto source = std::make_shared<const Source>(Source{settings_.model, *settings_.model_text});
    model_ = model::load_text(source, signature_, settings_.readings);
  } else {
    model_ = model::load(settings_.model, signature_, settings_.readings);
  }
  atomicity_ = model::atomicity(signature_, settings_.readings);
  user_model_ = settings_.model_text || model::find_profile(settings_.model) == nullptr;
  if (settings_.sensitivity) add_variants();
}

// A reading that only model texts consult is left out where the text reads the same under it.
void Session::add_variants() {
  const std::string text = cat::print(model_, signature_);
  for (const model::Readings::Variant& variant : settings_.readings.variants()) {
    Settings settings = settings_;
    settings.sensitivity = false;
    settings.readings = variant.readings;
    auto session = std::make_shared<const Session>(std::move(settings));
    if (variant.acts == model::Acts::text && cat::print(session->model(), signature_) == text) continue;
    variants_.push_back({fmt::format("{}={}", variant.name, variant.value), std::move(session)});
  }
}

engine::Query Analysis::query(const Session& session) const {
  engine::Query query{.graph = graph,
                      .base = base,
                      .signature = session.signature(),
                      .model = model(session),
                      .ask = ask,
                      .budget = budget,
                      .witnesses = session.settings().witnesses};
  query.jobs = session.settings().jobs;
  return query;
}

std::unique_ptr<Analysis> check_test(const Session& session, const SourcePtr& source) {
  return check_test(session, litmus::parse(source));
}

std::unique_ptr<Analysis> check_test(const Session& session, const litmus::Test& test) {
  return check_test(session, test, session.settings().timeout);
}

std::unique_ptr<Analysis> check_test(const Session& session, const litmus::Test& test, const Budget& budget) {
  const Settings& settings = session.settings();
  const Stopwatch watch;
  auto a = std::make_unique<Analysis>();

  // Lower.
  a->test = test;
  a->budget = budget;
  check_stated_verdict(session, a->test);
  a->graph = lower::lower(a->test, lowering(settings, a->budget));
  a->base = event::compute_base(a->graph);
  a->warnings = warnings_about(a->graph, a->budget);

  // Decide.
  const litmus::Verdict* stated =
      explain::stated_for(a->test, session.model_name(), session.readings().changed());
  a->ask = what_to_ask(settings, a->test, stated);
  const explain::Excluded excluded = find_states(session, stated, *a);

  // Flags and judgement.
  const bool flags = flags_wanted(session, a->test, stated);
  if (flags) raise_flags(session, *a);
  raise_undefined(session, *a);
  raise_by_letter(session.readings(), *a);
  if (stated && stated->hangs) decide_termination(session, *a);
  judge_states(session, excluded, *a);
  apply_atomicity(session, stated, *a);
  if (asks_nothing(a->test, stated)) explain::judge_by_flags(a->judgement, a->flags, flags);
  count_states(session, *a);
  a->seconds = watch.seconds();
  try_variants(session, *a);
  return a;
}

explain::Outcome Analysis::outcome(const Session& session, const engine::Query& query) const {
  return {test,
          query,
          decision.result,
          judgement,
          flags,
          test.source ? test.source->name : "",
          session.model_name(),
          decision.engine,
          seconds,
          session.readings().changed(),
          variations,
          vacuity,
          warnings,
          count};
}

}  // namespace ptxmc::session
