// SPDX-License-Identifier: Apache-2.0
#include "generate/cycle.h"

#include <fmt/format.h>

#include <algorithm>

#include "generate/access_kinds.h"
#include "generate/code.h"
#include "generate/name.h"
#include "generate/observe.h"
#include "generate/place.h"
#include "input/litmus/raw.h"
#include "support/refuse.h"

namespace ptxmc::generate {

namespace {

using isa::Scope;
using isa::Semantics;

constexpr int kBarriers = 15;  // names of bar.sync beside 0 (9.7.12.1)

/// Builds one test. Access i is where edge i begins.
class Builder {
 public:
  Builder(const Cycle& cycle, const Defaults& defaults)
      : cycle_(cycle), defaults_(defaults), count_(cycle.edges.size()) {}

  Sketch build() {
    direct();
    check_ends();
    rotate();
    locate();
    kinds_ = access_kinds_of(cycle_, directions_, locations_);
    number();
    sketch_.pair =
        std::any_of(cycle_.marks.begin(), cycle_.marks.end(), [](const Mark& m) { return m.pair; });
    make_threads();
    name();
    for (Thread& thread : sketch_.threads) add_results(last_number(sketch_) + 1, thread);
    observe(writes_, cycle_.source, sketch_);
    place_all();
    return std::move(sketch_);
  }

 private:
  const Edge& edge(std::size_t i) const { return cycle_.edges[i % count_]; }
  const Edge& before(std::size_t i) const { return cycle_.edges[(i + count_ - 1) % count_]; }
  const Mark& mark(std::size_t i) const { return cycle_.marks[i % count_]; }
  [[noreturn]] void refuse_at(const Position& position, std::string message) const {
    refuse(cycle_.source, position, std::move(message));
  }

  /// Reads and writes, from either edge of an access.
  void direct() {
    directions_.resize(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      const Direction left = before(i).to, right = edge(i).from;
      if (left != Direction::any && right != Direction::any && left != right)
        refuse_at(edge(i).position, fmt::format("'{}' ends at a {}, and '{}' begins at a {}", before(i).text,
                                                word(left), edge(i).text, word(right)));
      directions_[i] = left == Direction::any ? right : left;
      if (directions_[i] == Direction::any)
        refuse_at(edge(i).position, fmt::format("is the access between '{}' and '{}' a read or a write? "
                                                "Write R or W in place of a *",
                                                before(i).text, edge(i).text));
    }
  }
  static std::string_view word(Direction direction) {
    return direction == Direction::read ? "read" : "write";
  }

  void check_ends() const {
    std::size_t external = 0, different = 0;
    const Edge* leaving = nullptr;
    for (std::size_t i = 0; i < count_; ++i) {
      const Edge& e = cycle_.edges[i];
      external += e.external ? 1 : 0;
      different += e.same ? 0 : 1;
      if (!e.same) leaving = &e;
      if (e.link == Link::dependency && e.dependency == Dependency::data &&
          directions_[(i + 1) % count_] == Direction::read)
        refuse_at(e.position, fmt::format("'{}' ends at a read, which writes no data", e.text));
      if (e.link == Link::atomic && (before(i).link == Link::atomic || edge(i + 1).link == Link::atomic))
        refuse_at(e.position, "two Rmw share an access");
    }
    if (external < 2)
      refuse_at({1, 1, 1},
                fmt::format("the cycle has {} edge{} to another thread (Rfe, Fre, Coe, BarSync ...); "
                            "it needs two at least",
                            external == 0 ? "no" : "one", external == 0 ? "s" : ""));
    if (external > litmus::kMaxThreads)
      refuse_at({1, 1, 1}, fmt::format("the cycle has {} threads; a test has {} at most", external,
                                       litmus::kMaxThreads));
    if (different > litmus::kMaxVariables)
      refuse_at({1, 1, 1},
                fmt::format("the cycle has {} edges to another location; a test has {} variables at most",
                            different, litmus::kMaxVariables));
    const bool waiting = std::all_of(cycle_.edges.begin(), cycle_.edges.end(),
                                     [](const Edge& e) { return !e.external || e.link == Link::barrier; });
    if (waiting)
      refuse_at(
          {1, 1, 1},
          "all threads wait for each other: of the edges to another thread one at least is Rfe, Fre or Coe");
    if (different == 1)
      refuse_at(leaving->position,
                fmt::format("'{}' alone leads to a different location: nothing leads back; "
                            "two edges do, or none",
                            leaving->text));
  }

