// SPDX-License-Identifier: Apache-2.0
#include "generate/all.h"

#include <algorithm>
#include <optional>
#include <string>

#include "generate/skeletons.h"
#include "generate/symmetry.h"

namespace ptxmc::generate {

namespace {

/// What an operation, or a location's last value, may be in the tests of one skeleton.
class Tests {
 public:
  Tests(const Sketch& skeleton, const Alphabet& alphabet, const std::vector<isa::Semantics>& semantics,
        const Budget& budget, const std::function<void(const Sketch&)>& visit)
      : sketch_(skeleton),
        alphabet_(alphabet),
        semantics_(semantics),
        budget_(budget),
        visit_(visit),
        symmetries_(symmetries(skeleton)),
        last_(static_cast<std::size_t>(skeleton.locations), 0) {
    for (const Thread& thread : skeleton.threads)
      for (const Operation& o : thread.operations)
        if (writes(o.kind)) ++last_[static_cast<std::size_t>(o.location)];
  }

  void run() { choose(0, 0); }

 private:
  bool has(const Order& order) const {
    return semantics_.empty() ||
           std::find(semantics_.begin(), semantics_.end(), order.semantics) != semantics_.end();
  }

  /// Operation i of thread t and what follows.
  void choose(std::size_t t, std::size_t i) {
    if (t == sketch_.threads.size()) return choose_final(0);
    if (i == sketch_.threads[t].operations.size()) return choose(t + 1, 0);
    Operation& o = sketch_.threads[t].operations[i];
    for (const Order& order : orders_of(o.kind, alphabet_.scopes)) {
      if ((fences(o.kind) && order == Order{}) || !has(order)) continue;
      o.order = order;
      o.read.reset();
      choose(t, i + 1);
      const int last = reads(o.kind) ? last_[static_cast<std::size_t>(o.location)] : -1;
      for (int value = 0; value <= last; ++value) {
        if (writes(o.kind) && value == o.value) continue;
        o.read = value;
        choose(t, i + 1);
      }
      o.read.reset();
    }
  }

  void choose_final(std::size_t location) {
    if (location == last_.size()) return complete();
    std::optional<int>& final = sketch_.finals[location];
    choose_final(location + 1);
    for (int value = 1; last_[location] > 1 && value <= last_[location]; ++value) {
      final = value;
      choose_final(location + 1);
    }
    final.reset();
  }

  void complete() {
    budget_.check();
    if (!says_something()) return;
    const std::string own = symmetries_.empty() ? "" : write(sketch_);
    for (const std::vector<std::size_t>& order : symmetries_)
      if (write(arranged(sketch_, order)) < own) return;
    visit_(sketch_);
  }

  bool says_something() const {
    const auto known = [](const auto& value) { return value.has_value(); };
    return std::any_of(sketch_.finals.begin(), sketch_.finals.end(), known) ||
           std::any_of(sketch_.threads.begin(), sketch_.threads.end(), [](const Thread& thread) {
             return std::any_of(thread.operations.begin(), thread.operations.end(),
                                [](const Operation& o) { return o.read.has_value(); });
           });
  }

  Sketch sketch_;
  const Alphabet& alphabet_;
  const std::vector<isa::Semantics>& semantics_;
  const Budget& budget_;
  const std::function<void(const Sketch&)>& visit_;
  const std::vector<std::vector<std::size_t>> symmetries_;  // of the skeleton
  std::vector<int> last_;                                   // by location: its greatest value
};

}  // namespace

void for_each_test(std::size_t size, const Alphabet& alphabet, const std::vector<isa::Semantics>& semantics,
                   const Budget& budget, const std::function<void(const Sketch&)>& visit) {
  for_each_skeleton(size, alphabet, [&](const Sketch& skeleton) {
    Tests(skeleton, alphabet, semantics, budget, visit).run();
  });
}

}  // namespace ptxmc::generate
