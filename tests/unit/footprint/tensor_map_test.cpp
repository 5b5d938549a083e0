// SPDX-License-Identifier: Apache-2.0
// Tensor maps: the bytes of boxes, and what maps may be.
#include "ptx/footprint/tensor_map.h"

#include <doctest/doctest.h>

#include <set>

#include "ptx/rules/reductions.h"

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

TEST_CASE("which elements a tensor copy reduces (9.7.8.24.10)") {
  using isa::AtomicOp;
  using isa::TensorElement;
  CHECK(rules::reduced_type(AtomicOp::add, TensorElement::f32).has_value());
  CHECK(!rules::reduced_type(AtomicOp::add, TensorElement::s64).has_value());
  CHECK(!rules::reduced_type(AtomicOp::add, TensorElement::u8).has_value());
  CHECK(rules::reduced_type(AtomicOp::max, TensorElement::s64).has_value());
  CHECK(!rules::reduced_type(AtomicOp::min, TensorElement::f32).has_value());
  CHECK(rules::reduced_type(AtomicOp::inc, TensorElement::u32).has_value());
  CHECK(!rules::reduced_type(AtomicOp::inc, TensorElement::s32).has_value());
  CHECK(rules::reduced_type(AtomicOp::and_, TensorElement::u64).has_value());
  CHECK(!rules::reduced_type(AtomicOp::and_, TensorElement::bf16).has_value());
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

/// Where each unit of 16 bytes of a box comes from, in units of 2 bytes, as a kernel of these reads them back; -1: filled.
std::vector<std::int64_t> units_of(const MapFields& fields, const std::vector<std::int64_t>& places,
                                   isa::LoadMode mode = isa::LoadMode::tile) {
  const Box box = box_of(fields, mode, places);
  std::vector<std::int64_t> out(box.bytes / 16, -1);
  for (const Run& run : box.runs) {
    for (std::int64_t at = 0; at < run.bytes; at += 16)
      out.at(static_cast<std::size_t>(run.shared + at) / 16) = (run.global + at) / 2;
  }
  return out;
}

MapFields interleaved(std::int64_t bytes, std::vector<std::int64_t> dims, std::vector<std::int64_t> strides,
                      std::vector<std::int64_t> box, std::int64_t swizzle = 0,
                      std::vector<std::int64_t> steps = {}) {
  TiledMap map;
  map.element = isa::TensorElement::u16;
  map.interleave = bytes;
  map.dims = std::move(dims);
  map.strides = std::move(strides);
  map.box = std::move(box);
  map.steps = std::move(steps);
  map.swizzle = swizzle;
  return fields_of(map, 0x1000);
}

using Units = std::vector<std::int64_t>;

// What an H100 (driver 580) copies through maps that cuTensorMapEncodeTiled makes of the same numbers.
TEST_CASE("interleaved tensors have a slice of channels at each place (5.5.5)") {
  const MapFields flat = interleaved(16, {24, 24, 3}, {1024, 16384}, {8, 24, 2});
  CHECK_EQ(map_problem(flat).text, "");
  CHECK(units_of(flat, {0, 0, 0}) ==
        Units{0, 8, 16, 24, 32, 40, 48, 56, 8192, 8200, 8208, 8216, 8224, 8232, 8240, 8248});
  const MapFields one = interleaved(16, {24, 24, 3}, {1024, 16384}, {8, 24, 1});
  CHECK(units_of(one, {22, 2, 1}) == Units{9392, 9400, -1, -1, -1, -1, -1, -1});
  CHECK(units_of(one, {0, 3, 1}) == Units{9728, 9736, 9744, 9752, 9760, 9768, 9776, 9784});
  CHECK(units_of(one, {-1, -1, -1}) == Units(8, -1));
  // sizes and coordinates count slices, also where the type is another
  CHECK(units_of(interleaved(16, {24, 3, 3}, {1024, 16384}, {8, 1, 1}), {0, 3, 0}) == Units(8, -1));
  // steps: in W; a box has one slice, whatever its size and step there
  CHECK(units_of(interleaved(16, {24, 24, 3}, {1024, 16384}, {8, 16, 1}, 0, {2, 1, 1}), {0, 0, 0}) ==
        Units{0, 16, 32, 48});
  CHECK(units_of(interleaved(16, {24, 64, 3}, {1024, 16384}, {8, 32, 1}, 0, {1, 2, 1}), {0, 1, 0}) ==
        Units{512, 520, 528, 536, 544, 552, 560, 568});
}

TEST_CASE("interleaved tensors of 4 and 5 dimensions, swizzled, and of slices of 32 bytes") {
  const MapFields planes = interleaved(16, {9, 4, 3, 2}, {256, 1024, 8192}, {8, 4, 16, 2}, 128, {1, 2, 1, 1});
  CHECK(units_of(planes, {3, 1, 1, 0}) ==
        Units{664,  672,  680,  688,  696, 704, -1,   -1,   928,  920,  944,  936,  960, 952, -1,   -1,
              4776, 4784, 4760, 4768, -1,  -1,  4792, 4800, 5040, 5032, 5024, 5016, -1,  -1,  5056, 5048});
  const MapFields volume = interleaved(16, {9, 2, 2, 3, 2}, {256, 512, 1024, 8192}, {8, 2, 2, 1, 1}, 64);
  CHECK(units_of(volume, {3, 0, 0, 2, 0}) == Units{1048, 1056, 1064, 1072, 1080, 1088, -1,   -1,
                                                   1184, 1176, 1200, 1192, 1216, 1208, -1,   -1,
                                                   1320, 1328, 1304, 1312, -1,   -1,   1336, 1344,
                                                   1456, 1448, 1440, 1432, -1,   -1,   1472, 1464});
  CHECK(units_of(interleaved(32, {24, 64, 3}, {1024, 16384}, {8, 16, 1}, 32), {0, 1, 0}) ==
        Units{512, 520, 528, 536, 544, 552, 560, 568, 584, 576, 600, 592, 616, 608, 632, 624});
  CHECK(units_of(interleaved(16, {24, 64, 3}, {1024, 16384}, {24, 16, 1}, 32), {0, 0, 0}) ==
        Units{0,   8,  16,  24,  32,  40,  48,  56,  72,  64,  88,  80,
              104, 96, 120, 112, 128, 136, 144, 152, 160, 168, 176, 184});
  CHECK_EQ(box_of(interleaved(16, {9, 2, 2}, {1024, 8192}, {16, 1, 1}), isa::LoadMode::tile, {0, 0, 0}).bytes,
           256U);
  // without strides places lie one behind the other
  CHECK(units_of(interleaved(16, {2, 2, 1}, {}, {2, 1, 1}), {0, 1, 0}) == Units{16, 24});
}

TEST_CASE("what interleaved layouts ask for") {
  CHECK_EQ(map_problem(interleaved(16, {24, 64}, {1024}, {8, 1})).text,
           "a tensor of 2 dimensions with an interleaved layout, expected 3 to 5 (5.5.5)");
  CHECK_EQ(map_problem(interleaved(32, {24, 64, 3}, {1040, 16384}, {8, 1, 1}, 32)).text,
           "stride 1 of the tensor map is 1040 bytes, expected a multiple of 32");
  CHECK_EQ(
      map_problem(interleaved(32, {24, 64, 3}, {1024, 16384}, {8, 1, 1})).text,
      "interleaved slices of 32 bytes with a swizzling of 0 bytes, expected 32 (cuTensorMapEncodeTiled)");
  MapFields moved = interleaved(32, {24, 64, 3}, {1024, 16384}, {8, 1, 1}, 32);
  CHECK_EQ(map_problem(moved).text, "");
  moved[0] += 16;
  CHECK_EQ(map_problem(moved).text, "the tensor is not aligned to 32 bytes");
  CHECK_EQ(map_problem(interleaved(16, {24, 64, 3}, {1024, 16384}, {8, 1, 1}, 0, {9, 1, 1})).text,
           "step 0 of the tensor map is 9, expected 1 to 8");
}

}  // namespace
}  // namespace ptxmc::footprint
