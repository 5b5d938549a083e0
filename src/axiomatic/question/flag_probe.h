// SPDX-License-Identifier: Apache-2.0
// FlagProbe: questions about single pairs of a model's flag, asked of an engine that only knows whether a
// flag is raised. The model is copied, and base relations of its own cut the flag's expression (`probe`)
// and the executions (`awaited`).
#pragma once

#include <memory>
#include <optional>

#include "axiomatic/question/races.h"
#include "axiomatic/recheck/naive_relations.h"

namespace ptxmc::check {

enum class Probe : std::uint8_t {
  outside,  ///< an execution in which the flag relates a pair that is not in `pairs`
  within,   ///< ... a pair of `pairs`
  spared,   ///< ... in which a pair of `pairs` exists that the flag does not relate, either way
};

class FlagProbe {
 public:
  /// The query's parts outlive the probe. A flag of a set relates each member with itself, so does one of a
  /// cyclic or reflexive relation with each event on a cycle. One that names no events at all (`flag empty
  /// r`) is not `enumerable`.
  FlagProbe(const engine::Query& query, std::size_t flag);

  bool enumerable() const { return enumerable_; }
  /// Asks about the query's graph. `course`: of one probe whose pairs only get more (outside), or fewer
  /// (within, spared).
  engine::Result ask(Probe probe, const relation::BitMatrix& pairs, const Solve& solve,
                     std::shared_ptr<engine::ResumeState> course = {}) const;
  /// Asks about another graph: pairs and relations are of its events.
  /// `awaited`: where the second of its pairs exists, it reads from the first.
  engine::Result ask(Probe probe, const relation::BitMatrix& pairs, const event::ProgramGraph& graph,
                     event::BaseValues base, const Solve& solve,
                     const relation::BitMatrix& awaited = relation::BitMatrix(),
                     std::shared_ptr<engine::ResumeState> course = {}) const;
  /// The pairs that the flag relates in one execution of the query's graph.
  PairSet pairs(const event::Execution& execution) const;

 private:
  const engine::Query& query_;
  event::BaseValues with_rows(event::BaseValues base, const relation::BitMatrix& pairs,
                              const relation::BitMatrix& awaited) const;

  bool enumerable_ = false;
  relation::Signature signature_;
  relation::MemoryModel model_;    // flags: by Probe
  relation::MemoryModel waiting_;  // the same with an axiom about what is awaited
  relation::Rel relation_;         // the flag's own
};

}  // namespace ptxmc::check
