// SPDX-License-Identifier: Apache-2.0
#include "explain/words/async.h"

#include <fmt/format.h>

#include "explain/words/capital.h"
#include "explain/words/races.h"
#include "ptx/isa/opcode.h"
#include "ptx/isa/table.h"

namespace ptxmc::explain {

using check::AsyncStory;
using event::Event;
using event::EventId;
using event::kNoEvent;
using event::ProgramGraph;
using AsyncKind = AsyncStory::Kind;

namespace {

std::string location(const ProgramGraph& graph, EventId e) {
  const std::uint32_t name = graph.events[e].labels.name;
  return name < graph.names.size() ? fmt::format("[{}]", graph.names[name].name) : "memory";
}

/// "copy", "st.async", "reduction".
std::string what(const ProgramGraph& graph, EventId e) {
  const isa::OpcodeTraits& traits = isa::traits(graph.events[e].opcode);
  if (!traits.has(isa::Trait::of_copies)) return std::string(traits.name);
  const bool reduces = traits.opcode == isa::Opcode::cp_reduce_async_bulk ||
                       traits.opcode == isa::Opcode::cp_reduce_async_bulk_tensor;
  return reduces ? "reduction" : "copy";
}

std::string operation_text(const ProgramGraph& graph, EventId e) {
  return fmt::format("the {} in {}", what(graph, e), place_of(graph, e));
}

std::string_view access_verb(const ProgramGraph& graph, EventId e) {
  return graph.events[e].is_write() ? "writes" : "reads";
}

/// "the store in P0 line 8".
std::string access(const ProgramGraph& graph, EventId e) {
  const Event& event = graph.events[e];
  if (event.issue != kNoEvent) return operation_text(graph, e);
  const bool changes_map =
      event.opcode == isa::Opcode::tensormap_replace || event.opcode == isa::Opcode::tensormap_cp_fenceproxy;
  const std::string kind = changes_map           ? isa::name_of(event.opcode)
                           : event.labels.atomic ? "atomic"
                           : event.is_write()    ? "store"
                                                 : "load";
  return fmt::format("the {} in {}", kind, place_of(graph, e));
}

bool tracked_by_mbarrier(const AsyncStory& story) {
  return story.signal != kNoEvent;
}

bool is_wgmma(const ProgramGraph& graph, EventId e) {
  return graph.events[e].opcode == isa::Opcode::wgmma_mma;
}

/// Which fences of the tensormap proxy stand between a change of a map and the copy that reads it.
std::string map_fences(const ProgramGraph& graph, const AsyncStory& story) {
  const std::string at = location(graph, story.copy);
  if (story.release == kNoEvent && story.acquire == kNoEvent)
    return fmt::format("no fence.proxy.tensormap::generic for {} stands between them", at);
  if (story.acquire == kNoEvent) {
    return fmt::format("after the release in {} no fence.proxy.tensormap::generic.acquire of {} follows",
                       place_of(graph, story.release), at);
  }
  if (story.release == kNoEvent) {
    return fmt::format("no fence.proxy.tensormap::generic.release stands between it and the acquire in {}",
                       place_of(graph, story.acquire));
  }
  const event::Labels &release = graph.events[story.release].labels,
                      &acquire = graph.events[story.acquire].labels;
  return fmt::format("the release in {} (.{}) does not reach the acquire in {} (.{})",
                     place_of(graph, story.release), isa::name_of(release.scope),
                     place_of(graph, story.acquire), isa::name_of(acquire.scope));
}

/// "generic", "async", ...
std::string proxy_of(const ProgramGraph& graph, EventId e) {
  return std::string(isa::name_of(graph.events[e].labels.proxy));
}

/// Where the thread of the operation has to wait at the latest: only it can wait for its groups.
std::string own_thread_place(const ProgramGraph& graph, const AsyncStory& story) {
  const bool own = graph.events[story.other].thread == graph.events[story.copy].thread;
  if (own) return place_of(graph, story.other);
  return fmt::format("P{} lets {} go on", graph.threads[graph.events[story.copy].thread].number,
                     place_of(graph, story.other));
}

}  // namespace

std::string_view name_of(AsyncKind kind) {
  switch (kind) {
    case AsyncKind::proxy:
      return "async-proxy-fence";
    case AsyncKind::map_fences:
      return "tensormap-proxy-fence";
    case AsyncKind::not_awaited:
      return "missing-wait";
    case AsyncKind::not_committed:
      return "missing-commit";
    case AsyncKind::group_pending:
      return "group-pending";
    case AsyncKind::reads_only:
      return "wait-for-reads-only";
    case AsyncKind::other_phase:
      return "other-phase";
    case AsyncKind::not_started:
      return "missing-wgmma-fence";
    case AsyncKind::not_published:
      return "not-published";
    case AsyncKind::reuse:
      return "buffer-reused";
    case AsyncKind::unordered:
      return "not-ordered-before-copy";
  }
  return "";
}

std::string_view describe(AsyncKind kind) {
  switch (kind) {
    case AsyncKind::proxy:
      return "ordered, but not across the proxies: no fence.proxy.async";
    case AsyncKind::map_fences:
      return "a tensor map was changed: no fences of the tensormap proxy between the change and the copy";
    case AsyncKind::not_awaited:
      return "nothing waits for an asynchronous operation";
    case AsyncKind::not_committed:
      return "an asynchronous operation is in no group when its thread waits for groups";
    case AsyncKind::group_pending:
      return "a wait leaves the operation's group pending";
    case AsyncKind::reads_only:
      return "a wait for the reads of the source alone";
    case AsyncKind::other_phase:
      return "a wait for another phase: wrong parity or state";
    case AsyncKind::not_started:
      return "no wgmma.fence before an asynchronous product";
    case AsyncKind::not_published:
      return "nothing orders an access after the end of an asynchronous operation";
    case AsyncKind::reuse:
      return "a buffer is overwritten while it may still be read";
    case AsyncKind::unordered:
      return "nothing orders an access before an asynchronous operation";
  }
  return "";
}

std::string why(const ProgramGraph& graph, const AsyncStory& story, AsyncKind kind) {
  const std::string copy = operation_text(graph, story.copy), other = access(graph, story.other);
  const std::string at = location(graph, story.copy);
  const std::string does = fmt::format("{} {} {}", copy, access_verb(graph, story.copy), at);
  switch (kind) {
    case AsyncKind::proxy: {
      std::string out = fmt::format("{} through the {} proxy; ", does, proxy_of(graph, story.copy));
      const auto of_other = proxy_of(graph, story.other);
      if (of_other == proxy_of(graph, story.copy)) {  // 8.9.5 (2): then their thread blocks differ
        out += fmt::format("{} is in another thread block", other);
      } else {
        out += of_other == "async" ? fmt::format("{} goes through the async proxy", other)
                                   : fmt::format("{} is {}", other, of_other);
      }
      if (story.fence == kNoEvent) return capital(out + "; no fence.proxy.async stands between them");
      return capital(out + fmt::format("; the fence.proxy.async in {} alone does not join them",
                                       place_of(graph, story.fence)));
    }
    case AsyncKind::map_fences:
      return capital(fmt::format("{} through the tensormap proxy; {} is generic; {}", does, other,
                                 map_fences(graph, story)));
    case AsyncKind::not_awaited:
      return capital(
          fmt::format("{} asynchronously, and nothing waits for it to complete before {}", does, other));
    case AsyncKind::not_committed:
      return capital(
          fmt::format("{} asynchronously; no commit_group puts it into a group before {} in {}, so it may "
                      "be pending at {}",
                      does, graph.events[story.wait].text, place_of(graph, story.wait), other));
    case AsyncKind::group_pending:
      return capital(
          fmt::format("{} asynchronously; {} in {} does not wait for its group, so it may be pending at {}",
                      does, graph.events[story.wait].text, place_of(graph, story.wait), other));
    case AsyncKind::reads_only:
      return capital(
          fmt::format("{} asynchronously; {} in {} waits until it has read its source, not until it has "
                      "written: it may be pending at {}",
                      does, graph.events[story.wait].text, place_of(graph, story.wait), other));
    case AsyncKind::other_phase:
      return capital(
          fmt::format("{} asynchronously; the wait in {} returns when another phase is complete than the "
                      "one in which the {} completes, so it may be pending at {}",
                      does, place_of(graph, story.wait), what(graph, story.copy), other));
    case AsyncKind::not_started:
      return capital(fmt::format("{} {} {}, and starts when it likes: no wgmma.fence orders it after {}",
                                 copy, access_verb(graph, story.copy), at, other));
    case AsyncKind::not_published:
      return capital(fmt::format("{} asynchronously, and nothing orders {} after its end", does, other));
    case AsyncKind::reuse:
      return capital(
          fmt::format("{} overwrites {}, which {} may still read (write after read)", copy, at, other));
    case AsyncKind::unordered:
      return capital(fmt::format("{}, and nothing orders {} before it", does, other));
  }
  return "";
}

namespace {

/// The fences that a change of a tensor map takes, those that are missing or of too narrow a scope.
std::string map_remedy(const ProgramGraph& graph, const AsyncStory& story) {
  const std::string_view scope = isa::name_of(common_scope(graph, story.other, story.copy));
  const std::string other = place_of(graph, story.other), copy = place_of(graph, story.copy);
  std::string at = location(graph, story.copy);
  std::vector<std::string> parts;
  if (story.release == kNoEvent)
    parts.push_back(fmt::format("insert a fence.proxy.tensormap::generic.release.{} after {}", scope, other));
  if (story.acquire == kNoEvent) {
    parts.push_back(
        fmt::format("insert a fence.proxy.tensormap::generic.acquire.{} {}, 128 before {}", scope, at, copy));
  }
  if (parts.empty()) {
    parts.push_back(fmt::format("let the release in {} come before the acquire in {}, both at scope .{}",
                                place_of(graph, story.release), place_of(graph, story.acquire), scope));
  }
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : "; ") + part;
  return out;
}

/// Where a fence.proxy.async belongs: after the first access, or after the wait for it, before the second, or
/// both.
std::string fence_remedy(const ProgramGraph& graph, const AsyncStory& story) {
  const EventId first = story.other_first ? story.other : story.copy;
  const EventId second = story.other_first ? story.copy : story.other;
  const std::string behind = fmt::format(
      "after {}{}", graph.events[first].issue == kNoEvent ? "" : "the wait for ", place_of(graph, first));
  if (!story.before_second) return fmt::format("insert a fence.proxy.async {}", behind);
  if (!story.behind_first)
    return fmt::format("insert a fence.proxy.async before {}", place_of(graph, second));
  return fmt::format("insert a fence.proxy.async {} and another before {}", behind, place_of(graph, second));
}

}  // namespace

