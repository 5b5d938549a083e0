// SPDX-License-Identifier: Apache-2.0
#include "ptx/isa/matrix.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ptx/isa/table.h"

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

std::size_t registers(std::string_view dotted, Fragment fragment) {
  const Resolved r = resolved(dotted);
  return fragment_registers(r.form->opcode, r.modifiers.matrix, fragment);
}

}  // namespace

TEST_CASE("shapes") {
  Matrix m;
  CHECK(parse_shape("m64n256k16", m));
  CHECK_EQ(m.n, 256);
  CHECK_EQ(shape_name(m), "m64n256k16");
  CHECK(parse_shape("m8n8", m = {}));
  CHECK_EQ(shape_name(m), "m8n8");
  for (const char* wrong : {"", "m", "m8", "m8n", "m8n8k", "n8m8", "m8n8k4x", "m99999n8k4"})
    CHECK_FALSE(parse_shape(wrong, m = {}));
}

TEST_CASE("mnemonics of matrix instructions come back") {
  for (const char* name :
       {"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16", "stmatrix.sync.aligned.m8n8.x1.b16",
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32",
        "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.u8.s8.s32",
        "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc",
        "mma.sp.sync.aligned.m16n8k32.row.col.f16.f16.f16.f16",
        "mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32",
        "wgmma.fence.sync.aligned", "wgmma.mma_async.sync.aligned.m64n248k8.f32.tf32.tf32",
        "wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1.and.popc",
        "wgmma.mma_async.sp.sync.aligned.m64n16k64.satfinite.s32.s8.u8", "wgmma.commit_group.sync.aligned",
        "wgmma.wait_group.sync.aligned"}) {
    const Resolved r = resolved(name);
    CHECK_EQ(mnemonic(r.form->opcode, r.modifiers), name);
  }
}

TEST_CASE("shapes and types that do not go together") {
  for (const char* name : {"mma.sync.aligned.m16n8k16.row.col.f32.tf32.tf32.f32",
                           "mma.sync.aligned.m16n8k8.row.col.f32.f16.bf16.f32",
                           "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f32",
                           "mma.sp.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32",
                           "wgmma.mma_async.sync.aligned.m64n8k16.f16.bf16.bf16",
                           "wgmma.mma_async.sync.aligned.m64n40k32.s32.s8.s8",
                           "wgmma.mma_async.sp.sync.aligned.m64n8k16.f32.f16.f16"}) {
    CHECK_NE(message(name).find("does not go with these types"), std::string::npos);
  }
  CHECK_NE(message("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16").find("needs 4 types"), std::string::npos);
  CHECK_NE(message("wgmma.mma_async.sync.aligned.m64n8k256.s32.b1.b1").find("needs an operation"),
           std::string::npos);
  CHECK_NE(message("mma.sync.aligned.m16n8k16.row.col.and.popc.f32.f16.f16.f32").find("only `.b1`"),
           std::string::npos);
  CHECK_NE(message("mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32").find("contradicts"),
           std::string::npos);
  CHECK_NE(message("mma.sync.aligned.m16n8k16.row.col.rz.f32.f16.f16.f32").find("contradicts"),
           std::string::npos);
  CHECK_EQ(message("mma.sync.aligned.m16n8k16.row.col.rz.f64.f64.f64.f64"), "");
  CHECK_NE(message("wgmma.mma_async.sync.aligned.m64n12k16.f32.f16.f16"), "");
}

TEST_CASE(
    "mma: four products of 8 x 8 have either layout of either matrix, all others .row.col (9.7.13.4.14)") {
  for (const char* layouts : {"row.row", "row.col", "col.row", "col.col"}) {
    const std::string quad = fmt::format("mma.sync.aligned.m8n8k4.{}.f32.f16.f16.f32", layouts);
    CHECK_EQ(message(quad), "");
    const Resolved r = resolved(quad);
    CHECK_EQ(mnemonic(r.form->opcode, r.modifiers), quad);
  }
  for (const char* layouts : {"row.row", "col.row", "col.col"}) {
    for (const char* other : {"m8n8k4.{}.f64.f64.f64.f64", "m16n8k16.{}.f32.f16.f16.f32"}) {
      const std::string text = fmt::format("mma.sync.aligned.{}", fmt::format(fmt::runtime(other), layouts));
      CHECK_NE(message(text).find("takes `.row.col`"), std::string::npos);
    }
  }
  CHECK_NE(message("mma.sync.aligned.m16n8k16.row.f32.f16.f16.f32").find("two layouts"), std::string::npos);
}

TEST_CASE("registers of fragments") {
  const char* half = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16";
  CHECK_EQ(registers(half, Fragment::a), 4);
  CHECK_EQ(registers(half, Fragment::b), 2);
  CHECK_EQ(registers(half, Fragment::c), 2);
  CHECK_EQ(registers(half, Fragment::d), 4);
  const char* quad = "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32";
  CHECK_EQ(registers(quad, Fragment::a), 2);
  CHECK_EQ(registers(quad, Fragment::d), 8);
  CHECK_EQ(registers("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64", Fragment::d), 2);
  CHECK_EQ(registers("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32", Fragment::a), 4);
  CHECK_EQ(registers("wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16", Fragment::d), 128);
  CHECK_EQ(registers("wgmma.mma_async.sync.aligned.m64n8k16.f16.f16.f16", Fragment::d), 2);
  CHECK_EQ(registers("wgmma.mma_async.sp.sync.aligned.m64n8k64.s32.s8.s8", Fragment::a), 4);
  CHECK_EQ(registers("ldmatrix.sync.aligned.m8n8.x2.b16", Fragment::d), 2);
}
