// SPDX-License-Identifier: Apache-2.0
// What a run shows of an instance: the names in a test's condition, filter and locations, under the names and
// with the signs that `check` prints, and the condition over their values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ptx/program/program.h"

namespace ptxmc::gpu {

/// A register's or a memory element's final value.
struct Observed {
  program::StateName name;
  std::string text;       ///< "1:r0", "[x]", "a[1]"
  int bits = 64;          ///< of its values; 1: a predicate
  bool is_signed = true;  ///< how it is printed and compared
  bool pointer = false;   ///< its values are those of pointer_value() and integer_value()
  int holder = -1;        ///< in shared memory: number of a thread of the CTA that has it
};

/// An address that a test may observe, and what `check` prints for it.
struct AddressName {
  std::string text;      ///< "x", "a[1]"
  std::string variable;  ///< in global memory
  std::uint32_t element = 0;
};

/// An outcome: a value for each observed name, zero-extended from its bits, or from its field's where that
/// has fewer; a pointer's is symbolic, since each instance has its variables elsewhere.
using Values = std::vector<std::uint64_t>;
/// Number `name` of Observation::addresses().
constexpr std::uint64_t pointer_value(std::uint64_t name) {
  return 2 * name + 1;
}
/// A pointer that is none: at most kPointerIntegerBits of value; others are not recorded.
constexpr std::uint64_t integer_value(std::uint64_t value) {
  return 2 * value;
}
constexpr unsigned kPointerIntegerBits = 40;

/// Bits that each of so many values has in an outcome's key.
constexpr unsigned field_bits(std::size_t names) {
  return names == 0 ? 64 : 64 / static_cast<unsigned>(names);
}
/// Is the value the low bits of a signed one, which its field extends?
inline bool is_narrowed(const Observed& o, unsigned field) {
  return o.is_signed && !o.pointer && static_cast<unsigned>(o.bits) > field;
}

class Observation {
 public:
  /// Lowers the test, and so checks it; throws InputError for what is wrong or not supported, conditions over
  /// addresses that no 64-bit register holds among it.
  explicit Observation(const program::Program& test);

  const std::vector<Observed>& names() const { return names_; }
  const std::vector<AddressName>& addresses() const { return addresses_; }
  /// "1:r0=0; 1:r1=1; 1:rd0=x;"
  std::string print(const Values& values) const;
  /// Does the outcome satisfy the condition (not its quantifier)? Without a condition: true.
  bool satisfied(const Values& values) const;
  /// Is it kept by the filter?
  bool kept(const Values& values) const;

 private:
  void find_addresses(const std::vector<std::string>& shown);
  void check_addresses(const program::ConditionPtr& condition) const;
  int bits_of(const Observed& o) const;
  std::uint64_t address_term(const std::string& variable) const;
  bool holds(const program::Condition& condition, const Values& values) const;

  const program::Program& test_;
  std::vector<Observed> names_;
  std::vector<AddressName> addresses_;
};

}  // namespace ptxmc::gpu
