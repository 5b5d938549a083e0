// SPDX-License-Identifier: Apache-2.0
#include "ptxmc/checker.h"

#include <mutex>
#include <stdexcept>
#include <utility>

#include "explain/liveness.h"
#include "explain/races.h"
#include "explain/sentences.h"
#include "explain/words/values.h"
#include "face/api/convert.h"
#include "input/litmus/parse.h"
#include "model/models.h"
#include "ptxmc/version.h"
#include "report/finding_report.h"
#include "report/text/explain.h"
#include "report/text/findings.h"
#include "report/text/herd.h"
#include "report/text/liveness.h"
#include "session/analysis.h"
#include "session/explain.h"
#include "session/liveness.h"
#include "session/races.h"
#include "support/diagnostic.h"
#include "support/source_files.h"

namespace ptxmc::api {

/// What of executions is shown.
struct Shown {
  bool of_every_state;
  Pictures pictures;
};

namespace {

constexpr int kDepth = 3;  // of explanations: levels of why

session::EngineChoice engine_of(Engine engine) {
  switch (engine) {
    case Engine::explicit_:
      return session::EngineChoice::explicit_;
    case Engine::smt:
      return session::EngineChoice::smt;
    case Engine::automatic:
      return session::EngineChoice::auto_;
    case Engine::both:
      return session::EngineChoice::both;
  }
  throw std::invalid_argument("no such engine");
}

lower::ProgressModel progress_of(Progress progress) {
  switch (progress) {
    case Progress::fair:
      return lower::ProgressModel::fair;
    case Progress::obe:
      return lower::ProgressModel::obe;
    case Progress::hsa:
      return lower::ProgressModel::hsa;
  }
  throw std::invalid_argument("no such progress model");
}

Answer answer_of(explain::Answer answer) {
  switch (answer) {
    case explain::Answer::allowed:
      return Answer::allowed;
    case explain::Answer::forbidden:
      return Answer::forbidden;
    case explain::Answer::required:
      return Answer::required;
    case explain::Answer::not_required:
      return Answer::not_required;
    case explain::Answer::undefined:
      return Answer::undefined;
    case explain::Answer::unknown:
      return Answer::unknown;
  }
  return Answer::error;
}

RaceAnswer answer_of(explain::RaceAnswer answer) {
  switch (answer) {
    case explain::RaceAnswer::racy:
      return RaceAnswer::racy;
    case explain::RaceAnswer::race_free:
      return RaceAnswer::race_free;
    case explain::RaceAnswer::unknown:
      return RaceAnswer::unknown;
  }
  return RaceAnswer::error;
}

session::Settings settings_of(const Options& options) {
  if (options.timeout && !(*options.timeout > 0)) throw std::invalid_argument("a timeout is above 0 seconds");
  if (options.unroll && *options.unroll < 1) throw std::invalid_argument("a loop bound is at least 1 turn");
  session::Settings settings;
  settings.model = options.model;
  if (!options.model_text.empty()) settings.model_text = options.model_text;
  settings.engine = engine_of(options.engine);
  settings.unroll = options.unroll;
  settings.unbounded = options.unbounded;
  settings.timeout = options.timeout;
  settings.verdict_only = options.verdict_only;
  settings.recheck = options.recheck ? session::Recheck::all : session::Recheck::off;
  settings.flags = options.flags;
  settings.progress_model = progress_of(options.progress);
  for (const std::string& reading : options.readings) settings.readings.set(reading);
  return settings;
}

// The condition's answer is enough to explain it.
session::Settings explaining(session::Settings settings) {
  settings.verdict_only = true;
  settings.flags = false;
  return settings;
}

litmus::Test read(std::string_view text, const std::string& name, Common& out) {
  std::vector<ptxmc::Diagnostic> warnings;
  litmus::Test test =
      litmus::parse(std::make_shared<const Source>(Source{name, std::string(text)}), &warnings);
  for (const ptxmc::Diagnostic& warning : warnings) out.warnings.push_back(shown(warning));
  out.name = test.name;
  return test;
}

void add_warnings(const session::Analysis& analysis, Common& out) {
  for (const std::string& warning : analysis.warnings)
    out.warnings.push_back({0, 0, warning, Severity::warning});
}

void add_states(const session::Analysis& analysis, const explain::Outcome& outcome, Shown witnesses,
                Result& out) {
  const engine::Result& found = analysis.decision.result;
  for (const engine::State& state : found.states) {
    State& shown = out.states.emplace_back();
    shown.satisfied = state.satisfied;
    for (std::size_t i = 0; i < state.values.size(); ++i)
      shown.values.emplace_back(analysis.graph.observables[i].name,
                                explain::print_value(analysis.graph, state, i));
    if (witnesses.of_every_state && state.witness.exists.size() != 0)
      shown.witness = witness_of(outcome, state, witnesses.pictures);
  }
  out.deciding = explain::deciding_state(analysis.graph, found);
  if (out.deciding && found.states[*out.deciding].witness.exists.size() != 0)
    out.witness = witness_of(outcome, found.states[*out.deciding], witnesses.pictures);
}

void show(const session::Session& session, const session::Analysis& analysis, Shown witnesses, Result& out) {
  out.answer = answer_of(analysis.judgement.answer);
  out.unknown = analysis.judgement.unknown;
  out.bound_hit = analysis.judgement.loop;
  const engine::Query query = analysis.query(session);
  const explain::Outcome outcome = analysis.outcome(session, query);
  add_states(analysis, outcome, witnesses, out);
  out.complete =
      analysis.ask == engine::Ask::states && analysis.decision.result.complete && !analysis.judgement.loop;
  for (const explain::FlagOutcome& flag : analysis.flags) out.flags.push_back({flag.name, flag.raised});
  out.problems = analysis.problems;
  out.report = report::herd_text(outcome);
  add_warnings(analysis, out);
  if (const litmus::Verdict* stated =
          explain::stated_for(analysis.test, session.model_name(), session.readings().changed()))
    out.verdict_met = explain::is_met(*stated, analysis.judgement, analysis.flags);
}

void show(const session::Session& session, const litmus::Test& test, const session::Races& races,
          Pictures pictures, RaceResult& out) {
  const engine::Query query = races.query(session);
  report::FindingReport report{test, query, explain::findings_of(races.graph, races.found, races.misuses),
                               std::string(name_of(races.answer)), races.unknown};
  report.model = session.model_name();
  report.engine = races.engine;
  out.answer = answer_of(races.answer);
  out.unknown = races.unknown;
  out.findings = shown(report, pictures);
  out.problems = races.problems;
  SourceFiles compiled({}, test.source ? test.source->name : "");
  out.report = report::findings_text(report, compiled);
}

void show(const session::Session& session, const litmus::Test& test, const session::Liveness& live,
          Pictures pictures, LivenessResult& out) {
  const engine::Query query = live.query(session);
  const auto& states = live.decision.result.states;
  const std::string progress(session::name_of(session.settings().progress_model));
  const explain::LivenessOutcome outcome{
      test,
      query,
      live.hangs,
      live.unknown,
      states.empty() ? nullptr : &states.front(),
      live.standstill,
      nullptr,
      test.source ? test.source->name : "",
      session.model_name(),
      live.decision.engine,
      progress,
      session.readings().changed(),
      0,
      live.graph.cut && !live.hangs ? session.settings().unroll : std::nullopt};
  report::FindingReport report{test, query, explain::findings_of(outcome), "", ""};
  for (explain::Finding& finding : report.findings) finding.evidence.state = outcome.state;
  out.hangs = live.hangs;
  out.unknown = live.unknown;
  out.findings = shown(report, pictures);
  out.problems = live.problems;
  out.report = report::liveness_text(outcome);
}

Explanation::Kind kind_of(explain::Explanation::Kind kind) {
  switch (kind) {
    case explain::Explanation::Kind::reachable:
      return Explanation::Kind::reachable;
    case explain::Explanation::Kind::forbidden:
      return Explanation::Kind::forbidden;
    case explain::Explanation::Kind::impossible:
      return Explanation::Kind::impossible;
    case explain::Explanation::Kind::unknown:
      return Explanation::Kind::unknown;
  }
  return Explanation::Kind::error;
}

Violation violation_of(const explain::Outcome& outcome, const explain::Violation& violation,
                       Pictures pictures) {
  Violation out{violation.axiom, violation.section, violation.text, {}, {}};
  if (!violation.state) return out;
  const event::Execution& execution = violation.state->witness;
  for (explain::Line& line : explain::lines_of(outcome.query.graph, execution, violation.chain, kDepth))
    out.steps.emplace_back(line.level, std::move(line.text));
  out.witness = witness_of(outcome, *violation.state, pictures, &violation);
  return out;
}

void show(const session::Session& session, const session::Explained& explained, Pictures pictures,
          Explanation& out) {
  const session::Analysis& analysis = *explained.analysis;
  const explain::Explanation& explanation = explained.explanation;
  const engine::Query query = analysis.query(session);
  const explain::Outcome outcome = analysis.outcome(session, query);
  out.kind = kind_of(explanation.kind);
  out.unknown = explanation.reason;
  for (const explain::Violation& axiom : explanation.axioms)
    out.axioms.push_back(violation_of(outcome, axiom, pictures));
  for (const explain::Violation& axiom : explanation.alternatives)
    out.alternatives.push_back(violation_of(outcome, axiom, pictures));
  out.minimal = explanation.minimal;
  if (explanation.state) out.witness = witness_of(outcome, *explanation.state, pictures);
  out.problems = analysis.problems;
  out.report = report::explain_text(outcome, explanation, kDepth);
  add_warnings(analysis, out);
}

}  // namespace

struct Checker::Implementation {
  explicit Implementation(const Options& options)
      : witnesses{options.witnesses, options.pictures ? Pictures::drawn : Pictures::left_out},
        session(settings_of(options)) {}

