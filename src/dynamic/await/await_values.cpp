// SPDX-License-Identifier: Apache-2.0
#include "dynamic/await/await_values.h"

#include <algorithm>
#include <bit>
#include <deque>
#include <iterator>
#include <map>
#include <tuple>

namespace ptxmc::trace {
namespace {

constexpr std::size_t kMostStates = 1U << 13;  // of one loop
constexpr std::size_t kMostRelays = 3;         // loops, each of which is left by what comes after the next

/// Writes that nothing tells apart: how many of them are there says all.
struct Class {
  std::vector<std::size_t> members;
  bool known = false;               // to the loop
  std::size_t seen = 0;             // in this run, before it
  std::vector<std::size_t> before;  // classes that they come after
};

struct State {
  std::vector<std::uint16_t> count;  // by class
  std::vector<std::uint16_t> chain;  // of these: what the newest write passes on, itself included
  PartlyKnown value;
  friend auto operator<=>(const State&, const State&) = default;
};

/// What a loop may find. A loop that reads what comes after another loop, a relay, is in no execution in which the relay read
/// what comes after the first loop: that would be a circle in coherence order (8.9.6, 8.10.1). So a relay is judged for the
/// loops that rest on it, without what comes after them.
class States {
 public:
  struct Of {
    const FlagLocation& location;
    std::span<const PollRead> reads;
    FlagCovers& covers;
    std::size_t& budget;
  };
  /// `loops`: the one that is judged, after those that rest on it.
  States(const Of& of, std::vector<std::size_t> loops)
      : of_(of),
        location_(of.location),
        poll_(location_.polls[loops.back()]),
        read_(of.reads[poll_.read]),
        covers_(of.covers),
        loops_(std::move(loops)) {
    find_classes();
  }

  std::optional<LeftLoop> run() {
    if (of_.budget == 0) return std::nullopt;
    State first{std::vector<std::uint16_t>(classes_.size()), std::vector<std::uint16_t>(classes_.size()),
                location_.flag.initial ? PartlyKnown{*location_.flag.initial} : kAnything};
    std::set<State> all{first};
    std::deque<State> open{first};
    while (!open.empty()) {
      const State state = std::move(open.front());
      open.pop_front();
      if (!look(state)) return std::nullopt;
      for (std::size_t c = 0; c < classes_.size(); ++c) {
        if (!may_follow(state, c)) continue;
        State next = behind(state, c);
        if (!all.insert(next).second) continue;
        if (all.size() > kMostStates || --of_.budget == 0) return std::nullopt;
        open.push_back(std::move(next));
      }
    }
    return result();
  }

 private:
  /// The loop, or one that rests on it: none of them reads it.
  bool comes_after(std::size_t write) const {
    return std::any_of(loops_.begin(), loops_.end(),
                       [&](std::size_t loop) { return location_.polls[loop].is_before(write); });
  }

  void find_classes() {
    const std::vector<FlagWrite>& writes = location_.writes;
    const std::vector<std::size_t>& alike = covers_.alike();
    std::map<std::pair<std::size_t, bool>, std::size_t> numbers;
    std::vector<std::size_t> class_of(writes.size(), kNone);
    for (std::size_t w = 0; w < writes.size(); ++w) {
      if (comes_after(w)) continue;
      const bool known = poll_.known.contains(w);
      const auto [found, fresh] = numbers.try_emplace({alike[w], known}, classes_.size());
      if (fresh) {
        classes_.emplace_back();
        classes_.back().known = known;
      }
      Class& one = classes_[found->second];
      one.members.push_back(w);
      if (w < poll_.seen) ++one.seen;
      class_of[w] = found->second;
    }
    for (Class& one : classes_) {
      const std::size_t first = one.members.front();
      std::set<std::size_t> before;
      for (std::size_t earlier = 0; earlier < first; ++earlier) {
        if (writes[first].before.contains(earlier)) before.insert(class_of[earlier]);
      }
      one.before.assign(before.begin(), before.end());
    }
  }

