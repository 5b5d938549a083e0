// SPDX-License-Identifier: Apache-2.0
#include "report/element_names.h"

#include <doctest/doctest.h>

namespace ptxmc::report {
namespace {

std::string named(const std::string& source, std::uint64_t offset, std::uint64_t bytes = 4) {
  return element_name(source, 100, "tile", offset, bytes).value_or("");
}

TEST_CASE("an element of a shared array has the name that its declaration gives it") {
  CHECK_EQ(named("__shared__ int tile[128];", 256), "tile[64]");
  CHECK_EQ(named("__shared__ float other[2], tile[16][17]; // tile[3]\n", 68), "tile[1][0]");
  CHECK_EQ(named("__shared__ alignas(128) std::uint16_t tile[2][4][8];", 2 * (32 + 3 * 8 + 5), 2),
           "tile[1][3][5]");
  CHECK_EQ(named("extern __shared__ volatile double tile[];", 16, 8), "tile[2]");
  CHECK_EQ(named("__shared__ int tile[4][4];", 16, 16), "tile[1][0]");  // a vector of four
}

TEST_CASE("sides are numbers, constants, and sums and products of two") {
  CHECK_EQ(named("#define T 16\n__shared__ float tile[T][T + 1];", 68), "tile[1][0]");
  CHECK_EQ(named("constexpr int kSide = 8;\n__shared__ int tile[2 * 4][kSide];", 32), "tile[1][0]");
  CHECK_EQ(named("constexpr int kRows = 4, kSide = 8;\n__shared__ int tile[kRows][kSide];", 36),
           "tile[1][1]");
  CHECK_EQ(named("__shared__ int tile[4][f(8)];", 32), "");
  CHECK_EQ(named("template <int N> __global__ void k() { __shared__ int tile[4][N]; }", 32), "");
}

TEST_CASE("of several declarations the last one before the line counts") {
  const std::string source = "__shared__ int tile[8];\n// the next kernel\n__shared__ double tile[8];\n";
  CHECK_EQ(element_name(source, 0, "tile", 8, 8), std::nullopt);
  CHECK_EQ(element_name(source, 1, "tile", 8, 8), "tile[2]");
  CHECK_EQ(element_name(source, 2, "tile", 8, 8), "tile[2]");
  CHECK_EQ(element_name(source, 3, "tile", 8, 8), "tile[1]");
}

TEST_CASE("what is not certain has no name") {
  CHECK_EQ(named("__shared__ int tile;", 0), "");
  CHECK_EQ(named("__shared__ int other[4];", 0), "");
  CHECK_EQ(named("__shared__ Thing tile[4];", 0), "");
  CHECK_EQ(named("__shared__ int tile[4];", 2), "");  // within an element
  CHECK_EQ(named("__shared__ int tile[4];", 4, 2), "");
  CHECK_EQ(named("__shared__ int tile[4];", 16), "");  // beyond the end
}

}  // namespace
}  // namespace ptxmc::report
