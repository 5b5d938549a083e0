// SPDX-License-Identifier: Apache-2.0
#include "dynamic/await/awaits.h"

#include <algorithm>
#include <array>

namespace ptxmc::trace {

void Awaits::join(KnownRef& to, const KnownRef& from) {
  if (from == nullptr || to == from) return;
  if (to == nullptr) {
    to = from;
    return;
  }
  auto all = std::make_shared<Known>(*to);
  for (const auto& [thread, count] : *from) {
    const auto at = std::lower_bound(all->begin(), all->end(), std::pair{thread, std::uint64_t{0}});
    if (at == all->end() || at->first != thread) {
      all->insert(at, {thread, count});
    } else {
      at->second = std::max(at->second, count);
    }
  }
  if (*all != *to) to = std::move(all);
}

const Awaits::KnownRef& Awaits::of(Thread thread) const {
  static const KnownRef kNothing;
  const auto found = threads_.find(thread);
  return found == threads_.end() ? kNothing : found->second;
}

void Awaits::left(const Await& await) {
  pending_.erase(key(await));
  left_[key(await)] = ++count_;
  join(threads_[await.thread], std::make_shared<Known>(Known{{await.thread, count_}}));
}

void Awaits::gone(const Await& await, const Place& write, Range bytes) {
  const auto left = left_.find(key(await));
  if (left == left_.end() || write.thread == await.thread) return;
  const KnownRef& known = of(write.thread);
  const auto knows = [&](const std::pair<Thread, std::uint64_t>& one) {
    return one.first == await.thread && one.second >= left->second;
  };
  if (known != nullptr && std::any_of(known->begin(), known->end(), knows)) return;
  Finding finding;
  finding.rule = RuleId::hang;
  finding.first = {await.site, await.thread, await.effect};
  finding.second = write;
  finding.bytes = bytes;
  pending_.try_emplace(key(await), finding);
}

void Awaits::finish() {
  for (const auto& [key, finding] : pending_) findings_.add(finding);
  pending_.clear();
}

void Awaits::publish(Thread thread, Address at) {
  if (empty()) return;
  join(places_[at], of(thread));
}

void Awaits::observe(Thread thread, Address at) {
  if (empty()) return;
  const auto found = places_.find(at);
  if (found != places_.end() && found->second != nullptr) join(threads_[thread], found->second);
}

void Awaits::arrive(Lanes lanes, Barrier barrier, bool of_cluster) {
  if (empty()) return;
  KnownRef& met = barriers_[{of_cluster, barrier.group, barrier.id}];
  for_threads(lanes, [&](Thread thread) { join(met, of(thread)); });
}

void Awaits::leave(Lanes lanes, Barrier barrier, bool of_cluster) {
  if (empty()) return;
  const KnownRef met = barriers_[{of_cluster, barrier.group, barrier.id}];
  if (met == nullptr) return;
  for_threads(lanes, [&](Thread thread) { join(threads_[thread], met); });
}

void Awaits::start_behind(Lanes lanes, const std::function<bool(Thread)>& is_of) {
  if (empty()) return;
  KnownRef left;
  for (const auto& [thread, known] : threads_) {
    if (is_of(thread)) join(left, known);
  }
  if (left == nullptr) return;
  for_threads(lanes, [&](Thread thread) { join(threads_[thread], left); });
}

void Awaits::meet(Lanes lanes) {
  learn(lanes, std::array{lanes});
}

void Awaits::learn(Lanes lanes, std::span<const Lanes> others) {
  if (empty()) return;
  KnownRef met;
  for (const Lanes one : others) for_threads(one, [&](Thread thread) { join(met, of(thread)); });
  if (met == nullptr) return;
  for_threads(lanes, [&](Thread thread) { join(threads_[thread], met); });
}

}  // namespace ptxmc::trace
