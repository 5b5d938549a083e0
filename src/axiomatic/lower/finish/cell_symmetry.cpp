// SPDX-License-Identifier: Apache-2.0
// Cells that are accessed alike.
//
// Kernels fill and copy arrays, whose elements are cells of memory each with accesses of its own. Two cells
// stand for all whose values nothing asks for (values.cpp), and that are accessed in one way; the accesses of
// the others are left out.
//
// Alike are cells whose accesses correspond, in event order: an access of several cells to itself; a *plain* one (weak, of
// one cell, at a constant address, no atomic and not asynchronous) to one of the same instruction and thread, under the same
// guard, between the same two events of the thread that are not plain accesses of such cells. f maps each access that is left
// out to the one that stands for it, and every other event to itself.
//
// Nothing is lost, in either direction, with a model of PTX:
//   An execution without the accesses that are left out is one of the rest. They are weak: nothing synchronizes through them
//     (8.9.4 asks for strong operations), so they are no link in base causality but by program order, which is transitive;
//     coherence and reads-from relate accesses of one cell only, and other accesses keep two cells of each kind.
//   An execution of the rest becomes one of all: accesses that are left out read from, and are ordered, as those that stand
//     for them (values play no part). A relation between two of its events holds between their images as well: of program
//     order where both are of one cell, or one is no plain access; of causality, hence; of dependencies, which is checked
//     below. Axioms and flags speak of overlapping accesses, thus of accesses of one cell, or of one that covers several:
//     what breaks an axiom, or raises a flag, does so between the images.
// That an access covers more than another one is kept, as two cells are (8.7.2: partial overlap). A model in which program
// order of weak accesses to different cells counts (sc.cat) is none of these.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "axiomatic/event/reorder.h"
#include "axiomatic/lower/finish/finish.h"

namespace ptxmc::lower {
namespace {

using event::CellId;
using event::Event;
using event::EventId;
using event::EventKind;
using event::ProgramGraph;

using Pairs = std::vector<std::pair<EventId, EventId>>;

constexpr std::size_t kStay = 2;  // cells of each kind

class Merge {
 public:
  explicit Merge(ProgramGraph& graph)
      : graph_(graph),
        fixed_cells_(needed_cells(graph)),
        fixed_events_(graph.size(), 0),
        dropped_(graph.cells.size(), 0),
        of_cell_(graph.cells.size()) {}

  bool run() {
    fix_events();
    fix_cells();
    collect();
    if (!choose()) return false;
    drop_values(graph_);
    while (restore(graph_.dependencies) || restore(graph_.exits)) {
    }
    if (std::find(dropped_.begin(), dropped_.end(), 1) == dropped_.end()) return false;
    event::leave_out(graph_, dropped_);
    return true;
  }

 private:
  /// Events that stand for nothing but themselves.
  void fix_events() {
    const auto fix = [&](EventId e) {
      if (e != event::kNoEvent) fixed_events_[e] = 1;
    };
    for (EventId e = 0; e < graph_.size(); ++e) {
      const Event& event = graph_.events[e];
      if (!is_plain(event)) fix(e);
      for (const EventId other : {event.vector, event.issue, event.rmw_partner}) fix(other);
    }
    for (const Pairs* pairs :
         {&graph_.api_sync, &graph_.dependents, &graph_.tracked, &graph_.completed, &graph_.freed}) {
      for (const auto& [a, b] : *pairs) fix(a), fix(b);
    }
    for (const event::Hang& hang : graph_.hangs) {
      fix(hang.event);
      for (const EventId read : hang.reads) fix(read);
      for (const auto& [a, b] : hang.again) fix(a), fix(b);
    }
  }

  static bool is_plain(const Event& event) {
    return event.is_access() && event.part_count == 0 && event.rmw_partner == event::kNoEvent &&
           event.vector == event::kNoEvent && event.issue == event::kNoEvent && !event.address &&
           event.choices.empty() && event.tensor.op == event::TensorOp::none && !event.labels.atomic &&
           (event.kind == EventKind::initial_write || event.labels.semantics == isa::Semantics::weak);
  }

