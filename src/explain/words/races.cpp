// SPDX-License-Identifier: Apache-2.0
#include "explain/words/races.h"

#include <fmt/format.h>

#include <algorithm>

#include "axiomatic/event/scope.h"
#include "explain/words/async.h"
#include "explain/words/runs.h"
#include "explain/words/tensor.h"
#include "ptx/isa/table.h"
#include "support/check.h"

namespace ptxmc::explain {

using check::Change;
using check::Finding;
using check::Missing;
using event::EventId;
using event::ProgramGraph;
using isa::Scope;
using isa::Semantics;

namespace {

struct MissingWords {
  Missing missing;
  std::string_view name;
  std::string_view description;
};
constexpr MissingWords kMissingWords[] = {
    {Missing::synchronization, "no-synchronization", "no synchronization"},
    {Missing::wait, "not-awaited", "ordered only if a flag was seen, and nothing waits for it"},
    {Missing::scope, "scope-too-narrow", "a scope is too narrow"},
    {Missing::strength, "weak-access", "a weak access where a strong one is needed"},
    {Missing::acquire_release, "no-acquire-release", "order by observation only: no release and acquire"},
    {Missing::proxy_fence, "proxy-fence", "ordered in the generic proxy only: no proxy fence between them"},
    {Missing::mapping, "different-mappings",
     "accesses that synchronize, or may race, go through different names or proxies"},
    {Missing::phase, "other-phase", "a wait for another phase: wrong parity or state"},
    {Missing::uniform_size, "mixed-size", "accesses of different sizes overlap"},
    {Missing::misuse, "misuse", "only in executions that misuse a barrier"},
};

const MissingWords& words_of(Missing missing) {
  for (const MissingWords& words : kMissingWords) {
    if (words.missing == missing) return words;
  }
  PTXMC_CHECK(false, "a kind of race without words");
  return kMissingWords[0];
}

/// "a", "a and b", "a, b and c".
std::string listed(const std::vector<std::string>& parts) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i != 0) out += i + 1 == parts.size() ? " and " : ", ";
    out += parts[i];
  }
  return out;
}

/// "ld", "membar", "mbarrier.arrive": the instruction without its modifiers.
std::string opcode_of(const event::Event& event) {
  if (event.spelling.membar) return "membar";
  return isa::name_of(event.opcode);
}

/// ".gpu", and membar's own word for it.
std::string scope_word(std::string_view opcode, Scope scope) {
  if (opcode == "membar" && scope == Scope::gpu) return ".gl";
  return fmt::format(".{}", isa::name_of(scope));
}

/// "st.release.gpu"
std::string instruction(const event::Event& event, const event::Labels& labels) {
  const std::string opcode = opcode_of(event);
  const std::string scope = labels.scope == Scope::none ? "" : scope_word(opcode, labels.scope);
  if (opcode == "membar") return fmt::format("membar{}", scope);
  const bool own_scope = labels.semantics == Semantics::volatile_ || labels.semantics == Semantics::weak;
  return fmt::format("{}.{}{}", opcode, isa::name_of(labels.semantics), own_scope ? "" : scope);
}

std::string synchronize(const ProgramGraph& graph, EventId a, EventId b) {
  const Scope common = common_scope(graph, a, b);
  const std::string_view scope = isa::name_of(common);
  const bool weak = graph.events[a].labels.semantics == Semantics::weak ||
                    graph.events[b].labels.semantics == Semantics::weak;
  std::string out = fmt::format(
      "order them: release a flag ({}.release.{}) after one and acquire it (ld.acquire.{}) before the other",
      "st", scope, scope);
  if (common == Scope::cta) out += ", or insert a barrier (bar.sync) between them";
  if (graph.threads[graph.events[a].thread].kernel != graph.threads[graph.events[b].thread].kernel)
    out += ", or let one kernel wait for the other (one stream, an event, a synchronizing call of the host)";
  if (weak) {
    const auto strong = [&](EventId e) {
      event::Labels labels = graph.events[e].labels;
      if (labels.semantics != Semantics::weak) return instruction(graph.events[e], labels);
      labels.semantics = Semantics::relaxed;
      labels.scope = common;
      return instruction(graph.events[e], labels);
    };
    out += fmt::format("; or, if they may race, make both strong ({}, {})", strong(a), strong(b));
  }
  return out;
}

