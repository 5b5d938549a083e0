// SPDX-License-Identifier: Apache-2.0
#include "report/tensor_words.h"

#include <fmt/format.h>

#include "report/race_words.h"

namespace ptxmc::report {

using check::TensorStory;
using event::EventId;
using event::kNoEvent;
using event::ProgramGraph;
using event::TensorOp;
using Kind = TensorStory::Kind;

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

std::string subject(const ProgramGraph& graph, EventId access) {
  return fmt::format("the {} in {}", instruction_of(op_of(graph, access)), place_of(graph, access));
}

std::string_view verb(const ProgramGraph& graph, EventId access) {
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

/// How to know that the first operation is complete.
std::string completion(const ProgramGraph& graph, const TensorStory& story) {
  const TensorOp op = op_of(graph, story.first);
  const std::string place = place_of(graph, story.first);
  if (op == TensorOp::ld) return fmt::format("put tcgen05.wait::ld behind {}", place);
  if (op == TensorOp::st) return fmt::format("put tcgen05.wait::st behind {}", place);
  if (story.signal != kNoEvent)
    return fmt::format("wait for the mbarrier of the tcgen05.commit in {}", place_of(graph, story.signal));
  return fmt::format("put a tcgen05.commit behind {} and wait for its mbarrier", place);
}

std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

bool one_thread(const ProgramGraph& graph, const TensorStory& story) {
  return graph.events[story.first].thread == graph.events[story.second].thread;
}

}  // namespace

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::unordered:
      return "tensor-unordered";
    case Kind::incomplete:
      return "tensor-not-complete";
    case Kind::no_before:
      return "tensor-no-before-fence";
    case Kind::no_after:
      return "tensor-no-after-fence";
    case Kind::before_alloc:
      return "tensor-before-alloc";
    case Kind::before_dealloc:
      return "tensor-freed-early";
    case Kind::after_dealloc:
      return "tensor-after-dealloc";
  }
  return "";
}

std::string_view describe(Kind kind) {
  switch (kind) {
    case Kind::unordered:
      return "nothing orders two operations on tensor memory";
    case Kind::incomplete:
      return "an operation on tensor memory may not be complete";
    case Kind::no_before:
      return "no tcgen05.fence::before_thread_sync";
    case Kind::no_after:
      return "no tcgen05.fence::after_thread_sync";
    case Kind::before_alloc:
      return "tensor memory is used where it may not be allocated yet";
    case Kind::before_dealloc:
      return "tensor memory is freed while it may be in use";
    case Kind::after_dealloc:
      return "tensor memory is used where it may be freed";
  }
  return "";
}

std::string why(const ProgramGraph& graph, const TensorStory& story, Kind kind) {
  const std::string first = subject(graph, story.first), second = subject(graph, story.second);
  const std::string at = common(graph, story);
  switch (kind) {
    case Kind::unordered:
      return capital(fmt::format("{} and {} both access {}, and nothing orders them", first, second, at));
    case Kind::incomplete:
      return capital(
          fmt::format("{} may still {} {} when {} accesses it: the two are no pipelined pair (9.7.16.6.2), "
                      "and nothing waits for the first to complete",
                      first, verb(graph, story.first), at, second));
    case Kind::no_before:
      return capital(
          fmt::format("{} synchronizes with the thread of {} by relaxed operations, and no "
                      "before_thread_sync stands before them",
                      story.from == kNoEvent ? first : place_of(graph, story.from), second));
    case Kind::no_after:
      return capital(
          fmt::format("{} is asynchronous and may start before the waits that precede it: no "
                      "after_thread_sync stands behind the last of them; {} accesses {} too",
                      second, first, at));
    case Kind::before_alloc:
      return capital(fmt::format("{} and {} are not ordered, so {} may be accessed before it is allocated",
                                 first, second, at));
    case Kind::before_dealloc:
      return capital(
          fmt::format("{} may still {} {} when {} frees it", first, verb(graph, story.first), at, second));
    case Kind::after_dealloc:
      return capital(fmt::format("{} frees {}, which {} accesses", first, at, second));
  }
  return "";
}

std::string remedy(const ProgramGraph& graph, const TensorStory& story, Kind kind) {
  const std::string first = place_of(graph, story.first), second = place_of(graph, story.second);
  switch (kind) {
    case Kind::unordered:
      return fmt::format(
          "{}, then tcgen05.fence::before_thread_sync and an arrival on a barrier; before {} wait for it, "
          "then "
          "tcgen05.fence::after_thread_sync",
          completion(graph, story), second);
    case Kind::incomplete: {
      const bool waits =
          op_of(graph, story.first) == TensorOp::ld || op_of(graph, story.first) == TensorOp::st;
      if (waits && one_thread(graph, story)) return completion(graph, story);
      if (waits) return completion(graph, story) + ", before its thread synchronizes";
      return fmt::format("{} before {}, then tcgen05.fence::after_thread_sync", completion(graph, story),
                         second);
    }
    case Kind::no_before:
      return fmt::format("put tcgen05.fence::before_thread_sync behind {}, before its thread synchronizes",
                         story.from == kNoEvent ? first : place_of(graph, story.from));
    case Kind::no_after:
      return fmt::format("put tcgen05.fence::after_thread_sync before {}, behind the wait", second);
    case Kind::before_alloc:
      return fmt::format("put a barrier between the tcgen05.alloc and the other access, in both threads");
    case Kind::before_dealloc:
      return fmt::format("{} before {}{}", completion(graph, story), second,
                         one_thread(graph, story) ? "" : ", in an order that reaches that thread");
    case Kind::after_dealloc:
      return fmt::format("free the columns behind {}, when it is complete", second);
  }
  return "";
}

}  // namespace ptxmc::report
