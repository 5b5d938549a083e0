// SPDX-License-Identifier: Apache-2.0
// What must hold for any bytes that parse and lower: both engines answer within their time, agree, and every
// witness passes its re-check. Programs that are too large for a quick answer are lowered only.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "axiomatic/engine/explicit/explicit.h"
#include "axiomatic/engine/smt/smt.h"
#include "axiomatic/lower/lower.h"
#include "axiomatic/recheck/agree.h"
#include "axiomatic/recheck/base_differences.h"
#include "axiomatic/recheck/recheck.h"
#include "check_litmus.h"
#include "model/models.h"

namespace ptxmc::fuzz {

constexpr std::size_t kMostSlots = 48, kMostDecisions = 12;
constexpr double kSeconds = 0.3;

inline const relation::MemoryModel& default_model() {
  static const relation::MemoryModel kModel =
      model::load(std::string(model::kDefaultProfile), event::base_signature());
  return kModel;
}

/// Throws std::runtime_error where the two disagree, or a re-check does.
inline void check_answers(const event::ProgramGraph& graph) {
  const event::BaseValues base = event::compute_base(graph);
  for (const std::string& what : check::base_differences(graph, base, event::base_signature()))
    throw std::runtime_error(what);
  const engine::Query query{.graph = graph,
                            .base = base,
                            .signature = event::base_signature(),
                            .model = default_model(),
                            .ask = engine::Ask::states,
                            .witnesses = 4};
  const auto in_time = [&] {  // each engine has its own time; the re-check has no limit
    engine::Query limited = query;
    limited.budget = Budget(kSeconds);
    return limited;
  };
  const engine::Result one = engine::explicit_::solve(in_time()), other = engine::smt::solve(in_time());
  for (const std::string& what : check::differences(query, "explicit", one, "smt", other))
    throw std::runtime_error(what);
  for (const engine::Result* result : {&one, &other}) {
    for (const engine::State& state : result->states) {
      if (state.witness.exists.size() == 0) continue;  // only some keep a witness
      for (const std::string& what : check::recheck(query, state)) throw std::runtime_error(what);
    }
  }
}

/// Throws as check_answers; `refused`: the text is no test, or one that is not supported.
inline Outcome check_engines(const std::string& text) {
  try {
    const litmus::Test test = litmus::parse(std::make_shared<const Source>(Source{"fuzz", text}));
    lower::Options options;
    options.unroll = 1;
    const event::ProgramGraph graph = lower::lower(test, options);
    if (graph.slot_count() <= kMostSlots && graph.decisions.size() <= kMostDecisions) check_answers(graph);
  } catch (const InputError&) {
    return Outcome::refused;
  }
  return Outcome::parsed;
}

}  // namespace ptxmc::fuzz
