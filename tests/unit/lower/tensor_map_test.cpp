// SPDX-License-Identifier: Apache-2.0
// Tensor maps: the bytes of boxes, what maps may be, and the events of a copy.
#include "lower/tensor_map.h"

#include "lowered.h"

namespace ptxmc::lower {
namespace {

using event::EventKind;

MapFields map_of(std::vector<std::int64_t> dims, std::vector<std::int64_t> strides,
                 std::vector<std::int64_t> box, std::int64_t swizzle = 0,
                 std::vector<std::int64_t> steps = {}) {
  litmus::TensorMap map;
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
  for (const Run& run : box_at(fields, coordinates).runs) {
    out += (out.empty() ? "" : " ") + std::to_string(run.global) + ">" + std::to_string(run.shared) + ":" +
           std::to_string(run.bytes);
  }
  return out;
}

std::string store(const std::string& map, const std::string& code, const std::string& more = "") {
  return one_thread(".global .u32 A[32]; .shared .u32 s[64]; " + map + more, code, "exists (true)");
}

const char* const kMap = ".global .tensormap tm = tensor(A, .u32, dims={8, 4}, box={4, 2});";
const char* const kStore = "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [tm, {0, 0}], [s];";

TEST_CASE("rows of a box are runs of bytes; those that continue each other are one") {
  const MapFields map = map_of({8, 4}, {32}, {4, 2});
  CHECK_EQ(map_problem(map).text, "");
  CHECK_EQ(runs_of(map, {0, 0}), "0>0:16 32>16:16");
  CHECK_EQ(runs_of(map, {4, 2}), "80>0:16 112>16:16");
  CHECK_EQ(runs_of(map_of({8, 4}, {}, {8, 2}), {0, 1}), "32>0:64");
  CHECK_EQ(box_at(map, {0, 0}).bytes, 32U);
}

TEST_CASE("what is outside of the tensor is in no run") {
  const MapFields map = map_of({8, 4}, {32}, {4, 2});
  CHECK_EQ(runs_of(map, {6, 0}), "24>0:8 56>16:8");
  CHECK_EQ(runs_of(map, {-1, -1}), "0>20:12");
  CHECK_EQ(runs_of(map, {0, 3}), "96>0:16");
  CHECK_EQ(runs_of(map, {8, 0}), "");
  CHECK_EQ(runs_of(map, {-4, 0}), "");
  CHECK_EQ(runs_of(map, {2147483647, -2147483647}), "");
  CHECK_EQ(box_at(map, {8, 0}).bytes, 32U);
}

TEST_CASE("traversal strides leave out rows; higher dimensions are outer ones") {
  CHECK_EQ(runs_of(map_of({4, 4}, {}, {4, 4}, 0, {1, 2}), {0, 1}), "16>0:16 48>16:16");
  CHECK_EQ(runs_of(map_of({4, 4}, {}, {4, 3}, 0, {1, 2}), {0, 0}), "0>0:16 32>16:16");
  CHECK_EQ(runs_of(map_of({4, 2, 3}, {}, {4, 1, 2}), {0, 1, 0}), "16>0:16 48>16:16");
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

TEST_CASE("a map that nothing writes is not read; one that something replaces is") {
  const auto constant = lowered(store(kMap, kStore));
  CHECK_EQ(events_of(constant, EventKind::read).size(), 1U);
  CHECK_EQ(events_of(constant, EventKind::write).size(), 1U);
  const auto changed = lowered(
      store(kMap, "tensormap.replace.tile.global_dim.global.b1024.b32 [tm], 1, 2;" + std::string(kStore)));
  std::size_t of_map = 0;
  for (const auto e : events_of(changed, EventKind::read))
    of_map += changed.events[e].labels.proxy == isa::Proxy::tensormap;
  CHECK_EQ(of_map, 1U);
}

TEST_CASE("tensor copies that are wrong") {
  const auto wrong = [](const std::string& map, const std::string& code, const std::string& part) {
    CHECK(fails_with(store(map, code), part));
  };
  wrong(kMap, "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [tm, {0}], [s];",
        "a tensor of 2 dimensions, accessed as one of 1");
  wrong(kMap, "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [A, {0, 0}], [s];",
        "A holds no tensor map");
  wrong(kMap, "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [s, {0, 0}], [s];",
        "a tensor map is in .global, .const or .param memory");
  wrong(kMap, "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [tm, {0, 0}], [A];", "is .global");
  wrong(kMap, "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [tm, {0, 0}], [s+240];",
        "outside of s");
  wrong(kMap,
        "ld.global.u32 %r0, [A]; cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [tm, {%r0, 0}], "
        "[s];",
        "a coordinate that is not constant");
  wrong(".global .tensormap tm = tensor(A, .u32, dims={8, 5}, box={4, 2});",
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [tm, {0, 3}], [s];", "outside of A");
  wrong(".global .tensormap tm = tensor(s, .u32, dims={8, 4}, box={4, 2});", kStore,
        "no address of global memory");
  wrong(".global .tensormap tm = tensor(A, .u32, dims={8, 4}, box={4, 2}, fill=nan);", kStore,
        "fills with NaN");
  wrong(".global .tensormap tm = tensor(A, .u32, dims={8, 4}, box={4, 2}, interleave=16);", kStore,
        "interleaving");
  wrong(".global .tensormap tm = tensor(A, .f32, dims={8, 4}, box={4, 2});",
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [tm, {0, 0}], [s];",
        "`.add` of elements of type .f32");
  wrong(".global .tensormap tm = tensor(A, .s32, dims={8, 4}, box={4, 2});",
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.inc.tile.bulk_group [tm, {0, 0}], [s];",
        "`.inc` of elements of type .s32");
}

TEST_CASE("tensor maps that are changed in a wrong way") {
  const auto wrong = [](const std::string& code, const std::string& part) {
    CHECK(fails_with(store(kMap, code, " .const .tensormap tc = tensor(A, .u32, dims={8}, box={4});"), part));
  };
  wrong("tensormap.replace.tile.box_dim.global.b1024.b32 [tm], 5, 1;", "ordinal 5, expected 0 to 4");
  wrong("tensormap.replace.tile.global_stride.global.b1024.b64 [tm], 4, 16;", "ordinal 4, expected 0 to 3");
  wrong("tensormap.replace.tile.elemtype.global.b1024.b32 [tm], 13;", "expected 0 to 12");
  wrong("tensormap.replace.tile.swizzle_mode.global.b1024.b32 [tm], 4;", "expected 0 to 3");
  wrong("tensormap.replace.tile.fill_mode.global.b1024.b32 [tm], 1;", "fills with NaN");
  wrong("tensormap.replace.tile.interleave_layout.global.b1024.b32 [tm], 1;", "interleaving");
  wrong("tensormap.replace.tile.rank.b1024.b32 [tc], 1;", "acts on .global and .shared::cta memory");
  wrong("ld.global.u32 %r0, [A]; tensormap.replace.tile.rank.global.b1024.b32 [tm], %r0;", "not constant");
  wrong("fence.proxy.tensormap::generic.acquire.gpu [tm], 64;", "size 64, expected 128");
  wrong("fence.proxy.tensormap::generic.acquire.gpu [tc], 128;", "is .const, the access is .global");
  wrong(
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [tm], [s], 64;",
      "expected 128");
  wrong("prefetch.param.tensormap [tc];", "is .const, the access is .param");
}

}  // namespace
}  // namespace ptxmc::lower
