// SPDX-License-Identifier: Apache-2.0
// Forms of asynchronous copies, stores and reductions (9.7.8.12, 9.7.8.24, 9.7.12.7), and of proxy fences.
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "ptx/isa/table.h"

using namespace ptxmc::isa;

namespace {

const Resolved& resolved(std::string_view dotted) {
  static Resolution last;
  last = resolve(dotted, Notation::any);
  INFO("mnemonic: ", std::string(dotted), last.errors.empty() ? "" : last.errors.front().message);
  REQUIRE(last.resolved.has_value());
  return *last.resolved;
}

std::string message(std::string_view dotted) {
  const Resolution r = resolve(dotted, Notation::any);
  return r.errors.empty() ? "" : r.errors.front().message;
}

bool mentions(std::string_view dotted, std::string_view part) {
  const std::string found = message(dotted);
  if (found.find(part) == std::string::npos) MESSAGE("message: \"" << found << "\"");
  return found.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("the canonical mnemonic of every form resolves to the same instruction") {
  for (const std::string_view dotted :
       {"cp.async.ca.shared.global",
        "cp.async.cg.shared::cta.global",
        "cp.async.commit_group",
        "cp.async.wait_group",
        "cp.async.wait_all",
        "cp.async.bulk.commit_group",
        "cp.async.bulk.wait_group",
        "cp.async.bulk.wait_group.read",
        "cp.async.mbarrier.arrive.b64",
        "cp.async.mbarrier.arrive.noinc.shared::cta.b64",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes",
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster",
        "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes",
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes",
        "cp.async.bulk.global.shared::cta.bulk_group",
        "cp.async.bulk.relaxed.sys.global.shared::cta.bulk_group.b128",
        "cp.async.bulk.relaxed.gpu.shared::cta.global.mbarrier::complete_tx::bytes.b128",
        "cp.async.bulk.relaxed.cluster.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.b128",
        "cp.reduce.async.bulk.relaxed.gpu.global.shared::cta.bulk_group.add.u32",
        "cp.async.bulk.prefetch.L2.global",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.min.s64",
        "cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.inc.u32",
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32",
        "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.u32",
        "st.async.release.gpu.global.b32",
        "st.async.weak.global.u64",
        "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64",
        "st.bulk.weak.shared::cta",
        "fence.proxy.async",
        "fence.proxy.async.global",
        "fence.proxy.async.shared::cta",
        "fence.proxy.async.shared::cluster",
        "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster",
        "fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster",
        "fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster"}) {
    const Resolved first = resolved(dotted);
    const std::string printed = mnemonic(first.form->opcode, first.modifiers);
    CAPTURE(std::string(dotted));
    CAPTURE(printed);
    const Resolved again = resolved(printed);
    CHECK(again.form->opcode == first.form->opcode);
    CHECK(again.modifiers == first.modifiers);
    CHECK(again.operands == first.operands);
  }
}

TEST_CASE("words may stand in any order, and cache hints add an operand") {
  CHECK(resolved("cp.async.bulk.bulk_group.global.shared::cta").modifiers ==
        resolved("cp.async.bulk.global.shared::cta.bulk_group").modifiers);
  CHECK(resolved("cp.async.ca.shared.global.L2::cache_hint.L2::128B").cache_policy);
  CHECK(!resolved("cp.async.ca.shared.global").cache_policy);
}

TEST_CASE("spaces, proxies and completion of copies") {
  const Modifiers plain = resolved("cp.async.cg.shared.global").modifiers;
  CHECK(plain.proxy == Proxy::generic);  // D27
  CHECK(plain.cache_global);
  const Modifiers bulk =
      resolved("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes").modifiers;
  CHECK(bulk.proxy == Proxy::async);
  CHECK(bulk.space == Space::shared_cluster);
  CHECK(bulk.source_space == Space::global);
  CHECK(bulk.semantics == Semantics::weak);
  const Modifiers reduction =
      resolved("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32").modifiers;
  CHECK(reduction.semantics == Semantics::relaxed);
  CHECK(reduction.scope == Scope::none);  // of the edition (R149)
  CHECK(resolved("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster")
            .operands.back()
            .role == Role::cta_mask);
  const Modifiers both = resolved("fence.proxy.async.global").modifiers;
  CHECK(both.semantics == Semantics::weak);
  const Modifiers release =
      resolved("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster").modifiers;
  CHECK(release.semantics == Semantics::release);
  CHECK(release.space == Space::shared_cta);
  CHECK(!release.reads_only);
  const Modifiers of_reads =
      resolved("fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster").modifiers;
  CHECK(of_reads.space == Space::shared_cluster);
  CHECK(of_reads.reads_only);
}

TEST_CASE("what ptxas rejects") {
  CHECK(!message("cp.async.shared.global").empty());                // neither .ca nor .cg
  CHECK(!message("cp.async.ca.shared::cluster.global").empty());    // the own CTA only
  CHECK(!message("cp.async.bulk.shared::cluster.global").empty());  // no completion mechanism
  CHECK(!message("cp.async.bulk.global.shared::cta").empty());      // no completion mechanism
  CHECK(!message("cp.async.bulk.global.global.bulk_group").empty());
  CHECK(!message("fence.proxy.async.shared").empty());
  CHECK(!message("fence.proxy.async::generic.acquire").empty());
  CHECK(!message("fence.proxy.generic::tensormap.acquire.gpu").empty());
  CHECK(mentions("fence.proxy.async::generic.release.sync_restrict::shared::cluster.cluster", "contradicts"));
  CHECK(mentions("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster::read.cluster",
                 "contradicts"));
  CHECK(mentions("fence.proxy.alias.global", "contradicts"));
  CHECK(mentions("st.async.release.global.b32", "needs a scope"));
  CHECK(mentions("st.async.weak.gpu.global.b32", "contradicts"));
  CHECK(mentions("cp.async.bulk.relaxed.global.shared::cta.bulk_group.b128", "needs a scope"));
  CHECK(mentions("cp.async.bulk.relaxed.sys.global.shared::cta.bulk_group", "needs the type `.b128`"));
  CHECK(mentions("cp.async.bulk.weak.sys.global.shared::cta.bulk_group", "contradicts"));
  CHECK(mentions("cp.async.bulk.global.shared::cta.bulk_group.b128", "needs `.relaxed`"));
  CHECK(mentions("cp.async.bulk.relaxed.gpu.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.b128",
                 "expected a scope"));
  CHECK(mentions("cp.async.bulk.relaxed.gpu.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob.b128",
                 "not modelled"));
  CHECK(mentions("cp.reduce.async.bulk.relaxed.global.shared::cta.bulk_group.add.u32", "needs a scope"));
  CHECK(mentions("cp.reduce.async.bulk.sys.global.shared::cta.bulk_group.add.u32", "needs `.relaxed`"));
  CHECK(mentions("cp.reduce.async.bulk.global.shared::cta.bulk_group.inc.s32", "contradicts"));
  CHECK(mentions("cp.reduce.async.bulk.global.shared::cta.bulk_group.and.u32", "contradicts"));
  CHECK(mentions("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.max.u64",
                 "contradicts"));
  CHECK(mentions("red.async.relaxed.cluster.mbarrier::complete_tx::bytes.min.u64", "contradicts"));
  CHECK(mentions("st.async.mbarrier::complete_tx::bytes.v4.b64", "contradicts"));
}
