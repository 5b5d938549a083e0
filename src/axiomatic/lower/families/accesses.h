// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "axiomatic/lower/families/access.h"
#include "axiomatic/lower/families/addresses.h"
#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/register_words.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/state.h"

namespace ptxmc::lower {

/// The scalar accesses of an instruction, and their events.
class Accesses : ThreadContext {
 public:
  explicit Accesses(const ThreadContext& context) : ThreadContext(context) {}

  std::vector<Target> targets(const Instruction& instruction, const Operand& operand, const State& state);
  /// At a place that is known.
  Target place(const Instruction& instruction, const Operand& operand, const Location& location, Expr guard);
  Event access_event(EventKind kind, const Instruction& instruction, Expr guard, const Access& access);
  Words add_read(Event read, const Access& access, EventId& id);
  EventId add_write(Event write, const Access& access, const Words& words);
  Words choose(const std::vector<Target>& places, const std::vector<Words>& values, const Access& element);
  void join_vector(EventId first);

 private:
  Shape shape_of(const Instruction& instruction) const;
  Target target(const Instruction& instruction, const Operand& operand, Location location,
                const Shape& shape);
  std::vector<Target> computed_targets(const Instruction& instruction, const Operand& operand,
                                       const State& state, Expr address, Expr guard);
  Access access(const Instruction& instruction, const Operand& operand, Location location,
                std::uint32_t bytes);

  Registers registers_{*this};
  Addresses addresses_{*this};
  RegisterWords words_{*this};
};

}  // namespace ptxmc::lower
