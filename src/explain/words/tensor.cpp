// SPDX-License-Identifier: Apache-2.0
#include "explain/words/tensor.h"

#include <fmt/format.h>

#include "explain/words/capital.h"
#include "explain/words/races.h"

namespace ptxmc::explain {

using check::TensorStory;
using event::EventId;
using event::kNoEvent;
using event::ProgramGraph;
using event::TensorOp;
using TensorFault = TensorStory::Kind;

namespace {

std::string_view instruction_of(TensorOp op) {
  switch (op) {
    case TensorOp::mma:
      return "tcgen05.mma";
    case TensorOp::cp:
    case TensorOp::cp_4x256b:
      return "tcgen05.cp";
    case TensorOp::shift:
      return "tcgen05.shift";
    case TensorOp::ld:
      return "tcgen05.ld";
    case TensorOp::st:
      return "tcgen05.st";
    case TensorOp::alloc:
      return "tcgen05.alloc";
    default:
      return "tcgen05.dealloc";
  }
}

TensorOp op_of(const ProgramGraph& graph, EventId access) {
  return graph.events[graph.events[access].issue].tensor.op;
}

std::string tensor_operation_text(const ProgramGraph& graph, EventId access) {
  return fmt::format("the {} in {}", instruction_of(op_of(graph, access)), place_of(graph, access));
}

std::string_view tensor_access_verb(const ProgramGraph& graph, EventId access) {
  return graph.events[access].is_write() ? "write" : "read";
}

/// The first cell that both touch.
std::string common(const ProgramGraph& graph, const TensorStory& story) {
  for (std::size_t k = 0; k < graph.slots_of(story.first); ++k) {
    const event::CellId cell = graph.slot(graph.slot_of(story.first, k)).cell;
    if (graph.covers(story.second, cell)) return graph.cells[cell].name;
  }
  return "tensor memory";
}

/// "P0 line 7", what stands there, and what is put in beside the wait.
std::string spot(const ProgramGraph& graph, const TensorStory::Link& link) {
  const std::string place = place_of(graph, link.until);
  if (link.fenced) return fmt::format("{}, then tcgen05.fence::after_thread_sync", place);
  if (graph.events[link.until].tensor.op != TensorOp::after) return place;
  return fmt::format("the tcgen05.fence::after_thread_sync in {}", place);
}

/// How to know that the first operation is complete.
std::string completion(const ProgramGraph& graph, const TensorStory& story) {
  const TensorStory::Link& link = *story.completion;
  const std::string from = place_of(graph, link.from);
  if (link.until == kNoEvent && link.wait == kNoEvent) {
    const bool loads = op_of(graph, story.first) == TensorOp::ld;
    const bool other_thread = graph.events[story.second].thread != graph.events[story.first].thread;
    return fmt::format("insert tcgen05.wait::{} after {}{}", loads ? "ld" : "st", from,
                       other_thread ? ", before its thread synchronizes" : "");
  }
  if (link.wait != kNoEvent) {
    return fmt::format("wait in {} for the phase that the tcgen05.commit in {} completes",
                       place_of(graph, link.wait), place_of(graph, link.arrival));
  }
  const std::string until = spot(graph, link);
  if (link.arrival == kNoEvent)
    return fmt::format("insert a tcgen05.commit after {} and wait for its mbarrier before {}", from, until);
  const std::string commit = fmt::format("the tcgen05.commit in {}", place_of(graph, link.arrival));
  if (link.far) {
    return fmt::format(
        "let {} signal an mbarrier of the other CTA (.multicast::cluster) and wait for that before {}",
        commit, until);
  }
  return fmt::format("wait for the mbarrier of {} before {}", commit, until);
}

/// How to let the second operation wait for the first one's thread.
std::string meeting(const ProgramGraph& graph, const TensorStory& story) {
  const TensorStory::Link& link = *story.meeting;
  if (link.wait != kNoEvent) {
    return fmt::format("wait in {} for the phase in which {} arrives", place_of(graph, link.wait),
                       place_of(graph, link.arrival));
  }
  const std::string until = spot(graph, link);
  if (link.arrival != kNoEvent) {
    return fmt::format("wait for the phase of the mbarrier in which {} arrives before {}",
                       place_of(graph, link.arrival), until);
  }
  return fmt::format("insert an arrival on a barrier after {}, and wait for it before {}",
                     place_of(graph, link.from), until);
}

/// The links that are about a wait for another phase, or those that are not.
std::string links(const ProgramGraph& graph, const TensorStory& story, bool other_phase) {
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : "; ") + text; };
  const auto chosen = [&](const auto& link) { return link && (link->wait != kNoEvent) == other_phase; };
  if (chosen(story.completion)) add(completion(graph, story));
  if (chosen(story.meeting)) add(meeting(graph, story));
  return out;
}

/// Places of fences, and whether it stands before or after each.
std::string places(const ProgramGraph& graph, const std::vector<TensorStory::Place>& all) {
  std::string out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i != 0) out += i + 1 == all.size() ? " and " : ", ";
    out += fmt::format("{} {}", all[i].behind ? "after" : "before", place_of(graph, all[i].at));
  }
  return out;
}

/// A fence that is missing on the way from one thread to the other.
std::string elsewhere(const ProgramGraph& graph, const TensorStory& story, const TensorStory::Place& place,
                      std::string_view half) {
  return capital(fmt::format("{} and {} are ordered through {}, and no {}_thread_sync stands {} that",
                             tensor_operation_text(graph, story.first),
                             tensor_operation_text(graph, story.second), place_of(graph, place.at), half,
                             place.behind ? "after" : "before"));
}

