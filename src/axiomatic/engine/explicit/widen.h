// SPDX-License-Identifier: Apache-2.0
// From one execution to a cube of them (cubes.h), proved by one evaluation of the model.
//
// Reads of which nothing but an observable rests can be exchanged as far as values go. For the axioms, every such read
// is there once for each source that it may have, all at the same time, and what the model takes away (`a \ b`) is
// taken away only where no choice bears on it. Every execution of the cube is a part of this one, event by event:
// what no choice changes, its orders and reads-from are the same between these events, and all other operators only grow
// with their operands; so an axiom (nothing there, no cycle, no pair of an event with itself) that holds of the whole
// holds of each.
#pragma once

#include <optional>
#include <vector>

#include "axiomatic/engine/explicit/cubes.h"
#include "axiomatic/engine/explicit/encode.h"
#include "axiomatic/engine/explicit/evaluator.h"

namespace ptxmc::engine::explicit_ {

/// Slots of a path's reads that only one observable rests on, exactly: slot and observable. None where the question
/// is not one for cubes.
struct LooseRead {
  std::size_t slot;
  std::uint32_t observable;
};
std::vector<LooseRead> loose_reads(const Query& query, Path& path,
                                   const std::vector<event::Expr>& observables);

class Widener {
 public:
  /// `events`: of each event of the evaluator, the path's; those of the path come first, then the other copies.
  struct Copies {
    std::vector<std::size_t> events;
    std::vector<std::vector<std::size_t>> of_source;  ///< per loose read, per source of its slot
  };
  static Copies copies(Path& path, const std::vector<LooseRead>& loose);

  Widener(const Query& query, Path& path, const ChoiceSolver& solver, Encoding& encoding,
          std::vector<LooseRead> loose, Copies copies, Inputs inputs, const Evaluator& plain);

  /// The cube of the current complete assignment, whose choices and state are given.
  Cube widen(const Choices& choices, State found);
  /// Whether it is worth it: executions stand for more states than the proofs cost.
  bool worthwhile() const {
    return evaluations_ < kTrial || gained_ > 2.0 * static_cast<double>(evaluations_);
  }

 private:
  static constexpr std::uint64_t kTrial = 256;

  void fix(const Choices& choices);
  bool holds();
  bool finals_hold() const;

  const Query& query_;
  Path& path_;
  const ChoiceSolver& solver_;
  Encoding& encoding_;
  std::vector<LooseRead> loose_;
  Copies copies_;
  Evaluator evaluator_;
  Choices choices_;
  // per event of the evaluator that is a loose read: its place in Inputs::reads
  std::vector<std::size_t> input_of_;
  std::uint64_t evaluations_ = 0;
  double gained_ = 0;
};

}  // namespace ptxmc::engine::explicit_
