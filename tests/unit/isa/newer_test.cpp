// SPDX-License-Identifier: Apache-2.0
// Forms of newer manuals are refused by name, with their version and what is missing.
#include "ptx/isa/newer.h"

#include <doctest/doctest.h>

namespace ptxmc::isa {
namespace {

std::string message(std::string_view text) {
  const Resolution resolution = resolve(text, Notation::any);
  return resolution.errors.empty() ? "" : resolution.errors.front().message;
}

TEST_CASE("each form is said by its name and its version") {
  struct Row {
    const char* form;
    const char* name;
    const char* since;
  };
  const Row rows[] = {
      {"fence.proxy.generic::fabric.alias.release.sys", "fence.proxy.generic::fabric", "9.3"},
      {"fence.alias.sync_restrict::read.release.sys", "fence.alias.sync_restrict::read", "9.5"},
      {"fabric.submit", "fabric.submit", "9.3"},
      {"fabric.try_get.async.shared::cta.relaxed.sys.b128", "fabric.try_get", "9.3"},
      {"spcompress.sp::2:4.max.f32.b2", "spcompress.sp::2:4", "9.4"},
      {"cp.async.bulk.relaxed.sys.shared::cta.global.mbarrier::complete_tx::bytes.mbarrier::report::validity::per_"
       "element::ff.b128",
       "cp.mbarrier::report::validity::per_element::ff", "9.3"},
      {"multimem.cp.async.bulk.global.shared::cta.bulk_group", "multimem.cp.async.bulk", "9.1"},
      {"tcgen05.mma.cta_group::1.kind::ti16", "tcgen05.kind::ti16", "9.4"},
      {"add.u8x4", "add.u8x4", "9.2"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.form);
    const std::string begin = "`" + std::string(row.name) + "` (PTX " + row.since + ") is not modelled: ";
    CHECK_EQ(message(row.form).substr(0, begin.size()), begin);
  }
}

TEST_CASE("a default that newer manuals name is that default") {
  const std::pair<const char*, const char*> rows[] = {
      {"cp.async.bulk.weak.shared::cta.global.mbarrier::complete_tx::bytes",
       "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes"},
      {"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.mbarrier::report::disabled",
       "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes"},
      {"cp.async.bulk.weak.shared::cluster.shared::cta.mbarrier::complete_tx::bytes",
       "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"},
      {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster::16b",
       "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"},
      {"tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster::16b.b64",
       "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64"},
      {"cp.async.bulk.prefetch.L2.global.L2::evict_last", "cp.async.bulk.prefetch.L2.global"},
      {"mbarrier.init.layout::v0.shared::cta.b64", "mbarrier.init.shared::cta.b64"},
      {"mbarrier.pending_count.layout::v0.b64", "mbarrier.pending_count.b64"},
      {"ld.volatile.local.u32", "ld.local.u32"},
      {"st.volatile.local.u32", "st.local.u32"},
      {"mbarrier.try_wait.parity.phase_type::conditional.acquire.cta.shared::cta.b64",
       "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.first);
    REQUIRE_EQ(message(row.first), "");
    CHECK(resolve(row.first, Notation::any).resolved->modifiers ==
          resolve(row.second, Notation::any).resolved->modifiers);
  }
}

TEST_CASE("forms of newer manuals are printed as they are written") {
  for (
      const char* const form :
      {"mbarrier.check_layout.layout::v0.shared::cta.b64", "mbarrier.check_layout.layout::v1.b64",
       "mbarrier.try_wait.parity.phase_type::primary.acquire.cta.shared::cta.b64",
       "mbarrier.test_wait.phase_type::primary.relaxed.cluster.shared::cta.b64",
       "tcgen05.alloc.exclusive.cta_group::1.sync.aligned.shared::cta.b32",
       "tcgen05.dealloc.exclusive.cta_group::2.sync.aligned.b32",
       "tcgen05.commit.cta_group::1.mbarrier::arrive::one.sync_restrict::shared::read::mma::a.shared::cluster."
       "b64"}) {
    CAPTURE(form);
    REQUIRE_EQ(message(form), "");
    const Resolution resolution = resolve(form, Notation::any);
    CHECK_EQ(mnemonic(resolution.resolved->form->opcode, resolution.resolved->modifiers), form);
  }
  CHECK_NE(message("mbarrier.test_wait.phase_type::conditional.shared::cta.b64"), "");  // by parity alone
  CHECK_NE(message("mbarrier.check_layout.shared::cta.b64"), "");
}

TEST_CASE("forms that are none of these, or that there are, are not taken for one") {
  for (const char* const form :
       {"fence.proxy.alias", "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32", "add.sat.s32",
        "createpolicy.fractional.L2::evict_last.b64"}) {
    CAPTURE(form);
    CHECK_EQ(message(form), "");
  }
  CHECK_EQ(message("fence.alias").find("PTX"), std::string::npos);
  CHECK_EQ(message("fabrik.submit").find("PTX"), std::string::npos);
  CHECK_EQ(newer_register("tid"), "");
  CHECK_NE(newer_register("perctamemoryoffset").find("`%perctamemoryoffset` (PTX 9.4) is not modelled"),
           std::string::npos);
  CHECK_NE(newer_directive("minperctamemory").find("`.minperctamemory` (PTX 9.4) is not modelled"),
           std::string::npos);
}

}  // namespace
}  // namespace ptxmc::isa