/// "nothing waits for the first to complete", and what waits for something else.
std::string not_awaited(const ProgramGraph& graph, const TensorStory& story) {
  if (story.wait != kNoEvent) {
    return fmt::format("{} in {} does not wait for it", graph.events[story.wait].text,
                       place_of(graph, story.wait));
  }
  if (story.completion && story.completion->arrival != kNoEvent) {
    return fmt::format("nothing waits for the tcgen05.commit in {} before that",
                       place_of(graph, story.completion->arrival));
  }
  return "nothing waits for the first to complete";
}

}  // namespace

std::string_view name_of(TensorFault kind) {
  switch (kind) {
    case TensorFault::unordered:
      return "tensor-unordered";
    case TensorFault::incomplete:
      return "tensor-not-complete";
    case TensorFault::other_phase:
      return "other-phase";
    case TensorFault::no_before:
      return "tensor-no-before-fence";
    case TensorFault::no_after:
      return "tensor-no-after-fence";
    case TensorFault::before_alloc:
      return "tensor-before-alloc";
    case TensorFault::before_dealloc:
      return "tensor-freed-early";
    case TensorFault::after_dealloc:
      return "tensor-after-dealloc";
    case TensorFault::freed_twice:
      return "tensor-freed-twice";
  }
  return "";
}

std::string_view describe(TensorFault kind) {
  switch (kind) {
    case TensorFault::unordered:
      return "nothing orders two operations on tensor memory";
    case TensorFault::incomplete:
      return "an operation on tensor memory may not be complete";
    case TensorFault::other_phase:
      return "a wait for another phase: wrong parity or state";
    case TensorFault::no_before:
      return "no tcgen05.fence::before_thread_sync";
    case TensorFault::no_after:
      return "no tcgen05.fence::after_thread_sync";
    case TensorFault::before_alloc:
      return "tensor memory is used where it may not be allocated yet";
    case TensorFault::before_dealloc:
      return "tensor memory is freed while it may be in use";
    case TensorFault::after_dealloc:
      return "tensor memory is used where it may be freed";
    case TensorFault::freed_twice:
      return "tensor memory is freed twice";
  }
  return "";
}

std::string why(const ProgramGraph& graph, const TensorStory& story, TensorFault kind) {
  const std::string first = tensor_operation_text(graph, story.first),
                    second = tensor_operation_text(graph, story.second);
  const std::string at = common(graph, story);
  const std::string may_still =
      fmt::format("{} may still {} {}", first, tensor_access_verb(graph, story.first), at);
  switch (kind) {
    case TensorFault::unordered:
      return capital(fmt::format("{} and {} both access {}, and nothing orders them", first, second, at));
    case TensorFault::incomplete:
      return capital(fmt::format("{} when {} accesses it: {}{}", may_still, second,
                                 story.pipelined ? "" : "the two are no pipelined pair (9.7.16.6.2), and ",
                                 not_awaited(graph, story)));
    case TensorFault::other_phase: {
      const auto& link =
          story.completion && story.completion->wait != kNoEvent ? story.completion : story.meeting;
      return capital(
          fmt::format("{} when {} accesses it: the wait in {} returns when another phase is complete "
                      "than the one that {} counts in",
                      may_still, second, place_of(graph, link->wait), place_of(graph, link->arrival)));
    }
    case TensorFault::no_before: {
      const TensorStory::Place& place = story.before.front();
      const bool own = place.at == graph.events[story.first].issue;
      if (!place.behind) return elsewhere(graph, story, place, "before");
      return capital(
          fmt::format("{} synchronizes with the thread of {}, and no before_thread_sync stands before that",
                      own ? first : place_of(graph, place.at), second));
    }
    case TensorFault::no_after:
      if (story.after.front().behind) return elsewhere(graph, story, story.after.front(), "after");
      return capital(
          fmt::format("{} is asynchronous and may start before the waits that precede it: no "
                      "after_thread_sync stands after the last of them; {} accesses {} too",
                      second, first, at));
    case TensorFault::before_alloc:
      return capital(fmt::format("{} and {} are not ordered, so {} may be accessed before it is allocated",
                                 first, second, at));
    case TensorFault::before_dealloc:
      return capital(fmt::format("{} when {} frees it", may_still, second));
    case TensorFault::after_dealloc:
      return capital(fmt::format("{} frees {}, which {} accesses", first, at, second));
    case TensorFault::freed_twice:
      return capital(fmt::format("{} and {} both free {}", first, second, at));
  }
  return "";
}

std::string remedy(const ProgramGraph& graph, const TensorStory& story, TensorFault kind) {
  switch (kind) {
    case TensorFault::unordered:
    case TensorFault::before_alloc:
      return meeting(graph, story);
    case TensorFault::incomplete:
      return completion(graph, story);
    case TensorFault::before_dealloc:
      return links(graph, story, false);
    case TensorFault::other_phase:
      return links(graph, story, true);
    case TensorFault::no_before:
      return fmt::format("insert tcgen05.fence::before_thread_sync {}{}", places(graph, story.before),
                         story.before.front().behind ? ", before its thread synchronizes" : "");
    case TensorFault::no_after:
      return fmt::format("insert tcgen05.fence::after_thread_sync {}{}", places(graph, story.after),
                         story.after.front().behind ? "" : ", after the wait");
    case TensorFault::after_dealloc:
      return fmt::format("free the columns after {}, when it is complete", place_of(graph, story.second));
    case TensorFault::freed_twice:
      return fmt::format("free the columns once: leave out {} or {}", place_of(graph, story.first),
                         place_of(graph, story.second));
  }
  return "";
}

}  // namespace ptxmc::explain
