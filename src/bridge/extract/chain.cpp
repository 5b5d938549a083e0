// SPDX-License-Identifier: Apache-2.0
#include "bridge/extract/chain.h"

#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "support/overloaded.h"

namespace ptxmc::extract {

namespace {

/// How an entry was reached: by so many changes of thread, the last one from the entry `from` of another thread or by
/// program order.
struct Reach {
  unsigned changes = 0;
  std::size_t entry = 0;
};
using Reached = std::optional<Reach>;

void improve(Reached& known, const Reached& other) {
  if (other && (!known || other->changes < known->changes)) known = other;
}

/// What one thread leaves and another one finds.
using Channel = std::tuple<int, std::uint64_t, std::uint64_t>;
enum ChannelKind : int { of_barrier, of_cluster, of_phase, of_task };

class Chain {
 public:
  Chain(const Log& log, std::size_t first, std::size_t second) : log_(log), first_(first), second_(second) {}

  std::vector<trace::Thread> run() {
    from_.resize(second_ - first_ + 1);
    by_thread_[log_.entries[first_].thread] = Reach{0, first_};
    deposit(first_, Reach{0, first_});
    for (std::size_t i = first_ + 1; i <= second_; ++i) visit(i);
    return threads();
  }

 private:
  void visit(std::size_t i) {
    const Entry& entry = log_.entries[i];
    Reached reach = by_thread_[entry.thread];
    Reached found = found_by(i);
    if (!reach) improve(found, over(log_.over_at_start.at(task_of(entry.thread))));
    if (found) ++found->changes;
    improve(reach, found);
    if (!reach) {
      overwrite(entry.step);
      return;
    }
    from_[i - first_] = reach->entry;
    reach->entry = i;
    by_thread_[entry.thread] = reach;
    deposit(i, *reach);
  }

  std::uint32_t task_of(trace::Thread thread) const { return log_.warps.at(thread / trace::kLanes).task; }

  /// By the end of a task.
  template <typename Tasks>
  Reached over(const Tasks& tasks) const {
    Reached out;
    for (const std::uint32_t task : tasks) improve(out, at({of_task, task, 0}));
    return out;
  }

  Reached at(const Channel& channel) const {
    const auto found = channels_.find(channel);
    return found == channels_.end() ? Reached() : Reached(found->second);
  }

  Reached found_by(std::size_t i) const {
    return std::visit(
        Overloaded{
            [&](const BarrierStep& s) { return s.arrives ? Reached() : at(channel_of(s)); },
            [&](const PhaseWait& s) {
              return at({of_phase, s.object, s.phase});
            },
            [&](const WarpSync& s) { return met(i, s.number); },
            [&](const GridWait& s) { return over(s.tasks); },
            [&](const MemoryAccess& s) { return s.strong() && s.reads() ? seen(s.bytes) : Reached(); },
            [](const auto&) { return Reached(); },
        },
        log_.entries[i].step);
  }

  static Channel channel_of(const BarrierStep& s) {
    return {s.cluster ? of_cluster : of_barrier, std::uint64_t{s.barrier.group} << 8U | s.barrier.id,
            s.phase};
  }

  /// Lanes that meet stand one after the other; each has been reached when one was.
  Reached met(std::size_t i, std::uint64_t number) const {
    Reached out;
    for (std::size_t k = i; k <= second_; ++k) {
      const auto* other = std::get_if<WarpSync>(&log_.entries[k].step);
      if (other == nullptr || other->number != number) break;
      const auto known = by_thread_.find(log_.entries[k].thread);
      if (known != by_thread_.end()) improve(out, known->second);
    }
    for (std::size_t k = i; k-- > first_;) {
      const auto* other = std::get_if<WarpSync>(&log_.entries[k].step);
      if (other == nullptr || other->number != number) break;
      const auto known = by_thread_.find(log_.entries[k].thread);
      if (known != by_thread_.end()) improve(out, known->second);
    }
    return out;
  }

  Reached seen(const trace::Range& bytes) const {
    Reached out;
    for (auto w = writes_.lower_bound(bytes.begin);
         w != writes_.end() && w->first < bytes.begin + bytes.bytes; ++w)
      improve(out, w->second);
    return out;
  }

  void deposit(std::size_t i, const Reach& reach) {
    const auto leave = [&](const Channel& channel) {
      Reached& known = channels_[channel];
      improve(known, reach);
    };
    leave({of_task, task_of(log_.entries[i].thread), 0});
    std::visit(Overloaded{
                   [&](const BarrierStep& s) {
                     if (s.arrives) leave(channel_of(s));
                   },
                   [&](const Arrive& s) {
                     leave({of_phase, s.object, s.phase});
                   },
                   [&](const Copy& s) {
                     if (s.tracking == trace::Tracking::mbarrier) leave({of_phase, s.object, s.phase});
                   },
                   [&](const MemoryAccess& s) {
                     if (!s.strong() || !s.writes()) return;
                     for (std::uint64_t b = 0; b < s.bytes.bytes; ++b) {
                       Reached& known = writes_[s.bytes.begin + b];
                       if (s.effect == trace::Effect::update) {
                         improve(known, reach);  // it stays in the chain of what it read (8.8)
                       } else {
                         known = reach;
                       }
                     }
                   },
                   [](const auto&) {},
               },
               log_.entries[i].step);
  }

  void overwrite(const Step& step) {
    const auto* access = std::get_if<MemoryAccess>(&step);
    if (access == nullptr || access->effect != trace::Effect::write) return;
    writes_.erase(writes_.lower_bound(access->bytes.begin),
                  writes_.lower_bound(access->bytes.begin + access->bytes.bytes));
  }

  std::vector<trace::Thread> threads() const {
    std::vector<trace::Thread> out;
    if (!from_.back()) return out;
    for (std::size_t i = second_;; i = *from_[i - first_]) {
      out.push_back(log_.entries[i].thread);
      if (i == first_) return out;
    }
  }

  const Log& log_;
  std::size_t first_, second_;
  std::vector<std::optional<std::size_t>> from_;  // the entry before, of each that was reached
  std::map<trace::Thread, Reached> by_thread_;
  std::map<Channel, Reached> channels_;
  std::map<trace::Address, Reached> writes_;  // by byte
};

}  // namespace

std::vector<trace::Thread> chain(const Log& log, std::size_t first, std::size_t second) {
  return Chain(log, first, second).run();
}

}  // namespace ptxmc::extract