  /// Cells that stay: a question asks for their values or names them, or for those of an access of them.
  void fix_cells() {
    const auto fix = [&](const std::vector<CellId>& cells) {
      for (const CellId cell : cells) fixed_cells_[cell] = 1;
    };
    for (const auto& cells : graph_.final_reads) fix(cells);
    for (const Event& event : graph_.events) fix(event.named);
    for (EventId e = 0; e < graph_.size(); ++e) {
      if (!graph_.events[e].is_access() || graph_.slots_of(e) == 1) continue;
      const std::vector<CellId> cells = cells_of(e);
      if (std::any_of(cells.begin(), cells.end(), [&](CellId cell) { return fixed_cells_[cell] != 0; }))
        fix(cells);
    }
  }

  std::vector<CellId> cells_of(EventId e) const {
    std::vector<CellId> out;
    for (std::size_t k = 0; k < graph_.slots_of(e); ++k)
      out.push_back(graph_.slot(graph_.slot_of(e, k)).cell);
    return out;
  }

  using Labels = std::tuple<isa::Proxy, isa::Space, std::uint32_t, std::uint32_t, bool>;
  static Labels labels_of(const event::Labels& labels) {
    return {labels.proxy, labels.space, labels.name, labels.generic_name, labels.tile};
  }

  /// Plain accesses with one key correspond. `segment`: how many events of the thread before it are none.
  using Key = std::tuple<EventKind, event::ThreadId, std::size_t, std::uint64_t, std::uint64_t, std::uint32_t,
                         isa::Opcode, bool, Labels>;
  std::size_t number_of(const Key& key) {
    return keys_.try_emplace(key, graph_.size() + keys_.size()).first->second;
  }

  void collect() {
    std::map<event::ThreadId, std::size_t> segments;
    for (EventId e = 0; e < graph_.size(); ++e) {
      const Event& event = graph_.events[e];
      const bool plain = fixed_events_[e] == 0 && fixed_cells_[event.cell] == 0;
      std::size_t& segment = segments[event.thread];
      if (!plain && event.thread != event::kNoThread) ++segment;
      if (!event.is_access()) continue;
      const std::size_t name =
          !plain ? e
                 : number_of({event.kind, event.thread, segment, event.position.line, event.position.column,
                              event.guard.index, event.opcode, event.bulk, labels_of(event.labels)});
      for (const CellId cell : cells_of(e)) of_cell_[cell].push_back({e, name});
    }
  }

  /// Marks what may go; false: nothing.
  bool choose() {
    using Signature = std::tuple<event::Width, std::optional<std::uint32_t>, std::vector<std::size_t>>;
    std::map<Signature, std::vector<CellId>> kinds;
    for (CellId cell = 0; cell < of_cell_.size(); ++cell) {
      if (fixed_cells_[cell] != 0) continue;
      std::vector<std::size_t> names;
      for (const Accessed& one : of_cell_[cell]) names.push_back(one.name);
      kinds[{graph_.cells[cell].width, graph_.cells[cell].cta, std::move(names)}].push_back(cell);
    }
    image_.resize(graph_.size());
    for (EventId e = 0; e < graph_.size(); ++e) image_[e] = e;
    bool some = false;
    for (const auto& [signature, cells] : kinds) {
      for (std::size_t i = kStay; i < cells.size(); ++i) {
        some = true;
        dropped_[cells[i]] = 1;
        for (std::size_t k = 0; k < of_cell_[cells[i]].size(); ++k)
          image_[of_cell_[cells[i]][k].event] = of_cell_[cells.front()][k].event;
      }
    }
    return some;
  }

  /// Cells come back where a pair has no image. True: there were some.
  bool restore(const Pairs& pairs) {
    const std::set<std::pair<EventId, EventId>> known(pairs.begin(), pairs.end());
    std::set<CellId> back;
    for (const auto& [a, b] : pairs) {
      if (known.contains({image_[a], image_[b]})) continue;
      for (const EventId e : {a, b}) {
        if (image_[e] != e) back.insert(graph_.events[e].cell);
      }
    }
    for (const CellId cell : back) {
      dropped_[cell] = 0;
      for (const Accessed& one : of_cell_[cell]) image_[one.event] = one.event;
    }
    return !back.empty();
  }

  struct Accessed {
    EventId event;
    std::size_t name;  // its number, or of its key
  };
  ProgramGraph& graph_;
  std::vector<char> fixed_cells_, fixed_events_, dropped_;
  std::vector<std::vector<Accessed>> of_cell_;
  std::map<Key, std::size_t> keys_;
  std::vector<EventId> image_;
};

}  // namespace

bool merge_symmetric_cells(ProgramGraph& graph) {
  return Merge(graph).run();
}

}  // namespace ptxmc::lower
