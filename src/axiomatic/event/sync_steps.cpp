// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/event/sync_steps.h"

#include <map>
#include <numeric>
#include <utility>

namespace ptxmc::event {

void SyncSteps::of(const SyncState& state, std::vector<std::size_t>& out) {
  out.clear();
  for (std::size_t p = 0; p < system_.processes().size(); ++p) {
    if (system_.enabled(state, p)) out.push_back(p);
  }
  if (out.size() < 2 || reductions_ == SyncReductions::none) return;
  for (const std::size_t p : out) {
    if (!reach_.independent(state, p)) continue;
    after_ = state;
    if (system_.step(after_, p).misuse) continue;
    out = {p};
    return;
  }
}

std::vector<std::vector<SyncProcess>> sync_components(const SyncPath& path, SyncReductions reductions) {
  std::vector<std::size_t> root(path.ends.size() + path.objects.size());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](std::size_t i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  const auto node = [&](ObjectId object) { return path.ends.size() + object; };
  for (std::size_t i = 1; reductions == SyncReductions::none && i < root.size(); ++i) root[i] = 0;
  std::vector<char> involved(path.ends.size(), 0);
  for (ObjectId o = 0; o < path.objects.size(); ++o) {
    for (const ThreadId t : path.objects[o].participants) {
      involved[t] = 1;
      root[find(t)] = find(node(o));
    }
  }
  for (const SyncOperation& op : path.operations) {
    involved[op.thread] = 1;
    if (op.object != kNoObject) root[find(op.thread)] = find(node(op.object));
  }
  std::map<std::size_t, std::vector<SyncProcess>> groups;
  std::vector<std::pair<std::size_t, std::size_t>> place(path.ends.size());
  for (ThreadId t = 0; t < path.ends.size(); ++t) {
    if (involved[t] == 0) continue;
    auto& group = groups[find(t)];
    place[t] = {find(t), group.size()};
    group.push_back({t, {}});
  }
  for (OperationId o = 0; o < path.operations.size(); ++o) {
    const SyncOperation& op = path.operations[o];
    if (op.issued != kNoOperation) {
      groups[place[op.thread].first].push_back({kNoThread, {o}});
    } else {
      groups[place[op.thread].first][place[op.thread].second].program.push_back(o);
    }
  }
  std::vector<std::vector<SyncProcess>> result;
  result.reserve(groups.size());
  for (auto& group : groups) result.push_back(std::move(group.second));
  return result;
}

}  // namespace ptxmc::event
