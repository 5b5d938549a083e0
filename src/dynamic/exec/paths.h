// SPDX-License-Identifier: Apache-2.0
// The ways that lanes take where open contents decide (both_branch_sides.h), as conditions on terms: guards, and whether they hold.
// Two accesses whose conditions no contents fulfil together are in no execution both.
//
// A term says what its value is in every execution in which nothing raced before. So of an execution with races the first
// one is no pair that is left out here.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dynamic/exec/terms.h"
#include "dynamic/order/events.h"

namespace ptxmc::exec {

/// The lowest bits of a value are this number, or are not; of a guard, its truth value. kNoTerm: nothing is known of it.
struct Condition {
  Term guard = kNoTerm;
  bool holds = false;
  std::uint8_t bits = 1;
  std::uint64_t number = 1;
};

/// Tells whether conditions exclude each other.
class ConditionJudge {
 public:
  virtual ~ConditionJudge() = default;
  /// There are no contents for which all of them are fulfilled. `terms` are defined, and the same each time.
  virtual bool exclude(const Terms& terms, std::span<const Condition> all) = 0;
  /// Numbers that hold each one which so many lowest bits of a value may be while all of them are fulfilled. Nothing: they are
  /// too many, or that is not known.
  using Numbers = std::optional<std::vector<std::uint64_t>>;
  virtual Numbers numbers(const Terms&, Term, unsigned /*bits*/, std::span<const Condition> /*all*/) {
    return std::nullopt;
  }
};

class PathConditions : public trace::Paths {
 public:
  using Path = std::uint32_t;  // 0: no condition
  PathConditions(const Terms& terms, std::unique_ptr<ConditionJudge> judge)
      : terms_(terms), judge_(std::move(judge)) {}

  /// The paths of the lanes of the warp that takes ways now.
  std::array<Path, kLanes> now{};
  Path longer(Path path, Condition condition);
  /// The number of what `now` holds for an access.
  std::uint32_t number();
  bool exclude(At first, At second) override;
  /// Which numbers the value may be on the path.
  ConditionJudge::Numbers numbers(Path path, Term term, unsigned bits);

 private:
  struct Node {
    Path before = 0;
    Condition condition;
  };
  bool ask(Path first, Path second);
  void add(Path path, std::vector<Condition>& all) const;

  const Terms& terms_;
  std::unique_ptr<ConditionJudge> judge_;
  std::vector<Node> nodes_{1};
  std::vector<std::array<Path, kLanes>> numbered_{1};
  std::map<std::array<Path, kLanes>, std::uint32_t> numbers_;
  std::map<std::pair<Path, Path>, bool> known_;
  std::size_t places_ = 0;  // numbers that were given
  bool some_meet_ = false;  // two were not found to exclude each other: more questions are worth nothing
};

}  // namespace ptxmc::exec
