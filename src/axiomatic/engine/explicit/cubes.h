// SPDX-License-Identifier: Apache-2.0
// Many states from one execution: reads whose sources may be exchanged, each by itself, without any axiom noticing.
//
// A store-buffering ring of n threads has 2^n - 1 states; n executions, one for each rotation of an order of its
// fences, allow them all.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "axiomatic/engine/engine.h"
#include "axiomatic/engine/explicit/take.h"

namespace ptxmc::engine::explicit_ {

/// An execution and the reads in it that may take any of their options, in every combination.
struct Cube {
  struct Option {
    event::Value value;
    event::EventId source;
  };
  struct Free {
    event::SlotId slot;
    std::uint32_t observable;     ///< the one that shows the slot, and nothing else does
    std::vector<Option> options;  ///< of different values
  };
  State found;  ///< with a witness where any read is free
  std::vector<Free> free;
  std::vector<std::vector<event::Value>> values;  ///< per observable: what it may be, in every combination
};

/// A part of the states of all cubes: those whose first observables have these values.
struct Branch {
  std::vector<event::Value> values;
  std::vector<std::uint32_t> cubes;  ///< those that have states there
};

/// All of them in parts, in order: `least` or more, if there are so many.
std::vector<Branch> branches(const Query& query, const std::vector<Cube>& cubes, std::size_t least);

/// Gives the states of a part, each once, in the order of sort_states. The first `query.witnesses` of those that were found with a
/// witness have it. The proposition rests on observables alone. True: stopped.
bool list_branch(const Query& query, const std::vector<Cube>& cubes, const Branch& branch,
                 const std::function<bool()>& stop, const Take& take);

/// How many states all cubes have. Nothing: stopped, or more than the number holds.
std::optional<std::uint64_t> count_states(const std::vector<Cube>& cubes, const std::function<bool()>& stop);

/// Whether the observables decide the proposition.
bool shows_proposition(const event::ProgramGraph& graph);

}  // namespace ptxmc::engine::explicit_
