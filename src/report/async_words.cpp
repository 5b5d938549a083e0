// SPDX-License-Identifier: Apache-2.0
#include "report/async_words.h"

#include <fmt/format.h>

#include "report/race_words.h"

namespace ptxmc::report {

using check::AsyncStory;
using event::Event;
using event::EventId;
using event::kNoEvent;
using event::ProgramGraph;
using Kind = AsyncStory::Kind;

namespace {

std::string location(const ProgramGraph& graph, EventId e) {
  const std::uint32_t name = graph.events[e].labels.name;
  return name < graph.names.size() ? fmt::format("[{}]", graph.names[name].name) : "memory";
}

/// "copy", "st.async", "reduction".
std::string what(const ProgramGraph& graph, EventId e) {
  const std::string& text = graph.events[e].text;
  for (const std::string_view own : {"st.async", "red.async", "st.bulk"}) {
    if (text.find(own) != std::string::npos) return std::string(own);
  }
  return text.find("cp.reduce") != std::string::npos ? "reduction" : "copy";
}

std::string subject(const ProgramGraph& graph, EventId e) {
  return fmt::format("the {} in {}", what(graph, e), place_of(graph, e));
}

std::string_view verb(const ProgramGraph& graph, EventId e) {
  return graph.events[e].is_write() ? "writes" : "reads";
}

/// "the store in P0 line 8".
std::string access(const ProgramGraph& graph, EventId e) {
  const Event& event = graph.events[e];
  if (event.issue != kNoEvent) return subject(graph, e);
  const bool replaces = event.text.find("tensormap.replace") != std::string::npos;
  const bool copies = event.text.find("tensormap.cp_fenceproxy") != std::string::npos;
  const std::string_view kind = replaces              ? "tensormap.replace"
                                : copies              ? "tensormap.cp_fenceproxy"
                                : event.labels.atomic ? "atomic"
                                : event.is_write()    ? "store"
                                                      : "load";
  return fmt::format("the {} in {}", kind, place_of(graph, e));
}

bool one_cta(const ProgramGraph& graph, EventId a, EventId b) {
  return graph.threads[graph.events[a].thread].cta == graph.threads[graph.events[b].thread].cta;
}

bool tracked_by_mbarrier(const AsyncStory& story) {
  return story.signal != kNoEvent;
}

/// An arrival and a wait meet, and order nothing.
std::string meets(const ProgramGraph& graph, const AsyncStory& story) {
  if (story.signal == kNoEvent) return "";
  const event::Labels &arrival = graph.events[story.signal].labels, &wait = graph.events[story.wait].labels;
  std::string out = fmt::format("; the wait in {} meets the arrival in {}", place_of(graph, story.wait),
                                place_of(graph, story.signal));
  const bool weak = arrival.semantics == isa::Semantics::relaxed || wait.semantics == isa::Semantics::relaxed;
  if (weak) return out + ", but one of the two is relaxed";
  return out + fmt::format(", but at a scope that does not include both threads (.{}, .{})",
                           isa::name_of(arrival.scope), isa::name_of(wait.scope));
}

/// Which fences of the tensormap proxy stand between a change of a map and the copy that reads it.
std::string map_fences(const ProgramGraph& graph, const AsyncStory& story) {
  const std::string at = location(graph, story.copy);
  if (story.signal == kNoEvent && story.wait == kNoEvent)
    return fmt::format("no fence.proxy.tensormap::generic for {} stands between them", at);
  if (story.wait == kNoEvent) {
    return fmt::format("behind the release in {} no fence.proxy.tensormap::generic.acquire of {} follows",
                       place_of(graph, story.signal), at);
  }
  if (story.signal == kNoEvent) {
    return fmt::format("no fence.proxy.tensormap::generic.release stands between it and the acquire in {}",
                       place_of(graph, story.wait));
  }
  const event::Labels &release = graph.events[story.signal].labels,
                      &acquire = graph.events[story.wait].labels;
  return fmt::format("the release in {} (.{}) does not reach the acquire in {} (.{})",
                     place_of(graph, story.signal), isa::name_of(release.scope), place_of(graph, story.wait),
                     isa::name_of(acquire.scope));
}

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

}  // namespace

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::proxy:
      return "async-proxy-fence";
    case Kind::not_awaited:
      return "missing-wait";
    case Kind::group_pending:
      return "group-pending";
    case Kind::reads_only:
      return "wait-for-reads-only";
    case Kind::other_phase:
      return "other-phase";
    case Kind::map_fences:
      return "tensormap-proxy-fence";
    case Kind::reuse:
      return "buffer-reused";
    case Kind::unordered:
      return "not-ordered-before-copy";
  }
  return "";
}

std::string_view describe(Kind kind) {
  switch (kind) {
    case Kind::proxy:
      return "ordered, but not across the proxies: no fence.proxy.async";
    case Kind::not_awaited:
      return "nothing waits for an asynchronous operation";
    case Kind::group_pending:
      return "a wait leaves the operation's group pending";
    case Kind::reads_only:
      return "a wait for the reads of the source alone";
    case Kind::other_phase:
      return "a wait for another phase: wrong parity or state";
    case Kind::map_fences:
      return "a tensor map was changed: no fences of the tensormap proxy between the change and the copy";
    case Kind::reuse:
      return "a buffer is overwritten while it may still be read";
    case Kind::unordered:
      return "nothing orders an access before an asynchronous operation";
  }
  return "";
}

