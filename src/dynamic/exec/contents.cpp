// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/contents.h"

#include <algorithm>
#include <random>

namespace ptxmc::exec {

std::uint32_t open_word(const Contents& contents, std::uint32_t number, trace::Address begin) {
  constexpr trace::Address kApart = 256;  // variables are
  switch (contents.words) {
    case Contents::Words::numbered:
      return contents.word + number;
    case Contents::Words::falling:
      return contents.word - number;
    case Contents::Words::mixed: {
      std::minstd_rand by_chance(static_cast<std::uint32_t>(begin / kApart) * 7919U + number + 1);
      by_chance.discard(2);
      const auto chosen = static_cast<std::uint32_t>(by_chance() << 8U ^ by_chance());
      return contents.word == ~std::uint32_t{0} ? chosen : chosen % (contents.word + 1);
    }
    case Contents::Words::alike:
    case Contents::Words::second:
      break;
  }
  return contents.word;
}

bool is_zero(const Contents& contents, const trace::Range& bytes) {
  return std::any_of(contents.zero.begin(), contents.zero.end(),
                     [&](trace::Address at) { return at - bytes.begin < bytes.bytes; });
}

}  // namespace ptxmc::exec