  /// Begins with a thread; with the one that the shape's name begins with.
  void rotate() {
    Shape shape;
    shape.accesses = directions_;
    bool named = true;
    for (const Edge& e : cycle_.edges) {
      named &= e.link != Link::barrier;
      Step step = e.same ? Step::po_same : Step::po_different;
      if (e.external) {
        step = e.link == Link::reads_from   ? Step::reads_from
               : e.link == Link::from_reads ? Step::from_reads
                                            : Step::coherence;
      }
      shape.steps.push_back(step);
    }
    if (named) shape_name_ = classic_name(shape);
    if (shape_name_) {
      first_ = shape_name_->first;
    } else {
      while (!before(first_).external) ++first_;
    }
  }

  void locate() {
    locations_.resize(count_);
    int location = 0, total = 0;
    for (const Edge& e : cycle_.edges) total += e.same ? 0 : 1;
    sketch_.locations = std::max(total, 1);
    for (std::size_t k = 0; k < count_; ++k) {
      const std::size_t i = (first_ + k) % count_;
      locations_[i] = location;
      if (!edge(i).same) location = (location + 1) % sketch_.locations;
    }
  }

  /// Where the accesses of a location begin: after an edge that leads to it. Those of a location that is
  /// alone begin after the last edge that is no communication: what it says of the order is what the outcome
  /// contradicts.
  std::size_t head_of_chain() const {
    std::optional<std::size_t> head;
    for (std::size_t k = 0; k < count_; ++k) {
      const std::size_t i = (first_ + k) % count_;
      if (!edge(i).same) return (i + 1) % count_;
      const Link link = edge(i).link;
      const bool communication = link == Link::reads_from || link == Link::from_reads ||
                                 link == Link::coherence || link == Link::atomic;
      if (!communication) head = (i + 1) % count_;
    }
    if (!head)
      refuse_at(
          {1, 1, 1},
          "the cycle has communication of one location alone, and so no outcome: values would have to follow "
          "each other in a circle");
    return *head;
  }

  /// Values: the writes of a location in the order in which the cycle meets them.
  void number() {
    values_.resize(count_);
    writes_.assign(static_cast<std::size_t>(sketch_.locations), 0);
    const std::size_t head = head_of_chain();
    for (std::size_t k = 0; k < count_; ++k) {
      const std::size_t i = (head + k) % count_;
      int& last = writes_[static_cast<std::size_t>(locations_[i])];
      if (directions_[i] == Direction::write) ++last;
      values_[i] = last;
    }
  }

  Order order_of(std::size_t i) const {
    const Direction direction = directions_[i];
    const Mark& m = mark(i);
    Order order = defaults_.order;
    if (m.semantics)
      order.semantics = *m.semantics;
    else if (order.semantics == Semantics::acq_rel)
      order.semantics = direction == Direction::read ? Semantics::acquire : Semantics::release;
    if (order.semantics == (direction == Direction::read ? Semantics::release : Semantics::acquire) ||
        (m.semantics && order.semantics == Semantics::acq_rel))
      refuse_at(m.position, fmt::format("'{}' speaks of a {}, which cannot be {}", m.text, word(direction),
                                        isa::name_of(order.semantics)));
    if (m.scope) order.scope = *m.scope;
    if (order.scope == Scope::none) order.scope = Scope::gpu;
    if (!ordered(kinds_[i])) order.semantics = Semantics::weak;
    if (order.semantics == Semantics::weak) order.scope = Scope::none;
    return order;
  }

