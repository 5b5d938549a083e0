// SPDX-License-Identifier: Apache-2.0
// Forms of tensor copies and tensor maps (9.7.8.24.9 to 9.7.8.25, 9.7.12.15.18), and movmatrix.
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "ptx/isa/table.h"

using namespace ptxmc::isa;

namespace {

constexpr std::string_view kForms[] = {
    "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes",
    "cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster",
    "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes",
    "cp.async.bulk.tensor.3d.global.shared::cta.tile.bulk_group",
    "cp.async.bulk.tensor.4d.global.shared::cta.bulk_group",
    "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group",
    "cp.reduce.async.bulk.tensor.2d.global.shared::cta.xor.bulk_group",
    "cp.async.bulk.prefetch.tensor.2d.L2.global.tile",
    "cp.async.bulk.tensor.3d.shared::cta.global.im2col.mbarrier::complete_tx::bytes",
    "cp.async.bulk.tensor.5d.shared::cta.global.im2col::w.mbarrier::complete_tx::bytes",
    "cp.async.bulk.tensor.4d.shared::cta.global.im2col::w::128.mbarrier::complete_tx::bytes",
    "cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group",
    "cp.reduce.async.bulk.tensor.3d.global.shared::cta.xor.im2col_no_offs.bulk_group",
    "cp.async.bulk.prefetch.tensor.4d.L2.global.im2col",
    "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob",
    "multimem.ld_reduce.acquire.gpu.global.add.u32",
    "multimem.ld_reduce.global.add.acc::f32.v2.f16x2",
    "multimem.st.release.cta.global.v4.f32",
    "multimem.red.relaxed.gpu.global.max.f16x2",
    "tensormap.replace.tile.global_address.global.b1024.b64",
    "tensormap.replace.tile.global_address.b1024.b64",
    "tensormap.replace.tile.global_stride.shared::cta.b1024.b64",
    "tensormap.replace.tile.box_dim.shared::cta.b1024.b32",
    "tensormap.replace.tile.rank.global.b1024.b32",
    "tensormap.replace.tile.fill_mode.global.b1024.b32",
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.sys.sync.aligned",
    "fence.proxy.tensormap::generic.release.cluster",
    "fence.proxy.tensormap::generic.acquire.gpu",
    "prefetch.tensormap",
    "prefetch.param.tensormap",
    "movmatrix.sync.aligned.m8n8.trans.b16"};

std::string message(std::string_view dotted) {
  const Resolution r = resolve(dotted, Notation::any);
  return r.errors.empty() ? "" : r.errors.front().message;
}

using Roles = std::vector<Role>;

Roles operands(std::string_view dotted) {
  const Resolution r = resolve(dotted, Notation::any);
  REQUIRE(r.resolved.has_value());
  Roles roles;
  for (const Place& place : r.resolved->operands) roles.push_back(place.role);
  return roles;
}

bool mentions(std::string_view dotted, std::string_view part) {
  const std::string found = message(dotted);
  if (found.find(part) == std::string::npos) MESSAGE("message: \"" << found << "\"");
  return found.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("tensor forms: the canonical mnemonic resolves to the same instruction") {
  for (const std::string_view dotted : kForms) {
    CAPTURE(std::string(dotted));
    CHECK_EQ(message(dotted), "");
    const Resolution first = resolve(dotted, Notation::any);
    REQUIRE(first.resolved.has_value());
    const std::string printed = mnemonic(first.resolved->form->opcode, first.resolved->modifiers);
    CAPTURE(printed);
    const Resolution again = resolve(printed, Notation::any);
    REQUIRE(again.resolved.has_value());
    CHECK(again.resolved->form->opcode == first.resolved->form->opcode);
    CHECK(again.resolved->modifiers == first.resolved->modifiers);
    CHECK(again.resolved->operands == first.resolved->operands);
  }
}

TEST_CASE("operands of tensor forms") {
  CHECK((operands(kForms[0]) == Roles{Role::address, Role::tensor, Role::mbarrier}));
  CHECK((operands(kForms[1]) == Roles{Role::address, Role::tensor, Role::mbarrier, Role::cta_mask}));
  CHECK((operands(kForms[3]) == Roles{Role::tensor, Role::source_address}));
  const std::string replace = "tensormap.replace.tile.";
  CHECK((operands(replace + "global_address.global.b1024.b64") == Roles{Role::address, Role::value}));
  CHECK((operands(replace + "box_dim.global.b1024.b32") == Roles{Role::address, Role::ordinal, Role::value}));
  CHECK((operands(replace + "elemtype.global.b1024.b32") == Roles{Role::address, Role::value}));
  const auto kind = [](std::string_view dotted) {
    return resolve(dotted, Notation::any).resolved->operands.back().kind;
  };
  CHECK(kind(replace + "box_dim.global.b1024.b32") == Kind::number);
  CHECK(kind(replace + "elemtype.global.b1024.b32") == Kind::integer);
  CHECK((operands("fence.proxy.tensormap::generic.acquire.gpu") == Roles{Role::address, Role::bytes}));
  CHECK(operands("fence.proxy.tensormap::generic.release.gpu").empty());
}

TEST_CASE("tensor forms that ptxas rejects") {
  CHECK(mentions("cp.async.bulk.tensor.1d.shared::cluster.global.tile",
                 "needs `.mbarrier::complete_tx::bytes` too"));
  CHECK(mentions("cp.async.bulk.tensor.1d.global.shared::cta.tile", "`.bulk_group`"));
  CHECK(mentions("cp.reduce.async.bulk.tensor.3d.global.shared::cta.xor.im2col.bulk_group",
                 "takes no `.im2col`"));
  CHECK(mentions("cp.reduce.async.bulk.tensor.1d.global.shared::cta.bulk_group", "needs an operation"));
  CHECK(mentions("cp.async.bulk.tensor.global.shared::cta.tile.bulk_group", "needs a dimension"));
  CHECK(mentions("cp.async.bulk.tensor.6d.global.shared::cta.tile.bulk_group", "unknown modifier `.6d`"));
  CHECK(
      mentions("tensormap.cp_fenceproxy.global.shared::cta.proxy.tensormap::generic.release.gpu.sync.aligned",
               "unknown modifier `.proxy`"));
  CHECK(mentions("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.sync.aligned",
                 "needs a scope"));
  CHECK(mentions("tensormap.replace.tile.global_address.shared.b1024.b64", "takes no `.shared`"));
  CHECK(mentions("tensormap.replace.tile.rank.global.b1024.b64", "contradicts"));
  CHECK(mentions("tensormap.replace.tile.global_stride.global.b1024.b32", "contradicts"));
  CHECK(mentions("tensormap.replace.tile.global.b1024.b32", "needs a field"));
  CHECK(mentions("prefetch.global.tensormap", "takes no `.global`"));
  CHECK(mentions("fence.proxy.tensormap::generic.release", "needs a scope"));
  CHECK(mentions("fence.proxy.tensormap::generic", "needs"));
  CHECK(!message("fence.proxy.generic::tensormap.release.gpu").empty());
  CHECK(mentions("fence.sc", "needs a scope"));
  CHECK(mentions("mbarrier.try_wait.acquire.cluser.shared.b64", "unknown modifier `.cluser`"));
  CHECK(mentions("movmatrix.sync.aligned.m8n8.b16", "needs `.trans`"));
}

TEST_CASE("modes of tensor copies need so many dimensions") {
  const auto load = [](std::string_view dimensions, std::string_view mode) {
    return "cp.async.bulk.tensor." + std::string(dimensions) + ".shared::cta.global." + std::string(mode) +
           ".mbarrier::complete_tx::bytes";
  };
  CHECK(mentions(load("3d", "tile::gather4"), "contradicts"));
  for (const std::string_view mode : {"im2col", "im2col::w", "im2col::w::128"}) {
    CHECK(mentions(load("2d", mode), "contradicts"));
    CHECK_EQ(message(load("3d", mode)), "");
  }
  CHECK(mentions(load("3d", "im2col_no_offs"), "takes no `.im2col_no_offs`"));
  CHECK(mentions("cp.async.bulk.tensor.3d.global.shared::cta.im2col.bulk_group", "takes no `.im2col`"));
}

TEST_CASE("forms of multimem that the manual does not have (9.7.8.13)") {
  CHECK(mentions("multimem.ld_reduce.global.u32", "needs an operation"));
  CHECK(mentions("multimem.ld_reduce.relaxed.global.add.u32", "needs a scope"));
  CHECK(mentions("multimem.st.gpu.global.u32", "without a memory order"));
  CHECK(mentions("multimem.red.release.global.add.u32", "needs a scope"));
  CHECK(mentions("multimem.red.acquire.gpu.global.add.u32", "takes no `.acquire`"));
  CHECK(mentions("multimem.ld_reduce.global.add.s64", "contradicts"));
  CHECK(mentions("multimem.ld_reduce.global.min.f32", "contradicts"));
  CHECK(mentions("multimem.ld_reduce.global.and.u32", "contradicts"));
  CHECK(mentions("multimem.ld_reduce.global.add.acc::f32.f32", "contradicts"));
  CHECK(mentions("multimem.st.global.v2.f64", "contradicts"));
  CHECK(mentions("multimem.st.global.f16", "needs a vector of 32 bits at least"));
  CHECK(mentions("multimem.st.shared.u32", "takes no `.shared`"));
  // Numbers of 8 bits (8.6): as many as fill 32 bits at least; they are added in 16 bits, and no reduction writes them.
  for (const char* const taken :
       {"multimem.ld_reduce.global.add.e4m3x4", "multimem.ld_reduce.relaxed.gpu.global.min.v4.e5m2x4",
        "multimem.ld_reduce.global.add.acc::f16.v8.e4m3x2", "multimem.st.global.v2.e5m2x2"}) {
    CAPTURE(taken);
    CHECK_EQ(message(taken), "");
    CHECK_EQ(parts_of(resolve(taken, Notation::any).resolved->modifiers.packed),
             taken[std::string_view(taken).size() - 1] - '0');
  }
  CHECK(mentions("multimem.ld_reduce.global.add.e4m3x2", "needs a vector of 32 bits at least"));
  CHECK(mentions("multimem.ld_reduce.global.add.acc::f32.v4.e4m3x4", "contradicts"));
  CHECK(mentions("multimem.ld_reduce.global.add.acc::f16.v4.f16x2", "contradicts"));
  CHECK(mentions("multimem.ld_reduce.global.min.acc::f16.v4.e4m3x4", "contradicts"));
  CHECK(mentions("multimem.red.global.add.e4m3x4", "takes no `.e4m3x4`"));
  CHECK_EQ(message("multimem.red.global.add.u32"), "");
  CHECK(resolve("multimem.red.global.add.u32", Notation::any).resolved->modifiers.scope == Scope::sys);
}
