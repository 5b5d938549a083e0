// SPDX-License-Identifier: Apache-2.0
#include "input/litmus/hash.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include "input/litmus/print.h"

namespace ptxmc::litmus {

namespace {

__extension__ typedef unsigned __int128 Digest;

// FNV-1a with 128 bits: short, stable across machines and releases; it need not resist attacks.
Digest fnv1a(std::string_view text) {
  const Digest prime = (static_cast<Digest>(1) << 88) + 0x13B;
  Digest digest = (static_cast<Digest>(0x6C62272E07BB0142) << 64) + 0x62B821756295C58D;
  for (const char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * prime;
  return digest;
}

}  // namespace

std::string meaning_hash(const Test& test) {
  const Digest digest = fnv1a("PTX _\n" + print_meaning(test));
  return fmt::format("{:016x}{:016x}", static_cast<std::uint64_t>(digest >> 64),
                     static_cast<std::uint64_t>(digest));
}

}  // namespace ptxmc::litmus
