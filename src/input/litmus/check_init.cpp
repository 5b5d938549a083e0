// SPDX-License-Identifier: Apache-2.0
// What names of the initial state stand for, once all of them are known: aliases, and the locations of multimem addresses.
#include <fmt/format.h>

#include <set>
#include <string_view>

#include "input/litmus/raw.h"

namespace ptxmc::litmus {

namespace {

constexpr std::size_t kMaxAliasSteps = 64;

// An alias takes the space of what it aliases; a chain that comes back to its start aliases nothing.
void resolve_aliases(ParseState& state) {
  std::vector<Variable>& variables = state.test.variables;
  for (Variable& variable : variables) {
    const Variable* target = &variable;
    for (std::size_t steps = 0; !target->aliases.empty(); ++steps) {
      target = state.find_variable(target->aliases);
      if (target == &variable) {
        state.errors.error(variable.position, fmt::format("`{}` aliases itself", variable.name));
        return;
      }
      if (steps > kMaxAliasSteps) {
        state.errors.error(variable.position,
                           fmt::format("`{}` stands for its location by more than {} aliases", variable.name,
                                       kMaxAliasSteps));
        return;
      }
    }
    variable.space = target->space;
  }
}

/// A multimem address is one of global memory, as large as each of its locations; none of them is its own.
void resolve_locations(ParseState& state) {
  for (Variable& variable : state.test.variables) {
    std::set<std::string_view> seen;
    const auto refuse = [&](std::string_view name, std::string_view why) {
      state.errors.error(variable.position,
                         fmt::format("`{}` of the multimem address `{}` {}", name, variable.name, why));
    };
    const Variable* first = nullptr;
    for (const std::string& name : variable.locations) {
      const Variable* location = state.find_variable(name);
      if (!seen.insert(name).second) {
        refuse(name, "is named twice; its locations are distinct (8.2.3)");
      } else if (!location->locations.empty() || !location->aliases.empty()) {
        refuse(name, "is no variable of its own");
      } else if (location->space != isa::Space::global) {
        refuse(name, "is not in global memory (9.7.8.13)");
      } else if (first != nullptr &&
                 (location->type != first->type || location->elements != first->elements)) {
        refuse(name, fmt::format("has another type than `{}`", first->name));
      }
      if (first == nullptr) first = location;
    }
    if (first == nullptr) continue;
    variable.type = first->type;
    variable.elements = first->elements;
    variable.is_array = first->is_array;
  }
}

}  // namespace

void check_init(ParseState& state) {
  resolve_aliases(state);
  resolve_locations(state);
  for (RegisterInit& init : state.test.register_inits) state.check_thread(init.thread, init.position);
}

}  // namespace ptxmc::litmus
