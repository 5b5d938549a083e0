// SPDX-License-Identifier: Apache-2.0
// Runs made by hand, and the tests that are extracted from them.
#pragma once

#include <doctest/doctest.h>

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bridge/extract/write.h"
#include "harness.h"
#include "model/models.h"

namespace ptxmc::extract {

using isa::Scope;
using isa::Semantics;
using trace::Effect;
using trace::Lanes;
using trace::Range;

constexpr trace::Address kShared = 0x1000, kGlobal = 0x100000, kObject = kShared + 0x800;
constexpr Range kWord{kShared + 4, 4};

/// A CTA of four warps, of each of which one lane does something.
struct Run {
  explicit Run(Range bytes = kWord, std::vector<Range> others = {},
               std::array<trace::Placement, 4> warps = {})
      : question{{}, {}, bytes}, recorder(with(bytes, std::move(others))) {
    recorder.start(warps);
    recorder.shared_memory(0, {kShared, 0x1000});
  }

  static std::vector<Range> with(Range bytes, std::vector<Range> others) {
    others.push_back(bytes);
    return others;
  }
  static Lanes one(unsigned warp, unsigned lane = 0) { return {warp, 1U << lane}; }
  static trace::Thread thread(unsigned warp) { return warp * trace::kLanes; }

  void access(unsigned site, Lanes lanes, Effect effect, trace::Address at = kWord.begin,
              Semantics semantics = {}, Scope scope = {}, std::uint8_t elements = 1) {
    std::array<trace::Address, trace::kLanes> begin{};
    begin.fill(at);
    recorder.access({.site = site,
                     .lanes = lanes,
                     .effect = effect,
                     .strength = {semantics, scope},
                     .elements = elements,
                     .begin = begin,
                     .written = {}});
  }
  /// A turn of a loop that polls kGlobal. The values that lead out lead to one place.
  void poll(unsigned site, Lanes lanes, trace::Strength strength, std::uint64_t least = 0,
            bool leaves = true) {
    trace::Polling polls;
    polls.left = leaves ? lanes.mask : 0;
    polls.left_for = [&](unsigned, std::span<const trace::PartlyKnown> values) {
      return trace::Leads{values[0].bits >= least ? std::optional<std::size_t>(7) : std::nullopt};
    };
    std::array<trace::Address, trace::kLanes> begin{};
    begin.fill(kGlobal);
    recorder.access({.site = site,
                     .lanes = lanes,
                     .effect = Effect::read,
                     .strength = strength,
                     .begin = begin,
                     .written = {},
                     .polls = &polls});
  }
  void barrier(unsigned site, std::vector<unsigned> warps, trace::Phase phase) {
    for (const unsigned warp : warps) recorder.barrier_arrive(site, {warp, ~0U}, {0, 0}, phase);
    for (const unsigned warp : warps) recorder.barrier_leave(site, {warp, ~0U}, {0, 0}, phase);
  }
  void arrive(unsigned site, unsigned warp, trace::Phase phase, std::int64_t bytes = 0) {
    recorder.mbarrier_arrive(
        {site, thread(warp), kObject, phase, {Semantics::release, Scope::cta}, 1, bytes});
  }
  void complete(trace::Phase phase) { recorder.mbarrier_complete(kObject, phase); }
  void wait(unsigned site, unsigned warp, trace::Phase phase) {
    recorder.mbarrier_wait({.site = site,
                            .lanes = one(warp),
                            .object = kObject,
                            .expected = phase & 1U,
                            .strength = {Semantics::acquire, Scope::cta},
                            .succeeded = true});
  }
  void copy(unsigned site, unsigned warp, trace::Tracking tracking, std::vector<Range> reads,
            std::vector<Range> writes, trace::Phase phase = 0) {
    recorder.issue({.site = site,
                    .issuer = thread(warp),
                    .tracking = tracking,
                    .object = tracking == trace::Tracking::mbarrier ? kObject : 0,
                    .phase = phase,
                    .reads = reads,
                    .writes = writes});
  }

  /// The test of these two, executed for the n-th time, or why there is none.
  std::variant<LitmusTest, std::string> extracted(End first, End second, std::size_t n = 0) {
    question.first = first;
    question.second = second;
    if (log.entries.empty()) log = recorder.take();
    const std::vector<Ends> ends = find_ends(log, question).pairs;
    if (ends.size() <= n) return "the two accesses were not found again";
    auto sliced = slice(log, question, ends[n]);
    if (const auto* why = std::get_if<std::string>(&sliced)) return *why;
    return write_litmus(log, std::get<Slice>(sliced), "extracted");
  }
  LitmusTest test(End first, End second, std::size_t n = 0) {
    auto out = extracted(first, second, n);
    if (const auto* why = std::get_if<std::string>(&out)) FAIL(*why);
    return std::get<LitmusTest>(out);
  }
  std::string refusal(End first, End second) {
    const auto out = extracted(first, second);
    const auto* why = std::get_if<std::string>(&out);
    return why == nullptr ? "" : *why;
  }

  Question question;
  Recorder recorder;
  Log log;
};

/// Has some execution a race, whose kind the model tells?
inline bool races(const LitmusTest& test) {
  CAPTURE(test.text);
  const relation::MemoryModel model = model::load("ptx-9.4", event::base_signature());
  const auto prepared = testing::prepare("extracted", test.text, {});
  const auto found = testing::races_by(testing::Engine::explicit_, prepared, model);
  REQUIRE(found);
  return !found->empty();
}

}  // namespace ptxmc::extract
