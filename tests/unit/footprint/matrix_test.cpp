// SPDX-License-Identifier: Apache-2.0
// Matrices in shared memory: their bytes, and their descriptors.
#include "ptx/footprint/matrix.h"

#include <doctest/doctest.h>

#include <string>

namespace ptxmc::footprint {
namespace {

/// "0+128 256+128": begins and sizes.
std::string bytes(const MatrixSize& size, const MatrixLayout& layout, std::int64_t start = 0) {
  std::string out;
  for (const Range& range : bytes_of(size, layout, start))
    out += (out.empty() ? "" : " ") + std::to_string(range.begin) + "+" + std::to_string(range.bytes);
  return out;
}

TEST_CASE("footprints without swizzling") {
  const MatrixSize a{64, 16, 16}, b{8, 16, 16};
  CHECK(bytes(a, packed_layout(a, 0, false)) == "0+2048");
  CHECK(bytes(b, packed_layout(b, 0, false), 64) == "64+256");
  CHECK(bytes(b, packed_layout(b, 0, true)) == "0+256");
  MatrixLayout spread = packed_layout(b, 0, false);
  spread.leading = 256;
  CHECK(bytes(b, spread) == "0+128 256+128");
  MatrixLayout rows = packed_layout({16, 16, 16}, 0, false);
  rows.stride = 512;
  CHECK(bytes({16, 16, 16}, rows) == "0+256 512+256");
}

TEST_CASE("footprints with swizzling: units of 16 bytes change places within their rows") {
  const MatrixSize b{8, 16, 16};
  CHECK(bytes(b, packed_layout(b, 32, false)) == "0+256");
  CHECK(bytes(b, packed_layout(b, 128, false)) == "0+32 128+32 288+32 416+32 576+32 704+32 864+32 992+32");
  CHECK(bytes(b, packed_layout(b, 64, false)) == "0+32 64+32 128+32 192+32 288+32 352+32 416+32 480+32");
  MatrixLayout shifted = packed_layout(b, 128, false);
  shifted.base_offset = 2;
  CHECK(bytes(b, shifted) == "96+32 224+64 384+32 544+32 672+32 832+32 960+32");
  const MatrixSize wide{64, 16, 16};  // MN-major: a row is of 64 elements of M, 128 bytes
  CHECK(bytes(wide, packed_layout(wide, 128, true)) == "0+2048");
}

TEST_CASE("a descriptor says what it was made of") {
  for (const MatrixUnit unit : {MatrixUnit::wgmma, MatrixUnit::tcgen05}) {
    for (const std::int64_t swizzle : {0, 32, 64, 128}) {
      CAPTURE(swizzle);
      const MatrixLayout layout{128, 1024, swizzle, 5, false};
      Problem problem;
      const MatrixDescriptor read =
          decode_descriptor(unit, encode_descriptor(unit, {0x2340, layout}), problem);
      CHECK(problem.text.empty());
      CHECK(read.start == 0x2340);
      CHECK(read.layout.leading == 128);
      CHECK(read.layout.stride == 1024);
      CHECK(read.layout.swizzle == swizzle);
      CHECK(read.layout.base_offset == 5);
    }
  }
}

TEST_CASE("bits of a descriptor, as the manual numbers them") {
  Problem problem;
  CHECK(encode_descriptor(MatrixUnit::wgmma, {0x100, {16, 32, 128, 0, false}}) == 0x4000000200010010);
  CHECK(encode_descriptor(MatrixUnit::tcgen05, {0x100, {16, 32, 128, 0, false}}) == 0x4000400200010010);
  CHECK(decode_descriptor(MatrixUnit::tcgen05, 0x4000400200010010, problem).layout.swizzle == 128);
  CHECK(problem.text.empty());
  decode_descriptor(MatrixUnit::tcgen05, 0x4000000200010010, problem);  // bits 46-48
  CHECK(problem.text.find("46-48") != std::string::npos);
  CHECK_FALSE(problem.unsupported);
  problem = {};
  decode_descriptor(MatrixUnit::tcgen05, 0x2000400200010010, problem);  // 32-byte atoms
  CHECK(problem.unsupported);
  problem = {};
  decode_descriptor(MatrixUnit::tcgen05, 0x4010400200010010, problem);  // an absolute leading dimension
  CHECK(problem.unsupported);
}

TEST_CASE(
    "lines of a wmma fragment are as far apart as the stride says; those that meet are one (9.7.13.3)") {
  const auto lines = [](const FragmentLayout& layout) {
    std::string out;
    for (const Range& range : fragment_lines(layout))
      out += std::to_string(range.begin) + ":" + std::to_string(range.bytes) + " ";
    return out;
  };
  CHECK_EQ(lines({3, 16, 16, 16}), "0:96 ");
  CHECK_EQ(lines({3, 16, 16, 24}), "0:32 48:32 96:32 ");
  CHECK_EQ(lines({2, 32, 4, 64}), "0:16 32:16 ");
}

}  // namespace
}  // namespace ptxmc::footprint
