// SPDX-License-Identifier: Apache-2.0
#include "input/record/looked.h"

#include <doctest/doctest.h>

#include <string>

using namespace ptxmc::record;

namespace {

std::string words(std::initializer_list<std::uint64_t> numbers) {
  std::string out;
  for (const std::uint64_t number : numbers)
    out.append(reinterpret_cast<const char*>(&number), sizeof number);
  return out;
}

}  // namespace

TEST_CASE("words that are addresses lead on, and others are nothing") {
  Memory memory(64);
  const Allocation& table = memory.allocate(0x1000, 0x800);
  const Allocation& other = memory.allocate(0x4000, 0x10000);
  AccessedBytes looked;
  looked.follow(0x1010);
  looked.follow(7);
  auto wanted = looked.wanted(memory);
  REQUIRE(wanted.size() == 1);
  CHECK(wanted[0].address == 0x1010);
  CHECK(wanted[0].bytes == 0x7f0);  // to the end
  // Addresses of a buffer, of nothing, one past the other's end, and 0.
  looked.see(memory, 0x1010, words({0x4104, 0x3fff, 0x14000, 0}));
  CHECK(looked.addresses_in(table) == std::map<std::uint64_t, std::uint64_t>{{0x10, 0x4104}});
  CHECK(looked.addresses_in(other).empty());
  wanted = looked.wanted(memory);
  REQUIRE(wanted.size() == 1);
  CHECK(wanted[0].address == 0x4108);  // the next whole word
  CHECK(wanted[0].bytes == 4096);
  looked.see(memory, 0x4108, words({0x1010}));
  CHECK(looked.wanted(memory).empty());  // it was looked at
  looked.start();
  CHECK(looked.addresses_in(table).empty());
}

TEST_CASE("memory that is known, or that others write, is not looked at") {
  Memory memory(64);
  memory.allocate(0x1000, 64);
  memory.fill(0x1000, 64);
  memory.allocate(0x2000, 64).shared = true;
  memory.fill(0x2000, 64);
  memory.allocate(0x3000, 63);
  AccessedBytes looked;
  for (const std::uint64_t word : {0x1000, 0x2000, 0x3000}) looked.follow(word);
  CHECK(looked.wanted(memory).empty());
  CHECK(memory.find(0x1000)->whole() != nullptr);
  CHECK(memory.find(0x2000)->whole() == nullptr);
}
