// SPDX-License-Identifier: Apache-2.0
// Columns of pixels (5.5.4): the examples of the manual against loops over N, H and W, and what is refused.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "ptx/footprint/tensor_map.h"

namespace ptxmc::footprint {
namespace {

using isa::LoadMode;
using Numbers = std::vector<std::int64_t>;

constexpr std::int64_t kElement = 2;  // bytes, .f16

MapFields map_of(Numbers dims, Numbers lower, Numbers upper, std::int64_t channels, std::int64_t pixels,
                 Numbers steps = {}, LoadMode mode = LoadMode::im2col, std::int64_t swizzle = 0) {
  TiledMap map;
  map.element = isa::TensorElement::f16;
  map.dims = std::move(dims);
  map.steps = std::move(steps);
  map.swizzle = swizzle;
  map.pixels = PixelBox{mode, std::move(lower), std::move(upper), channels, pixels};
  return fields_of(map, 0x1000);
}

/// For each byte of the box the byte of the tensor; -1: none.
Numbers bytes_of(const Box& box) {
  Numbers out(box.bytes, -1);
  for (const Run& run : box.runs) {
    for (std::int64_t i = 0; i < run.bytes; ++i)
      out.at(static_cast<std::size_t>(run.shared + i)) = run.global + i;
  }
  return out;
}

struct Example {
  std::int64_t c, w, h, n;  // sizes of the tensor
  std::int64_t lower_w, lower_h, upper_w, upper_h, channels, pixels, step;
  Numbers at, offsets;
};

/// 5.5.4.1 and 5.5.4.2, as they are written: from the filter base on through the bounding box, W, then H, then N.
Numbers naive(const Example& e) {
  Numbers out;
  std::int64_t left = e.pixels;
  for (std::int64_t n = e.at[3]; left > 0; ++n) {
    for (std::int64_t h = n == e.at[3] ? e.at[2] : e.lower_h; h <= e.h - 1 + e.upper_h; h += e.step) {
      const bool first = n == e.at[3] && h == e.at[2];
      for (std::int64_t w = first ? e.at[1] : e.lower_w; w <= e.w - 1 + e.upper_w && left > 0;
           w += e.step, --left) {
        for (std::int64_t c = e.at[0]; c < e.at[0] + e.channels; ++c) {
          const std::int64_t y = h + e.offsets[1], x = w + e.offsets[0];
          const bool inside = n < e.n && y >= 0 && y < e.h && x >= 0 && x < e.w && c >= 0 && c < e.c;
          const std::int64_t begin = (((n * e.h + y) * e.w + x) * e.c + c) * kElement;
          for (std::int64_t b = 0; b < kElement; ++b) out.push_back(inside ? begin + b : -1);
        }
      }
    }
  }
  return out;
}

TEST_CASE("the examples of 5.5.4.1 and 5.5.4.2, and others, pixel by pixel") {
  const Example examples[] = {
      {64, 9, 14, 64, -1, -1, -1, -1, 8, 64, 1, {7, 7, 4, 0}, {0, 0}},   // figure 9
      {64, 9, 14, 64, 0, 0, -2, -2, 8, 64, 1, {7, 6, 4, 0}, {2, 2}},     // figure 10, but for its W: below
      {64, 8, 14, 64, -1, -1, -1, -1, 16, 32, 2, {7, 5, 5, 0}, {1, 1}},  // figure 11, as W of 8 allows it
      {16,
       5,
       4,
       2,
       -1,
       -1,
       -1,
       -1,
       8,
       40,
       1,
       {12, -1, -1, 0},
       {2, 2}},  // beyond the last image, and the channels
      {16, 5, 4, 3, -2, 0, 1, -1, 8, 50, 2, {-4, -2, 1, 1}, {0, 3}},
  };
  for (const Example& e : examples) {
    const MapFields map = map_of({e.c, e.w, e.h, e.n}, {e.lower_w, e.lower_h}, {e.upper_w, e.upper_h},
                                 e.channels, e.pixels, {1, e.step, e.step, 1});
    CHECK_EQ(map_problem(map, LoadMode::im2col).text, "");
    Numbers places = e.at;
    places.insert(places.end(), e.offsets.begin(), e.offsets.end());
    CHECK_EQ(place_problem(map, LoadMode::im2col, places).text, "");
    CHECK(bytes_of(box_of(map, LoadMode::im2col, places)) == naive(e));
  }
}

TEST_CASE("the filter base is inside of the bounding box (5.5.4.1)") {
  const MapFields map = map_of({64, 9, 14, 64}, {0, 0}, {-2, -2}, 8, 64);
  const auto problem = [&](const Numbers& places) {
    return place_problem(map, LoadMode::im2col, places).text;
  };
  CHECK_EQ(problem({0, 6, 4, 0, 2, 2}), "");
  // Example 2 of the manual has W = 7, which its own box does not.
  CHECK_EQ(problem({7, 7, 4, 0, 2, 2}),
           "coordinate 7 of dimension 1 is outside of the box of pixels, 0 to 6 (5.5.4.1)");
  CHECK_EQ(problem({0, 0, -1, 0, 2, 2}),
           "coordinate -1 of dimension 2 is outside of the box of pixels, 0 to 11 (5.5.4.1)");
  CHECK_EQ(problem({0, 0, 0, 0, 256, 2}), "offset 256 of dimension 1, expected 0 to 255 (5.5.4.1)");
  CHECK_EQ(problem({-5, 0, 0, -1, 0, 0}), "");  // C and N are as in tiled mode
}

TEST_CASE("im2col_no_offs is im2col without offsets") {
  const MapFields map = map_of({16, 5, 4, 2}, {-1, 0}, {0, -1}, 8, 12);
  const Box with = box_of(map, LoadMode::im2col, {0, -1, 1, 0, 0, 0});
  const Box without = box_of(map, LoadMode::im2col_no_offsets, {0, -1, 1, 0});
  CHECK(bytes_of(with) == bytes_of(without));
  CHECK_EQ(without.bytes, 12U * 8 * kElement);
}

TEST_CASE("W alone: pixels of one row, of the map's number or 128") {
  constexpr std::int64_t kChannels = 32;
  const MapFields map = map_of({kChannels, 6, 3}, {-1}, {0}, kChannels, 4, {}, LoadMode::im2col_w, 64);
  CHECK_EQ(map_problem(map, LoadMode::im2col_w).text, "");
  CHECK_EQ(place_problem(map, LoadMode::im2col_w, {0, 1, 2, 0, 1}).text, "");
  const Box box = box_of(map, LoadMode::im2col_w, {0, 1, 2, 0, 1});
  CHECK_EQ(box.bytes, 4U * kChannels * kElement);
  // Swizzled: of a pixel of 64 bytes the units of 16 change places within it.
  std::vector<std::int64_t> pixels;
  for (const Run& run : box.runs) {
    for (std::int64_t at = 0; at < run.bytes; at += 16)
      pixels.push_back((run.global + at) / (kChannels * kElement) * 100 +
                       (run.shared + at) / (kChannels * kElement));
  }
  for (std::size_t i = 0; i < pixels.size(); ++i)
    CHECK_EQ(pixels[i], static_cast<std::int64_t>((2 * 6 + 2 + i / 4) * 100 + i / 4));
  CHECK_EQ(pixels.size(), 16U);
  const MapFields wide = map_of({kChannels, 200, 3}, {0}, {0}, kChannels, 4, {}, LoadMode::im2col_w_128, 64);
  CHECK_EQ(map_problem(wide, LoadMode::im2col_w_128).text, "");
  CHECK_EQ(box_of(wide, LoadMode::im2col_w_128, {0, 0, 0, 0, 0}).bytes, 128U * kChannels * kElement);
}

TEST_CASE("W alone: what the manual shows in pictures only is not supported") {
  const MapFields map = map_of({32, 6, 3}, {-1}, {0}, 32, 4, {}, LoadMode::im2col_w, 64);
  const auto problem = [&](const Numbers& places) { return place_problem(map, LoadMode::im2col_w, places); };
  CHECK(problem({0, 0, 0, 1, 0}).unsupported);
  CHECK(problem({0, 3, 0, 0, 0}).unsupported);
  CHECK(!problem({0, 2, 0, 0, 0}).unsupported);
  CHECK_EQ(problem({0, 2, 0, 0, 0}).text, "");
}

TEST_CASE("maps that no copy of columns can go through") {
  const auto mentions = [](const MapFields& map, LoadMode mode, const std::string& part) {
    const std::string found = map_problem(map, mode).text;
    CAPTURE(found);
    CHECK_NE(found.find(part), std::string::npos);
  };
  const MapFields good = map_of({16, 5, 4, 2}, {0, 0}, {0, 0}, 8, 4);
  mentions(good, LoadMode::tile, "in im2col mode, by a copy of tiles");
  mentions(good, LoadMode::im2col_w, "a tensor map for .im2col, by a copy in mode .im2col::w");
  TiledMap tiled;
  tiled.element = isa::TensorElement::f16;
  tiled.dims = {16, 5, 4};
  tiled.box = {8, 2, 2};
  mentions(fields_of(tiled, 0), LoadMode::im2col, "in tiled mode, by a copy in im2col mode");
  mentions(map_of({16, 5}, {}, {}, 8, 4), LoadMode::im2col, "2 dimensions in im2col mode, expected 3 to 5");
  mentions(map_of({16, 5, 4, 2}, {0, 0}, {0, 0}, 257, 4), LoadMode::im2col, "257 channels of a pixel");
  mentions(map_of({16, 5, 4, 2}, {0, 0}, {0, 0}, 8, 1025), LoadMode::im2col, "1025 pixels of a column");
  mentions(map_of({16, 5, 4, 2}, {0, 0}, {0, 0}, 4, 4), LoadMode::im2col,
           "8 bytes, expected a multiple of 16");
  mentions(map_of({16, 5, 4, 2}, {-129, 0}, {0, 0}, 8, 4), LoadMode::im2col, "expected -128 to 127");
  mentions(map_of({16, 5, 4, 3, 2}, {0, 0, 16}, {0, 0, 0}, 8, 4), LoadMode::im2col, "expected -16 to 15");
  mentions(map_of({16, 5, 4, 2}, {3, 0}, {-2, 0}, 8, 4), LoadMode::im2col,
           "is empty in dimension 1: from 3 to 2");
  mentions(map_of({16, 5, 4, 2}, {0, 0}, {0, 0}, 8, 4, {1, 9, 1, 1}), LoadMode::im2col, "expected 1 to 8");
  mentions(map_of({512, 50, 40, 2}, {0, 0}, {0, 0}, 256, 1024), LoadMode::im2col,
           "larger than shared memory");
  mentions(map_of({32, 6, 3}, {0}, {0}, 32, 4, {}, LoadMode::im2col_w), LoadMode::im2col_w,
           "has a swizzling mode");
}

TEST_CASE("the corners of a map are kept apart, with their signs") {
  const MapFields map = map_of({16, 9, 8, 7, 2}, {-1, -2, -3}, {1, 2, -3}, 8, 4);
  CHECK_EQ(map_problem(map, LoadMode::im2col).text, "");
  const auto in_box = [&](std::int64_t w, std::int64_t h, std::int64_t d) {
    return place_problem(map, LoadMode::im2col_no_offsets, {0, w, h, d, 0}).text.empty();
  };
  CHECK(in_box(-1, -2, -3));
  CHECK(in_box(9, 9, 3));
  CHECK(!in_box(-2, -2, -3));
  CHECK(!in_box(-1, -3, -3));
  CHECK(!in_box(-1, -2, -4));
  CHECK(!in_box(10, 9, 3));
  CHECK(!in_box(9, 10, 3));
  CHECK(!in_box(9, 9, 4));
}

/// Where each slice of a box comes from, in units of 2 bytes; -1: filled.
Numbers slices_of(Numbers dims, Numbers strides, Numbers lower, Numbers upper, std::int64_t pixels,
                  Numbers steps, const Numbers& places, std::int64_t channels = 8) {
  TiledMap map;
  map.element = isa::TensorElement::u16;
  map.interleave = 16;
  map.dims = std::move(dims);
  map.strides = std::move(strides);
  map.steps = std::move(steps);
  map.pixels = PixelBox{LoadMode::im2col, std::move(lower), std::move(upper), channels, pixels};
  const MapFields fields = fields_of(map, 0x1000);
  CHECK_EQ(map_problem(fields, LoadMode::im2col).text, "");
  CHECK_EQ(place_problem(fields, LoadMode::im2col, places).text, "");
  const Numbers bytes = bytes_of(box_of(fields, LoadMode::im2col, places));
  Numbers out;
  for (std::size_t at = 0; at < bytes.size(); at += 16) out.push_back(bytes[at] < 0 ? -1 : bytes[at] / 2);
  return out;
}

// What an H100 (driver 580) copies through maps that cuTensorMapEncodeIm2col makes of the same numbers.
TEST_CASE("columns of an interleaved tensor: W, H, slices, N; a pixel has one slice") {
  const Numbers planes = {9, 4, 3, 2}, strides = {256, 1024, 8192};
  for (const std::int64_t channels : {8, 16}) {
    CHECK(slices_of(planes, strides, {0, 0}, {0, 0}, 12, {}, {6, 1, 1, 0, 0, 1}, channels) ==
          Numbers{816, 824, 832, 896, 904, 912, 920, 928, 936, 944, 952, 960});
  }
  CHECK(slices_of(planes, strides, {0, 0}, {-2, -1}, 12, {2, 1, 1, 1}, {5, 1, 2, 0, 0, 1}) ==
        Numbers{1320, 1408, 1424, 1440, 1456, 5248, 5264, 5280, 5296, 5376, 5392, 5408});
  CHECK(slices_of(planes, strides, {-1, -1}, {0, 0}, 12, {}, {-1, -1, 0, 0, 0, 1}) ==
        Numbers{-1, 0, 8, 16, 24, 32, 40, 48, 56, 64, -1, 128});
  CHECK(slices_of(planes, strides, {0, 0}, {0, 0}, 20, {}, {5, 2, 1, 0, 0, 1}) ==
        Numbers{936, 944, 952, 960,  -1,   -1,   -1,   -1,   -1,   -1,
                -1,  -1,  -1,  4736, 4744, 4752, 4760, 4768, 4776, 4784});
  CHECK(slices_of({9, 3, 2}, {1024, 8192}, {0}, {0}, 12, {}, {6, 1, 0, 0}) ==
        Numbers{560, 568, 576, 4608, 4616, 4624, 4632, 4640, 4648, 4656, 4664, 4672});
}

}  // namespace
}  // namespace ptxmc::footprint