std::string remedy(const ProgramGraph& graph, const AsyncStory& story, AsyncKind kind) {
  const std::string other = place_of(graph, story.other), copy = place_of(graph, story.copy);
  const bool wgmma = is_wgmma(graph, story.copy);
  switch (kind) {
    case AsyncKind::proxy:
      return fence_remedy(graph, story);
    case AsyncKind::map_fences:
      return map_remedy(graph, story);
    case AsyncKind::not_awaited:
      if (tracked_by_mbarrier(story))
        return fmt::format("wait before {} for the phase of the mbarrier on which it completes",
                           story.waits_at_issue ? own_thread_place(graph, story) : other);
      if (wgmma)
        return fmt::format(
            "commit it (wgmma.commit_group) and wait for its group (wgmma.wait_group) before {}",
            own_thread_place(graph, story));
      return fmt::format(
          "commit it to a group and wait for that before {}, or let it complete on an mbarrier and wait "
          "for that",
          own_thread_place(graph, story));
    case AsyncKind::not_committed:
      return fmt::format("insert a {} after {}, before the wait in {}",
                         wgmma                           ? "wgmma.commit_group"
                         : graph.events[story.wait].bulk ? "cp.async.bulk.commit_group"
                                                         : "cp.async.commit_group",
                         copy, place_of(graph, story.wait));
    case AsyncKind::group_pending:
      return fmt::format("leave fewer groups pending in {}", place_of(graph, story.wait));
    case AsyncKind::reads_only:
      return fmt::format("wait without .read in {}", place_of(graph, story.wait));
    case AsyncKind::other_phase:
      return fmt::format(
          "wait in {} for the phase of the {}: the parity of that phase (0 for the first), or the state "
          "of its arrival",
          place_of(graph, story.wait), what(graph, story.copy));
    case AsyncKind::not_started:
      return fmt::format("insert a wgmma.fence before {}", copy);
    case AsyncKind::not_published:
      return fmt::format(
          "after the wait for {}, release a flag or arrive on a barrier, and wait for it before {}", copy,
          other);
    case AsyncKind::reuse:
      return fmt::format(
          "after {}, arrive on a barrier (an mbarrier for empty buffers), and wait for it before {}", other,
          copy);
    case AsyncKind::unordered:
      return fmt::format("after {}, release a flag or arrive on a barrier, and wait for it before {}", other,
                         copy);
  }
  return "";
}

}  // namespace ptxmc::explain
