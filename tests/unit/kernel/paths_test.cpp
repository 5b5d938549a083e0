// SPDX-License-Identifier: Apache-2.0
// Which conditions an access stands under, and that no more is asked than what may help.
#include "dynamic/exec/paths.h"

#include <doctest/doctest.h>

namespace ptxmc::exec {
namespace {

/// Two conditions exclude each other that are about one guard.
class Opposites : public ConditionJudge {
 public:
  explicit Opposites(std::size_t& asked) : asked_(asked) {}
  bool exclude(const Terms&, std::span<const Condition> all) override {
    ++asked_;
    for (const Condition& one : all) {
      for (const Condition& other : all) {
        if (one.guard == other.guard && one.holds != other.holds) return true;
      }
    }
    return false;
  }
  /// As many as there are conditions, and one.
  Numbers numbers(const Terms&, Term, unsigned, std::span<const Condition> all) override {
    ++asked_;
    return std::vector<std::uint64_t>(all.size() + 1, 7);
  }

 private:
  std::size_t& asked_;
};

struct Asked {
  std::size_t asked = 0;
  Terms terms{{}, {}, true};
  PathConditions paths{terms, std::make_unique<Opposites>(asked)};

  /// The number of an access that lane 0 makes on a path, and no other lane.
  std::uint32_t number(PathConditions::Path path) {
    paths.now.fill(0);
    paths.now[0] = path;
    return paths.number();
  }
};

TEST_CASE("paths that part at one guard exclude each other, whatever stands after") {
  Asked of;
  const PathConditions::Path with = of.paths.longer(0, {1, true}), without = of.paths.longer(0, {1, false});
  const std::uint32_t first = of.number(of.paths.longer(with, {2, true})), second = of.number(without);
  CHECK(of.paths.exclude({first, 0}, {second, 0}));
  CHECK(of.paths.exclude({second, 0}, {first, 0}));
  CHECK(of.asked == 1);
  // Another lane of the instruction makes it whatever the contents are.
  CHECK_FALSE(of.paths.exclude({first, 1}, {second, 0}));
}

TEST_CASE("an access that is made in any case has no number, and one number stands for equal paths") {
  Asked of;
  CHECK(of.number(0) == 0);
  const PathConditions::Path path = of.paths.longer(0, {1, true});
  CHECK(of.number(path) == of.number(path));
}

TEST_CASE("a guard of which nothing is known is no condition") {
  Asked of;
  const std::uint32_t first = of.number(of.paths.longer(0, {kNoTerm, true})),
                      second = of.number(of.paths.longer(0, {kNoTerm, false}));
  CHECK_FALSE(of.paths.exclude({first, 0}, {second, 0}));
  CHECK(of.asked == 0);
}

TEST_CASE("which numbers a value may be is asked under the conditions of the path") {
  Asked of;
  const PathConditions::Path path = of.paths.longer(of.paths.longer(0, {1, true}), {2, true, 64, 4096});
  CHECK(of.paths.numbers(0, 3, 64)->size() == 1);
  CHECK(of.paths.numbers(path, 3, 64)->size() == 3);
  CHECK(of.asked == 2);
  CHECK_FALSE(of.paths.numbers(path, kNoTerm, 64));
  // Behind two accesses that may both be made it makes no difference any more.
  CHECK_FALSE(of.paths.exclude({of.number(path), 0}, {of.number(of.paths.longer(0, {3, true})), 0}));
  CHECK_FALSE(of.paths.numbers(path, 3, 64));
  CHECK(of.asked == 3);
}

TEST_CASE("nothing is asked behind two that may both be made") {
  Asked of;
  const std::uint32_t one = of.number(of.paths.longer(0, {1, true})),
                      other = of.number(of.paths.longer(0, {2, true})),
                      opposite = of.number(of.paths.longer(0, {1, false}));
  CHECK_FALSE(of.paths.exclude({one, 0}, {other, 0}));
  CHECK_FALSE(of.paths.exclude({one, 0}, {opposite, 0}));
  CHECK(of.asked == 1);
}

}  // namespace
}  // namespace ptxmc::exec
