// SPDX-License-Identifier: Apache-2.0
// Instructions whose results depend on the operands of other threads: barrier.red (9.7.12.1), and what the
// lanes of a warp exchange (shfl.sync 9.7.8.6, vote.sync, match.sync, redux.sync, elect.sync 9.7.12.9 to
// 9.7.12.14). Their participants meet at a barrier, so an arrival and a wait stand for such an instruction;
// its results are value_of(wait, width, part) until all threads are lowered (finish/exchanges.cpp).
#pragma once

#include <optional>
#include <vector>

#include "axiomatic/event/program_graph.h"
#include "axiomatic/lower/memory/typed.h"

namespace ptxmc::lower {

struct Unit;

enum class ExchangeKind : std::uint8_t { barrier, shuffle, vote, match, redux, elect };

/// One execution of such an instruction by one thread.
struct Exchange {
  event::EventId arrival = event::kNoEvent;  ///< kNoEvent: a thread alone in its warp, which meets no other
  event::EventId wait = event::kNoEvent;
  event::ThreadId thread = event::kNoThread;
  ExchangeKind kind = ExchangeKind::barrier;
  isa::Modifiers modifiers;
  event::Expr guard;                 ///< truth value: it is executed
  std::uint32_t mask = 0;            ///< membermask; of barrier.red: unused
  event::Expr value;                 ///< this thread's contribution: a number, or a predicate
  event::Expr source, clamp;         ///< shfl: operands b and c, 32 bits
  std::vector<event::Expr> choices;  ///< elect: truth values "member i leads", for all members but the last
  bool wants_predicate = false;      ///< shfl, match: the second destination is there
  Position position;
  std::string text;
};

/// Destinations of an exchange: the first, and a predicate (shfl, match, elect).
struct ExchangeResult {
  event::Expr value, predicate;
};

/// Width of the first result.
event::Width result_width(const Exchange& exchange);

/// What `self` gets when it meets `others` (itself included, by ascending thread). Adds the misuses that it
/// finds.
ExchangeResult exchange_result(Unit& unit, const Exchange& self, const std::vector<const Exchange*>& others);

/// The lanes of a thread's warp that exist, all 32 where the thread stands for a warp.
std::uint32_t lanes_of_warp(const event::ProgramGraph& graph, event::ThreadId thread);

}  // namespace ptxmc::lower
