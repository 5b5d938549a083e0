// SPDX-License-Identifier: Apache-2.0
#include "generate/skeletons.h"

#include <algorithm>
#include <array>

#include "generate/symmetry.h"

namespace ptxmc::generate {

namespace {

constexpr std::array kKinds{Kind::load,  Kind::store,    Kind::exchange,     Kind::reduction,
                            Kind::fence, Kind::fence_sc, Kind::fence_acq_rel};

class Enumeration {
 public:
  Enumeration(const Alphabet& alphabet, const std::function<void(const Sketch&)>& visit)
      : alphabet_(alphabet), visit_(visit) {}

  /// Threads of so many operations, the longest first.
  void divide(std::size_t left, std::size_t most) {
    if (left == 0) return fill(0, 0, 0);
    for (std::size_t size = std::min(left, most); size > 0; --size) {
      sketch_.threads.emplace_back();
      sketch_.threads.back().operations.resize(size);
      divide(left - size, size);
      sketch_.threads.pop_back();
    }
  }

 private:
  /// Operation i of thread t and what follows; `locations`: how many there are so far.
  void fill(std::size_t t, std::size_t i, int locations) {
    if (t == sketch_.threads.size()) return complete(locations);
    std::vector<Operation>& code = sketch_.threads[t].operations;
    if (i == code.size()) return fill(t + 1, 0, locations);
    for (const Kind kind : kKinds) {
      Operation& o = code[i];
      o = {};
      o.kind = kind;
      o.order = weakest(kind, alphabet_.scopes);
      if (fences(kind)) {
        if ((kind == Kind::fence) == alphabet_.sc_apart) continue;
        if (i != 0 && i + 1 != code.size()) fill(t, i + 1, locations);
        continue;
      }
      if (kind == Kind::reduction && !alphabet_.reductions) continue;
      const std::size_t more = atomic(kind) ? 1 : 0;
      if (atomics_ + more > alphabet_.atomics) continue;
      atomics_ += more;
      for (int location = 0; location <= locations; ++location) {
        code[i].location = location;
        fill(t, i + 1, std::max(locations, location + 1));
      }
      atomics_ -= more;
    }
  }

  void complete(int locations) {
    sketch_.locations = locations;
    if (!needed()) return;
    sketch_.finals.assign(static_cast<std::size_t>(locations), std::nullopt);
    std::vector<int> values(static_cast<std::size_t>(locations), 0);
    for (Thread& thread : sketch_.threads)
      for (Operation& o : thread.operations)
        o.value = writes(o.kind) ? ++values[static_cast<std::size_t>(o.location)] : 0;
    place(0, 0, 0);
  }

  /// As the header says.
  bool needed() const {
    std::vector<unsigned> users(static_cast<std::size_t>(sketch_.locations), 0);  // bits of threads
    std::vector<char> written(static_cast<std::size_t>(sketch_.locations), 0);
    for (std::size_t t = 0; t < sketch_.threads.size(); ++t) {
      const std::vector<Operation>& code = sketch_.threads[t].operations;
      if (fences(code.front().kind) || fences(code.back().kind)) return false;
      for (const Operation& o : code) {
        if (!accesses(o.kind)) continue;
        users[static_cast<std::size_t>(o.location)] |= 1U << t;
        written[static_cast<std::size_t>(o.location)] |= writes(o.kind) ? 1 : 0;
      }
    }
    if (std::find(written.begin(), written.end(), 0) != written.end()) return false;
    const unsigned all = (1U << sketch_.threads.size()) - 1;
    unsigned reached = 1;
    for (unsigned before = 0; before != reached;) {
      before = reached;
      for (const unsigned user : users)
        if ((user & reached) != 0) reached |= user;
    }
    if (reached != all) return false;
    return sketch_.threads.size() == 1 ||
           std::all_of(users.begin(), users.end(), [](unsigned user) { return (user & (user - 1)) != 0; });
  }

  bool tells(isa::Scope scope) const {
    return std::find(alphabet_.scopes.begin(), alphabet_.scopes.end(), scope) != alphabet_.scopes.end();
  }
  /// No thread before thread t has the same.
  bool first_of(int Thread::*group, std::size_t t) const {
    return std::none_of(sketch_.threads.begin(), sketch_.threads.begin() + static_cast<std::ptrdiff_t>(t),
                        [&](const Thread& before) { return before.*group == sketch_.threads[t].*group; });
  }
  void visit_placed() const {
    Sketch placed = sketch_;
    drop_lone_clusters(placed);
    if (is_canonical(placed)) visit_(placed);
  }

  /// Thread t and those behind it: a CTA that there is, or a new one; that is in a cluster that there is, or in a new one, which is
  /// numbered as its first CTA; its GPU likewise.
  void place(std::size_t t, int ctas, int gpus) {
    if (t == sketch_.threads.size()) return visit_placed();
    Thread& thread = sketch_.threads[t];
    for (std::size_t other = 0; other < t; ++other) {
      const Thread& there = sketch_.threads[other];
      thread.gpu = there.gpu;
      thread.cluster = there.cluster;
      if (tells(isa::Scope::cta) && first_of(&Thread::cta, other)) {
        thread.cta = there.cta;
        place(t + 1, ctas, gpus);
      }
      if (tells(isa::Scope::cluster) && first_of(&Thread::cluster, other)) {
        thread.cta = ctas;
        place(t + 1, ctas + 1, gpus);
      }
    }
    const int most = tells(isa::Scope::sys) && alphabet_.scopes.size() > 1 ? gpus : 0;
    for (int gpu = 0; gpu <= most; ++gpu) {
      thread.cta = thread.cluster = ctas;
      thread.gpu = gpu;
      place(t + 1, ctas + 1, std::max(gpus, gpu + 1));
    }
  }

  const Alphabet& alphabet_;
  std::size_t atomics_ = 0;  // in the program so far
  const std::function<void(const Sketch&)>& visit_;
  Sketch sketch_;
};

}  // namespace

void for_each_skeleton(std::size_t size, const Alphabet& alphabet,
                       const std::function<void(const Sketch&)>& visit) {
  Enumeration(alphabet, visit).divide(size, size);
}

}  // namespace ptxmc::generate
