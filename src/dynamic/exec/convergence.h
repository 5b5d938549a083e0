// SPDX-License-Identifier: Apache-2.0
// Aligned barriers and collectives: all lanes of a warp that have not exited before execute the same ones, in the same order
// (9.7.12.1, 9.7.12.3, R169, R236). So number n of one lane is number n of every other, whatever they do later, and lanes that
// part at a branch have executed as many where its ways meet again. A lane has exited before if it did so by a guarded exit,
// at which the others went on; one that jumps to its end has taken another way than those at the barrier.
#pragma once

#include <array>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dynamic/exec/flow.h"

namespace ptxmc::exec {

/// A barrier, or a collective, that is for all lanes of a warp or for none.
bool is_aligned(const Step& step);

/// What the lanes of one warp have executed, at one moment of a run.
class Convergence {
 public:
  struct Problem {
    const Step* step = nullptr;
    unsigned lane = 0;  // that executed it
    std::string what;
  };
  using Problems = std::optional<Problem>;

  /// The lanes divide at a branch whose ways come together at `meet`.
  void part(LaneMask lanes, trace::Site meet);
  bool has_parted() const { return !parted_.empty(); }
  Problems come(trace::Site to, LaneMask lanes);
  Problems execute(const Code& code, const Step& step, LaneMask lanes, LaneMask live);
  /// `guarded`: others of them may have gone on there. `live`: those that are left.
  Problems leave(LaneMask lanes, LaneMask live, bool guarded);

 private:
  struct Executed {
    const Code* code = nullptr;
    const Step* step = nullptr;
    LaneMask lanes = 0;
    bool is(const Code& other_code, const Step& other) const;
  };
  struct Parted {
    trace::Site meet = 0;
    LaneMask pending = 0;  // have not come there
    std::optional<std::uint64_t> count = {};
  };
  void miss(Problems& out, std::uint64_t number, std::string what) const;
  void forget(LaneMask live);

  std::array<std::uint64_t, kLanes> count_{};
  std::uint64_t base_ = 0;
  std::deque<Executed> executed_;  // from number `base_` on, which some live lane has not executed
  LaneMask gone_ = 0;              // have exited, and not before
  std::vector<Parted> parted_;
};

/// Branches at which lanes may part with an aligned instruction on one of the ways.
class Partings {
 public:
  /// Where the ways meet; nothing: there is none on them, or they meet at the end alone.
  std::optional<trace::Site> meeting(const Code& code, const Step& branch);

 private:
  struct Known {
    bool any = false;  // aligned instructions
    ControlFlow flow;
  };
  const Known& known(const Code& code);
  std::unordered_map<const Code*, Known> codes_;
  std::unordered_map<const Step*, std::optional<trace::Site>> branches_;
};

}  // namespace ptxmc::exec
