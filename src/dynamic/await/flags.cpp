// SPDX-License-Identifier: Apache-2.0
#include "dynamic/await/flags.h"

#include <algorithm>
#include <tuple>

#include "dynamic/await/await_values.h"

namespace ptxmc::trace {
namespace {

constexpr Address kLongestFlag = 16;                                             // bytes of a flag
constexpr std::size_t kMostWrites = 1024, kMostPolls = 1024, kMostTurns = 1024;  // of a location
constexpr std::size_t kMostNumbered = 1024;                                      // turns of all locations

Epoch now(Threads& threads, Thread thread) {
  const Lanes lane = lane_of(thread);
  return {Agent::thread, lane.warp, lane.mask, 0, threads.stamp(lane.warp)};
}

}  // namespace

void Flags::watch(const FlagMap& flags, const TakenMap* taken) {
  for (const auto& [at, flag] : flags) locations_[at].flag = flag;
  taken_ = taken;
}

/// With those that the range meets.
template <typename Act>
void Flags::for_locations(Range range, Act&& act) {
  auto at = locations_.lower_bound(range.begin < kLongestFlag ? 0 : range.begin - kLongestFlag);
  for (; at != locations_.end() && at->first < range.begin + range.bytes; ++at) {
    if (at->first + at->second.flag.bytes > range.begin) act(at->first, at->second);
  }
}

FlagLocation* Flags::find(Range range) {
  FlagLocation* out = nullptr;
  for_locations(range, [&](Address begin, FlagLocation& location) {
    if (begin == range.begin && location.flag.bytes == range.bytes) {
      out = &location;
    } else {
      location.spoilt = true;
    }
  });
  return out;
}

void Flags::decide(Range range) {
  for_locations(range, [](Address, FlagLocation& location) { location.decides = true; });
}

void Flags::spoil(Range range) {
  if (FlagLocation* location = find(range)) location->spoilt = true;
}

/// The writes that the thread comes after in base causality.
WriteSet Flags::in_base(const FlagLocation& location, Thread thread) const {
  WriteSet out;
  for (std::size_t w = 0; w < location.writes.size(); ++w) {
    if (threads_.knows(thread, OrderKind::base, location.writes[w].epoch)) out.insert(w);
  }
  return out;
}

/// In base causality; or what comes before the thread in that has observed them (8.9.5). What they come after is before
/// them in coherence order, too.
WriteSet Flags::known_of(const FlagLocation& location, Thread thread) const {
  WriteSet out = in_base(location, thread);
  const auto add = [&](const Epoch& read, const WriteSet& observed) {
    if (out.includes(observed) || !threads_.knows(thread, OrderKind::base, read)) return;
    out |= with_before(location.writes, observed);
  };
  for (const FlagPoll& poll : location.polls) add(poll.epoch, poll.took.behind);
  for (const FlagLook& look : location.looks) add(look.epoch, look.observed);
  return out;
}

Flags::Known Flags::known(Thread thread, Range range) {
  const auto found = locations_.find(range.begin);
  if (found == locations_.end()) return {};
  Known out{known_of(found->second, thread), {}, {}};
  for (const FlagTurn& turn : found->second.turns)
    out.turns.push_back(turn.write ? out.writes.contains(*turn.write)
                                   : threads_.knows(thread, OrderKind::base, turn.epoch));
  for (const Epoch& turn : turns_) out.all.push_back(threads_.knows(thread, OrderKind::base, turn));
  return out;
}

bool Flags::passes_poll(Thread thread) const {
  for (const auto& [at, location] : locations_) {
    const WriteSet known = in_base(location, thread);
    for (const FlagPoll& poll : location.polls) {
      // Those that it meets in all schedules; of several of which it meets one, all.
      const WriteSet& met = poll.took.observed.empty() ? poll.chain : poll.took.observed;
      if (!known.includes(met) &&
          (poll.thread == thread || threads_.knows(thread, OrderKind::base, poll.epoch)))
        return true;
    }
  }
  return false;
}

void Flags::add_turn(FlagLocation& location, FlagTurn turn, Known& before) {
  passes_polls_ = passes_polls_ || passes_poll(turn.thread);
  turn.before = std::move(before.turns);
  turn.behind = std::move(before.all);
  turn.number = turns_.size();
  if (turns_.size() < kMostNumbered) {
    turns_.push_back(turn.epoch);
  } else {
    many_ = true;
  }
  location.turns.push_back(std::move(turn));
}

Taken Flags::chain_before(const FlagLocation& location, std::size_t passes) {
  Taken out;
  if (passes > location.writes.size()) return out;
  for (std::size_t w = location.writes.size() - passes; w-- > 0;) {
    const FlagWrite& write = location.writes[w];
    if (write.strength.semantics == isa::Semantics::weak) break;
    out.writes.insert(w);
    out.observed.insert(w);
    if (!write.value.updates) break;
  }
  return out;
}

void Flags::look(Thread thread, Range range, Strength strength, Known before, std::size_t passes) {
  FlagLocation* location = find(range);
  if (location == nullptr || location->spoilt) return;
  if (location->turns.size() >= kMostTurns) {
    location->spoilt = true;
    return;
  }
  location->looks.push_back({now(threads_, thread), chain_before(*location, passes).observed});
  add_turn(*location, {now(threads_, thread), thread, strength, std::nullopt, {}, 0, {}}, before);
}

void Flags::write(Thread thread, Range range, Strength strength, const FlagValue& value, Known before,
                  std::vector<ReleaseClock> deposits, ClockRef seen) {
  FlagLocation* location = find(range);
  if (location == nullptr || location->spoilt) return;
  if (location->writes.size() >= kMostWrites) {
    location->spoilt = true;
    return;
  }
  const std::size_t number = location->writes.size();
  FlagWrite write;
  write.before = std::move(before.writes);
  write.epoch = now(threads_, thread);
  write.thread = thread;
  write.strength = strength;
  write.value = value;
  write.deposits = std::move(deposits);
  for (FlagPoll& poll : location->polls) {
    poll.behind.resize(number + 1);
    poll.behind[number] = threads_.knows(thread, OrderKind::base, poll.epoch);
  }
  if (!value.updates || strength.semantics == isa::Semantics::weak) location->chain.clear();
  if (strength.semantics != isa::Semantics::weak) location->chain.insert(number);
  write.sent = threads_.tensor().sent(thread);
  write.seen = std::move(seen);
  add_turn(*location, {write.epoch, thread, strength, number, {}, 0, {}}, before);
  location->writes.push_back(std::move(write));
}

std::optional<Flags::Read> Flags::read(const By& by) {
  const auto& [site, thread, range, strength, number, element] = by;
  FlagLocation* location = find(range);
  if (location == nullptr || location->spoilt || location->polls.size() >= kMostPolls) {
    not_followed_.insert(site);
    return std::nullopt;
  }
  FlagPoll poll;
  poll.site = site;
  poll.epoch = now(threads_, thread);
  poll.thread = thread;
  poll.strength = strength;
  poll.read = number;
  poll.element = element;
  poll.known = known_of(*location, thread);
  poll.seen = location->writes.size();
  poll.chain = location->chain;
  poll.took = {location->chain, location->chain, true, with_before(location->writes, location->chain)};
  if (taken_ != nullptr) {
    const auto found = taken_->find({range.begin, location->polls.size()});
    poll.took = found == taken_->end() ? Taken{} : found->second;
  }
  if (acquires(strength.semantics)) poll.acquired.push_back({strength.scope, poll.epoch});
  Read out{message(*location, thread, strength, poll.took), poll.took.observes};
  polled_[thread].polls.emplace_back(location, location->polls.size());
  location->polls.push_back(std::move(poll));
  return out;
}

void Flags::acquire(Lanes lanes, isa::Scope scope) {
  for_threads(lanes, [&](Thread thread) {
    const auto found = polled_.find(thread);
    if (found == polled_.end()) return;
    std::size_t& fenced = found->second.fenced[static_cast<std::size_t>(scope)];
    for (; fenced < found->second.polls.size(); ++fenced) {
      const auto& [location, number] = found->second.polls[fenced];
      location->polls[number].acquired.push_back({scope, now(threads_, thread)});
    }
  });
}

/// What the thread learns of the writes that it takes. Who takes the same, learns the same.
MessageRef Flags::message(FlagLocation& location, Thread thread, Strength strength,
                          const Taken& taken) const {
  if (location.told_by != nullptr && location.told.writes == taken.writes &&
      location.told.observed == taken.observed && location.told.behind == taken.behind)
    return location.told_by;
  auto out = std::make_shared<ReleaseSequence>();
  out->strength = strength;
  out->writer = thread;
  out->bytes = location.flag.bytes;
  taken.writes.for_each([&](std::size_t w) {
    for (const ReleaseClock& deposit : location.writes[w].deposits)
      add_deposit(out->deposits, deposit, threads_);
    out->sent = join(out->sent, location.writes[w].sent);
  });
  // A thread that reads from a write comes after it and after what comes before it in causality order, be the release that these
  // tell one for this thread or not (8.10.1, 8.10.6).
  WriteSet before = taken.observed;
  before |= taken.behind;
  before.for_each([&](std::size_t w) { out->seen = join(out->seen, location.writes[w].seen); });
  const bool empty = out->deposits.empty() && out->sent == nullptr && out->seen == nullptr;
  location.told = taken;
  return location.told_by = empty ? nullptr : MessageRef(std::move(out));
}

MessageRef Flags::older(Thread thread, Range range, Strength strength, std::size_t passes) {
  FlagLocation* location = find(range);
  if (location == nullptr || location->spoilt || passes > location->writes.size()) return nullptr;
  return message(*location, thread, strength, chain_before(*location, passes));
}

/// All strong accesses are morally strong with each other: whatever a loop reads, it observes.
bool Flags::fits(const FlagLocation& location) const {
  if (location.spoilt) return false;
  std::set<std::tuple<isa::Scope, std::uint32_t, std::uint32_t, std::uint32_t>> kinds;
  std::vector<std::pair<isa::Scope, Placement>> all;
  const auto add = [&](Strength strength, Thread thread) {
    if (strength.semantics == isa::Semantics::weak) return;
    const Placement& at = threads_.place(thread);
    if (kinds.emplace(strength.scope, at.cta, at.cluster, at.gpu).second)
      all.emplace_back(strength.scope, at);
  };
  for (const FlagTurn& turn : location.turns) add(turn.strength, turn.thread);
  for (const FlagPoll& poll : location.polls) add(poll.strength, poll.thread);
  for (const auto& [scope, at] : all) {
    for (const auto& [other, there] : all) {
      if (!include_each_other(scope, at, other, there)) return false;
    }
  }
  return true;
}

bool Flags::take(const FlagPoll& poll, FlagCovers& covers, const Taken& all, Taken& next) {
  // Who takes a release takes those that it covers.
  for (std::size_t w = 0; w < poll.seen; ++w) {
    const auto covers_it = [&](std::size_t more) { return covers(poll, more, w); };
    if (poll.took.writes.contains(w) || poll.took.writes.any_of(covers_it)) next.writes.insert(w);
  }
  next.writes &= all.writes;
  next.observed = poll.took.observed;
  next.observed &= all.observed;
  next.observes = poll.took.observes && all.observes;
  next.behind = poll.took.behind;
  next.behind &= all.behind;
  return all.writes.includes(poll.took.writes) && all.observed.includes(poll.took.observed) &&
         all.behind.includes(poll.took.behind) && (all.observes || !poll.took.observes);
}

Flags::Answer Flags::answer() const {
  Answer out;
  out.open = not_followed_;
  std::size_t budget = kMostFlagStates;
  struct Elements {
    Site site = 0;
    std::size_t to = 0;
    std::map<unsigned, std::set<PartlyKnown>> values;
  };
  std::map<std::size_t, Elements> elements;  // by the number of the instruction
  for (const auto& [at, location] : locations_) {
    const bool fits = this->fits(location);
    FlagCovers covers(location, threads_);
    bool one_value = !location.polls.empty();
    for (std::size_t p = 0; p < location.polls.size(); ++p) {
      const FlagPoll& poll = location.polls[p];
      std::optional<LeftLoop> left;
      if (fits) left = left_in_all(location, p, reads_, covers, budget);
      one_value = one_value && left && left->reads_one_value();
      // A loop that exits by what an unset flag holds says what that is. Where control depends on it elsewhere, too, the run may differ.
      if (!left || (left->reads_unset && location.decides)) {
        out.open.insert(poll.site);
        continue;
      }
      Elements& all = elements.try_emplace(poll.read, Elements{poll.site, left->to, {}}).first->second;
      all.values[poll.element] = std::move(left->values);
      if (!take(poll, covers, left->taken, out.taken[{at, p}])) out.settled = false;
    }
    if (one_value) out.one_value.insert(at);
  }
  for (const auto& [number, all] : elements) {
    if (!goes_on(reads_[number], all.values, all.to)) out.open.insert(all.site);
  }
  return out;
}

std::optional<std::vector<std::vector<bool>>> Flags::before(Address at) const {
  const auto found = locations_.find(at);
  if (found == locations_.end() || !fits(found->second)) return std::nullopt;
  std::vector<std::vector<bool>> out;
  for (const FlagTurn& turn : found->second.turns) out.push_back(turn.before);
  return out;
}

std::optional<std::size_t> Flags::turns_at(Address at) const {
  const auto found = locations_.find(at);
  if (found == locations_.end() || found->second.spoilt) return std::nullopt;
  return found->second.turns.size();
}

std::optional<std::vector<Flags::Numbered>> Flags::numbered(Address at) const {
  const auto found = locations_.find(at);
  if (found == locations_.end() || many_) return std::nullopt;
  std::vector<Numbered> out;
  for (const FlagTurn& turn : found->second.turns) out.push_back({turn.number, turn.behind});
  return out;
}

}  // namespace ptxmc::trace