  bool full(const std::vector<std::uint16_t>& counts, std::size_t c) const {
    return counts[c] == classes_[c].members.size();
  }

  bool may_follow(const State& state, std::size_t c) const {
    const std::vector<std::size_t>& before = classes_[c].before;
    return !full(state.count, c) && std::all_of(before.begin(), before.end(), [&](std::size_t earlier) {
      return earlier != kNone && full(state.count, earlier);
    });
  }

  State behind(const State& state, std::size_t c) const {
    State next = state;
    const FlagWrite& write = location_.writes[classes_[c].members.front()];
    const bool weak = write.strength.semantics == isa::Semantics::weak;
    ++next.count[c];
    if (weak || !write.value.updates) std::fill(next.chain.begin(), next.chain.end(), std::uint16_t{0});
    if (!weak) ++next.chain[c];
    next.value = write.value.behind(state.value);
    return next;
  }

  /// May the loop be left here? Then this is all that it takes. False: it waits here, whichever thread continues, or may be
  /// left for another place, or that is not known.
  bool look(const State& state) {
    bool is_late = true;
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      if (classes_[c].known && !full(state.count, c)) return true;
      is_late = is_late && state.count[c] >= classes_[c].seen;
    }
    const Leads leads =
        read_.polls.left_for_one(poll_.thread % kLanes, poll_.element, read_.elements, state.value);
    if (!leads.to) return leads.known && !is_late;
    if (place_ && *place_ != *leads.to) return false;
    place_ = leads.to;
    if (!leads.known && state.value == kAnything && may_be_unset(state) && !is_late) {
      reads_unset_ = true;
    } else {
      values_.insert(state.value);
    }
    keep(state);
    return true;
  }

  /// Nothing was written yet; what is there may be what the loop waits for.
  bool may_be_unset(const State& state) const {
    return location_.flag.is_unset && read_.elements == 1 &&
           std::all_of(state.count.begin(), state.count.end(),
                       [](std::uint16_t count) { return count == 0; });
  }

  /// What the loop takes where it is left here.
  void keep(const State& state) {
    WriteSet chain, before;
    std::vector<const Class*> some;  // it reads one of them at least, whichever that is
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      const std::vector<std::size_t>& members = classes_[c].members;
      if (state.chain[c] == 0) continue;
      if (full(state.chain, c)) {
        for (const std::size_t w : members) chain.insert(w);
      } else {
        some.push_back(&classes_[c]);
        before |= location_.writes[members.front()].before;
      }
    }
    WriteSet reached;
    for (std::size_t w = 0; w < poll_.seen; ++w) {
      const auto passes = [&](std::size_t more) {
        return more == w || covers_(poll_, more, w) || is_relayed(more, w);
      };
      const auto all_pass = [&](const Class* one) {
        return std::all_of(one->members.begin(), one->members.end(), passes);
      };
      if (chain.any_of(passes) || std::any_of(some.begin(), some.end(), all_pass)) reached.insert(w);
    }
    before |= with_before(location_.writes, chain);
    keep(chains_, chain);
    keep(reached_, reached);
    keep(behind_, before);
  }

  /// A relay in front of the one write takes the other one, in each execution in which the loop reads the first.
  bool is_relayed(std::size_t more, std::size_t less) {
    if (loops_.size() > kMostRelays) return false;
    for (std::size_t p = 0; p < location_.polls.size(); ++p) {
      const FlagPoll& relay = location_.polls[p];
      if (relay.is_before(more) && covers_.through(relay, poll_, more, less) &&
          taken_by_relay(p).contains(less))
        return true;
    }
    return false;
  }

  const WriteSet& taken_by_relay(std::size_t relay) {
    const auto [found, is_new] = relays_.try_emplace(relay);
    if (is_new && may_rest_on(relay)) {
      std::vector<std::size_t> loops = loops_;
      loops.push_back(relay);
      if (const std::optional<LeftLoop> left = States(of_, std::move(loops)).run())
        found->second = left->taken.writes;
    }
    return found->second;
  }

