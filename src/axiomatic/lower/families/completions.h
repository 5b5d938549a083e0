// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "axiomatic/lower/families/addresses.h"
#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/mbarrier_places.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/state.h"

namespace ptxmc::lower {

/// What all asynchronous operations have in common: an issue event in program order, the CTAs that they write to, and
/// completion on an mbarrier object (8.9.1.1).
class Completions : ThreadContext {
 public:
  explicit Completions(const ThreadContext& context) : ThreadContext(context) {}

  EventId issue_event(const Instruction& instruction, Expr guard);
  /// The CTA whose object a copy to `cta`, one of several, signals: that one, or with .cta_group::2 the one of its pair whose
  /// rank is even or odd as that of the object is.
  std::uint32_t signalled(const Instruction& instruction, const State& state, std::uint32_t cta);
  Cluster destinations(const Instruction& instruction, const State& state, const Location& location);
  /// The signal of an operation on an object, as an arrival or as bytes: it releases `accesses` at cluster scope.
  void signal(const Instruction& instruction, const MbarrierPlace& place, EventId issue,
              const std::vector<EventId>& accesses, std::optional<Expr> arrivals, std::optional<Expr> bytes);
  void complete(const Instruction& instruction, State& state, EventId issue, const Operand& mbarrier,
                std::uint32_t bytes, std::optional<std::uint32_t> cta, const std::vector<EventId>& accesses,
                std::optional<Expr> where = std::nullopt);

 private:
  bool is_wrong_remote(const Instruction& instruction, std::uint32_t owner, EventId access) const;
  std::string wrong_group(const Instruction& instruction, std::uint32_t owner, EventId write) const;
  std::uint32_t rank_of(std::uint32_t cta) const;

  Registers registers_{*this};
  Addresses addresses_{*this};
  MbarrierPlaces mbarriers_{*this};
};

}  // namespace ptxmc::lower
