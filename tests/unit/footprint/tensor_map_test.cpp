// SPDX-License-Identifier: Apache-2.0
// Tensor maps: the bytes of boxes, and what maps may be.
#include "footprint/tensor_map.h"

#include <doctest/doctest.h>

#include <set>

namespace ptxmc::footprint {
namespace {

MapFields map_of(std::vector<std::int64_t> dims, std::vector<std::int64_t> strides,
                 std::vector<std::int64_t> box, std::int64_t swizzle = 0,
                 std::vector<std::int64_t> steps = {}) {
  TiledMap map;
  map.dims = std::move(dims);
  map.strides = std::move(strides);
  map.box = std::move(box);
  map.steps = std::move(steps);
  map.swizzle = swizzle;
  return fields_of(map, 0x1000);
}

/// "global>shared:bytes" of every run.
std::string runs_of(const MapFields& fields, const std::vector<std::int64_t>& coordinates) {
  std::string out;
  for (const Run& run : box_of(fields, isa::LoadMode::tile, coordinates).runs) {
    out += (out.empty() ? "" : " ") + std::to_string(run.global) + ">" + std::to_string(run.shared) + ":" +
           std::to_string(run.bytes);
  }
  return out;
}

TEST_CASE("rows of a box are runs of bytes; those that continue each other are one") {
  const MapFields map = map_of({8, 4}, {32}, {4, 2});
  CHECK_EQ(map_problem(map).text, "");
  CHECK_EQ(runs_of(map, {0, 0}), "0>0:16 32>16:16");
  CHECK_EQ(runs_of(map, {4, 2}), "80>0:16 112>16:16");
  CHECK_EQ(runs_of(map_of({8, 4}, {}, {8, 2}), {0, 1}), "32>0:64");
  CHECK_EQ(box_of(map, isa::LoadMode::tile, {0, 0}).bytes, 32U);
}

TEST_CASE("what is outside of the tensor is in no run") {
  const MapFields map = map_of({8, 4}, {32}, {4, 2});
  CHECK_EQ(runs_of(map, {6, 0}), "24>0:8 56>16:8");
  CHECK_EQ(runs_of(map, {-1, -1}), "0>20:12");
  CHECK_EQ(runs_of(map, {0, 3}), "96>0:16");
  CHECK_EQ(runs_of(map, {8, 0}), "");
  CHECK_EQ(runs_of(map, {-4, 0}), "");
  CHECK_EQ(runs_of(map, {2147483647, -2147483647}), "");
  CHECK_EQ(box_of(map, isa::LoadMode::tile, {8, 0}).bytes, 32U);
}

TEST_CASE("traversal strides leave out rows; higher dimensions are outer ones") {
  CHECK_EQ(runs_of(map_of({4, 4}, {}, {4, 4}, 0, {1, 2}), {0, 1}), "16>0:16 48>16:16");
  CHECK_EQ(runs_of(map_of({4, 4}, {}, {4, 3}, 0, {1, 2}), {0, 0}), "0>0:16 32>16:16");
  CHECK_EQ(runs_of(map_of({4, 2, 3}, {}, {4, 1, 2}), {0, 1, 0}), "16>0:16 48>16:16");
}

TEST_CASE("rows by their numbers lie one behind the other (tile::gather4)") {
  const MapFields map = map_of({8, 4}, {32}, {4, 1});
  CHECK_EQ(map_problem(map, isa::LoadMode::gather4).text, "");
  CHECK_EQ(map_problem(map_of({8, 4}, {32}, {4, 2}), isa::LoadMode::gather4).text,
           "box dimension 1 of the tensor map is 2, expected 1: rows have coordinates of their own");
  std::string runs;
  const Box box = box_of(map, isa::LoadMode::gather4, {6, 3, -1, 4, 0});
  for (const Run& run : box.runs) {
    runs +=
        std::to_string(run.global) + ">" + std::to_string(run.shared) + ":" + std::to_string(run.bytes) + " ";
  }
  CHECK_EQ(runs, "120>0:8 24>48:8 ");
  CHECK_EQ(box.bytes, 64U);
}

TEST_CASE("only floating numbers have one to fill with that is none") {
  TiledMap map;
  map.dims = map.box = {4};
  map.fill_nan = true;
  CHECK_EQ(map_problem(fields_of(map, 0)).text, "a tensor map of integers has no NaN to fill with");
  map.element = isa::TensorElement::bf16;
  map.dims = map.box = {8};
  CHECK_EQ(map_problem(fields_of(map, 0)).text, "");
  CHECK(fills_with_nan(fields_of(map, 0)));
}

TEST_CASE("swizzling permutes units of 16 bytes (figures 13 to 20 of 5.5.6)") {
  const MapFields map = map_of({8, 64}, {}, {8, 8}, 32);
  CHECK_EQ(map_problem(map).text, "");
  CHECK_EQ(runs_of(map, {0, 0}),
           "0>0:128 128>144:16 144>128:16 160>176:16 176>160:16 192>208:16 208>192:16 224>240:16 240>224:16");
}

TEST_CASE("maps that no copy can go through") {
  const auto mentions = [](const MapFields& map, const std::string& part) {
    const std::string found = map_problem(map).text;
    CAPTURE(found);
    CHECK_NE(found.find(part), std::string::npos);
  };
  mentions(map_of({8, 4}, {20}, {4, 2}), "stride 1 of the tensor map is 20");
  mentions(map_of({7, 4}, {}, {4, 2}), "stride 1 of the tensor map is 28");
  mentions(map_of({8}, {}, {3}), "a row of the box has 12 bytes");
  mentions(map_of({8}, {}, {257}), "expected 1 to 256");
  mentions(map_of({8}, {}, {4}, 0, {2}), "step 0");
  mentions(map_of({8, 8}, {}, {4, 4}, 0, {1, 9}), "expected 1 to 8");
  mentions(map_of({16}, {}, {16}, 32), "expected 32, those of the swizzling pattern");
  mentions(map_of({16}, {}, {4}, 32), "shorter than those of the swizzling pattern");
  mentions(map_of({256, 256, 256}, {}, {256, 256, 256}), "larger than shared memory");
  MapFields odd = map_of({8}, {}, {4});
  odd[0] += 8;
  mentions(odd, "not aligned to 16 bytes");
}

TEST_CASE("every field has bytes of its own") {
  std::int64_t end = 0;
  for (std::size_t f = 0; f < kMapFields; ++f) {
    CHECK_EQ(map_range(f).begin, end);
    CHECK_EQ(map_field_at(map_range(f)), f);
    end = map_range(f).end();
  }
  CHECK(end <= kMapBytes);
  CHECK(!map_field(isa::MapField::global_stride, 4));
  CHECK(!map_field(isa::MapField::box_dim, -1));
}

}  // namespace
}  // namespace ptxmc::footprint
