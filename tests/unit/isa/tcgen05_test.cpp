// SPDX-License-Identifier: Apache-2.0
// The forms of tcgen05 (9.7.16).
#include <doctest/doctest.h>

#include <algorithm>

#include "ptx/isa/table.h"
#include "ptx/isa/target.h"

using namespace ptxmc::isa;

namespace {

std::string message(std::string_view dotted) {
  const Resolution r = resolve(dotted, Notation::any);
  return r.errors.empty() ? "" : r.errors.front().message;
}

Resolved resolved(std::string_view dotted) {
  const Resolution r = resolve(dotted, Notation::any);
  INFO("mnemonic: ", std::string(dotted), " ", message(dotted));
  REQUIRE(r.resolved.has_value());
  return *r.resolved;
}

constexpr const char* kNames[] = {
    "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32",
    "tcgen05.alloc.cta_group::2.sync.aligned.b32",
    "tcgen05.dealloc.cta_group::1.sync.aligned.b32",
    "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned",
    "tcgen05.ld.sync.aligned.32x32b.x128.b32",
    "tcgen05.ld.sync.aligned.16x64b.x1.pack::16b.b32",
    "tcgen05.ld.sync.aligned.16x32bx2.x2.b32",
    "tcgen05.ld.red.sync.aligned.32x32b.x2.min.u32",
    "tcgen05.ld.red.sync.aligned.16x32bx2.x4.max.abs.NaN.f32",
    "tcgen05.st.sync.aligned.16x256b.x2.unpack::16b.b32",
    "tcgen05.st.sync.aligned.16x32bx2.x1.b32",
    "tcgen05.wait::ld.sync.aligned",
    "tcgen05.wait::st.sync.aligned",
    "tcgen05.cp.cta_group::1.128x256b",
    "tcgen05.cp.cta_group::2.64x128b.warpx2::02_13.b8x16.b6x16_p32",
    "tcgen05.cp.cta_group::1.32x128b.warpx4.b8x16.b4x16_p64",
    "tcgen05.shift.cta_group::1.down",
    "tcgen05.mma.cta_group::1.kind::f16",
    "tcgen05.mma.cta_group::2.kind::i8.collector::a::fill",
    "tcgen05.mma.cta_group::1.kind::tf32.ashift.collector::a::lastuse",
    "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale.scale_vec::1X",
    "tcgen05.mma.sp.cta_group::1.kind::mxf4nvf4.block_scale.block16",
    "tcgen05.mma.sp.cta_group::2.kind::f8f6f4",
    "tcgen05.mma.ws.cta_group::1.kind::f16.collector::b3::use",
    "tcgen05.mma.ws.sp.cta_group::1.kind::i8",
    "tcgen05.fence::before_thread_sync",
    "tcgen05.fence::after_thread_sync",
    "tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64",
    "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64",
};

}  // namespace

TEST_CASE("mnemonics of tcgen05 come back") {
  for (const char* name : kNames) {
    CAPTURE(name);
    const Resolved r = resolved(name);
    CHECK(mnemonic(r.form->opcode, r.modifiers) == name);
    CHECK(target_of(r.form->opcode, r.modifiers).sm >= 100);
    CHECK(target_of(r.form->opcode, r.modifiers).version >= 86);
  }
}

TEST_CASE("operands follow the form") {
  const auto has = [](std::string_view name, Role role) {
    const std::vector<Place> places = resolved(name).operands;
    return std::any_of(places.begin(), places.end(), [&](const Place& place) { return place.role == role; });
  };
  CHECK(has("tcgen05.mma.cta_group::1.kind::f16", Role::scale_d));
  CHECK_FALSE(has("tcgen05.mma.cta_group::1.kind::i8", Role::scale_d));
  CHECK(has("tcgen05.mma.sp.cta_group::1.kind::i8", Role::metadata));
  CHECK(has("tcgen05.mma.sp.cta_group::1.kind::i8", Role::lane_mask));
  CHECK(has("tcgen05.mma.cta_group::1.kind::mxf4.block_scale", Role::scale_b));
  CHECK_FALSE(has("tcgen05.mma.cta_group::1.kind::mxf4.block_scale", Role::lane_mask));
  CHECK(has("tcgen05.mma.ws.cta_group::1.kind::f16", Role::column_mask));
  const std::string commit = "tcgen05.commit.cta_group::1.mbarrier::arrive::one";
  CHECK(has(commit + ".multicast::cluster.b64", Role::cta_mask));
  CHECK_FALSE(has(commit + ".b64", Role::cta_mask));
}

TEST_CASE("registers of a load") {
  CHECK(tensor_registers(resolved("tcgen05.ld.sync.aligned.32x32b.x8.b32").modifiers.tensor) == 8);
  CHECK(tensor_registers(resolved("tcgen05.ld.sync.aligned.16x128b.x8.b32").modifiers.tensor) == 16);
  CHECK(tensor_registers(resolved("tcgen05.ld.sync.aligned.16x256b.x8.b32").modifiers.tensor) == 32);
}

TEST_CASE("what does not go together") {
  for (const char* name :
       {"tcgen05.ld.sync.aligned.16x256b.x64.b32", "tcgen05.ld.sync.aligned.16x128b.x128.b32",
        "tcgen05.ld.red.sync.aligned.32x32b.x1.min.u32", "tcgen05.ld.red.sync.aligned.32x32b.x2.min.abs.u32",
        "tcgen05.cp.cta_group::1.64x128b", "tcgen05.cp.cta_group::1.64x128b.warpx4",
        "tcgen05.cp.cta_group::1.32x128b", "tcgen05.cp.cta_group::1.128x256b.warpx4",
        "tcgen05.cp.cta_group::1.128x256b.b8x16", "tcgen05.mma.kind::f16", "tcgen05.mma.cta_group::1",
        "tcgen05.mma.cta_group::1.kind::mxf4nvf4.block_scale",
        "tcgen05.mma.cta_group::1.kind::mxf4.block_scale.scale_vec::1X",
        "tcgen05.mma.cta_group::1.kind::f16.ashift.collector::a::use",
        "tcgen05.mma.ws.cta_group::2.kind::f16", "tcgen05.mma.cta_group::1.kind::f16.collector::b0::fill",
        "tcgen05.commit.cta_group::1.b64", "tcgen05.shift.cta_group::1"}) {
    CAPTURE(name);
    CHECK(message(name) != "");
  }
}