  /// There is something that the relay may read, but not here. (What it takes otherwise is known after it.)
  bool may_rest_on(std::size_t relay) const {
    if (std::find(loops_.begin(), loops_.end(), relay) != loops_.end()) return false;
    for (std::size_t w = 0; w < location_.writes.size(); ++w) {
      if (comes_after(w) && !location_.polls[relay].is_before(w)) return true;
    }
    return false;
  }

  static void keep(std::optional<WriteSet>& in_all, const WriteSet& here) {
    if (!in_all) {
      in_all = here;
    } else {
      *in_all &= here;
    }
  }

  std::optional<LeftLoop> result() const {
    if (!chains_ || !reached_) return std::nullopt;
    const bool observes = chains_->includes(poll_.chain);
    return LeftLoop{{*reached_, *chains_, observes, *behind_}, *place_, values_, reads_unset_};
  }

  static constexpr std::size_t kNone = ~std::size_t{0};
  const Of& of_;
  const FlagLocation& location_;
  const FlagPoll& poll_;
  const PollRead& read_;
  FlagCovers& covers_;
  std::vector<std::size_t> loops_;
  std::map<std::size_t, WriteSet> relays_;  // what each takes
  std::vector<Class> classes_;
  std::set<PartlyKnown> values_;                       // that it may be left for
  std::optional<WriteSet> chains_, reached_, behind_;  // wherever the loop may be left
  std::optional<std::size_t> place_;                   // after it
  bool reads_unset_ = false;
};

}  // namespace

WriteSet with_before(const std::vector<FlagWrite>& writes, const WriteSet& some) {
  WriteSet out = some;
  some.for_each([&](std::size_t w) { out |= writes[w].before; });
  return out;
}

PartlyKnown FlagValue::behind(PartlyKnown old) const {
  if (!updates) return value;
  if (~old.known != 0 || !rewrite) return kAnything;
  const auto written =
      rewrite->apply(*rewrite->how, static_cast<std::uint64_t>(old.bits), rewrite->value, rewrite->comparand);
  return written ? PartlyKnown{*written} : kAnything;
}

const std::vector<std::size_t>& FlagCovers::alike() {
  const std::vector<FlagWrite>& writes = location_.writes;
  if (!alike_.empty() || writes.empty()) return alike_;
  std::vector<std::vector<std::size_t>> before(writes.size()), behind(writes.size());
  for (std::size_t w = 0; w < writes.size(); ++w) {
    for (std::size_t earlier = 0; earlier < w; ++earlier) {
      if (!writes[w].before.contains(earlier)) continue;
      before[w].push_back(earlier);
      behind[earlier].push_back(w);
    }
  }
  std::map<std::tuple<std::vector<std::size_t>, std::vector<std::size_t>, bool, bool, const void*,
                      PartlyKnown, std::uint64_t, std::uint64_t>,
           std::size_t>
      numbers;
  for (std::size_t w = 0; w < writes.size(); ++w) {
    const FlagValue& value = writes[w].value;
    const Rewrite rewrite = value.rewrite.value_or(Rewrite{});
    const auto found = numbers.try_emplace(
        {before[w], behind[w], value.updates, writes[w].strength.semantics == isa::Semantics::weak,
         rewrite.how, value.value, rewrite.value, rewrite.comparand},
        numbers.size());
    alike_.push_back(found.first->second);
  }
  return alike_;
}

bool FlagCovers::operator()(const FlagPoll& poll, std::size_t more, std::size_t less) {
  std::optional<Pairs>& known = known_[more * location_.writes.size() + less];
  const FlagWrite &first = location_.writes[less], &second = location_.writes[more];
  if (!known) known = find(second, first);
  for (std::size_t i = 0; i < first.deposits.size(); ++i) {
    bool reached = false;
    for (std::uint32_t rest = (*known)[i]; rest != 0 && !reached; rest &= rest - 1) {
      const auto at = static_cast<std::size_t>(std::countr_zero(rest));
      reached = follows(poll, second.deposits[at], first.deposits[i]);
    }
    if (!reached) return false;
  }
  return true;
}