  /// The order of the atomic that reads at access i and writes at the next one.
  Order order_of_atomic(std::size_t i) const {
    const Order read = order_of(i), write = order_of((i + 1) % count_);
    for (const std::size_t end : {i, (i + 1) % count_})
      if (mark(end).semantics == Semantics::weak)
        refuse_at(mark(end).position, "an atomic is never weak (9.7.13.5)");
    if (mark(i).scope && mark(i + 1).scope && *mark(i).scope != *mark(i + 1).scope)
      refuse_at(mark(i + 1).position, "an atomic has one scope");
    Order order{Semantics::relaxed, mark(i).scope       ? read.scope
                                    : mark(i + 1).scope ? write.scope
                                                        : Scope::none};
    if (order.scope == Scope::none)
      order.scope = defaults_.order.scope == Scope::none ? Scope::gpu : defaults_.order.scope;
    const bool acquires = read.semantics == Semantics::acquire,
               releases = write.semantics == Semantics::release;
    if (acquires || releases)
      order.semantics = acquires && releases ? Semantics::acq_rel
                        : acquires           ? Semantics::acquire
                                             : Semantics::release;
    return order;
  }

  void add(Operation operation) { sketch_.threads.back().operations.push_back(std::move(operation)); }

  /// The access at which edge i begins, if no atomic has it already.
  void add_access(std::size_t i) {
    if (before(i).link == Link::atomic) return;
    const bool atomic = edge(i).link == Link::atomic;
    Operation o;
    o.kind = atomic ? Kind::exchange : directions_[i] == Direction::read ? Kind::load : Kind::store;
    o.order = atomic ? order_of_atomic(i) : order_of(i);
    o.location = locations_[i];
    o.alias = mark(i).alias || (atomic && mark(i + 1).alias);
    o.access_kind = kinds_[i];
    o.unfenced = mark(i).unfenced;
    if (copies(o.access_kind) || committed(o.access_kind)) o.object = numbers_[i];
    if (reads(o.kind)) o.read = values_[i];
    if (writes(o.kind)) o.value = values_[atomic ? (i + 1) % count_ : i];
    if (before(i).link == Link::dependency) {
      o.dependency = before(i).dependency;
      o.source = last_access_;
    }
    last_access_ = static_cast<int>(sketch_.threads.back().operations.size());
    add(std::move(o));
  }

  /// How the thread of access i synchronizes with the next one; of a copy, where it completes does.
  void add_arrival(std::size_t i) {
    const Edge& e = edge(i);
    const bool object = e.word == "mbarrier.arrive" || e.word == "tcgen05";
    if (object && committed(kinds_[i])) return add_end("tcgen05.commit", i);
    if (arrives_elsewhere(e) && committed(kinds_[i])) return add_end("tcgen05.commit.cluster", i);
    if (orders_tensor(e)) {
      add_wait(i);
      add(tensor_fence(true));
    }
    if (arrives_elsewhere(e)) return add_end("mbarrier.arrive.cluster", i);
    if (!object) return add_end(e.word, i);
    if (is_bulk(kinds_[i])) return;  // it completes there by itself
    add_end(copies(kinds_[i]) ? "cp.async.mbarrier.arrive" : "mbarrier.arrive", i);
  }

  void add_departure(std::size_t i) {
    const std::string& word = edge(i).word;
    if (word == "mbarrier.arrive" && kinds_[i] == AccessKind::multicast) add_end("mbarrier.expect_tx", i);
    add_end(word == "mbarrier.arrive" || word == "tcgen05" ? "mbarrier.wait"
            : arrives_elsewhere(edge(i))                   ? "mbarrier.wait.cluster"
                                                           : word,
            i);
    if (orders_tensor(edge(i))) add(tensor_fence(false));
  }

  void add_end(const std::string& word, std::size_t i) { add(barrier_end(word, ends_[i])); }

  void add_wait(std::size_t i) {
    for (Operation& o : wait_for(kinds_[i], directions_[i], numbers_[i])) add(std::move(o));
  }

