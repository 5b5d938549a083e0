// SPDX-License-Identifier: Apache-2.0
#include "input/launch/devices.h"

#include <doctest/doctest.h>

#include "launched.h"

namespace ptxmc::launch {
namespace {

constexpr std::uint64_t kKilobyte = 1024;

std::uint64_t most(std::string_view target) {
  return most_shared({&target, 1}) / kKilobyte;
}

/// What is said of a launch of a kernel with dynamic shared memory.
std::string said_of(Words words) {
  return error_of([&] {
    Choice choice;
    choice.threads = 1 << 20;
    launched("", ".reg .b32 %own; .shared .b8 own[1024]; mov.u32 %own, dyn; ret;", std::move(words),
             ".extern .shared .align 16 .b8 dyn[];\n", choice);
  });
}

}  // namespace

TEST_CASE("how much shared memory a CTA has") {
  CHECK(most("sm_90a") == 227);
  CHECK(most("sm_100a") == 227);
  CHECK(most("sm_100f") == 227);
  CHECK(most("sm_120a") == 99);
  CHECK(most("sm_120") == 99);  // and no later device has more
  CHECK(most("sm_80") == 227);  // its code runs on later devices
  CHECK(most("sm_86") == 227);
  CHECK(most("sm_999") == 227);  // nothing is known of it
  CHECK(most("texmode_unified") == 227);
}

TEST_CASE("launches that no device takes") {
  CHECK(said_of({.shared = "231424"}).find("dynamic") == std::string::npos);
  CHECK(said_of({.shared = "231425"}).find("has up to 232448 (227 KB)") !=
        std::string::npos);  // with its own 1 KB
  CHECK(said_of({.shared = "4G"}).find("has up to 232448") != std::string::npos);
  CHECK(said_of({.grid = "1,70000", .shared = "1K"}).find("a grid of 1, 70000, 1") != std::string::npos);
  CHECK(said_of({.grid = "2147483647,65535,65535", .shared = "1K"}).find("threads at once") !=
        std::string::npos);
  CHECK(said_of({.block = "1,1,65", .shared = "1K"}).find("a block of 1, 1, 65") != std::string::npos);
  CHECK(said_of({.block = "65536,65536", .shared = "1K"}).find("a block of") != std::string::npos);
  CHECK(said_of({.grid = "32", .cluster = "32", .shared = "1K"}).find("a cluster of 32") !=
        std::string::npos);
}

TEST_CASE("numbers that do not fit are no other numbers") {
  const auto takes = [](const std::string& type, const std::string& number) {
    return error_of([&] { launched(".param ." + type + " n", "ret;", {.arguments = {number}}); });
  };
  CHECK(takes("u32", "4294967295") == "");
  CHECK(takes("u32", "-1") == "");
  CHECK(takes("u64", "18446744073709551615") == "");
  CHECK(takes("u64", "-9223372036854775808") == "");
  CHECK(takes("f32", "18446744073709551615") == "");
  CHECK(takes("u32", "4294967296").find("does not fit") != std::string::npos);
  CHECK(takes("u32", "18446744073709551615").find("does not fit") != std::string::npos);
  CHECK(takes("u64", "18446744073709551616") != "");
  CHECK(takes("u64", "-18446744073709551615") != "");
  CHECK(takes("f32", "1e40").find("does not fit") != std::string::npos);
  // An offset of 2^64 - 1 is not inside of a blob, either.
  CHECK(error_of([] {
          launched(".param .align 8 .b8 all[16]", "ret;",
                   {.arguments = {"blob:16,18446744073709551615=u32:1"}});
        }).find("are not inside") != std::string::npos);
  // 2^37 elements of 8 bytes are not one element.
  Choice choice;
  choice.elements = 0xffffffff;
  CHECK(error_of([&] {
          launched(".param .u64 p", "ret;", {.arguments = {"buffer:1024G"}}, "", choice);
        }).find("elements, more than 4294967295") != std::string::npos);
}

}  // namespace ptxmc::launch