  Budget budget(const std::stop_token& stop) const { return {session.settings().timeout, stop}; }
  /// Made when it is first asked for.
  const session::Session& explainer() const {
    std::call_once(once, [&] { explaining_.emplace(explaining(session.settings())); });
    return *explaining_;
  }

  Shown witnesses;
  session::Session session;

 private:
  mutable std::once_flag once;
  mutable std::optional<session::Session> explaining_;
};

Checker::Checker(const Options& options) {
  try {
    implementation_ = std::make_unique<Implementation>(options);
  } catch (const InputError& error) {
    throw std::invalid_argument(error.what());
  }
}

Checker::~Checker() = default;
Checker::Checker(Checker&&) noexcept = default;
Checker& Checker::operator=(Checker&&) noexcept = default;

Result Checker::check(std::string_view text, const std::string& name, const std::stop_token& stop) const {
  const session::Session& session = implementation_->session;
  Result out;
  const bool done = within(out, stop, [&] {
    const auto analysis = session::check_test(session, read(text, name, out), implementation_->budget(stop));
    show(session, *analysis, implementation_->witnesses, out);
  });
  if (!done && out.diagnostics.empty()) out.answer = Answer::unknown;
  return out;
}

RaceResult Checker::races(std::string_view text, const std::string& name, const std::stop_token& stop) const {
  const session::Session& session = implementation_->session;
  RaceResult out;
  const bool done = within(out, stop, [&] {
    const litmus::Test test = read(text, name, out);
    const auto races = session::find_races(session, test, implementation_->budget(stop));
    show(session, test, *races, implementation_->witnesses.pictures, out);
  });
  if (!done && out.diagnostics.empty()) out.answer = RaceAnswer::unknown;
  return out;
}

LivenessResult Checker::liveness(std::string_view text, const std::string& name,
                                 const std::stop_token& stop) const {
  const session::Session& session = implementation_->session;
  LivenessResult out;
  within(out, stop, [&] {
    const litmus::Test test = read(text, name, out);
    const auto live = session::check_liveness(session, test, session.settings().progress_model,
                                              implementation_->budget(stop));
    show(session, test, *live, implementation_->witnesses.pictures, out);
  });
  out.refused = !out.diagnostics.empty();
  return out;
}

Explanation Checker::explain(std::string_view text, const std::string& name,
                             const std::stop_token& stop) const {
  Explanation out;
  const bool done = within(out, stop, [&] {
    const session::Session& session = implementation_->explainer();
    show(session, session::explain(session, read(text, name, out), implementation_->budget(stop)),
         implementation_->witnesses.pictures, out);
  });
  if (!done && out.diagnostics.empty()) out.kind = Explanation::Kind::unknown;
  return out;
}

std::vector<std::string> profiles() {
  std::vector<std::string> out;
  for (const model::Profile& profile : model::profiles()) out.emplace_back(profile.name);
  return out;
}

std::vector<Reading> readings() {
  std::vector<Reading> out;
  for (const model::Reading& reading : model::readings()) {
    out.push_back({std::string(reading.name),
                   {reading.values.begin(), reading.values.end()},
                   std::string(reading.rules),
                   std::string(reading.doc)});
  }
  return out;
}

std::string model_text(std::string_view profile) {
  if (const model::Profile* const known = model::find_profile(profile))
    return model::text_of(std::string(known->file))->text;
  throw std::invalid_argument("no built-in model \"" + std::string(profile) + "\"");
}

std::string_view version() {
  return PTXMC_VERSION;
}

}  // namespace ptxmc::api