std::string why(const ProgramGraph& graph, const AsyncStory& story) {
  const std::string copy = subject(graph, story.copy), other = access(graph, story.other);
  const std::string at = location(graph, story.copy);
  const std::string does = fmt::format("{} {} {}", copy, verb(graph, story.copy), at);
  switch (story.kind) {
    case Kind::proxy: {
      const bool copy_async = graph.events[story.copy].labels.proxy == isa::Proxy::async;
      std::string out = fmt::format("{} through the {} proxy; {} is {}", does,
                                    copy_async ? "async" : "generic", other, copy_async ? "generic" : "not");
      if (story.wait == kNoEvent) return capital(out + "; no fence.proxy.async stands between them");
      return capital(out + fmt::format("; the fence.proxy.async in {} alone does not join them",
                                       place_of(graph, story.wait)));
    }
    case Kind::not_awaited:
      return capital(
          fmt::format("{} asynchronously, and nothing waits for it to complete before {}", does, other));
    case Kind::group_pending:
      return capital(
          fmt::format("{} asynchronously; {} in {} does not wait for its group, so it may be pending at {}",
                      does, graph.events[story.wait].text, place_of(graph, story.wait), other));
    case Kind::reads_only:
      return capital(
          fmt::format("{} asynchronously; {} in {} waits until it has read its source, not until it has "
                      "written: it may be pending at {}",
                      does, graph.events[story.wait].text, place_of(graph, story.wait), other));
    case Kind::other_phase:
      return capital(
          fmt::format("{} asynchronously; the wait in {} returns when another phase is complete than the "
                      "one in which the {} completes, so it may be pending at {}",
                      does, place_of(graph, story.wait), what(graph, story.copy), other));
    case Kind::map_fences:
      return capital(fmt::format("{} through the tensormap proxy; {} is generic; {}", does, other,
                                 map_fences(graph, story)));
    case Kind::reuse:
      return capital(
          fmt::format("{} overwrites {}, which {} may still read (write after read)", copy, at, other) +
          meets(graph, story));
    case Kind::unordered:
      return capital(fmt::format("{}, and nothing orders {} before it", does, other) + meets(graph, story));
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
  if (story.signal == kNoEvent)
    parts.push_back(fmt::format("put a fence.proxy.tensormap::generic.release.{} behind {}", scope, other));
  if (story.wait == kNoEvent) {
    parts.push_back(
        fmt::format("put a fence.proxy.tensormap::generic.acquire.{} {}, 128 before {}", scope, at, copy));
  }
  if (parts.empty() && story.synchronized) {
    parts.push_back(fmt::format("let the release in {} come before the acquire in {}, both at scope .{}",
                                place_of(graph, story.signal), place_of(graph, story.wait), scope));
  }
  if (!story.synchronized) {
    parts.push_back(fmt::format("release a flag behind {}, and wait for it before {}", other, copy));
  }
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : "; ") + part;
  return out;
}

std::string joined_meeting(const ProgramGraph& graph, const AsyncStory& story) {
  return fmt::format("release in {} and acquire in {}, both at a scope that includes the other thread",
                     place_of(graph, story.signal), place_of(graph, story.wait));
}

}  // namespace

std::string remedy(const ProgramGraph& graph, const AsyncStory& story) {
  const std::string other = place_of(graph, story.other), copy = place_of(graph, story.copy);
  switch (story.kind) {
    case Kind::proxy:
      if (!story.other_first)
        return fmt::format("put a fence.proxy.async between the wait for it and {}", other);
      if (one_cta(graph, story.copy, story.other))
        return fmt::format("put a fence.proxy.async behind {}", other);
      return fmt::format(
          "put a fence.proxy.async behind {} and another before {}: in each of the two thread blocks", other,
          copy);
    case Kind::not_awaited:
      if (tracked_by_mbarrier(story))
        return fmt::format("wait before {} for the phase of the mbarrier on which it completes", other);
      return fmt::format(
          "commit it to a group and wait for that before {}, or let it complete on an mbarrier and wait "
          "for that",
          other);
    case Kind::group_pending:
      return fmt::format("commit it before the wait in {} and leave fewer groups pending there",
                         place_of(graph, story.wait));
    case Kind::reads_only:
      return fmt::format("wait without .read in {}", place_of(graph, story.wait));
    case Kind::other_phase:
      return fmt::format(
          "wait in {} for the phase of the {}: the parity of that phase (0 for the first), or the state "
          "of its arrival",
          place_of(graph, story.wait), what(graph, story.copy));
    case Kind::map_fences:
      return map_remedy(graph, story);
    case Kind::reuse:
      if (story.signal != kNoEvent) return joined_meeting(graph, story);
      if (graph.events[story.copy].thread == graph.events[story.other].thread)
        return fmt::format("put a fence.proxy.async behind {}", other);
      return fmt::format(
          "behind {}, arrive on a barrier (an mbarrier for empty buffers), and wait for it before {}", other,
          copy);
    case Kind::unordered:
      if (story.signal != kNoEvent) return joined_meeting(graph, story);
      return fmt::format("behind {}, release a flag or arrive on a barrier, and wait for it before {}", other,
                         copy);
  }
  return "";
}

}  // namespace ptxmc::report
