// SPDX-License-Identifier: Apache-2.0
// What everything that lowers instructions of one thread starts from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "axiomatic/event/program_graph.h"
#include "axiomatic/lower/unit/body_analysis.h"
#include "axiomatic/lower/unit/unit.h"
#include "finding/rules.h"
#include "ptx/program/program.h"

namespace ptxmc::lower {

using event::Event;
using event::EventId;
using event::EventKind;
using event::Expr;
using event::Width;
using isa::Role;
using program::Instruction;
using program::Operand;

using Cluster = std::vector<std::uint32_t>;  // CTA instances

/// The unit, the thread and its place; the base of services and families, which see no other thread.
class ThreadContext {
 public:
  ThreadContext(Unit& unit, event::ThreadId thread);

 protected:
  [[noreturn]] void fail(Position position, const std::string& message) const {
    unit_.errors.fail(position, message);
  }
  [[noreturn]] void unsupported(Position position, const std::string& what) const {
    unit_.errors.unsupported(position, what);
  }
  /// The instruction's behaviour is undefined where `where` holds.
  void misuse(finding::RuleId rule, Expr where, const Instruction& instruction) const;
  Event new_event(EventKind kind, const Instruction& instruction, Expr guard) const;
  /// What lanes of one warp must do alike. `taken`: the condition of a bra.uni.
  void note_converged(const Instruction& instruction, Expr guard, std::optional<Expr> taken) const;
  /// Refuses a single lane.
  void need_warp(const Instruction& instruction) const;
  /// The CTAs of the thread's cluster by rank: ranks count those that the program places there, by number.
  Cluster cluster_ctas() const;
  std::uint32_t cta_of_rank(const Instruction& instruction, event::Value rank) const;

  Unit& unit_;
  event::ProgramGraph& graph_;  // the unit's
  event::ExprPool& pool_;       // the graph's
  Layout& layout_;              // the unit's
  event::ThreadId thread_;
  const program::Thread& source_;
  const event::ThreadInfo& info_;
  const BodyAnalysis& body_;
};

}  // namespace ptxmc::lower
