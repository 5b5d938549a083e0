// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies: their events, what waits complete, and the cells that they move.
#include <set>

#include "lowered.h"

namespace ptxmc::lower {
namespace {

using event::EventId;
using event::EventKind;
using Pairs = std::vector<std::pair<EventId, EventId>>;

const char* const kCopy = "cp.async.ca.shared.global [s], [g], 4;";
const char* const kBulk =
    "cp.async.bulk.global.shared::cta.bulk_group [g], [s], 16; cp.async.bulk.commit_group;";

std::string plain(const std::string& code, const std::string& more = "") {
  return one_thread(".global .b32 g = 1; .shared .b32 s = 0; " + more, code, "exists (true)");
}

std::string bulk(const std::string& code, const std::string& more = "") {
  return one_thread(".global .b32 g[4]; .shared .b32 s[4]; " + more, code, "exists (true)");
}

TEST_CASE("a copy is an issue event in program order, a read and a write off it") {
  const auto graph = lowered(plain(kCopy));
  const auto issues = events_of(graph, EventKind::issue);
  const auto reads = events_of(graph, EventKind::read), writes = events_of(graph, EventKind::write);
  REQUIRE((issues.size() == 1 && reads.size() == 1 && writes.size() == 1));
  CHECK(graph.events[reads[0]].issue == issues[0]);
  CHECK(graph.events[writes[0]].issue == issues[0]);
  CHECK(graph.events[writes[0]].value == graph.events[reads[0]].value);
  CHECK(graph.events[reads[0]].labels.space == isa::Space::global);
  CHECK(graph.events[writes[0]].labels.space == isa::Space::shared);
  CHECK(graph.events[writes[0]].labels.proxy == isa::Proxy::generic);
  CHECK(graph.completed.empty());
}

TEST_CASE("wait_all completes the copies before it, wait_group what was committed") {
  const auto all = lowered(plain(std::string(kCopy) + "cp.async.wait_all;" + kCopy));
  const auto waits = events_of(all, EventKind::group);
  REQUIRE(waits.size() == 1);
  CHECK(all.completed == Pairs{{waits[0] - 2, waits[0]}, {waits[0] - 1, waits[0]}});
  CHECK(lowered(plain(std::string(kCopy) + "cp.async.wait_group 0;")).completed.empty());
  CHECK(
      lowered(plain(std::string(kCopy) + "cp.async.commit_group; cp.async.wait_group 0;")).completed.size() ==
      2);
  CHECK(
      lowered(plain(std::string(kCopy) + "cp.async.commit_group; cp.async.wait_group 1;")).completed.empty());
  CHECK(lowered(plain(std::string(kCopy) + "cp.async.commit_group; cp.async.bulk.wait_group 0;"))
            .completed.empty());
}

TEST_CASE("a wait completes a group once; with .read the sources alone, and then all") {
  const auto twice = lowered(plain(std::string(kCopy) + "cp.async.wait_all; cp.async.wait_all;"));
  CHECK(twice.completed.size() == 2);
  const auto read =
      lowered(bulk(std::string(kBulk) + "cp.async.bulk.wait_group.read 0; cp.async.bulk.wait_group 0;"));
  const auto groups = events_of(read, EventKind::group);  // commit, read wait, wait
  REQUIRE(groups.size() == 3);
  const EventId source = events_of(read, EventKind::read).front(),
                target = events_of(read, EventKind::write).front();
  CHECK(read.completed == Pairs{{source, groups[1]}, {source, groups[2]}, {target, groups[2]}});
  CHECK(read.events[source].labels.proxy == isa::Proxy::async);
  CHECK(read.events[source].labels.tile);
}

TEST_CASE("a commit that depends on memory makes a wait of each number of groups") {
  const auto graph = lowered(plain("ld.global.b32 %r0, [x]; setp.eq.u32 %p0, %r0, 1;" + std::string(kCopy) +
                                       "cp.async.commit_group;" + kCopy +
                                       "@%p0 cp.async.commit_group; cp.async.wait_group 1;",
                                   ".global .b32 x = 0;"));
  const auto groups = events_of(graph, EventKind::group);  // commit, commit under %p0, and two waits
  REQUIRE(groups.size() == 4);
  CHECK(graph.completed.size() == 2);
  std::set<EventId> waits;
  for (const auto& [access, wait] : graph.completed) waits.insert(wait);
  CHECK(waits.size() == 1);
}

TEST_CASE("a tile is one cell where nothing tells its bytes apart, and is divided alike at both ends") {
  const auto whole = lowered(bulk(std::string(kBulk)));
  CHECK(whole.cells.size() == 2);
  CHECK(whole.parts.empty());
  const auto divided = lowered(bulk(std::string(kBulk) + "ld.global.u16 %r0, [g+6];"));
  CHECK(divided.cells.size() == 6);
  const EventId write = events_of(divided, EventKind::write).front();
  CHECK(divided.slots_of(write) == 3);
  const auto valued =
      lowered(one_thread(".global .b32 g[4]; .shared .b32 s[4] = {1, 2, 3, 4};", kBulk, "exists (true)"));
  CHECK(valued.cells.size() == 4);  // values have at most 8 bytes
}

TEST_CASE("values: what is copied, zeros beyond the source size, reductions of every element") {
  const std::string declarations = ".global .b32 g[2] = {7, 8}; .shared .b32 s[2] = {1, 1};";
  const auto graph =
      lowered(one_thread(declarations, "cp.async.ca.shared.global [s], [g], 8, 4;", "exists (true)"));
  const EventId write = events_of(graph, EventKind::write).front();
  REQUIRE(graph.slots_of(write) == 2);
  CHECK(graph.slot(graph.slot_of(write, 0)).value ==
        graph.events[events_of(graph, EventKind::read).front()].value);
  const event::Expr rest = graph.slot(graph.slot_of(write, 1)).value;
  REQUIRE(graph.exprs.is_constant(rest));
  CHECK(graph.exprs[rest].constant == 0);
  const auto none =
      lowered(one_thread(declarations, "cp.async.ca.shared.global [s], [g], 8, 0;", "exists (true)"));
  CHECK(events_of(none, EventKind::read).empty());
  const auto reduced =
      lowered(bulk("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [g], [s], 16;"));
  CHECK(events_of(reduced, EventKind::read).size() == 5);
  CHECK(events_of(reduced, EventKind::write).size() == 4);
  for (const EventId w : events_of(reduced, EventKind::write)) {
    CHECK(reduced.events[w].labels.scope == isa::Scope::sys);
    CHECK(!reduced.events[w].labels.tile);
  }
}

TEST_CASE("st.async.release: its issue event releases too; a prefetch has no event") {
  const auto graph = lowered(plain("st.async.release.gpu.global.b32 [g], 1;"));
  const auto& issue = graph.events[events_of(graph, EventKind::issue).front()];
  CHECK(issue.labels.semantics == isa::Semantics::release);
  CHECK(issue.labels.scope == isa::Scope::gpu);
  const auto& weak = lowered(plain("st.async.weak.global.b32 [g], 1;"));
  CHECK(weak.events[events_of(weak, EventKind::issue).front()].labels.scope == isa::Scope::none);
  const auto prefetch = lowered(bulk("cp.async.bulk.prefetch.L2.global [g], 16;"));
  CHECK(events_of(prefetch, EventKind::issue).empty());
  CHECK(events_of(prefetch, EventKind::read).empty());
}

TEST_CASE("readings: st.async through the async proxy") {
  Options options;
  options.readings.async_stores_use_async_proxy = true;
  const auto graph = lowered(plain("st.async.weak.global.b32 [g], 1;"), options);
  CHECK(graph.events[events_of(graph, EventKind::write).front()].labels.proxy == isa::Proxy::async);
}

TEST_CASE("operands that are wrong") {
  CHECK(fails_with(plain("cp.async.ca.shared.global [s], [g], 12;"), "expected 4, 8 or 16"));
  CHECK(fails_with(plain("cp.async.cg.shared.global [s], [g], 4;"), "expected 16"));
  CHECK(fails_with(plain("cp.async.ca.shared.global [s], [g], 4, 8;"), "larger than the size"));
  CHECK(fails_with(plain("cp.async.ca.shared.global [s], [g], 8;"), "outside of"));
  CHECK(fails_with(plain("cp.async.ca.shared.global [g], [s], 4;"), "the access is .shared"));
  CHECK(fails_with(bulk("cp.async.bulk.global.shared::cta.bulk_group [g], [s], 12;"), "a multiple of 16"));
  CHECK(fails_with(bulk("cp.async.bulk.global.shared::cta.bulk_group [g+4], [s], 16;", ".shared .b32 t[8];"),
                   "outside of"));
  CHECK(fails_with(bulk("cp.async.bulk.global.shared::cta.bulk_group [h+4], [s], 16;", ".global .b32 h[8];"),
                   "no multiple of 16"));
  CHECK(
      fails_with(bulk("ld.global.b64 %rd0, [p]; cp.async.bulk.global.shared::cta.bulk_group [%rd0], [s], 16;",
                      ".global .b64 p = &g;"),
                 "not constant"));
  CHECK(fails_with(bulk("ld.global.b32 %r0, [g]; cp.async.bulk.global.shared::cta.bulk_group [g], [s], %r0;"),
                   "a size that is not constant"));
  CHECK(fails_with(bulk("st.bulk.weak.shared::cta [s], 12, 0;"), "a multiple of 8"));
  CHECK(fails_with(bulk("st.bulk.weak.shared::cta [s], 16, 1;"), "zero only"));
}

TEST_CASE("copies in a loop whose trips are constant") {
  const auto graph =
      lowered(plain("mov.u32 %r1, 0; L: " + std::string(kCopy) +
                    "cp.async.wait_all; add.u32 %r1, %r1, 1; setp.lt.u32 %p0, %r1, 3; @%p0 bra L;"));
  CHECK(events_of(graph, EventKind::issue).size() == 3);
  CHECK(graph.completed.size() == 6);
}

}  // namespace
}  // namespace ptxmc::lower
