// SPDX-License-Identifier: Apache-2.0
#include "dynamic/shadow/detector.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ptxmc::trace {
namespace {

constexpr std::size_t kMostContended = 16;  // locations

Memory::Remember remembered_by(const Options& options) {
  if (options.all_pairs)
    return options.fences_of_spaces ? Memory::Remember::all : Memory::Remember::all_unrestricted;
  return options.exact_values ? Memory::Remember::not_hidden : Memory::Remember::newest;
}

}  // namespace

Detector::Detector(const Options& options)
    : readings_(options.readings),
      this_execution_(options.this_execution),
      turns_(options.turns),
      awaits_(findings_),
      restricted_fences_(threads_, windows_, options.readings.restricted_fences_cumulate),
      proxy_fences_(threads_, readings_),
      values_(options.all_pairs || options.exact_values),
      release_sequences_(threads_, readings_.async_patterns && readings_.patterns_cross),
      launches_(threads_, release_sequences_),
      knowledge_(threads_),
      flags_(threads_),
      objects_(threads_, release_sequences_, restricted_fences_, findings_, options.readings),
      barriers_(threads_, release_sequences_, findings_),
      groups_(threads_),
      warpgroups_(threads_, objects_, findings_, readings_),
      lifetime_(threads_, objects_, windows_, findings_),
      commits_(kinds_, objects_, lifetime_),
      memory_(threads_, kinds_, proxy_fences_, restricted_fences_, release_sequences_, knowledge_, objects_,
              findings_, remembered_by(options)),
      tensor_(threads_, kinds_, objects_, lifetime_, memory_) {
  flags_.watch(options.flags, options.taken);
  threads_.tensor().take_pairs_of_9_1(readings_.pairs_of_9_1);
}

Detector::~Detector() = default;

void Detector::start(std::span<const Placement> warps) {
  threads_.start(warps);
  release_sequences_.start();
  groups_.start();
  warpgroups_.start();
  lifetime_.start(!readings_.ctas_start_together);
}

/// What a lane wrote, all of its elements: 0 if that is not known. What rests on open contents is known by
/// terms. (Layouts that hold a value in several threads are of one thread block; blocks that store the same
/// would store it twice for nothing, if their tiles were apart.)
std::uint32_t Detector::written_by(const Access& access, unsigned lane) {
  if (access.effect != Effect::write) return 0;
  const std::size_t words = access.words(), first = lane * words;
  if ((access.tainted >> lane & 1U) == 0)
    return access.written.empty() ? 0 : values_.find(Values::Of::known, access.written.subspan(first, words));
  if (access.terms.empty()) return 0;
  const auto terms = access.terms.subspan(first, words);
  if (std::find(terms.begin(), terms.end(), 0U) != terms.end()) return 0;
  std::vector<std::uint64_t> key(terms.begin(), terms.end());
  key.push_back(threads_.place_of_warp(access.lanes.warp).cta);
  return values_.find(Values::Of::open, key);
}

void Detector::access(const Access& access) {
  if (access.lanes.mask == 0) return;
  if (this_execution_ && !access.decides && access.strength.semantics != isa::Semantics::weak) {
    Access observes = access;
    observes.decides = true;
    return this->access(observes);
  }
  const Strength strength = normal(access.strength);
  Kind kind{access.site, access.effect, access.proxy,  strength, access.bytes, access.elements, Agent::thread,
            0,           false,         access.decides};
  if (access.strength.semantics == isa::Semantics::volatile_) kind.at_once = access.lanes.mask;
  kind.path = access.path;
  kind.commutes = access.commutes;
  kind.may_write = access.may_write;
  kind.in_warp_order = access.in_warp_order;
  if (access.open_swap != OpenSwap::no) note_open_swap(access, kind);
  const bool several = kind.strong() && access.elements > 1;
  if (several) threads_.begin_elements(access.lanes.warp);
  const ShadowAccess mark{kinds_.find(kind), access.lanes.warp, access.lanes.mask,
                          threads_.stamp(access.lanes.warp), 0};
  if (!kind.strong()) {
    memory_.begin(access.lanes, mark.kind);
    touch_lanes(access, mark);
    return;
  }
  touch_elements(access, strength, kind, mark);
  if (several) {
    threads_.end_elements();
    if (kind.writes()) tell_elements(access);
  }
  // Who observes one of its writes has not observed the next; and what it does from here on is not what it releases.
  if (kind.writes()) threads_.tick(access.lanes.warp);
}