  /// What stands between the access at which edge i begins and the next one.
  void add_between(std::size_t i) {
    const Edge& e = edge(i);
    Operation o;
    if (e.link == Link::fence) {
      o.kind = Kind::fence;
      o.order = e.order;
      if (o.order.scope == Scope::none)
        o.order.scope = defaults_.order.scope == Scope::none ? Scope::gpu : defaults_.order.scope;
      add(o);
    } else if (e.link == Link::proxy) {
      o.kind = Kind::proxy;
      o.word = e.word;
      add(o);
    }
    // An mma or a cp is issued in order with what it is a pipelined pair with (9.7.16.6.2), complete or not.
    const bool pipelined = e.word == "before" && opaque(kinds_[i]);
    const bool waits = e.link == Link::wait || (e.link == Link::tensor && e.word != "after");
    if (waits && !pipelined) add_wait(i);
    if (e.link == Link::tensor) add(tensor_fence(e.word == "before"));
    if (e.link == Link::barrier) add_arrival(i);
  }

  /// Numbers barriers, and mbarrier objects and buffers of copies.
  void number_barriers() {
    numbers_.assign(count_, 0);
    ends_.assign(count_, 0);
    int next = 0;
    for (std::size_t k = 0; k < count_; ++k) {
      const std::size_t i = (first_ + k) % count_;
      const bool asynchronous = copies(kinds_[i]) || committed(kinds_[i]);
      if (edge(i).link == Link::barrier || asynchronous) numbers_[i] = ends_[i] = ++next;
      if (asynchronous && arrives_elsewhere(edge(i))) ends_[i] = ++next;  // it completes elsewhere
    }
    if (next > kBarriers) refuse_at({1, 1, 1}, "a cycle has at most 15 barriers and copies (9.7.12.1)");
  }

  void make_threads() {
    number_barriers();
    for (std::size_t k = 0; k < count_; ++k) {
      const std::size_t i = (first_ + k) % count_, last = (i + count_ - 1) % count_;
      if (edge(last).external) {
        sketch_.threads.emplace_back();
        if (edge(last).link == Link::barrier) add_departure(last);
      }
      threads_.push_back(sketch_.threads.size() - 1);
      add_access(i);
      add_between(i);
    }
  }

  void place_all() {
    std::vector<Meeting> meetings;
    for (std::size_t k = 0; k < count_; ++k) {
      const Edge& e = edge(first_ + k);
      if (e.link != Link::barrier) continue;
      const std::size_t i = (first_ + k) % count_;
      const bool all = e.word == "barrier.cluster";
      const bool apart =
          arrives_elsewhere(e) || (e.word == "mbarrier.arrive" && kinds_[i] == AccessKind::multicast);
      meetings.push_back({threads_[k], threads_[(k + 1) % count_], all || apart, all});
    }
    place(meetings, defaults_, cycle_.source, sketch_);
  }

  void name() {
    std::string words;
    for (std::size_t k = 0; k < count_; ++k) {
      const std::size_t i = (first_ + k) % count_;
      for (const std::string& said : mark(i).words) words += said + " ";
      words += edge(i).text + (k + 1 == count_ ? "" : " ");
    }
    sketch_.doc = words;
    if (shape_name_) {
      sketch_.name = shape_name_->name + decorations(sketch_);
      return;
    }
    std::string shape;
    for (std::size_t k = 0; k < count_; ++k) {
      const std::size_t i = (first_ + k) % count_;
      if (edge(i).link == Link::atomic) continue;
      const bool atomic = before(i).link == Link::atomic;
      if (k != 0 && edge(i + count_ - 1).external) shape += '+';
      shape += atomic ? 'X' : directions_[i] == Direction::read ? 'R' : 'W';
    }
    sketch_.name = shape + decorations(sketch_);
  }

  const Cycle& cycle_;
  const Defaults& defaults_;
  const std::size_t count_;
  Sketch sketch_;
  std::vector<Direction> directions_;  // by access, as are locations and values
  std::vector<int> locations_, values_;
  std::vector<AccessKind> kinds_;
  std::vector<int> numbers_, ends_;   // of access i and its buffer; of the barrier that edge i is
  std::vector<int> writes_;           // by location
  std::vector<std::size_t> threads_;  // by access, from the first one on
  std::optional<ShapeName> shape_name_;
  std::size_t first_ = 0;
  int last_access_ = 0;  // of the thread
};

}  // namespace

Sketch sketch_of(const Cycle& cycle, const Defaults& defaults) {
  return Builder(cycle, defaults).build();
}

}  // namespace ptxmc::generate
