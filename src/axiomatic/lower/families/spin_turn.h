// SPDX-License-Identifier: Apache-2.0
// The one turn of a pure spin loop that stands for all of them (flow/spin.h): what its instructions are told, and what
// they tell.
#pragma once

#include <cstdint>
#include <optional>

#include "axiomatic/event/program_graph.h"

namespace ptxmc::lower {

struct SpinTurn {
  /// What an mbarrier wait returns in the turn.
  enum class Polls : std::uint8_t { free, fail, succeed };
  /// An atomic of the turn.
  struct Rmw {
    event::EventId write = event::kNoEvent;
    event::Expr changes;    // it may leave another value than it found
    bool rewrites = false;  // it writes even where it changes nothing
  };
  Polls polls = Polls::free;
  std::optional<Rmw> rmw;  // the last one
};

}  // namespace ptxmc::lower