FlagCovers::Pairs FlagCovers::find(const FlagWrite& more, const FlagWrite& less) {
  constexpr std::size_t kMost = 32;
  Pairs out(less.deposits.size());
  for (std::size_t i = 0; i < less.deposits.size(); ++i) {
    for (std::size_t j = 0; j < std::min(kMost, more.deposits.size()); ++j) {
      if (more.deposits[j].clock->covers(*less.deposits[i].clock)) out[i] |= std::uint32_t{1} << j;
    }
  }
  return out;
}

/// The loop that takes the one takes the other, which knows it: by the read itself, or by a fence after it of any scope.
bool FlagCovers::follows(const FlagPoll& poll, const ReleaseClock& more, const ReleaseClock& less) const {
  const Placement& here = threads_.place(poll.thread);
  const auto takes = [&](const ReleaseClock& deposit, isa::Scope scope) {
    return include_each_other(deposit.scope, threads_.place(deposit.thread), scope, here);
  };
  const isa::Scope own = poll.strength.scope;
  if (acquires(poll.strength.semantics) && takes(less, own) && takes(more, own)) return true;
  constexpr isa::Scope kScopes[] = {isa::Scope::cta, isa::Scope::cluster, isa::Scope::gpu, isa::Scope::sys};
  return std::all_of(std::begin(kScopes), std::end(kScopes),
                     [&](isa::Scope scope) { return !takes(less, scope) || takes(more, scope); });
}

bool FlagCovers::through(const FlagPoll& relay, const FlagPoll& poll, std::size_t more,
                         std::size_t less) const {
  const Placement& at_relay = threads_.place(relay.thread);
  const auto passes_on = [&](const FlagPoll::Acquired& acquired, const ReleaseClock& one) {
    const std::vector<ReleaseClock>& last = location_.writes[more].deposits;
    return include_each_other(one.scope, threads_.place(one.thread), acquired.scope, at_relay) &&
           std::any_of(last.begin(), last.end(), [&](const ReleaseClock& passed) {
             return passed.clock->covers(OrderKind::base, acquired.epoch) && follows(poll, passed, one);
           });
  };
  const std::vector<ReleaseClock>& first = location_.writes[less].deposits;
  return std::all_of(first.begin(), first.end(), [&](const ReleaseClock& one) {
    return std::any_of(relay.acquired.begin(), relay.acquired.end(),
                       [&](const FlagPoll::Acquired& acquired) { return passes_on(acquired, one); });
  });
}

std::optional<LeftLoop> left_in_all(const FlagLocation& location, std::size_t poll,
                                    std::span<const PollRead> reads, FlagCovers& covers,
                                    std::size_t& budget) {
  const States::Of of{location, reads, covers, budget};
  return States(of, {poll}).run();
}

bool goes_on(const PollRead& read, const std::map<unsigned, std::set<PartlyKnown>>& values, std::size_t to) {
  std::vector<std::vector<PartlyKnown>> all{std::vector<PartlyKnown>(read.elements, kAnything)};
  for (const auto& [element, here] : values) {
    std::vector<std::vector<PartlyKnown>> more;
    if (all.size() * here.size() > kMostStates) return false;
    for (const std::vector<PartlyKnown>& one : all) {
      for (const PartlyKnown& value : here) {
        more.push_back(one);
        more.back()[element] = value;
      }
    }
    all = std::move(more);
  }
  return std::all_of(all.begin(), all.end(), [&](const std::vector<PartlyKnown>& one) {
    const Leads leads = read.polls.left_for(read.thread % kLanes, one);
    return leads.known && leads.to == to;
  });
}

}  // namespace ptxmc::trace
