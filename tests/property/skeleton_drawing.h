// SPDX-License-Identifier: Apache-2.0
// Draws the programs of skeleton.h; internal to skeleton*.cpp.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "random.h"
#include "skeleton.h"

namespace ptxmc::testing {

using namespace trace;
using isa::Proxy;
using isa::Scope;
using isa::Semantics;

inline constexpr std::array<const char*, 5> kScopes = {"", ".cta", ".cluster", ".gpu", ".sys"};

/// Where things are; every variable has 64 bytes of its own.
constexpr Address place(std::size_t variable) {
  return 0x1000 + 64 * variable;
}

/// Shared memory of a thread block: a window of its own (events.h).
constexpr Address shared_at(std::uint32_t cta, Address offset = 0) {
  return 0x400000 + 0x10000 * Address{cta} + offset;
}
constexpr Address kObjectsAt = 0x8000, kMatrixA = 0x1000, kMatrixB = 0x2000;  // in it

struct Data {
  const char* name;
  const char* space;
  Address at;
  unsigned bytes;
};
inline constexpr std::array<Data, 4> kData = {{{"x", ".global", place(0), 8},
                                               {"y", ".global", place(1), 8},
                                               {"g", ".global", place(2), 32},
                                               {"s", ".shared", shared_at(0), 32}}};
inline constexpr std::size_t kFlags = 4, kObjects = 3, kMaps = 2;

class Drawing {
 public:
  Drawing(std::uint64_t seed, const std::set<std::size_t>& dropped, bool loose)
      : random_(seed), dropped_(dropped), loose_(loose) {}
  Skeleton run();

 private:
  struct Object {
    unsigned count = 1, left = 1;  // arrivals of the phase
    Phase phase = 0;
    std::vector<std::array<bool, 2>> waited;  // by thread and phase
  };

  void place_threads();
  void place_lanes();
  void unit();
  /// As a rule the thread that did the last thing: programs hand on more than they do side by side.
  std::size_t thread() {
    if (random_.chance(40)) actor_ = random_.below(threads_.size());
    return actor_;
  }
  /// Another one.
  std::size_t partner() {
    return actor_ = (actor_ + 1 + random_.below(threads_.size() - 1)) % threads_.size();
  }
  std::size_t object() {
    const std::size_t one = random_.chance(65) ? 0 : random_.below(kObjects);
    return cluster_ && random_.chance(45) ? one + kObjects : one;
  }
  /// Objects of the first thread block come first.
  static std::uint32_t cta_of(std::size_t object) { return static_cast<std::uint32_t>(object / kObjects); }
  static Address object_at(std::size_t object) {
    return shared_at(cta_of(object), kObjectsAt + 64 * (object % kObjects));
  }
  bool is_near(std::size_t thread, std::size_t object) const {
    return threads_[thread].cta == cta_of(object);
  }
  /// Its name for a thread of this thread block or of the other one, and the space that the address is of.
  std::string object_name(std::size_t thread, std::size_t object) const {
    return (is_near(thread, object) ? "m" : "%rm") + std::to_string(object % kObjects);
  }
  const char* window(std::size_t thread, std::size_t object) const {
    return is_near(thread, object) ? ".shared::cta" : ".shared::cluster";
  }
  /// One of two tiles of 16 bytes.
  Address tile() { return random_.chance(80) ? 0 : 16; }
  /// A line of the thread's code, whose line in the text is the site of the event.
  void emit(std::size_t thread, const std::string& line, std::function<void(Observer&, Site)> event);
  void emit(std::size_t thread, const std::string& line) { emit(thread, line, nullptr); }
  /// Where the events of a thread are: a lane of a warp, which others may share.
  Thread number(std::size_t thread) const { return numbers_[thread]; }
  Lanes lanes(std::size_t thread) const { return lane_of(numbers_[thread]); }
  Scope scope() { return random_.pick({Scope::cta, Scope::gpu, Scope::gpu, Scope::sys}); }
  static std::string word(Strength s);

