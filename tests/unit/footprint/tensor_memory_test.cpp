// SPDX-License-Identifier: Apache-2.0
// Tensor memory: what instructions cover.
#include "ptx/footprint/tensor_memory.h"

#include <doctest/doctest.h>

#include "ptx/isa/table.h"

namespace ptxmc::footprint {
namespace {

isa::Tensor tensor(std::string_view dotted) {
  const isa::Resolution resolution = isa::resolve(dotted, isa::Notation::any);
  REQUIRE(resolution.resolved.has_value());
  return resolution.resolved->modifiers.tensor;
}

/// Lanes x columns of a region.
std::int64_t points(const TensorRegion& region) {
  std::int64_t sum = 0;
  for (const TensorBox& box : region) sum += box.lanes * box.columns;
  return sum;
}

Product product(const isa::Tensor& t, std::uint32_t descriptor) {
  std::string error;
  const auto found = decode_product(t, descriptor, error);
  CHECK_MESSAGE(found.has_value(), error);
  return found.value_or(Product{});
}

std::string refusal(const isa::Tensor& t, std::uint32_t descriptor) {
  std::string error;
  CHECK_FALSE(decode_product(t, descriptor, error).has_value());
  return error;
}

TEST_CASE("addresses are lanes and columns") {
  const TensorAddress at = tensor_address(0x200005);
  CHECK(at.lane == 32);
  CHECK(at.column == 5);
}

TEST_CASE("R288: a warp reaches a quarter of the lanes, by its number in the warpgroup") {
  const isa::Tensor whole = tensor("tcgen05.ld.sync.aligned.32x32b.x1.b32"),
                    half = tensor("tcgen05.ld.sync.aligned.16x64b.x1.b32");
  const auto reached = [](const isa::Tensor& t, std::int64_t lane, std::optional<std::int64_t> warp) {
    return move_start(t, {lane, 7}, warp, true).is_reached;
  };
  for (std::int64_t warp = 0; warp < 8; ++warp) {
    for (std::int64_t lane = 0; lane < kTensorLanes; ++lane) {
      const bool own = lane / 32 == warp % 4;
      CHECK(reached(whole, lane, warp) == (own && lane % 32 == 0));
      CHECK(reached(half, lane, warp) == (own && lane % 16 == 0));
    }
  }
  CHECK(reached(whole, 96, std::nullopt));
  CHECK_FALSE(reached(whole, 16, std::nullopt));
}

TEST_CASE("tmem-lane: an address of the first lanes stands for those of the warp, or for what it names") {
  const isa::Tensor half = tensor("tcgen05.st.sync.aligned.16x64b.x1.b32");
  for (std::int64_t warp = 0; warp < 8; ++warp) {
    const MoveStart own = move_start(half, {16, 7}, warp, false),
                    named = move_start(half, {16, 7}, warp, true);
    CHECK(own.is_reached);
    CHECK(own.is_own == (warp % 4 != 0));
    CHECK(own.at.lane == warp % 4 * 32 + 16);
    CHECK(own.at.column == 7);
    CHECK(named.is_reached == (warp % 4 == 0));
    CHECK_FALSE(named.is_own);
    CHECK(named.at.lane == 16);
  }
  CHECK_FALSE(move_start(half, {64, 0}, 1, false).is_reached);  // lanes of another warp, by name
}

TEST_CASE("the registers of a load or store divide what it covers") {
  for (const char* name :
       {"tcgen05.ld.sync.aligned.32x32b.x4.b32", "tcgen05.ld.sync.aligned.16x64b.x4.b32",
        "tcgen05.ld.sync.aligned.16x128b.x2.b32", "tcgen05.st.sync.aligned.16x32bx2.x8.b32",
        "tcgen05.ld.sync.aligned.32x32b.x2.pack::16b.b32"}) {
    CAPTURE(name);
    const isa::Tensor t = tensor(name);
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < isa::tensor_registers(t); ++i)
      sum += points(register_region(t, {0, 0}, 64, i));
    CHECK(sum == points(move_region(t, {0, 0}, 64)));
  }
}

TEST_CASE("data movement: 32 threads times their registers") {
  CHECK(points(move_region(tensor("tcgen05.ld.sync.aligned.32x32b.x8.b32"), {0, 0}, 0)) == 32 * 8);
  CHECK(points(move_region(tensor("tcgen05.ld.sync.aligned.16x64b.x8.b32"), {0, 0}, 0)) == 32 * 8);
  CHECK(points(move_region(tensor("tcgen05.ld.sync.aligned.16x128b.x8.b32"), {0, 0}, 0)) == 32 * 16);
  CHECK(points(move_region(tensor("tcgen05.ld.sync.aligned.16x256b.x8.b32"), {0, 0}, 0)) == 32 * 32);
  CHECK(points(move_region(tensor("tcgen05.ld.sync.aligned.16x32bx2.x8.b32"), {0, 0}, 16)) == 32 * 8);
}

TEST_CASE("copies") {
  CHECK(points(copy_region(tensor("tcgen05.cp.cta_group::1.128x256b"), {0, 0})) == 128 * 8);
  CHECK(points(copy_region(tensor("tcgen05.cp.cta_group::1.128x128b"), {0, 0})) == 128 * 4);
  CHECK(points(copy_region(tensor("tcgen05.cp.cta_group::1.4x256b"), {0, 0})) == 4 * 8);
  CHECK(points(copy_region(tensor("tcgen05.cp.cta_group::1.64x128b.warpx2::02_13"), {0, 0})) == 128 * 4);
  CHECK(points(copy_region(tensor("tcgen05.cp.cta_group::1.32x128b.warpx4"), {0, 0})) == 128 * 4);
  const CopySource source = copy_source(tensor("tcgen05.cp.cta_group::1.64x128b.warpx2::01_23"));
  CHECK(source.rows == 64);
  CHECK(source.bytes == 16);
}

TEST_CASE("D holds M x N elements, of a pair half of them in each CTA") {
  struct Row {
    const char* name;
    std::uint32_t descriptor;
    std::int64_t elements;  // in one CTA
  };
  const Row rows[] = {
      {"tcgen05.mma.cta_group::1.kind::f16", 0x8020010, 128 * 8},     // layout D
      {"tcgen05.mma.cta_group::1.kind::f16", 0x4020010, 64 * 8},      // F
      {"tcgen05.mma.ws.cta_group::1.kind::f16", 0x2100010, 32 * 64},  // G
      {"tcgen05.mma.ws.cta_group::1.kind::f16", 0x4100010, 64 * 64},  // E
      {"tcgen05.mma.cta_group::2.kind::f16", 0x10040010, 128 * 16},   // A
      {"tcgen05.mma.cta_group::2.kind::f16", 0x8040010, 64 * 16},     // B
      {"tcgen05.mma.sp.cta_group::2.kind::f16", 0x8040014, 64 * 16},  // C
  };
  for (const Row& row : rows) {
    CAPTURE(row.name);
    CAPTURE(row.descriptor);
    const isa::Tensor t = tensor(row.name);
    CHECK(points(accumulator_region(t, product(t, row.descriptor), {0, 0})) == row.elements);
  }
}

TEST_CASE("K goes with the kind, and is twice as large where A is sparse") {
  CHECK(product(tensor("tcgen05.mma.cta_group::1.kind::tf32"), 0x8020910).k == 8);
  CHECK(product(tensor("tcgen05.mma.cta_group::1.kind::f8f6f4"), 0x8020010).k == 32);
  CHECK(product(tensor("tcgen05.mma.sp.cta_group::1.kind::f16"), 0x8020014).k == 32);
  const isa::Tensor mxf4 = tensor("tcgen05.mma.cta_group::1.kind::mxf4.block_scale");
  CHECK(product(mxf4, 0x8820480).k == 64);
  CHECK(product(mxf4, 0x88820480).k == 96);
}

TEST_CASE("what an instruction has not is refused") {
  const isa::Tensor f16 = tensor("tcgen05.mma.cta_group::1.kind::f16");
  CHECK(refusal(f16, 0x10020010).find("M = 256") != std::string::npos);
  CHECK(refusal(f16, 0x8000010).find("N = 0") != std::string::npos);
  CHECK(refusal(f16, 0x8020014).find("dense") == std::string::npos);
  CHECK(refusal(tensor("tcgen05.mma.cta_group::1.kind::i8"), 0x80a0020).find("N = 40") != std::string::npos);
  CHECK(refusal(tensor("tcgen05.mma.cta_group::1.kind::f16.ashift"), 0x4020010).find("ashift") !=
        std::string::npos);
}

}  // namespace
}  // namespace ptxmc::footprint
