// SPDX-License-Identifier: Apache-2.0
// What a run shows of an instance: the names in a test's condition, filter and locations, under the names and
// with the signs that `check` prints, and the condition over their values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "litmus/test.h"

namespace ptxmc::gpu {

/// A register's or a memory element's final value.
struct Observed {
  litmus::StateName name;
  std::string text;       ///< "1:r0", "[x]", "a[1]"
  int bits = 64;          ///< of its values; 1: a predicate
  bool is_signed = true;  ///< how it is printed and compared
};

/// An outcome: a value for each observed name, zero-extended from its bits.
using Values = std::vector<std::uint64_t>;

class Observation {
 public:
  /// Lowers the test, and so checks it; throws InputError for what is wrong or not supported, conditions over
  /// addresses among it.
  explicit Observation(const litmus::Test& test);

  const std::vector<Observed>& names() const { return names_; }
  /// "1:r0=0; 1:r1=1;"
  std::string print(const Values& values) const;
  /// Does the outcome satisfy the condition (not its quantifier)? Without a condition: true.
  bool satisfied(const Values& values) const;
  /// Is it kept by the filter?
  bool kept(const Values& values) const;

 private:
  bool holds(const litmus::Condition& condition, const Values& values) const;

  const litmus::Test& test_;
  std::vector<Observed> names_;
};

}  // namespace ptxmc::gpu