  void data();
  void fence();
  void fence_of(std::size_t t);
  void restricted_fence(std::size_t t);
  void restricted_fence(std::size_t t, Semantics semantics);
  void pass_memory();
  /// What an access that reads is to the schedules.
  struct Reads {
    bool decides = false, polls = false, no_result = false;
  };
  void access(std::size_t t, const std::string& line, Effect effect, Address at, unsigned bytes,
              Strength strength, Reads reads);
  void signal();
  void await();
  void await(std::size_t flag, std::size_t thread);
  void contend();
  void watch();
  void relay();
  void count();
  void barrier();
  void meet_lanes();
  void named();
  void arrival();
  void arrive_at(std::size_t t, std::size_t index);
  void hand_over();
  void object_wait();
  void wait_for(std::size_t t, std::size_t index);
  void load();
  void refill();
  void store();
  void copy();
  void wait_groups();
  void expect(std::size_t t, std::size_t object, unsigned bytes);
  void fill(std::size_t t, std::size_t object);
  void fill_all(std::size_t t, std::size_t index);
  void fill_peer(std::size_t t, std::size_t object);
  void store_peer(std::size_t t, std::size_t object);
  void issue(std::size_t t, const std::string& line, Operation what, std::vector<Range> reads,
             std::vector<Range> writes);
  bool make_strong(Operation& copy);
  Operation tracked(std::size_t object) const;
  void meet_cluster();
  void other_proxy();
  void fence_proxy(std::size_t t, const std::string& line, Proxy proxy, isa::Space space,
                   Strength strength = {}, std::optional<Address> map = std::nullopt,
                   bool reads_only = false);
  void fence_async(std::size_t t);
  void map();
  void map_store(std::size_t t);
  void tensor();
  void tensor_move(std::size_t t);
  void tensor_product(std::size_t t);
  void tensor_copy(std::size_t t);
  void tensor_commit(std::size_t t);
  void tensor_matrix(std::size_t t);
  void tensor_issue(std::size_t t, const std::string& line, TensorOp op, std::uint64_t product,
                    std::vector<Range> reads, std::vector<Range> writes, std::vector<Range> shared);
  bool may_arrive(std::size_t t, const Object& o) const {
    return o.phase == 0 || (loose_ ? o.phase < 4 : o.phase < 2 && o.waited[t][0]);
  }
  void arrived(std::size_t object);

  Random random_;
  const std::set<std::size_t>& dropped_;
  bool loose_ = false;
  bool contended_ = false;  // flags have several writers
  std::vector<Placement> threads_;
  std::vector<Thread> numbers_;
  std::vector<Placement> warps_;
  bool one_cta_ = true;
  bool cluster_ = false;  // two thread blocks that access each other's shared memory
  bool shared_ = true;    // there is shared memory
  bool proxies_ = false;  // x is accessed through other proxies, too
  bool maps_ = false;     // there are tensor maps that are written
  bool tensor_ = false;   // there is tensor memory, and threads stand for warps
  bool in_warp_ = false;  // the text says that they are lanes of one warp
  std::vector<std::vector<std::string>> code_;
  struct Drawn {
    std::size_t thread, line;
    std::function<void(Observer&, Site)> event;
  };
  std::vector<Drawn> events_;
  std::array<int, kFlags> written_{};  // 0: nobody wrote it; a counter: how much was added
  std::array<Object, 2 * kObjects> objects_;
  std::vector<Phase> bars_;
  Phase cluster_phase_ = 0;
  std::size_t actor_ = 0, last_flag_ = 0;
  std::array<std::size_t, kFlags> writer_{};
  std::array<bool, kFlags> relayed_{};  // an atomic added to it
  std::size_t registers_ = 0, next_named_ = 1;
};

}  // namespace ptxmc::testing
