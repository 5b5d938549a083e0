// SPDX-License-Identifier: Apache-2.0
// CopyHistory: which asynchronous copies a thread has issued, and the groups it has committed them to, seen
// from one place of its code (9.7.8.24.1, 9.7.8.24.2).
//
// Groups are counted at run time: wait_group N waits for all but the N newest. Paths that meet may have
// committed different numbers of groups; then the history keeps an alternative for each number, with the
// condition under which it is the case, and a wait becomes one event per alternative. Paths that committed
// equally often share one: an access of the other path does not exist, so it may stay in the list.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "axiomatic/event/program_graph.h"

namespace ptxmc::lower {

/// Copies of cp.async, of cp.async.bulk and wgmma.mma_async form groups of their own
/// (9.7.8.24.1, 9.7.14.7.2).
enum class CopyKind : std::uint8_t { plain, bulk, wgmma };

struct CopyGroups {
  std::vector<event::EventId> open;                    ///< accesses that are in no group yet
  std::vector<std::vector<event::EventId>> committed;  ///< groups that may be under way, oldest first
  friend bool operator==(const CopyGroups&, const CopyGroups&) = default;
};

class CopyHistory {
 public:
  struct Alternative {
    event::Expr where;  ///< truth value
    std::array<CopyGroups, 3> groups;
    friend bool operator==(const Alternative&, const Alternative&) = default;
  };

  CopyHistory() = default;
  /// At the start of a thread.
  explicit CopyHistory(event::ExprPool& pool) : alternatives_{{pool.truth(true), {}}} {}

  /// An access was issued, by an instruction that a group will hold.
  void add(CopyKind kind, event::EventId access);
  /// Accesses of all cp.async so far, whatever their group (cp.async.mbarrier.arrive).
  const std::vector<event::EventId>& plain_accesses() const { return plain_; }

  /// commit_group, executed where `executed` holds.
  void commit(event::ExprPool& pool, CopyKind kind, event::Expr executed);
  /// A wait for all but the `newest` groups was executed where `executed` holds: the others are over.
  void retire(event::ExprPool& pool, CopyKind kind, std::size_t newest, event::Expr executed);
  const std::vector<Alternative>& alternatives() const { return alternatives_; }

  /// Two paths meet: this one, which came under `own`, and another one.
  void merge(event::ExprPool& pool, event::Expr own, const CopyHistory& other, event::Expr other_guard);
  friend bool operator==(const CopyHistory&, const CopyHistory&) = default;

 private:
  /// Alternatives that count equally many groups become one.
  void join_equal(event::ExprPool& pool);

  std::vector<event::EventId> plain_;
  std::vector<Alternative> alternatives_;
};

}  // namespace ptxmc::lower
