// SPDX-License-Identifier: Apache-2.0
#include <stdexcept>

#include "cli/check_test.h"
#include "model/models.h"
#include "ptxmc/ptxmc.h"
#include "report/herd.h"
#include "report/value.h"
#include "support/diagnostic.h"

namespace ptxmc::api {

namespace {

cli::EngineChoice engine_of(Engine engine) {
  switch (engine) {
    case Engine::explicit_:
      return cli::EngineChoice::explicit_;
    case Engine::smt:
      return cli::EngineChoice::smt;
    case Engine::automatic:
      return cli::EngineChoice::auto_;
    case Engine::both:
      return cli::EngineChoice::both;
  }
  throw std::invalid_argument("no such engine");
}

Answer answer_of(report::Answer answer) {
  switch (answer) {
    case report::Answer::allowed:
      return Answer::allowed;
    case report::Answer::forbidden:
      return Answer::forbidden;
    case report::Answer::required:
      return Answer::required;
    case report::Answer::not_required:
      return Answer::not_required;
    case report::Answer::undefined:
      return Answer::undefined;
    case report::Answer::unknown:
      return Answer::unknown;
  }
  return Answer::error;
}

cli::Settings settings_of(const Options& options) {
  cli::Settings settings;
  settings.model = options.model;
  settings.engine = engine_of(options.engine);
  settings.unroll = options.unroll;
  settings.unbounded = options.unbounded;
  settings.timeout = options.timeout;
  settings.verdict_only = options.verdict_only;
  settings.recheck = options.recheck ? cli::Recheck::all : cli::Recheck::off;
  settings.flags = options.flags;
  for (const std::string& reading : options.readings) settings.readings.set(reading);
  return settings;
}

std::vector<State> states_of(const cli::Analysis& analysis) {
  std::vector<State> out;
  for (const engine::State& state : analysis.decision.result.states) {
    State& shown = out.emplace_back();
    shown.satisfied = state.satisfied;
    for (std::size_t i = 0; i < state.values.size(); ++i) {
      shown.values.emplace_back(analysis.graph.observables[i].name,
                                report::print_value(analysis.graph, state, i));
    }
  }
  return out;
}

Result result_of(const cli::Session& session, const cli::Analysis& analysis) {
  Result out;
  out.name = analysis.test.name;
  out.answer = answer_of(analysis.judgement.answer);
  out.unknown = analysis.judgement.unknown;
  out.bound_hit = analysis.judgement.loop;
  out.states = states_of(analysis);
  out.complete =
      analysis.ask == engine::Ask::states && analysis.decision.result.complete && !analysis.judgement.loop;
  for (const report::FlagOutcome& flag : analysis.flags) out.flags.push_back({flag.name, flag.raised});
  out.problems = analysis.problems;
  const engine::Query query = analysis.query(session);
  out.report = report::herd_text(analysis.outcome(session, query));
  if (const litmus::Verdict* stated =
          report::stated_for(analysis.test, session.model_name(), session.readings().changed())) {
    out.verdict_met = report::is_met(*stated, analysis.judgement, analysis.flags);
  }
  return out;
}

}  // namespace

struct Checker::Implementation {
  explicit Implementation(const Options& options) : session(settings_of(options)) {}
  cli::Session session;
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

Result Checker::check(std::string_view text, const std::string& name) const {
  try {
    const auto source = std::make_shared<const Source>(Source{name, std::string(text)});
    return result_of(implementation_->session, *cli::check_test(implementation_->session, source));
  } catch (const InputError& error) {
    Result out;
    for (const ptxmc::Diagnostic& d : error.diagnostics()) {
      out.diagnostics.push_back({d.position.line, d.position.column, d.message});
    }
    return out;
  }
}

std::vector<std::string> profiles() {
  std::vector<std::string> out;
  for (const model::Profile& profile : model::profiles()) out.emplace_back(profile.name);
  return out;
}

}  // namespace ptxmc::api
