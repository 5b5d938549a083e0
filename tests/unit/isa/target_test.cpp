// SPDX-License-Identifier: Apache-2.0
#include "ptx/isa/target.h"

#include <doctest/doctest.h>

#include <string>

#include "ptx/isa/table.h"

using namespace ptxmc::isa;

namespace {

/// "8.0 sm_90a" of a mnemonic.
std::string needs(std::string_view mnemonic) {
  const Resolution resolution = resolve(mnemonic, Notation::any);
  REQUIRE_MESSAGE(resolution.resolved.has_value(), std::string(mnemonic));
  const Target target = target_of(resolution.resolved->form->opcode, resolution.resolved->modifiers);
  return version_name(target) + " " + sm_name(target);
}

}  // namespace

TEST_CASE("the memory model begins with PTX 6.0 and sm_70") {
  for (const char* text : {"ld.global.u32", "ld.acquire.gpu.global.u32", "st.volatile.u32",
                           "atom.acq_rel.gpu.global.cas.b64", "red.release.sys.global.add.u32",
                           "fence.sc.cta", "membar.gl", "bar.sync", "shfl.sync.idx.b32", "add.u32"}) {
    CAPTURE(text);
    CHECK_EQ(needs(text), "6.0 sm_70");
  }
}

TEST_CASE("modifiers that came later") {
  CHECK_EQ(needs("ld.acquire.cluster.global.u32"), "7.8 sm_90");
  CHECK_EQ(needs("st.shared::cta.u32"), "7.8 sm_70");
  CHECK_EQ(needs("st.shared::cluster.u32"), "7.8 sm_90");
  CHECK_EQ(needs("ld.mmio.relaxed.sys.global.u32"), "8.2 sm_70");
  CHECK_EQ(needs("ld.mmio.acquire.sys.global.u32"), "9.3 sm_70");
  CHECK_EQ(needs("ld.global.proxy::readonly.u32"), "9.4 sm_90");
  CHECK_EQ(needs("mbarrier.arrive.release.cluster.shared::cluster.multicast::cluster::32b.b64"),
           "9.4 sm_107a");
  CHECK_EQ(needs("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster::32b"),
           "9.4 sm_107a");
  CHECK_EQ(needs("ld.relaxed.gpu.global.b128"), "8.3 sm_70");
  CHECK_EQ(needs("ld.relaxed.sys.global.b128"), "8.4 sm_70");
  CHECK_EQ(needs("atom.relaxed.gpu.global.cas.b16"), "6.3 sm_70");
  CHECK_EQ(needs("ld.global.v8.b32"), "8.8 sm_100");
  CHECK_EQ(needs("fence.acquire.gpu"), "8.6 sm_70");
  CHECK_EQ(needs("fence.proxy.alias"), "7.5 sm_70");
  CHECK_EQ(needs("fence.proxy.async.global"), "8.0 sm_90");
  CHECK_EQ(needs("fence.proxy.tensormap::generic.release.gpu"), "8.3 sm_90");
  CHECK_EQ(needs("barrier.cluster.arrive"), "7.8 sm_90");
  CHECK_EQ(needs("barrier.cluster.arrive.relaxed"), "8.0 sm_90");
}

TEST_CASE("mbarrier objects, copies and matrices") {
  CHECK_EQ(needs("mbarrier.init.shared.b64"), "7.0 sm_80");
  CHECK_EQ(needs("mbarrier.try_wait.parity.shared.b64"), "8.0 sm_90");
  CHECK_EQ(needs("mbarrier.arrive.relaxed.cta.shared.b64"), "8.6 sm_90");
  CHECK_EQ(needs("cp.async.ca.shared.global"), "7.0 sm_80");
  CHECK_EQ(needs("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"), "8.0 sm_90");
  CHECK_EQ(needs("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes"), "8.6 sm_90");
  CHECK_EQ(needs("st.async.weak.global.b32"), "8.7 sm_100");
  CHECK_EQ(needs("wgmma.fence.sync.aligned"), "8.0 sm_90a");
  CHECK_EQ(needs("wgmma.mma_async.sp.sync.aligned.m64n8k32.f32.f16.f16"), "8.2 sm_90a");
}

TEST_CASE("tensor memory") {
  const std::string product = "tcgen05.mma.cta_group::1.kind::";
  CHECK_EQ(needs(product + "f16"), "8.6 sm_100a");
  CHECK_EQ(needs(product + "mxf8f6f4.block_scale.scale_vec::1X"), "8.6 sm_100a");
  CHECK_EQ(needs(product + "mxf8f6f4.block_scale"), "8.8 sm_100a");  // .block32 is the default
  CHECK_EQ(needs(product + "mxf4.block_scale.block32"), "8.8 sm_100a");
  CHECK_EQ(needs(product + "mxf4nvf4.block_scale.scale_vec::4X"), "8.7 sm_100a");
  CHECK_EQ(needs(product + "mxf4nvf4.block_scale.block16"), "8.8 sm_100a");
  CHECK_EQ(needs("tcgen05.ld.sync.aligned.32x32b.x1.b32"), "8.6 sm_100a");
  CHECK_EQ(needs("tcgen05.ld.red.sync.aligned.32x32b.x2.max.u32"), "8.8 sm_103a");
}

TEST_CASE("the least target of two") {
  const Target old{60, 70, false}, fine{80, 90, false}, own{82, 90, true}, later{70, 100, false};
  CHECK_EQ(both(old, fine), fine);
  CHECK_EQ(both(fine, own), own);
  CHECK_EQ(both(own, fine), own);
  CHECK_EQ(both(own, later), Target{82, 100, false});
  CHECK(lacks(both(own, later), own));
  CHECK_FALSE(lacks(own, fine));
  CHECK(lacks(fine, own));
}
