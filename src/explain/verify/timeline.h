// SPDX-License-Identifier: Apache-2.0
// A run as a timeline: what each warp does to synchronize and to copy, the phases of mbarrier objects and barriers, and
// the two accesses of findings. What repeats is thinned while it is recorded, so that the memory that it takes rests on
// the code, not on how long the run is: of each instruction in each warp the first few executions are kept, the last
// ones, and those around a finding.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dynamic/order/finding.h"

namespace ptxmc::explain {

enum class MarkKind : std::uint8_t {
  access,
  arrive,
  wait,
  copy,
  commit,
  group_wait,
  fence,
  barrier,
  init,
  exit,
  atomic,  // an atomic or a reduction
  poll     // a read of memory in a loop that waits
};
constexpr std::size_t kMarkKinds = 12;

/// What phases belong to.
struct SyncObject {
  enum class Kind : std::uint8_t { mbarrier, barrier, cluster };
  Kind kind = Kind::mbarrier;
  std::uint64_t at = 0;  // an address; or the CTA or cluster, and the barrier's number in the lowest byte
  friend auto operator<=>(const SyncObject&, const SyncObject&) = default;
};

struct Mark {
  std::uint64_t step = 0;    // events of the run before it
  std::uint64_t begin = 0;   // of what waits: since when
  std::uint64_t serial = 0;  // marks of its warp before it, kept or not
  MarkKind kind = MarkKind::access;
  trace::Site site = 0;
  std::uint32_t warp = 0, lanes = 0;  // a mask
  std::optional<SyncObject> object;
  trace::Phase phase = 0;
  std::uint64_t copies = 1;  // one after the other, for one phase
  std::size_t finding = 0;   // of an access
  bool second = false;       // of its two
};

struct PhaseCopy {
  trace::Site site = 0;
  trace::Thread issuer = 0;
  trace::Range bytes;  // that it writes; of none: that it reads
  bool writes = false;
  std::uint64_t count = 1;  // of copies, whose bytes lie one after the other
};
struct PhaseSpan {
  SyncObject object;
  trace::Phase phase = 0;
  std::uint64_t begin = 0, end = 0;  // steps
  bool over = false;
  std::uint64_t arrivals = 0, bytes = 0;
  std::vector<PhaseCopy> copies;  // the first ones
  std::uint64_t all_copies = 0;
};

/// Warps that do the same.
struct WarpRole {
  std::vector<std::uint32_t> warps;                // the first one's marks are shown
  std::array<std::uint64_t, kMarkKinds> counts{};  // of its marks, kept or not
  std::vector<Mark> marks;                         // in order
};

struct Timeline {
  std::vector<trace::Placement> warps;
  std::vector<WarpRole> roles;
  std::map<SyncObject, std::vector<PhaseSpan>> phases;  // that are kept
  std::uint64_t steps = 0;
};

/// Records the run again in which the findings were made.
class TimelineRecorder final : public trace::Observer {
 public:
  explicit TimelineRecorder(const std::vector<trace::Finding>& findings);
  Timeline take();

  void start(std::span<const trace::Placement> warps) override;
  void shared_memory(std::uint32_t cta, trace::Range window) override;
  void access(const trace::Access& access) override;
  void fence(trace::Site site, trace::Lanes lanes, trace::Strength strength, isa::Space memory) override;
  void proxy_fence(const trace::ProxyFence& fence) override;
  void warp_sync(trace::Site, trace::Lanes) override { ++step_; }
  void barrier_arrive(trace::Site site, trace::Lanes lanes, trace::Barrier barrier,
                      trace::Phase phase) override;
  void barrier_leave(trace::Site site, trace::Lanes lanes, trace::Barrier barrier,
                     trace::Phase phase) override;
  void cluster_arrive(trace::Site site, trace::Lanes lanes, trace::Barrier barrier, trace::Phase phase,
                      isa::Semantics semantics) override;
  void cluster_leave(trace::Site site, trace::Lanes lanes, trace::Barrier barrier, trace::Phase phase,
                     isa::Semantics semantics) override;
  void mbarrier_init(trace::Site site, trace::Thread thread, trace::Address object,
                     std::uint32_t count) override;
  void mbarrier_invalidate(trace::Site site, trace::Thread thread, trace::Address object) override;
  void mbarrier_arrive(const trace::Arrival& arrival) override;
  void mbarrier_complete(trace::Address object, trace::Phase phase) override;
  void mbarrier_wait(const trace::Wait& wait) override;
  void mbarrier_init_fence(trace::Site site, trace::Lanes lanes) override;
  void issue(const trace::Operation& operation) override;
  void commit_group(trace::Site site, trace::Thread thread, trace::Tracking tracking) override;
  void wait_group(trace::Site site, trace::Thread thread, trace::Tracking tracking, std::uint32_t pending,
                  bool reads_only) override;
  void cp_async_arrive(const trace::Arrival& arrival) override;
  void exit(trace::Site site, trace::Lanes lanes) override;

