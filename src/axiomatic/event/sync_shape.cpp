// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/event/sync_shape.h"

#include <algorithm>
#include <map>
#include <vector>

#include "axiomatic/event/barriers.h"

namespace ptxmc::event {
namespace {

void add(std::string& out, Value value) {
  out += std::to_string(value);
  out += ' ';
}

void add(std::string& out, const std::optional<Value>& value) {
  if (value) add(out, *value);
  out += ',';
}

class Writer {
 public:
  Writer(const ProgramGraph& graph, const SyncPath& path) : graph_(graph), path_(path) {}

  std::optional<std::string> run() {
    names_.resize(path_.objects.size());
    for (const SyncOperation& op : path_.operations) {
      if (op.object == kNoObject || !names_[op.object].empty()) continue;
      const auto name = name_of(op);
      if (!name) return std::nullopt;
      names_[op.object] = *name;
    }
    std::vector<std::string> threads(path_.ends.size());
    for (ThreadId t = 0; t < threads.size(); ++t) threads[t] = path_.ends[t] ? "ends " : "stays ";
    if (!add_objects(threads) || !add_operations(threads)) return std::nullopt;
    std::sort(threads.begin(), threads.end());
    std::string out = path_.some_blocked ? "blocked" : "";
    for (const std::string& thread : threads) out += thread + '\n';
    return out;
  }

 private:
  /// What an object is called on every path.
  std::optional<std::string> name_of(const SyncOperation& op) const {
    const Event& event = graph_.events[op.event];
    const ThreadInfo& thread = graph_.threads[op.thread];
    std::string out;
    if (event.mbarrier) {
      if (!graph_.exprs.is_constant(event.mbarrier->object)) return std::nullopt;
      out = "m ";
      add(out, event.mbarrier->owner);
      add(out, graph_.exprs[event.mbarrier->object].constant);
      return out;
    }
    if (!event.barrier) return std::nullopt;
    const Barrier& barrier = *event.barrier;
    if (barrier.cluster) {
      out = "c ";
      add(out, thread.cluster);
      return out;
    }
    if (of_pair(barrier) || !graph_.exprs.is_constant(barrier.id) || (barrier.warp && !thread.warp))
      return std::nullopt;
    out = barrier.warp ? "w " : barrier.instance_first ? "i " : "b ";
    add(out, thread.cta);
    if (barrier.warp) add(out, *thread.warp);
    add(out, barrier.exchange ? 1 : 0);
    add(out, barrier.instance);
    add(out, graph_.exprs[barrier.id].constant);
    return out;
  }

  /// Each thread's objects that it takes part in. False: two objects have one name.
  bool add_objects(std::vector<std::string>& threads) const {
    std::map<std::string, ObjectId> ordered;
    for (ObjectId o = 0; o < names_.size(); ++o) {
      std::string name = names_[o];
      add(name, path_.objects[o].count);
      if (!ordered.emplace(std::move(name), o).second) return false;
    }
    for (const auto& [name, o] : ordered) {
      for (const ThreadId t : path_.objects[o].participants) threads[t] += '[' + name + ']';
    }
    return true;
  }

  bool add_operations(std::vector<std::string>& threads) const {
    std::vector<Value> place(path_.operations.size(), 0), next(threads.size(), 0);
    for (OperationId o = 0; o < path_.operations.size(); ++o) place[o] = next[path_.operations[o].thread]++;
    // A state or an issue is known by its place in its own thread.
    const auto own = [&](const SyncOperation& op, OperationId other) {
      return other == kNoOperation || path_.operations[other].thread == op.thread;
    };
    const auto place_of = [&](OperationId other) { return other == kNoOperation ? -1 : place[other]; };
    for (const SyncOperation& op : path_.operations) {
      if (!own(op, op.token) || !own(op, op.issued)) return false;
      std::string& out = threads[op.thread];
      out += '(';
      add(out, static_cast<Value>(op.kind));
      if (op.object != kNoObject) out += names_[op.object];
      for (const bool yes : {op.wait != kNoEvent, op.exchange, op.reduces, op.blocked, op.drop,
                             op.no_complete, op.synchronizes})
        out += yes ? '1' : '0';
      for (const auto& value : {op.count, op.seen, op.parity}) add(out, value);
      for (const Value value : {op.arrivals, op.tx, place_of(op.token), place_of(op.issued)}) add(out, value);
      for (const auto& [object, count] : op.increments) {
        out += names_[object];
        add(out, count);
      }
      out += ')';
    }
    return true;
  }

  const ProgramGraph& graph_;
  const SyncPath& path_;
  std::vector<std::string> names_;  // per object
};

}  // namespace

std::optional<std::string> shape_of(const ProgramGraph& graph, const SyncPath& path) {
  return Writer(graph, path).run();
}

}  // namespace ptxmc::event
