// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "axiomatic/lower/families/addresses.h"
#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/state.h"

namespace ptxmc::lower {

/// One object that an mbarrier operand may name.
struct MbarrierPlace {
  Expr guard;               // of the operation there
  Expr here;                // the operand names it
  event::Value object = 0;  // address
  std::uint32_t owner = 0;  // CTA instance
};

/// Whether an arrival's state is asked for, which those on objects of other CTAs do not return (R196).
bool returns_state(const Instruction& instruction);
constexpr const char* kNoState = "an arrive on an mbarrier object of the cluster returns no state: write `_`";

/// Which mbarrier objects an operand names.
class MbarrierPlaces : ThreadContext {
 public:
  explicit MbarrierPlaces(const ThreadContext& context) : ThreadContext(context) {}

  std::optional<MbarrierPlace> mbarrier_place(const Instruction& instruction, const Operand& operand,
                                              const Location& location, bool required);
  std::vector<MbarrierPlace> mbarrier_places(const Instruction& instruction, const Operand& operand,
                                             const State& state);
  Event mbarrier_event(EventKind kind, event::MbarrierOp op, const Instruction& instruction,
                       const MbarrierPlace& place);

 private:
  Registers registers_{*this};
  Addresses addresses_{*this};
};

}  // namespace ptxmc::lower