void Detector::note_open_swap(const Access& access, Kind& kind) {
  Kind writes = kind;
  writes.effect = Effect::update;
  kind.if_it_writes = kinds_.find(writes);
  if (access.open_swap == OpenSwap::by_contents) memory_.swaps().may_write(access.site, access.open_swap);
  for_threads(access.lanes,
              [&](Thread thread) { memory_.swaps().add(access.begin[thread % kLanes], access.site); });
}

void Detector::decides_by_unsettled(Range range) {
  if (memory_.unsettled().any(range) && contended_.size() < kMostContended)
    contended_[range.begin] = static_cast<std::uint8_t>(range.bytes);
}

/// Lane by lane: an atomic takes what the lane before left.
void Detector::touch_elements(const Access& access, Strength strength, const Kind& kind,
                              const ShadowAccess& mark) {
  for (std::uint32_t rest = access.lanes.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const Thread thread = access.lanes.thread(lane);
    ShadowAccess one = mark;
    one.mask = 1U << lane;
    one.value = written_by(access, lane);
    if ((access.blind >> lane & 1U) != 0) {
      Kind blind = kind;
      blind.decides = false;
      one.kind = kinds_.find(blind);
    }
    const bool watched = access.polls != nullptr && (access.polls->left >> lane & 1U) != 0 && !flags_.empty();
    const std::size_t read = watched ? flags_.add({thread, access.elements, *access.polls}) : 0;
    for (unsigned element = 0; element < access.elements; ++element) {
      const Address begin = access.begin[lane] + std::uint64_t{element} * access.bytes;
      touch_strong(access, strength, {lane, thread, {begin, access.bytes}, element, read}, one);
    }
  }
}

/// A thread that waits for one of its elements is told that the instruction was executed.
void Detector::tell_elements(const Access& access) {
  for_threads(access.lanes, [&](Thread thread) {
    for (unsigned element = 0; element < access.elements; ++element)
      knowledge_.write(thread, access.begin[thread % kLanes] + std::uint64_t{element} * access.bytes);
  });
}

