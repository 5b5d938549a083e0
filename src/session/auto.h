// SPDX-License-Identifier: Apache-2.0
// Which engine answers a query.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "axiomatic/engine/engine.h"
#include "axiomatic/engine/specialise.h"
#include "session/settings.h"

namespace ptxmc::session {

struct Decision {
  engine::Result result;
  std::string engine;                      ///< "explicit", "smt" or "both"
  std::vector<std::string> disagreements;  ///< EngineChoice::both only; in words
};

/// Answers a query, within its time limit. With EngineChoice::both each engine has that limit. `specialiser`:
/// one for the query's model, or none.
Decision decide(const engine::Query& query, EngineChoice choice,
                const engine::Specialiser* specialiser = nullptr);

/// What `auto` chooses from.
struct Engines {
  std::function<engine::Result(const engine::Query&)> search;  ///< the explicit engine
  std::function<engine::Result(const engine::Query&)> solver;  ///< the SMT engine
};
Decision decide_auto(const engine::Query& query, const Engines& engines);

}  // namespace ptxmc::session
