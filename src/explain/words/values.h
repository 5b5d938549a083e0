// SPDX-License-Identifier: Apache-2.0
// Values as a user reads them.
#pragma once

#include <string>

#include "axiomatic/engine/engine.h"
#include "axiomatic/event/execution.h"
#include "axiomatic/event/program_graph.h"

namespace ptxmc::explain {

/// The name of a symbolic value (an address, an unknown constant), or nothing.
const std::string* symbol_of(const event::ProgramGraph& graph, event::Value value);
/// A value of an observable: a symbol by name, else a number, signed or unsigned as the observable says.
std::string print_value(const event::ProgramGraph& graph, const event::Observable& observable,
                        event::Value value);
/// A value of a state; one over terms by its name (axiomatic/engine/found.h).
std::string print_value(const event::ProgramGraph& graph, const engine::State& state, std::size_t observable);
/// What an access reads or writes in an execution: a symbol, or a signed number of its width; the values of
/// its cells,
/// `{0, 1}` in address order, where they do not fit 64 bits.
std::string print_access_value(const event::ProgramGraph& graph, const event::Execution& execution,
                               event::EventId e);
/// A state as herd prints it: `1:r0=0; [x]=1;`. Empty when nothing is observed.
std::string print_state(const event::ProgramGraph& graph, const engine::State& state);

/// One observable of a state: "P0:r1=2;".
std::string print_assignment(const event::ProgramGraph& graph, const event::Observable& observable,
                             event::Value value);

}  // namespace ptxmc::explain