 private:
  static constexpr std::size_t kFirst = 3, kLast = 2;
  /// The first of many, the last ones, and those that are pinned.
  template <typename T>
  struct Thinned {
    std::uint64_t count = 0;
    std::vector<T> kept;          // the first ones and the pinned ones
    std::array<T, kLast> last{};  // a ring, once the first ones are there
    std::array<bool, kLast> held{};
    T& add(T value) {
      const std::uint64_t number = count++;
      if (number < kFirst) return kept.emplace_back(std::move(value));
      held[number % kLast] = true;
      return last[number % kLast] = std::move(value);
    }
    T* newest() {
      if (count == 0) return nullptr;
      return count <= kFirst ? &kept[count - 1] : &last[(count - 1) % kLast];
    }
    void pin() {
      if (count <= kFirst) return;
      for (std::size_t i = 0; i < kLast; ++i) {
        if (held[i]) kept.push_back(last[i]);
      }
    }
    /// The last ones first: what is pinned may have gone on since.
    std::vector<T> all() const {
      std::vector<T> out;
      for (std::size_t i = 0; i < kLast; ++i) {
        if (held[i]) out.push_back(last[i]);
      }
      out.insert(out.end(), kept.begin(), kept.end());
      return out;
    }
  };
  struct WarpTrack {
    std::map<std::pair<MarkKind, trace::Site>, Thinned<Mark>> marks;
    std::uint64_t serial = 0, hash = 0;
    std::pair<MarkKind, trace::Site> latest{};
  };
  /// An end of a finding's pair.
  struct Sought {
    trace::Site site = 0;
    trace::Thread thread = 0;
    trace::Range bytes;
  };
  struct Pair {
    Sought first, second;       // as they happened
    bool late = false;          // trace::Finding::late
    std::optional<Mark> begun;  // the latest execution of the first
    std::optional<std::pair<Mark, Mark>> found;
  };

  Mark& mark(MarkKind kind, trace::Site site, trace::Lanes lanes, std::optional<SyncObject> object = {},
             trace::Phase phase = 0);
  void seek(trace::Site site, std::uint32_t warp, std::uint32_t mask, const auto& touches);
  void arrived(const trace::Arrival& arrival);
  void open_phase(const SyncObject& object, trace::Phase phase);
  PhaseSpan* phase_of(const SyncObject& object, trace::Phase phase);
  void meet(trace::Site site, trace::Lanes lanes, const SyncObject& object, trace::Phase phase);
  void leave(trace::Site site, trace::Lanes lanes, const SyncObject& object, trace::Phase phase);
  std::uint64_t relative(const SyncObject& object) const;

  Timeline out_;
  std::vector<WarpTrack> tracks_;
  std::map<SyncObject, Thinned<PhaseSpan>> spans_;
  std::vector<Pair> pairs_;
  std::vector<char> sought_;  // sites of pairs
  std::vector<std::pair<std::uint32_t, trace::Range>> windows_;
  std::unordered_map<trace::Address, trace::Phase> completed_;
  std::map<std::pair<std::uint32_t, trace::Site>, std::uint64_t> waits_since_;  // by warp
  std::uint64_t step_ = 0;
};

}  // namespace ptxmc::explain
