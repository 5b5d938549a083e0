// SPDX-License-Identifier: Apache-2.0
// Names of tests that no cycle of edges was given for: the cycle is looked for in the outcome.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "generate/name.h"
#include "generate/symmetry.h"

namespace ptxmc::generate {

namespace {

/// A location's writes, where the condition says in which order they are; empty: it does not.
std::vector<int> coherence(const Sketch& sketch, int location) {
  std::vector<int> values;
  for (const Thread& thread : sketch.threads)
    for (const Operation& o : thread.operations)
      if (writes(o.kind) && o.location == location) values.push_back(o.value);
  if (values.size() < 2) return values;
  const std::optional<int> last = sketch.finals[static_cast<std::size_t>(location)];
  if (values.size() > 2 || !last) return {};
  if (values.back() != *last) std::swap(values[0], values[1]);
  return values;
}

/// How the outcome relates two accesses of different threads.
std::optional<Step> communication(const Sketch& sketch, const Operation& a, const Operation& b) {
  if (a.location != b.location) return std::nullopt;
  const auto write = [](const Operation& o) { return o.kind == Kind::store; };
  if (write(a) && b.kind == Kind::load && b.read == a.value) return Step::reads_from;
  const std::vector<int> order = coherence(sketch, a.location);
  const auto place = [&](int value) { return std::find(order.begin(), order.end(), value) - order.begin(); };
  if (write(a) && write(b) && !order.empty() && place(a.value) < place(b.value)) return Step::coherence;
  if (a.kind != Kind::load || !write(b) || !a.read) return std::nullopt;
  const bool before = *a.read == 0 || (!order.empty() && place(*a.read) < place(b.value));
  return before ? std::optional(Step::from_reads) : std::nullopt;
}

/// The accesses of a thread alone.
std::vector<Operation> accesses_of(const Thread& thread) {
  std::vector<Operation> all;
  for (const Operation& o : thread.operations)
    if (accesses(o.kind)) all.push_back(o);
  return all;
}

/// Looks for an order of the threads in which the last access of each leads to the first one of the next.
class Walk {
 public:
  explicit Walk(const Sketch& sketch) : sketch_(sketch) {
    for (const Thread& thread : sketch.threads) threads_.push_back(accesses_of(thread));
  }

  /// The threads in the order of a named shape, and its name.
  std::optional<std::string> named() {
    order_ = {0};
    used_ = {0};
    return threads_.size() > 1 && extend() ? std::optional(name_) : std::nullopt;
  }
  const std::vector<std::size_t>& order() const { return order_; }

 private:
  bool extend() {
    if (order_.size() == threads_.size()) return close();
    for (std::size_t next = 0; next < threads_.size(); ++next) {
      if (used_.contains(next)) continue;
      if (!communication(sketch_, threads_[order_.back()].back(), threads_[next].front())) continue;
      order_.push_back(next);
      used_.insert(next);
      if (extend()) return true;
      order_.pop_back();
      used_.erase(next);
    }
    return false;
  }

  bool close() {
    Shape shape;
    std::vector<std::size_t> owners;  // of accesses: the place of their thread in the order
    for (std::size_t k = 0; k < order_.size(); ++k) {
      const std::vector<Operation>& code = threads_[order_[k]];
      const Operation& next = threads_[order_[(k + 1) % order_.size()]].front();
      for (std::size_t i = 0; i < code.size(); ++i) {
        owners.push_back(k);
        shape.accesses.push_back(code[i].kind == Kind::load ? Direction::read : Direction::write);
        if (i + 1 < code.size()) {
          shape.steps.push_back(code[i].location == code[i + 1].location ? Step::po_same
                                                                         : Step::po_different);
          continue;
        }
        const std::optional<Step> step = communication(sketch_, code[i], next);
        if (!step) return false;
        shape.steps.push_back(*step);
      }
    }
    const std::optional<ShapeName> found = classic_name(shape);
    if (!found) return false;
    name_ = found->name;
    std::rotate(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(owners[found->first]),
                order_.end());
    return true;
  }

  const Sketch& sketch_;
  std::vector<std::vector<Operation>> threads_;
  std::vector<std::size_t> order_;
  std::set<std::size_t> used_;
  std::string name_;
};

/// The shapes of one thread, whose outcome contradicts its own order.
std::optional<std::string> name_of_one(const Sketch& sketch) {
  const std::vector<Operation> code = accesses_of(sketch.threads[0]);
  if (code.size() != 2 || code[0].location != code[1].location) return std::nullopt;
  const Operation &first = code[0], &second = code[1];
  const std::optional<int> last = sketch.finals[static_cast<std::size_t>(first.location)];
  if (first.kind == Kind::store && second.kind == Kind::store && last == first.value) return "CoWW";
  if (first.kind == Kind::load && second.kind == Kind::store && first.read == second.value) return "CoRW1";
  if (first.kind == Kind::store && second.kind == Kind::load && second.read == 0) return "CoWR0";
  return std::nullopt;
}

std::string letters(const Sketch& sketch) {
  std::string text;
  for (const Thread& thread : sketch.threads) {
    if (!text.empty()) text += '+';
    for (const Operation& o : accesses_of(thread))
      text += (o.kind == Kind::load       ? "R"
               : o.kind == Kind::store    ? "W"
               : o.kind == Kind::exchange ? "U"
                                          : "D") +
              location_name(o.location);
  }
  return text;
}

/// Where threads share a CTA, CTAs a cluster, or threads are on several GPUs.
std::string places(const Sketch& sketch) {
  std::set<int> ctas, clusters, gpus;
  std::string numbers, groups, devices;
  for (const Thread& thread : sketch.threads) {
    ctas.insert(thread.cta);
    clusters.insert(thread.cluster);
    gpus.insert(thread.gpu);
    numbers += fmt::format(".{}", thread.cta);
    groups += thread.cluster < 0 ? ".none" : fmt::format(".{}", thread.cluster);
    devices += fmt::format(".{}", thread.gpu);
  }
  std::string text;
  if (sketch.threads.size() > 1 && ctas.size() == 1)
    text += "+one-cta";
  else if (ctas.size() < sketch.threads.size())
    text += "+ctas" + numbers;
  if (clusters != std::set<int>{-1}) text += clusters.size() == 1 ? "+one-cluster" : "+clusters" + groups;
  if (gpus.size() > 1) text += gpus.size() == sketch.threads.size() ? "+gpus" : "+gpus" + devices;
  return text;
}

}  // namespace

void give_name(Sketch& sketch) {
  Walk walk(sketch);
  std::optional<std::string> name = walk.named();
  if (name) {
    Sketch ordered = sketch;
    for (std::size_t k = 0; k < walk.order().size(); ++k)
      ordered.threads[k] = sketch.threads[walk.order()[k]];
    sketch = renumbered(ordered);
  } else if (sketch.threads.size() == 1) {
    name = name_of_one(sketch);
  }
  sketch.name = (name ? *name : letters(sketch)) + decorations(sketch) + places(sketch);
}

}  // namespace ptxmc::generate