void Detector::touch_strong(const Access& access, Strength strength, const Lane& at, ShadowAccess mark) {
  if ((access.passing >> at.lane & 1U) != 0) return touch_older(access, strength, at, mark);
  const bool reads = access.effect != Effect::write, writes = access.effect != Effect::read;
  const Address begin = at.range.begin;
  // Who reads and who writes through different names are not morally strong (8.7), and pass no message on.
  constexpr Address kOtherName = Address{1} << 62U;
  const Address named = access.proxy == isa::Proxy::alias ? begin | kOtherName : begin;
  const bool blind = (access.blind >> at.lane & 1U) != 0;
  const bool leaves_loop = access.polls != nullptr && (access.polls->left >> at.lane & 1U) != 0;
  if (reads && !blind) awaits_.observe(at.thread, begin);
  if (writes) awaits_.publish(at.thread, begin);
  if (access.polls != nullptr) {
    if (leaves_loop) {
      if (!access.polls->awaits(at.lane, at.element)) return touch_beside(access, at, mark);
      polled_[begin] = access.bytes;
      knowledge_.leave(at.thread, begin);
      knowledge_.read(at.thread, begin);
    }
    if (!flags_.empty() && touch_flag(access, strength, at, mark)) return;
    if (flags_.empty() && acquires(strength.semantics))
      touch_turn(at.range, mark);  // else the last turn knows no more
  }
  if (reads && access.decides && access.polls == nullptr && access.elements == 1) {
    std::map<Address, std::uint8_t>& contended = writes ? contended_ : decided_by_;
    if ((writes || access.contends) && contended.size() < kMostContended) contended[begin] = access.bytes;
  }
  if (reads && access.decides && access.polls == nullptr && !flags_.empty()) flags_.decide(at.range);
  if ((writes || access.contends) && turns_.contains(begin))
    release_sequences_.take_turn(at.thread, begin, writes && !blind);
  // Who has taken a lock, or a ticket, goes on by what it read there, as who has left a loop does.
  if (reads && writes && access.decides && access.polls == nullptr && !blind)
    knowledge_.leave(at.thread, begin);
  // It comes after what its thread knew before: what an atomic acquires itself is no reason why it could not be earlier.
  Flags::Known before;
  if ((writes || access.contends) && !flags_.empty()) before = flags_.known(at.thread, at.range);
  if (reads && acquires(strength.semantics)) memory_.look_for_contention(at.range, mark);
  if (reads && writes && !readings_.atomics_relay) release_sequences_.begin_atomic(at.thread);
  MessageRef taken;
  if (reads)
    taken = blind ? release_sequences_.read(access.site, at.thread, named, access.bytes,
                                            {isa::Semantics::relaxed, strength.scope}, {false, false})
                  : release_sequences_.read(access.site, at.thread, named, access.bytes, strength,
                                            {access.decides, !access.no_result, leaves_loop});
  memory_.begin(lane_of(at.thread), mark.kind);
  memory_.touch(at.range, mark);
  if (lifetime_.watches_visits()) lifetime_.visit(kinds_[mark.kind], mark, at.range);
  if (!writes) {
    // What decides control is tried again, as a rule, or has a turn.
    if (!access.decides && access.polls == nullptr) memory_.look_for_stale(at.range, mark);
    knowledge_.read(at.thread, begin);
    if (access.contends) flags_.look(at.thread, at.range, strength, std::move(before));
    return;
  }
  if (access.elements == 1) knowledge_.write(at.thread, begin);
  if (!flags_.empty()) write_flag(access, strength, at, std::move(before));
  release_sequences_.note_relaxed(access.site, at.thread, named, access.bytes, strength, reads);
  if (release_sequences_.write(access.site, at.thread, named, access.bytes, strength, taken))
    memory_.set_message(at.range);
  release_sequences_.end_atomic();
}

/// It takes what the write released that it observes.
void Detector::touch_older(const Access& access, Strength strength, const Lane& at,
                           const ShadowAccess& mark) {
  Flags::Known before = flags_.known(at.thread, at.range);
  release_sequences_.read(access.site, at.thread, at.range.begin, access.bytes, strength,
                          flags_.older(at.thread, at.range, strength, access.passes), {true, true});
  Kind kind = kinds_[mark.kind];
  kind.decides = false;  // the newest write, which memory has, is not what it observes
  ShadowAccess older = mark;
  older.kind = kinds_.find(kind);
  memory_.begin(lane_of(at.thread), older.kind);
  memory_.touch(at.range, older);
  flags_.look(at.thread, at.range, strength, std::move(before), access.passes);
}

