// SPDX-License-Identifier: Apache-2.0
// Instructions of a warpgroup: each of its warps executes the same ones, in the same order (9.7.14, 9.7.17.5, R251). So number
// n of one warp is number n of every other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "dynamic/exec/code.h"

namespace ptxmc::exec {

constexpr std::size_t kGroupWarps = 4;  // contiguous; the number of the first is a multiple of 4 (9.7.14)

/// What the warps of one warpgroup have executed, at one moment of a run.
class GroupSteps {
 public:
  /// What a warp executes is to what others of its group have executed as the same number.
  enum class Match : std::uint8_t { same, another_place, another, other_matrices };
  struct Compared {
    Match match = Match::same;
    const Step* other = nullptr;  ///< what they have executed
  };
  /// The matrices in shared memory that a product names are those of the whole group: descriptors of A and of B, or 0.
  using Descriptors = std::array<std::uint64_t, 2>;
  /// `member` of the `members` warps that the group has.
  Compared execute(std::size_t member, std::size_t members, const Code& code, const Step& step,
                   const Descriptors& matrices = {});
  /// What others have executed and this warp, which has ended, has not. Null: nothing, or the group differs before that.
  const Step* missing(std::size_t member) const;
  /// The last one that was executed; null: none.
  const Step* last() const { return last_; }

 private:
  struct Executed {
    const Code* code = nullptr;
    const Step* step = nullptr;
    Descriptors matrices{};
  };
  std::array<std::uint64_t, kGroupWarps> count_{};
  std::uint64_t base_ = 0;
  std::deque<Executed> executed_;  // from number `base_` on, which some warp has not executed
  const Step* last_ = nullptr;
  bool differs_ = false;  // the first difference is enough
};

}  // namespace ptxmc::exec
