// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lower/families/addresses.h"
#include "lower/families/context.h"
#include "lower/families/mbarrier_places.h"
#include "lower/families/registers.h"
#include "lower/families/state.h"

namespace ptxmc::lower {

/// What all asynchronous operations have in common: an issue event in program order, the CTAs that they write to, and
/// completion on an mbarrier object (8.9.1.1).
class Completions : ThreadContext {
 public:
  explicit Completions(const ThreadContext& context) : ThreadContext(context) {}

  EventId issue_event(const Instruction& instruction, Expr guard);
  Cluster destinations(const Instruction& instruction, const State& state, const Location& location);
  /// The signal of an operation on an object, as an arrival or as bytes: it releases `accesses` at cluster scope.
  void signal(const Instruction& instruction, const MbarrierPlace& place, EventId issue,
              const std::vector<EventId>& accesses, std::optional<Expr> arrivals, std::optional<Expr> bytes);
  void complete(const Instruction& instruction, State& state, EventId issue, const Operand& mbarrier,
                std::uint32_t bytes, std::optional<std::uint32_t> cta, const std::vector<EventId>& accesses,
                std::optional<Expr> where = std::nullopt);

 private:
  std::string wrong_remote(const Instruction& instruction, std::uint32_t owner, EventId access) const;

  Registers registers_{*this};
  Addresses addresses_{*this};
  MbarrierPlaces mbarriers_{*this};
};

}  // namespace ptxmc::lower