void Detector::touch_lanes(const Access& access, const ShadowAccess& mark) {
  const std::uint64_t bytes = std::uint64_t{access.bytes} * access.elements;
  // As flags are written and read; of what whole warps access, messages would cost more than they say.
  const bool alone = std::has_single_bit(mark.mask) && access.elements == 1 &&
                     access.proxy == isa::Proxy::generic && release_sequences_.sequential();
  for (std::uint32_t rest = mark.mask; rest != 0;) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    ShadowAccess one = mark;
    one.mask = 0;
    do {  // lanes side by side that read one place are one access
      one.mask |= rest & (~rest + 1);
      rest &= rest - 1;
    } while ((access.effect == Effect::read || access.together) && rest != 0 &&
             access.begin[static_cast<unsigned>(std::countr_zero(rest))] == access.begin[lane]);
    one.value = written_by(access, lane);
    if (alone && access.effect == Effect::read && access.decides)
      release_sequences_.read_weak(access.site, access.lanes.thread(lane), access.begin[lane], access.bytes);
    memory_.touch({access.begin[lane], bytes}, one);
    if (alone && access.effect == Effect::write &&
        release_sequences_.write_weak(access.lanes.thread(lane), access.begin[lane], access.bytes))
      memory_.set_message({access.begin[lane], bytes});
    if (!flags_.empty() && access.effect == Effect::write) write_flags(access, lane);
    if (!flags_.empty() && access.effect == Effect::read && access.decides)
      flags_.decide({access.begin[lane], bytes});
    if (lifetime_.watches_visits()) lifetime_.visit(kinds_[mark.kind], one, {access.begin[lane], bytes});
  }
}

void Detector::fence(Site site, Lanes lanes, Strength strength, isa::Space memory) {
  if (memory == isa::Space::shared_cta) restricted_fences_.release(lanes);
  if (memory == isa::Space::shared_cluster) restricted_fences_.acquire();
  // What a flag holds is not known to be what a fence of other memory acquires.
  if (memory == isa::Space::generic && acquires(strength.semantics) && !flags_.empty())
    flags_.acquire(lanes, strength.scope);
  release_sequences_.fence(site, lanes, strength, memory);
}

// Those of some accesses alone are events (proxy_fences.h), the others what threads know.
void Detector::proxy_fence(const ProxyFence& fence) {
  const bool directed = fence.strength.semantics != isa::Semantics::weak;
  if (directed) {
    proxy_fences_.add_directed(fence);
  } else if (fence.proxy == isa::Proxy::async) {
    cross_async(fence.lanes, fence.space);
  } else if (fence.proxy == isa::Proxy::alias) {
    threads_.cross(fence.lanes, OrderKind::alias);
  } else {  // 8.6, D2: for accesses of its own thread block
    const std::uint32_t cta = threads_.place_of_warp(fence.lanes.warp).cta;
    proxy_fences_.add(fence.lanes, proxy_fences_.of_block(fence.proxy, cta));
  }
  warpgroups_.proxy_fence(fence.lanes);
}

/// It covers accesses of all threads everywhere, or of global memory, or of the shared memory of its thread
/// block or cluster.
void Detector::cross_async(Lanes lanes, isa::Space space) {
  if (space == isa::Space::generic || space == isa::Space::global) threads_.cross(lanes, OrderKind::async);
  if (space == isa::Space::global) return;
  objects_.publish(lanes);
  const Placement& here = threads_.place_of_warp(lanes.warp);
  if (space == isa::Space::shared_cta && !threads_.one_cta())
    return proxy_fences_.add(lanes, {isa::Proxy::async, false, here.cta});
  if (space == isa::Space::shared_cluster && !threads_.one_cluster())
    return proxy_fences_.add(lanes, {isa::Proxy::async, true, here.cluster});
  threads_.cross(lanes, OrderKind::async_shared);
}

void Detector::learn_tasks(Lanes lanes, std::span<const std::uint32_t> tasks, bool waited) {
  std::vector<Own> issued(threads_.warps() * kLanes);
  for (Thread thread = 0; thread < issued.size(); ++thread) {
    const Time copies = groups_.issued(thread, Tracking::bulk_group);
    issued[thread].done = {groups_.issued(thread, Tracking::cp_async), copies, copies};
  }
  threads_.learn_tasks(lanes, tasks, objects_.phases(), issued, waited);
  awaits_.start_behind(lanes, [&](Thread thread) {
    return std::find(tasks.begin(), tasks.end(), threads_.place(thread).task) != tasks.end();
  });
}

}  // namespace ptxmc::trace