bool scope_only(const Change& change) {
  return change.from.semantics == change.to.semantics && change.from.no_return == change.to.no_return;
}

/// "widen .cta to .gpu in P0 line 7 and P1 line 9", one sentence for each pair of scopes.
void add_widenings(const ProgramGraph& graph, const std::vector<Change>& changes,
                   std::vector<std::string>& out) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const Change& change : changes) {
    if (!scope_only(change)) continue;
    const event::Event& event = graph.events[change.event];
    const std::string opcode = opcode_of(event);
    std::string from = scope_word(opcode, change.from.scope);
    if (!event.spelling.scope) from += " (the default)";
    const std::string words = fmt::format("widen {} to {}", from, scope_word(opcode, change.to.scope));
    auto it = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == words; });
    if (it == groups.end()) it = groups.insert(groups.end(), {words, {}});
    it->second.push_back(place_of(graph, change.event));
  }
  for (const auto& [words, places] : groups) out.push_back(fmt::format("{} in {}", words, listed(places)));
}

void add_changes(const ProgramGraph& graph, const Finding& finding, std::vector<std::string>& out) {
  add_widenings(graph, finding.diagnosis.changes, out);
  std::vector<std::string> parts;
  for (const Change& change : finding.diagnosis.changes) {
    if (scope_only(change)) continue;
    const std::string place = place_of(graph, change.event);
    if (change.from.no_return && !change.to.no_return) {
      out.push_back(
          fmt::format("atom with a destination register in {}: without a result it never acquires", place));
    }
    if (change.from.semantics == change.to.semantics) continue;
    parts.push_back(fmt::format("{} in {}", instruction(graph.events[change.event], change.to), place));
  }
  if (parts.empty()) return;
  const bool strong = finding.diagnosis.missing.front() == Missing::strength;
  const bool order = std::any_of(
      finding.diagnosis.changes.begin(), finding.diagnosis.changes.end(),
      [](const Change& change) { return !scope_only(change) && change.to.semantics != Semantics::relaxed; });
  out.push_back(
      fmt::format("{}: {}", strong && !order ? "make strong" : "release and acquire", listed(parts)));
}

void add_fences(const ProgramGraph& graph, const Finding& finding, std::vector<std::string>& out) {
  for (const check::FenceAdvice& fence : finding.diagnosis.fences) {
    const std::string between =
        fmt::format("after {} and before {}", place_of(graph, fence.after), place_of(graph, fence.before));
    const std::string_view kind = isa::name_of(fence.kind);
    const auto is_plain = [&](EventId e) {
      return graph.events[e].labels.proxy == isa::Proxy::texture &&
             graph.names[graph.events[e].labels.name].proxy == isa::Proxy::generic;
    };
    if (fence.kind == isa::Proxy::texture && (is_plain(fence.after) || is_plain(fence.before))) {
      out.emplace_back(kOrdinaryLoad);
      continue;
    }
    // Only an alias fence counts wherever the order passes; the others belong to their proxy's thread block.
    std::string where;
    const EventId own = graph.events[fence.after].labels.proxy == fence.kind ? fence.after : fence.before;
    if (fence.kind != isa::Proxy::alias && graph.events[own].labels.proxy == fence.kind) {
      where = fmt::format(", in the thread block of {}", place_of(graph, own));
    }
    out.push_back(fence.present ? fmt::format("move fence.proxy.{}, or insert another: it must stand {}{}",
                                              kind, between, where)
                                : fmt::format("insert fence.proxy.{} {}{}", kind, between, where));
  }
}

