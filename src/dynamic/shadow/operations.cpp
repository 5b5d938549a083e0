// SPDX-License-Identifier: Apache-2.0
// Mbarrier objects and asynchronous operations: the bytes that they access, and by whom and when.
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "dynamic/shadow/detector.h"

namespace ptxmc::trace {
namespace {

constexpr std::size_t kMostPieces = 256;  // of an asynchronous operation, at which its writes release

/// What single accesses of an operation cover of the ranges: `element` bytes each, or all of a range; none of very many.
std::vector<Range> pieces(std::span<const Range> ranges, std::uint8_t element) {
  std::vector<Range> out;
  for (const Range& range : ranges) {
    const std::uint64_t bytes = element != 0 ? element : range.bytes;
    if (bytes == 0) continue;
    if (out.size() + range.bytes / bytes > kMostPieces) return {};
    for (std::uint64_t at = 0; at < range.bytes; at += bytes) out.push_back({range.begin + at, bytes});
  }
  return out;
}

}  // namespace

/// Arrivals, expect_tx and complete_tx are uses of the object's memory.
void Detector::visit_object(Site site, Thread thread, Address object) {
  if (!lifetime_.watches_visits()) return;
  const Lanes lane = lane_of(thread);
  const Kind kind{
      site, Effect::update, isa::Proxy::generic, {isa::Semantics::relaxed, isa::Scope::cta}, Objects::kBytes};
  lifetime_.visit(kind, {kinds_.find(kind), lane.warp, lane.mask, threads_.stamp(lane.warp), 0},
                  {object, Objects::kBytes}, true);
}

/// An object that was there from the start: its bytes are no memory, also for those that accessed them before.
void Detector::adopt(Site site, Thread thread, Address object) {
  if (objects_.adopt(site, object)) memory_.claim(object, {site, thread});
}

void Detector::mbarrier_wait(const Wait& wait) {
  if (wait.lanes.mask == 0) return;
  adopt(wait.site, wait.lanes.thread(static_cast<unsigned>(std::countr_zero(wait.lanes.mask))), wait.object);
  objects_.wait(wait);
  for_threads(wait.lanes, [&](Thread thread) { awaits_.observe(thread, wait.object); });
}

/// init and inval write the object's bytes.
void Detector::touch_object(Site site, Thread thread, Address object, std::uint32_t written) {
  const Kind kind{site, Effect::write, isa::Proxy::generic, {}, Objects::kBytes, 1, Agent::thread, 0, false};
  const Lanes lane = lane_of(thread);
  memory_.set_object(object, false);
  const KindId id = kinds_.find(kind);
  memory_.begin(lane, id);
  memory_.touch({object, Objects::kBytes}, {id, lane.warp, lane.mask, threads_.stamp(lane.warp), written});
}

void Detector::mbarrier_init(Site site, Thread thread, Address object, std::uint32_t count) {
  touch_object(site, thread, object, values_.find(Values::Of::object, std::array{std::uint64_t{count}}));
  memory_.set_object(object, true);
  objects_.init(site, thread, object);
}

void Detector::mbarrier_invalidate(Site site, Thread thread, Address object) {
  touch_object(site, thread, object, 0);
  objects_.invalidate(site, thread, object);
}

void Detector::issue(const Operation& operation) {
  if (operation.tracking == Tracking::mbarrier) adopt(operation.site, operation.issuer, operation.object);
  Time time = 0;
  const bool grouped = operation.tracking == Tracking::cp_async || operation.tracking == Tracking::bulk_group;
  if (grouped) time = groups_.issue(operation.issuer, operation.tracking);
  if (operation.tracking == Tracking::mbarrier) awaits_.publish(operation.issuer, operation.object);
  // What precedes st.async.release or red.async.release is released with its write (9.7.8.12), and with any strong write what precedes
  // a release fence in front of it (8.8). A reduction passes on what it reads; of memory that is written nothing is known after this.
  const Effect effect = operation.reduces ? Effect::update : Effect::write;
  const Strength strength = strength_of(operation, effect);
  const bool released = releases(strength.semantics) ||
                        (readings_.async_patterns && strength.semantics != isa::Semantics::weak);
  const std::vector<Range> written =
      released ? pieces(operation.writes, operation.element) : std::vector<Range>();
  std::vector<MessageRef> taken(written.size());
  for (std::size_t i = 0; operation.reduces && i < taken.size(); ++i)
    taken[i] = release_sequences_.read(
        operation.site, operation.issuer, written[i].begin, static_cast<std::uint8_t>(written[i].bytes),
        {isa::Semantics::relaxed, strength.scope}, {false, false, false, operation.proxy});
  note_reads(operation, time);
  touch_copy(operation, operation.reads, Effect::read, time);
  touch_copy(operation, operation.writes, effect, time);
  for (std::size_t i = 0; i < taken.size(); ++i) {
    if (release_sequences_.write(operation.site, operation.issuer, written[i].begin,
                                 static_cast<std::uint8_t>(written[i].bytes), strength, taken[i],
                                 {operation.proxy, false}))
      memory_.set_message(written[i]);
  }
  if (!written.empty()) threads_.tick(operation.issuer / kLanes);
}

/// What a strong copy observes, who observes its completion may acquire by a fence (8.8).
void Detector::note_reads(const Operation& operation, Time issued) {
  const Strength strength = strength_of(operation, Effect::read);
  if (!readings_.async_patterns || strength.semantics == isa::Semantics::weak) return;
  for (const Range& piece : pieces(operation.reads, operation.element)) {
    MessageRef message = release_sequences_.read(operation.site, operation.issuer, piece.begin,
                                                 static_cast<std::uint8_t>(piece.bytes), strength,
                                                 {false, false, false, operation.proxy});
    if (message == nullptr) continue;
    if (operation.tracking == Tracking::mbarrier)
      objects_.note_read({operation.object, operation.phase}, std::move(message));
    else if (operation.tracking == Tracking::bulk_group)
      groups_.note_read(operation.issuer, operation.tracking, issued, std::move(message));
  }
}

/// The strength of the accesses of an operation: those to the sources of a reduction are weak.
Strength Detector::strength_of(const Operation& operation, Effect effect) const {
  if (effect == Effect::read && operation.reduces) return {};
  if (effect == Effect::update && operation.through_map && readings_.tensor_reductions_of_sys)  // D59
    return {isa::Semantics::relaxed, isa::Scope::sys};
  const Strength strength = normal(operation.strength);
  if (effect != Effect::update || strength.semantics != isa::Semantics::weak) return strength;
  const bool of_sys = readings_.reductions_of_sys && !operation.through_map;
  return {isa::Semantics::relaxed, of_sys ? isa::Scope::sys : isa::Scope::gpu};  // R149, R151
}

Kind Detector::kind_of(const Operation& operation, std::span<const Range> ranges, Effect effect) const {
  Kind kind;
  kind.site = operation.site;
  kind.effect = effect;
  kind.proxy = operation.proxy;
  kind.operation = true;
  if (effect == Effect::update) kind.commutes = operation.commutes;
  kind.place = operation.proxy == isa::Proxy::tensormap ? ranges.front().begin
                                                        : lifetime_.place_of(ranges.front().begin);
  kind.strength = strength_of(operation, effect);
  // Morally strong are accesses of all of the same bytes (8.7.1); a bulk reduction is one atomic for each element (R149), a strong
  // copy one access for each 16 bytes.
  if (kind.strong())
    kind.bytes = operation.element != 0 ? operation.element : static_cast<std::uint8_t>(ranges.front().bytes);
  return kind;
}

void Detector::touch_copy(const Operation& operation, std::span<const Range> ranges, Effect effect,
                          Time issued) {
  if (ranges.empty()) return;
  Kind kind = kind_of(operation, ranges, effect);
  ShadowAccess mark{0, operation.issuer / kLanes, 1U << (operation.issuer % kLanes), issued, 0};
  switch (operation.tracking) {
    case Tracking::cp_async:
      kind.agent = Agent::cp_async;
      break;
    case Tracking::bulk_group:
      // .read is for the sources, and for tensor maps. [reading wait-read]
      kind.agent = effect == Effect::read &&
                           (operation.proxy != isa::Proxy::tensormap || readings_.read_waits_for_maps)
                       ? Agent::bulk_reads
                       : Agent::bulk_writes;
      break;
    case Tracking::mbarrier:
      kind.agent = Agent::object;
      kind.object = objects_.track(operation);
      mark.time = static_cast<Time>(operation.phase + 1);
      if (effect == Effect::read && !operation.signals.empty()) {
        const Objects::Shared shared = objects_.share(operation.signals);
        kind.object = shared.agent;
        mark.time = shared.time;
      }
      break;
    case Tracking::none:
      if (!never_) never_ = objects_.add_agent();
      kind.agent = Agent::object;
      kind.object = *never_;
      mark.time = 1;
      break;
    case Tracking::wgmma: {
      const Warpgroups::Issue issue = warpgroups_.issue(operation.issuer);
      kind.agent = Agent::object;
      kind.object = issue.agent;
      mark = {0, issue.starter, 1, issue.time, 0};
      break;
    }
  }
  mark.kind = kinds_.find(kind);
  // The lanes of a warp issue cp.async together, others one does.
  const Lanes own = lane_of(mark.warp * kLanes + static_cast<Thread>(std::countr_zero(mark.mask)));
  const bool alone = operation.tracking != Tracking::cp_async;
  memory_.begin(alone ? own : Lanes{mark.warp, threads_.place_of_warp(mark.warp).lanes}, mark.kind);
  if (effect == Effect::write && operation.content != 0)
    mark.value = values_.find(Values::Of::copy, std::array{operation.content});
  memory_.touch(ranges, mark);
  lifetime_.issue(kind, mark, ranges);
  if (flags_.empty() || effect == Effect::read) return;
  for (const Range& range : ranges) {
    if (range.bytes != 0) flags_.spoil(range);
  }
}

void Detector::tensor_commit(const Arrival& arrival, const TensorCommit& commit) {
  adopt(arrival.site, arrival.thread, arrival.object);
  objects_.arrive_behind(arrival, tensor_.completion(arrival.thread, commit));
  awaits_.publish(arrival.thread, arrival.object);
  if (lifetime_.watches_visits()) commits_.arrive(arrival);
}

}  // namespace ptxmc::trace
