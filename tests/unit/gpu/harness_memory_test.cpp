// SPDX-License-Identifier: Apache-2.0
// Memory of several names, tensor maps and parameters in the harness.
#include <doctest/doctest.h>

#include <memory>

#include "gpu/harness/harness.h"
#include "gpu/text/facts.h"
#include "gpu/text/tensor_maps.h"
#include "input/litmus/parse.h"

using namespace ptxmc;
using namespace ptxmc::gpu;

namespace {

Harness written(const std::string& declarations, const std::string& threads,
                const std::string& condition = "exists (true)") {
  const std::string text = "PTX t\n{ " + declarations + " }\n" + threads + "\n" + condition + "\n";
  const program::Program test = litmus::parse(std::make_shared<Source>(Source{"test.litmus", text}));
  const Observation observation(test);
  return write_harness(test, observation, {});
}

std::string refused(const std::string& declarations, const std::string& threads) {
  try {
    written(declarations, threads);
  } catch (const CannotRun& error) {
    return error.what();
  }
  return "";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

const std::string kTensor = ".global .u32 A[8]; .shared .u32 s[8]; ";
const std::string kMap = ".global .tensormap tm = tensor(A, .u32, dims={8}, box={4});";
const std::string kCopy =
    "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [tm, {4}], [s]; cp.async.bulk.commit_group; ";

}  // namespace

TEST_CASE("a further name is a mapping more, at a constant distance") {
  const Harness h = written(".global .u32 x = 0; y aliases x; z aliases y;",
                            "P0 { st.weak.global.u32 [y], 1; ld.weak.global.u32 %r0, [z]; }");
  CHECK_EQ(h.mappings, 3);
  CHECK_EQ(h.variables, 1);
  CHECK(has(h.ptx, "mad.lo.u64 %hd_at_y, %hd_span, 1, %hd_at_x;"));
  CHECK(has(h.ptx, "mad.lo.u64 %hd_at_z, %hd_span, 2, %hd_at_x;"));
  CHECK(has(h.ptx, "st.weak.global.u32 [%hd_at_y], 1;"));
  CHECK_EQ(count(h.ptx, "fence.proxy.alias;"), 2);  // around the grid's barrier
  CHECK_FALSE(has(written(".global .u32 x = 0;", "P0 { st.weak.global.u32 [x], 1; }").ptx, "span"));
}

TEST_CASE("names of the constant proxy: the memory is a .const array, and a launch has one round") {
  const Harness h = written(".global .u32 x = 0; c @ constant aliases x;",
                            "P0 { st.weak.global.u32 [x], 1; ld.const.u32 %r0, [c]; }");
  CHECK_EQ(h.window_bytes, 65536);
  CHECK_EQ(h.most_rounds, 1);
  CHECK_EQ(h.blocks(264), 65536 / (2 * 128 * 16));
  CHECK_EQ(h.memory_bytes(h.blocks(264)), 65536);
  CHECK(has(h.ptx, ".const .align 256 .b8 ptxmc_window[65536];"));
  CHECK(has(h.ptx, "ld.const.u32 %r0, [%hd_at_c];"));
  const Harness other =
      written(".global .u32 x = 0; .const .u32 k[4] = {1, 2, 3, 4}; c @ constant aliases x;",
              "P0 { ld.const.u32 %r0, [c]; ld.const.u32 %r1, [k]; }");
  CHECK_EQ(other.window_bytes, 32768);
  CHECK(has(refused(".global .u32 x; c @ constant aliases x; y aliases x;",
                    "P0 { ld.const.u32 %r0, [c]; ld.weak.global.u32 %r1, [y]; }"),
            "`y` would be a third name of constant memory"));
}

TEST_CASE("names of the texture proxy are texels of the memory, and a launch has one round") {
  const Harness h = written("x = 0; .global .u32 y; t @ texture aliases x; u @ texture aliases y;",
                            "P0 { st.weak x, 1; tld.weak r0, t; tld.weak r1, u; }");
  CHECK_EQ(h.textures, std::vector<unsigned>{2, 1});
  CHECK_EQ(h.most_rounds, 1);
  CHECK_EQ(h.mappings, 1);
  CHECK(has(h.ptx, ".param .u64 ptxmc_texture_t,\n    .param .u64 ptxmc_texture_u)"));
  CHECK(has(h.ptx, "}, [%hd_texture_t, {%hw_texel_t}];\n  mov.b64 %r0, {"));
  CHECK(has(h.ptx, "}, [%hd_texture_u, {%hw_texel_u}];\n  mov.b32 %r1, "));
  CHECK(has(refused("x = 0; t @ texture aliases x;", "P0 { tld.weak r0, t; fence.proxy.texture; }"),
            "there is no such proxy fence"));
  CHECK(has(refused(".global .u32 x[2]; t @ texture aliases x;", "P0 { tld.weak r0, t; }"),
            "the texture `t` is not of one variable of 32 or 64 bits"));
  CHECK(has(refused("x = 0; s @ surface aliases x;", "P0 { suld.weak r0, s; }"),
            "of an array, which no variable can be"));
}

TEST_CASE("a map that nobody changes is written once by the launcher") {
  const Harness h = written(kTensor + kMap, "P0 { " + kCopy + "}");
  REQUIRE_EQ(h.maps.size(), 1);
  CHECK_EQ(h.maps[0].tensor_row, 0);
  CHECK_EQ(h.maps[0].rows, std::vector<unsigned>{1});
  CHECK_EQ(h.variables, 2);
  CHECK_EQ(h.stride, 128);
  CHECK_FALSE(has(h.ptx, "tensormap::generic"));
  CHECK(has(h.ptx, "cp.async.bulk.wait_group 0;"));  // the store ends before its memory is used again
}

TEST_CASE("a map that the test changes is reset from a copy, with the fences of its proxy") {
  const Harness h = written(
      kTensor + kMap, "P0 { tensormap.replace.tile.global_dim.global.b1024.b32 [tm], 0, 4; " + kCopy + "}");
  REQUIRE_EQ(h.maps.size(), 1);
  CHECK_EQ(h.maps[0].rows, std::vector<unsigned>{1, 2});
  CHECK_EQ(h.variables, 3);
  CHECK_EQ(count(h.ptx, "fence.proxy.tensormap::generic.release.gpu;"), 1);
  CHECK_EQ(count(h.ptx, "fence.proxy.tensormap::generic.acquire.gpu [%hd_at_tm], 128;"), 1);
  CHECK(has(h.ptx, "ld.global.v2.b64 {%hd_low, %hd_high}, [%hd_pristine+112];"));
}

TEST_CASE("a map in constant memory, or that is a parameter, is a copy in global memory") {
  for (const char* space : {".const", ".param"}) {
    const Harness h = written(kTensor + space + " .tensormap tm = tensor(A, .u32, dims={8}, box={4});",
                              "P0 { " + kCopy + "}");
    CHECK_EQ(h.maps.size(), 1);
    CHECK(has(h.ptx, "cvta.global.u64"));
    CHECK_FALSE(has(h.ptx, ".const"));
  }
}

TEST_CASE("boxes that swizzle lie where the pattern begins") {
  const auto bytes = [](const std::string& map) {
    const Harness h =
        written(".global .u32 A[64]; .shared .u32 t; .shared .u32 s[64]; .global .tensormap tm = " + map,
                "P0 { st.weak.shared.u32 [t], 1; cp.async.bulk.tensor.2d.global.shared::cta.tile."
                "bulk_group [tm, {0, 0}], [s]; }");
    const std::size_t begin = h.ptx.find("add.u32 %hw_at_s, "), end = h.ptx.find(';', begin);
    return std::stoi(h.ptx.substr(h.ptx.rfind(' ', end), end));  // of the instance's shared memory
  };
  CHECK_EQ(bytes("tensor(A, .u32, dims={8, 8}, box={8, 8}, swizzle=32);"), 1024);
  CHECK_EQ(bytes("tensor(A, .u32, dims={8, 8}, box={8, 8});"), 128);
}

TEST_CASE("an address does not fit in a register of 32 bits, unless it is one of shared memory") {
  const std::string loads =
      "P0 { .reg .u32 %a; .reg .u64 %w; cvt.u64.u32 %w, %a; ld.relaxed.gpu.u32 %r0, [%w]; }";
  CHECK(has(refused(".global .u32 x = 0; P0:%a = &x;", loads),
            "the address of `x` in `a`, a register of 32 bits"));
}

TEST_CASE("what the device refuses of tensor copies") {
  const std::string store = "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group ";
  CHECK(has(refused(kTensor + kMap, "P0 { " + store + "[tm, {3}], [s]; }"),
            "global memory at multiples of 16"));
  CHECK(has(refused(kTensor + kMap, "P0 { " + store + "[tm, {4}], [s+16]; }"),
            "shared memory at multiples of 128"));
}

TEST_CASE("what the driver refuses of tensor maps") {
  program::TensorMap map;
  map.dims = {8, 4};
  map.box = {4, 2};
  CHECK_EQ(map_refusal(map), "");
  const auto with = [&](auto&& change) {
    program::TensorMap other = map;
    change(other);
    return map_refusal(other);
  };
  CHECK(has(with([](auto& m) { m.offset = 8; }), "address"));
  CHECK(has(with([](auto& m) { m.strides = {40}; }), "a stride of 40 bytes"));
  CHECK(has(with([](auto& m) { m.dims = {3, 4}; }), "a stride of 12 bytes"));
  CHECK(has(with([](auto& m) { m.box = {2, 2}; }), "rows have 8 bytes"));
  CHECK(has(with([](auto& m) {
              m.box = {16, 2};
              m.swizzle = 32;
            }),
            "more than its swizzle of 32"));
  CHECK(has(with([](auto& m) { m.box = {4, 257}; }), "a box of 257"));
  CHECK(has(with([](auto& m) { m.steps = {1, 9}; }), "a traversal stride of 9"));
  CHECK(has(with([](auto& m) { m.interleave = 16; }), "an interleaved layout of fewer than 3 dimensions"));
  const auto cube = [](auto& m) {
    m.dims = {8, 2, 2};
    m.box = {8, 1, 1};
    m.strides = {128, 256};
    m.steps = {};
  };
  CHECK(with([&](auto& m) {
          cube(m);
          m.interleave = 16;
        }).empty());
  CHECK(has(with([&](auto& m) {
              cube(m);
              m.interleave = 32;
            }),
            "without a swizzle of 32"));
  CHECK(has(with([](auto& m) { m.dims = {0, 4}; }), "a dimension of 0"));
}

TEST_CASE("integers that are the test's parameters are the kernel's") {
  const Harness h =
      written(".param .u32 p = 4; .param .u64 q;", "P0 { ld.param.u32 %r0, [p]; ld.param.u64 %rd0, [q]; }");
  CHECK_EQ(h.given, std::vector<std::uint64_t>{4, 0});
  CHECK(has(h.ptx, ".param .u32 p,"));
  CHECK(has(h.ptx, "ld.param.u32 %r0, [p];"));
  CHECK(has(refused(".global .u32 x; .param .u64 p = &x;", "P0 { ld.param.u64 %rd0, [p]; }"),
            "is the address of `x`, which each instance has at a place of its own"));
}

TEST_CASE("a pointer is counted by the name of what it points to") {
  const Harness h = written(".global .u32 x; .global .u64 p = &x;", "P0 { ld.weak.global.u64 %rd0, [p]; }",
                            "exists (P0:%rd0 == &x)");
  CHECK(has(h.ptx, "mov.u64 %hd_t"));
  CHECK(has(h.ptx, ", %hd_at_x, 0;"));
}

TEST_CASE("large variables are cleared by a loop") {
  const Harness h = written(".global .b32 g[1024];", "P0 { st.weak.global.b32 [g], 1; }");
  CHECK(has(h.ptx, ", 256;"));
  CHECK_EQ(count(h.ptx, "st.global.v4.b32"), 1);
  const Harness some = written(".global .b32 g[40] = {1, 2, 3};", "P0 { st.weak.global.b32 [g], 1; }");
  CHECK_EQ(count(some.ptx, "st.global.b32 [%hd_at_g+"), 4);  // to the end of the first 16 bytes
}
