// SPDX-License-Identifier: Apache-2.0
// Forms on floating numbers and bits: those that the manual lists are taken and written again as they were, others are
// refused at the word that is wrong.
#include <doctest/doctest.h>

#include "ptx/isa/opcode.h"
#include "ptx/isa/table.h"

namespace ptxmc::isa {
namespace {

Resolution resolved(std::string_view text) {
  return resolve(text, Notation::any);
}

TEST_CASE("forms that the manual lists") {
  const char* const kForms[] = {
      "add.f32",
      "add.rn.ftz.sat.f32",
      "add.rz.f64",
      "add.rn.f16x2",
      "add.bf16",
      "add.sat.s32",
      "add.u16x2",
      "add.cc.u64",
      "addc.cc.s32",
      "sub.rn.bf16x2",
      "add.f32.bf16",
      "add.rp.sat.f32.f16",
      "sub.rn.f32.f16",
      "fma.rz.sat.f32.bf16",
      "mul.ftz.f32",
      "mul.rn.ftz.f32x2",
      "fma.rn.relu.bf16x2",
      "fma.rn.oob.relu.f16",
      "mad.rn.f32",
      "mad.hi.sat.s32",
      "mad.lo.cc.u32",
      "madc.hi.cc.u64",
      "div.approx.ftz.f32",
      "div.full.f32",
      "div.rn.f64",
      "rcp.approx.ftz.f64",
      "rcp.rn.f32",
      "sqrt.approx.f32",
      "rsqrt.approx.f64",
      "sin.approx.ftz.f32",
      "lg2.approx.f32",
      "ex2.approx.ftz.bf16x2",
      "tanh.approx.f16x2",
      "abs.ftz.f16",
      "neg.bf16x2",
      "min.ftz.NaN.xorsign.abs.f32",
      "max.NaN.bf16x2",
      "min.relu.s16x2",
      "max.relu.s32",
      "testp.finite.f64",
      "copysign.f32",
      "setp.gtu.and.ftz.f32",
      "setp.num.f64",
      "setp.lt.f16x2",
      "set.eq.f16.s32",
      "set.ltu.and.ftz.u32.f32",
      "selp.f64",
      "slct.ftz.u64.f32",
      "cvt.rn.f16x2.f32",
      "cvt.rz.relu.bf16.f32",
      "cvt.rn.relu.satfinite.e4m3x2.f32",
      "cvt.rn.relu.f16x2.e5m2x2",
      "cvt.rna.satfinite.tf32.f32",
      "cvt.rni.f32.f32",
      "cvt.rzi.sat.u8.f32",
      "cvt.f64.f32",
      "cvt.rn.f32.s64",
      "cvt.sat.s8.u32",
      "cvt.pack.sat.u16.s32",
      "cvt.pack.sat.s4.s32.b32",
      "bfe.s64",
      "bfind.shiftamt.u64",
      "dp4a.u32.s32",
      "dp2a.hi.s32.u32",
      "szext.wrap.s32",
      "bmsk.clamp.b32",
      "shf.r.clamp.b32",
      "prmt.b32.rc16",
      "mad24.hi.sat.s32",
      "lop3.or.b32",
      "isspacep.shared::cluster",
      "getctarank.shared::cluster.u32",
      "prefetch.global.L2::evict_last",
      "prefetchu.L1",
      "applypriority.global.L2::evict_normal",
      "discard.global.L2",
      "nanosleep.u32",
      "setmaxnreg.inc.sync.aligned.u32",
      "pmevent.mask",
      "brkpt",
      "trap",
      "createpolicy.cvt.L2.b64",
      "createpolicy.fractional.L2::evict_last.L2::evict_unchanged.b64",
      "createpolicy.range.global.L2::evict_last.b64",
      "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128",
      "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128",
      "wmma.load.a.sync.aligned.row.m16n16k16.global.f16",
      "wmma.store.d.sync.aligned.col.m8n32k16.shared.f32",
      "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32",
      "wmma.mma.sync.aligned.col.row.m8n32k16.s32.s8.s8.s32",
      "fence.acquire.sync_restrict::shared::cluster.cluster",
      "fence.release.sync_restrict::shared::cta.cluster",
      "ldmatrix.sync.aligned.m16n16.x2.trans.shared.b8",
      "ldmatrix.sync.aligned.m8n16.x1.b8x16.b4x16_p64",
      "stmatrix.sync.aligned.m16n8.x4.trans.shared::cta.b8",
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::1",
      "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes",
      "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group",
      "cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4",
      "cp.async.bulk.global.shared::cta.bulk_group.cp_mask",
      "cvt.rs.f16x2.f32",
      "cvt.rs.relu.satfinite.e2m1x4.f32",
      "redux.sync.max.abs.NaN.f32",
      "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f16.e3m2.e2m3.f16",
      "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3",
      ("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e2m1.f32."
       "ue8m0"),
  };
  for (const char* form : kForms) {
    CAPTURE(form);
    const Resolution r = resolved(form);
    REQUIRE_MESSAGE(r.resolved, form);
    CHECK_EQ(mnemonic(r.resolved->form->opcode, r.resolved->modifiers), std::string(form));
  }
}

TEST_CASE("forms that are none") {
  const char* const kForms[] = {
      "add.approx.f32",
      "add.ftz.f64",
      "add.rz.f16",
      "add.sat.u32",
      "add.cc.u16",
      "fma.f32",
      "fma.rn.relu.f32",
      "div.f32",
      "div.approx.f64",
      "sqrt.f32",
      "rsqrt.rn.f32",
      "sin.f32",
      "ex2.approx.bf16",
      "tanh.f32",
      "mad.f32",
      "min.relu.u32",
      "min.relu.f32",
      "testp.f32",
      "setp.equ.s32",
      "setp.lo.f32",
      "setp.f32.lt.ftz.sat",
      "set.lt.b32.s32",
      "set.lt.u32.b32",
      "set.lt.u32",
      "slct.u32.u32",
      "slct.ftz.u32.s32",
      "cvt.f16.f32",
      "cvt.rn.f32.f16",
      "cvt.rni.s32.s32",
      "cvt.u32.f32",
      "cvt.rn.u32.f32",
      "cvt.rzi.f32.s32",
      "cvt.ftz.f16.f64",
      "cvt.rn.e4m3x2.f32",
      "cvt.rn.relu.f64.f32",
      "cvt.pack.u16.s32",
      "cvt.pack.sat.u8.s32",
      "cvt.pack.sat.u16.s32.b32",
      "bfe.b32",
      "bfi.u32",
      "popc.u32",
      "szext.u32",
      "shf.l.b32",
      "shf.clamp.b32",
      "prmt.b32.foo",
      "mad24.lo.sat.s32",
      "mad24.hi.sat.u32",
      "lop3.xor.b32",
      "prefetch.local.L2::evict_last",
      "prefetch.L3",
      "setmaxnreg.sync.aligned.u32",
      "nanosleep.s32",
      "wmma.mma.sync.aligned.row.m16n16k16.f32.f32",
      "redux.sync.add.f32",
      "redux.sync.min.NaN.s32",
      "cvt.rs.f32.f16",
      "cvt.rs.e4m3x4.f32",
      "mma.sync.aligned.m16n8k32.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0",
      "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.f32.e2m1.e2m1.f32.ue8m0",
      "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e4m3.f16.f32",
      "atom.add.f16",
      "atom.add.noftz.f32",
      "atom.min.f32",
      "atom.shared.add.v2.f32",
      "atom.add.v8.f32",
      "atom.add.v2.u32",
      "red.add.v4.f64",
  };
  for (const char* form : kForms) CHECK_MESSAGE(!resolved(form).resolved, form);
}

Pure pure(std::string_view text) {
  const Resolution r = resolved(text);
  REQUIRE_MESSAGE(r.resolved, text);
  return pure_of(r.resolved->form->opcode, r.resolved->modifiers);
}

TEST_CASE("how an instruction computes depends on its type") {
  CHECK(pure("add.u32") == Pure::apply);
  CHECK(pure("add.f32") == Pure::function);
  CHECK(pure("add.f16x2") == Pure::function);
  CHECK(pure("add.u16x2") == Pure::bits);
  CHECK(pure("add.sat.s32") == Pure::bits);
  CHECK(pure("sub.cc.u32") == Pure::bits);
  CHECK(pure("cvt.u8.u32") == Pure::convert);
  CHECK(pure("cvt.sat.u8.u32") == Pure::bits);
  CHECK(pure("cvt.rn.f32.s32") == Pure::function);
  CHECK(pure("cvt.rzi.s32.f32") == Pure::function);
  CHECK(pure("mov.f32") == Pure::move);
  CHECK(pure("selp.f32") == Pure::select);
  CHECK(pure("slct.f32.s32") == Pure::bits);
  CHECK(pure("slct.u32.f32") == Pure::function);
  CHECK(pure("setp.lt.f32") == Pure::compare);
}

TEST_CASE("words of a name come first, and where data comes from stands after where it goes") {
  const char* const kForms[] = {
      "fence.alias.proxy",
      "bar.popc.red.u32",
      "barrier.wait.cluster",
      "mbarrier.b64.init",
      "cp.bulk.async.wait_group",
      "cp.async.ca.global.shared::cta",
      "cp.async.bulk.global.shared::cluster.mbarrier::complete_tx::bytes",
      "cvta.shared.to.u64",
      "tensormap.tile.replace.rank.b1024.b32",
  };
  for (const char* form : kForms) {
    const Resolution r = resolved(form);
    REQUIRE_MESSAGE(!r.resolved, form);
    const std::string& message = r.errors.front().message;
    const bool of_order =
        message.find("comes first") != std::string::npos || message.find("stands after") != std::string::npos;
    CHECK_MESSAGE(of_order, form << ": " << message);
  }
  for (const char* form :
       {"bar.cta.red.popc.u32", "barrier.cta.aligned.sync", "shfl.b32.sync.up", "ld.u32.global"})
    CHECK_MESSAGE(resolved(form).resolved, form);
}

TEST_CASE("types of atomics") {
  for (const char* form : {"atom.exch.b32", "atom.cas.b16", "atom.and.b64", "atom.add.s32", "atom.add.u64",
                           "atom.min.s64", "red.or.b32", "atom.exch.b128"})
    CHECK_MESSAGE(resolved(form).resolved, form);
  for (const char* form : {"atom.exch.u32", "atom.cas.u32", "atom.and.u32", "atom.add.b32", "atom.add.s64",
                           "atom.min.b32", "red.or.s64", "atom.exch.b16", "atom.xor.b16"})
    CHECK_MESSAGE(!resolved(form).resolved, form);
}

TEST_CASE("operand places follow the types") {
  const auto places = [](std::string_view text) { return resolved(text).resolved->operands.size(); };
  CHECK_EQ(places("cvt.rn.f16x2.f32"), 3);
  CHECK_EQ(places("cvt.rn.f16.f32"), 2);
  CHECK_EQ(places("cvt.rn.f16x2.e4m3x2"), 2);
  CHECK_EQ(places("cvt.pack.sat.u16.s32"), 3);
  CHECK_EQ(places("cvt.pack.sat.u8.s32.b32"), 4);
  CHECK_EQ(places("set.lt.and.u32.f32"), 4);
  CHECK_EQ(places("bfi.b32"), 5);
}

}  // namespace
}  // namespace ptxmc::isa
