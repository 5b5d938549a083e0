// SPDX-License-Identifier: Apache-2.0
// Checking one test: from its text to everything that the reports show.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "axiomatic/engine/engine.h"
#include "axiomatic/engine/specialise.h"
#include "axiomatic/lower/lower.h"
#include "explain/judgement.h"
#include "explain/outcome.h"
#include "input/litmus/test.h"
#include "model/relation/memory_model.h"
#include "session/auto.h"
#include "session/settings.h"
#include "support/budget.h"
#include "support/source.h"

namespace ptxmc::session {

/// What all tests of a run share: settings and the compiled model. Immutable, so threads may share it.
class Session {
 public:
  /// Loads the model. Throws InputError.
  explicit Session(Settings settings);

  const Settings& settings() const { return settings_; }
  const relation::Signature& signature() const { return signature_; }
  const relation::MemoryModel& model() const { return model_; }
  const engine::Specialiser& specialiser() const { return specialiser_; }
  /// What is left of the model where a mixed-size race voids its axioms (8.7.2), and a specialiser for that.
  const relation::MemoryModel& atomicity() const { return atomicity_; }
  const engine::Specialiser& atomicity_specialiser() const { return atomicity_specialiser_; }
  const std::string& model_name() const { return settings_.model; }
  bool user_model() const { return user_model_; }
  const model::Readings& readings() const { return settings_.readings; }

  /// A question to the model.
  engine::Query query(const event::ProgramGraph& graph, const event::BaseValues& base, engine::Ask ask,
                      const Budget& budget, std::size_t witnesses = 1) const {
    return {.graph = graph,
            .base = base,
            .signature = signature_,
            .model = model_,
            .ask = ask,
            .budget = budget,
            .witnesses = witnesses};
  }

  /// Settings::sensitivity: a session for each reading changed, where the model or the lowering consults it.
  struct Variant {
    std::string reading;  ///< NAME=VALUE
    std::shared_ptr<const Session> session;
  };
  const std::vector<Variant>& variants() const { return variants_; }

 private:
  void add_variants();

  Settings settings_;
  const relation::Signature& signature_;
  relation::MemoryModel model_;
  relation::MemoryModel atomicity_;
  engine::Specialiser specialiser_{model_};
  engine::Specialiser atomicity_specialiser_{atomicity_};
  bool user_model_;
  std::vector<Variant> variants_;
};

/// How the settings want a test lowered.
lower::Options lowering(const Settings& settings, const Budget& budget);
/// The same where flags and hangs alone are asked for: of large programs, cells that are accessed alike are left out, with
/// the models of which that is known to change neither (axiomatic/lower/finish/cell_symmetry.cpp).
lower::Options lowering_for_flags(const Session& session, const Budget& budget);

/// One checked test. Neither copied nor moved: query() refers to its parts.
struct Analysis {
  Analysis() = default;
  Analysis(const Analysis&) = delete;
  Analysis& operator=(const Analysis&) = delete;

  litmus::Test test;
  Budget budget;                 ///< of everything that is done with the test
  bool atomicity_alone = false;  ///< nothing but 8.7.2's property of atomics applies: Session::atomicity
  event::ProgramGraph graph;
  event::BaseValues base;
  engine::Ask ask = engine::Ask::states;
  Decision decision;
  std::vector<explain::FlagOutcome> flags;
  explain::Judgement judgement;
  std::vector<std::string> problems;  ///< disagreements, failed re-checks: bugs of ptxmc
  double seconds = 0;
  explain::Vacuity vacuity = explain::Vacuity::none;
  std::vector<std::string> warnings;
  std::vector<explain::Variation> variations;  ///< Settings::sensitivity
  std::optional<explain::Count> count;         ///< Settings::count

  engine::Query query(const Session& session) const;
  const relation::MemoryModel& model(const Session& session) const {
    return atomicity_alone ? session.atomicity() : session.model();
  }
  const engine::Specialiser& specialiser(const Session& session) const {
    return atomicity_alone ? session.atomicity_specialiser() : session.specialiser();
  }
  /// Refers to the analysis and to the query, which both outlive it.
  explain::Outcome outcome(const Session& session, const engine::Query& query) const;
};

/// Throws InputError for a text that ptxmc refuses, InternalError for a bug. What the budget leaves open is
/// unknown.
std::unique_ptr<Analysis> check_test(const Session& session, const litmus::Test& test, const Budget& budget);
/// Within the session's time limit, from now on.
std::unique_ptr<Analysis> check_test(const Session& session, const litmus::Test& test);
/// The same for the text of a litmus file.
std::unique_ptr<Analysis> check_test(const Session& session, const SourcePtr& source);

}  // namespace ptxmc::session
