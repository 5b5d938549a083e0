// SPDX-License-Identifier: Apache-2.0
// The JSON of `check`, one object a test, on one line; what its fields are, schema.json says.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "explain/outcome.h"

namespace ptxmc::report {

enum class Witnesses : std::uint8_t { none, first, all };  ///< first: of the deciding state

/// Ends with a line end.
std::string json_line(const explain::Outcome& outcome, Witnesses witnesses);

/// The same without states and witnesses.
std::string json_summary(const explain::Outcome& outcome);

/// json_line of an outcome whose states are packed.
void write_json_line(std::ostream& out, const explain::Outcome& outcome, Witnesses witnesses);

/// {"events", "rf", "co"}; co without transitive edges.
nlohmann::ordered_json execution_json(const explain::Outcome& outcome, const engine::State& state);
/// {NAME: value} of what is observed.
nlohmann::ordered_json values_json(const event::ProgramGraph& graph, const engine::State& state);
}  // namespace ptxmc::report
