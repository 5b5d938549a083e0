// SPDX-License-Identifier: Apache-2.0
// Strengthening: what the instructions of a program could be instead, one step a unit.
#pragma once

#include <cstdint>
#include <vector>

#include "axiomatic/event/program_graph.h"

namespace ptxmc::check {

/// What a step changes.
enum class Aspect : std::uint8_t { proxy, scope, strength, order };
constexpr std::size_t kAspects = 4;
using AspectMask = std::uint8_t;  // bit i: Aspect i
constexpr AspectMask bit(Aspect aspect) {
  return static_cast<AspectMask>(1U << static_cast<unsigned>(aspect));
}
constexpr AspectMask kAllAspects = (1U << kAspects) - 1;

/// What one source instruction becomes. `widest` bounds the scope that a step gives.
struct Step {
  AspectMask aspects = 0;
  isa::Scope widest = isa::Scope::sys;
  /// What Aspect::order makes of a relaxed atomic; `relaxed` leaves every atomic's own.
  isa::Semantics atomic = isa::Semantics::acq_rel;
  bool returns = true;  ///< Aspect::order turns red into atom, which may acquire (D18)
};
/// By instruction key.
using Steps = std::vector<Step>;

/// The event's labels after its step. In order: proxy (generic, and one name: give all accesses of a location
/// this aspect or none), strength (a weak access becomes relaxed), order (a strong read acquires, a strong
/// write releases, a fence does both), scope.
event::Labels stepped(const event::Event& event, const Step& step);
/// The graph with every event's labels stepped.
event::ProgramGraph stepped(const event::ProgramGraph& graph, const std::vector<std::size_t>& keys,
                            const Steps& steps);
/// Does the step change anything that a programmer would write?
bool differs(const event::Labels& a, const event::Labels& b);

/// How much each instruction (by key) looks like synchronization rather than data: 2 a strong access or
/// fence, 1 a weak access of a location that decides control flow, is accessed strongly somewhere, or is
/// written right behind a fence or read right before one, else 0.
std::vector<int> flagness(const event::ProgramGraph& graph, const std::vector<std::size_t>& keys);

}  // namespace ptxmc::check
