// SPDX-License-Identifier: Apache-2.0
#include "input/record/memory.h"

#include <doctest/doctest.h>

#include <string>

#include "input/record/recorder.h"

namespace ptxmc::record {
namespace {

TEST_CASE("contents that are known whole") {
  Memory memory(64);
  Allocation& a = memory.allocate(0x1000, 16);
  CHECK(a.whole() == nullptr);
  memory.write(0x1000, "01234567");
  CHECK(a.whole() == nullptr);
  memory.fill(0x1008, 8);
  REQUIRE(a.whole() != nullptr);
  CHECK(a.whole()->data == std::string("01234567") + std::string(8, '\0'));
  memory.write(0x1004, "xy");
  CHECK(a.whole()->data.substr(0, 8) == "0123xy67");
  memory.forget(0x100f, 1);
  CHECK(a.whole() == nullptr);
  memory.fill(0x1000, 16);
  REQUIRE(a.whole() != nullptr);
  CHECK(a.whole()->zero());
}

TEST_CASE("contents beyond the limit are not kept, zeros are") {
  Memory memory(8);
  Allocation& a = memory.allocate(0x1000, 1 << 20);
  memory.fill(0x1000, 1 << 20);
  CHECK(a.whole()->zero());
  memory.write(0x1000, "123456789");
  CHECK(a.whole() == nullptr);
}

TEST_CASE("parts that are known, until work is done that may write anywhere") {
  Memory memory(64);
  Allocation& a = memory.allocate(0x1000, 1 << 20);
  memory.write(0x1100, "01234567");
  memory.fill(0x1200, 256);
  CHECK(a.known_at(0xff) == nullptr);
  REQUIRE(a.known_at(0x107) != nullptr);
  CHECK(a.known_at(0x107)->first == 0x100);
  CHECK(a.known_at(0x108) == nullptr);
  CHECK(a.known_at(0x2ff)->second.zero());
  a.shared = true;
  CHECK(a.known_at(0x100) == nullptr);
  a.shared = false;
  memory.forget_everything();
  CHECK(a.known_at(0x100) == nullptr);
  CHECK(a.known_at(0x200) == nullptr);
}

TEST_CASE("addresses of allocations") {
  Memory memory(8);
  memory.allocate(0x1000, 16);
  const std::uint64_t second = memory.allocate(0x1010, 16).number;
  CHECK(memory.find(0xfff) == nullptr);
  CHECK(memory.find(0x100f)->bytes == 16);
  CHECK(memory.find(0x1010)->number == second);  // and not one past the first
  CHECK(memory.find(0x1020)->number == second);  // one past it
  CHECK(memory.find(0x1021) == nullptr);
  memory.write(0x1018, "0123456789");  // beyond its end: no contents
  CHECK(memory.find(0x1010)->written);
  memory.release(0x1010);
  CHECK(memory.find(0x1010)->address == 0x1000);
}

TEST_CASE("a message that is cut off says so") {
  const RecordOptions options;
  Writing writing(options);
  Writer message;
  message.number(0x1000);
  message.text("contents");
  for (std::size_t length = 0; length <= message.bytes().size(); ++length) {
    for (std::uint32_t kind = 1; kind <= static_cast<std::uint32_t>(Kind::reply); ++kind) {
      Process process(options, writing);
      const std::string bytes = message.bytes().substr(0, length);
      try {
        process.handle(static_cast<Kind>(kind), Reader(bytes));
      } catch (const BadMessage&) {
        CHECK(length < message.bytes().size() + 1);
      }
    }
  }
  Process process(options, writing);
  CHECK_THROWS_AS(process.handle(Kind::write, Reader("12345678")), BadMessage);
  CHECK_THROWS_AS(process.handle(Kind::launch, Reader("")), BadMessage);
  CHECK_THROWS_AS(process.handle(Kind::reply, Reader("")), BadMessage);
}

}  // namespace
}  // namespace ptxmc::record
