// SPDX-License-Identifier: Apache-2.0
// Contents of global memory that a program leaves open, for a run in which they are not 0.
#pragma once

#include <cstdint>
#include <vector>

#include "dynamic/order/events.h"

namespace ptxmc::exec {

/// The contents of the words of global memory of which the program says nothing, if they are no more than
/// kMostFilled bytes.
struct Contents {
  enum class Words : std::uint8_t {
    alike,
    second,    // each second one has it, from the second on; the others are 0
    numbered,  // the first of each variable has it, and each other one more than that before it
    falling,   // the first of each variable has it, and each other one less than that before it
    mixed,     // each has a number from 0 to it, by chance
  };
  std::uint32_t word = 0;
  Words words = Words::alike;
  std::vector<trace::Address> zero;  // an address of each variable that is 0 all the same
};

/// The word of this number, in a variable that begins there.
std::uint32_t open_word(const Contents& contents, std::uint32_t number, trace::Address begin);
/// The variable of these bytes is one of those that are 0.
bool is_zero(const Contents& contents, const trace::Range& bytes);

constexpr std::uint64_t kMostFilled = std::uint64_t{64} << 20U;

/// Bytes of a variable or a buffer, by its name and from its beginning on.
struct NamedBytes {
  std::string object;
  std::uint64_t offset = 0, bytes = 0;
};

}  // namespace ptxmc::exec
