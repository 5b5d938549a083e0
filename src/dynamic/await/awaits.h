// SPDX-License-Identifier: Apache-2.0
// Values that a loop waited for and saw, and that a later write took away: if nothing keeps that write after
// the loop's last read, the loop may find it in another schedule, and wait forever.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dynamic/order/finding.h"

namespace ptxmc::trace {

class Awaits {
 public:
  explicit Awaits(Findings& findings) : findings_(findings) {}

  void left(const Await& await);
  void gone(const Await& await, const Place& write, Range bytes);
  void back(const Await& await) { pending_.erase(key(await)); }
  void finish();

  // ---- What runs only if something else ran before -----------------------------------------------------------
  // Whatever is read decides what is done, so that also relaxed accesses count: more than causality order has.
  void publish(Thread thread, Address at);
  void observe(Thread thread, Address at);
  void arrive(Lanes lanes, Barrier barrier, bool of_cluster);
  void leave(Lanes lanes, Barrier barrier, bool of_cluster);
  void meet(Lanes lanes);
  /// The lanes go on after all that the others did.
  void learn(Lanes lanes, std::span<const Lanes> others);
  /// The lanes go on after the ends of tasks (R232); `is_of` tells of which threads that is.
  void start_behind(Lanes lanes, const std::function<bool(Thread)>& is_of);

 private:
  /// How many loops each thread is known to have left.
  using Known = std::vector<std::pair<Thread, std::uint64_t>>;
  using KnownRef = std::shared_ptr<const Known>;
  using Key = std::tuple<Thread, Site, Address>;
  static Key key(const Await& await) { return {await.thread, await.site, await.at}; }
  static void join(KnownRef& to, const KnownRef& from);
  const KnownRef& of(Thread thread) const;
  bool empty() const { return count_ == 0; }

  Findings& findings_;
  std::uint64_t count_ = 0;
  std::unordered_map<Thread, KnownRef> threads_;
  std::unordered_map<Address, KnownRef> places_;
  std::map<std::tuple<bool, std::uint32_t, std::uint8_t>, KnownRef> barriers_;
  std::map<Key, std::uint64_t> left_;  // when
  std::map<Key, Finding> pending_;
};

}  // namespace ptxmc::trace