void add_mapped(const ProgramGraph& graph, const Finding& finding, std::vector<std::string>& out) {
  std::vector<std::string> places;
  for (const EventId e : finding.diagnosis.mapped) places.push_back(place_of(graph, e));
  out.push_back(fmt::format("use one name and the generic proxy in {}", listed(places)));
}

void add_wait(const ProgramGraph& graph, const Finding& finding, std::vector<std::string>& out) {
  const auto& awaited = finding.diagnosis.awaited;
  const bool only = finding.diagnosis.missing.front() == Missing::wait;
  if (!awaited) {
    out.push_back("wait for the other thread before the later access");
    return;
  }
  const auto [write, read] = *awaited;
  const EventId later = graph.events[finding.accesses[0]].thread == graph.events[read].thread
                            ? finding.accesses[0]
                            : finding.accesses[1];
  out.push_back(fmt::format("{}let {} happen only after {} has read what {} writes (spin, or branch)",
                            only ? "" : "and ", place_of(graph, later), place_of(graph, read),
                            place_of(graph, write)));
}

}  // namespace

Scope common_scope(const ProgramGraph& graph, EventId a, EventId b) {
  return event::common_scope(graph.threads[graph.events[a].thread], graph.threads[graph.events[b].thread]);
}

std::string_view name_of(Missing missing) {
  return words_of(missing).name;
}
std::string_view describe(Missing missing) {
  return words_of(missing).description;
}

std::string place_of(const ProgramGraph& graph, EventId e) {
  const event::Event& event = graph.events[e];
  if (event.thread == event::kNoThread) {
    const bool named = event.cell < graph.cells.size();
    return fmt::format("initial write of {}", named ? graph.cells[event.cell].name : "?");
  }
  const std::string thread = fmt::format("P{}", graph.threads[event.thread].number);
  if (!event.position.known()) return thread;
  return fmt::format("{} {}", thread, line_text(graph.origins, event.position));
}

std::vector<std::string> advice(const ProgramGraph& graph, const Finding& finding) {
  std::vector<std::string> out;
  if (finding.accesses.size() != 2) return out;
  const EventId a = finding.accesses[0], b = finding.accesses[1];
  add_changes(graph, finding, out);
  for (const Missing missing : finding.diagnosis.missing) {
    if (missing == Missing::synchronization && !finding.diagnosis.unadvised)
      out.push_back(synchronize(graph, a, b));
    if (missing == Missing::wait) add_wait(graph, finding, out);
    if (missing == Missing::proxy_fence) add_fences(graph, finding, out);
    if (missing == Missing::mapping) add_mapped(graph, finding, out);
    if (missing == Missing::phase && finding.diagnosis.phase) {
      const auto [arrival, wait] = *finding.diagnosis.phase;
      out.push_back(fmt::format("wait in {} for the phase in which {} arrives", place_of(graph, wait),
                                place_of(graph, arrival)));
    }
    if (missing == Missing::misuse)
      out.push_back("fix the misuse of the barrier first: no execution without it has this race");
    if (missing == Missing::uniform_size) {
      out.push_back(fmt::format("access the bytes that they share with one size in {} and {}",
                                place_of(graph, a), place_of(graph, b)));
    }
  }
  if (finding.diagnosis.tensor) {
    for (const check::TensorStory::Kind kind : finding.diagnosis.tensor->kinds) {
      if (finding.diagnosis.tensor->advised) out.push_back(remedy(graph, *finding.diagnosis.tensor, kind));
    }
  }
  if (finding.diagnosis.async) {
    for (const check::AsyncStory::Kind kind : finding.diagnosis.async->kinds)
      out.push_back(remedy(graph, *finding.diagnosis.async, kind));
  }
  return out;
}

}  // namespace ptxmc::explain
