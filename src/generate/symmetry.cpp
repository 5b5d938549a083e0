// SPDX-License-Identifier: Apache-2.0
#include "generate/symmetry.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace ptxmc::generate {

namespace {

/// Gives numbers in the order in which it is asked.
class Numbers {
 public:
  explicit Numbers(int first) : next_(first) {}
  int operator()(int old) {
    const auto [place, fresh] = numbers_.emplace(old, next_);
    next_ += fresh ? 1 : 0;
    return place->second;
  }

 private:
  std::map<int, int> numbers_;
  int next_;
};

void put(std::string& text, int number) {
  text += static_cast<char>(number + 1);
}

std::vector<std::size_t> identity(const Sketch& sketch) {
  std::vector<std::size_t> order(sketch.threads.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// Encodings begin with the lengths of threads: no other order has the least one.
bool longest_first(const Sketch& sketch, const std::vector<std::size_t>& order) {
  for (std::size_t t = 0; t + 1 < order.size(); ++t)
    if (sketch.threads[order[t]].operations.size() < sketch.threads[order[t + 1]].operations.size())
      return false;
  return true;
}

}  // namespace

std::string write(const Sketch& sketch) {
  std::string text;
  for (const Thread& thread : sketch.threads) put(text, 100 - static_cast<int>(thread.operations.size()));
  for (const Thread& thread : sketch.threads) {
    put(text, thread.gpu), put(text, thread.cta), put(text, thread.cluster);
    for (const Operation& o : thread.operations) {
      put(text, static_cast<int>(o.kind)), put(text, o.location);
      put(text, static_cast<int>(o.order.semantics)), put(text, static_cast<int>(o.order.scope));
      put(text, o.value), put(text, o.read.value_or(-1));
      put(text, static_cast<int>(o.dependency)), put(text, o.source), put(text, o.alias ? 1 : 0);
      put(text, static_cast<int>(o.access_kind)), put(text, o.object);
      text += o.word + ";";
    }
  }
  for (const std::optional<int>& value : sketch.finals) put(text, value.value_or(-1));
  return text;
}

Sketch arranged(const Sketch& sketch, const std::vector<std::size_t>& order) {
  Sketch out = sketch;
  Numbers gpus(0), ctas(0), clusters(0), locations(0), barriers(1);
  std::map<int, Numbers> values;  // by old location
  for (std::size_t t = 0; t < order.size(); ++t) {
    Thread& thread = out.threads[t] = sketch.threads[order[t]];
    thread.gpu = gpus(thread.gpu);
    thread.cta = ctas(thread.cta);
    if (thread.cluster >= 0) thread.cluster = clusters(thread.cluster);
    for (Operation& o : thread.operations) {
      if (writes(o.kind)) o.value = values.try_emplace(o.location, 1).first->second(o.value);
      if (o.kind == Kind::barrier) o.value = barriers(o.value);
      if (o.object != 0) o.object = barriers(o.object);
    }
  }
  const auto renamed = [&](int location, int value) {
    return value == 0 ? 0 : values.try_emplace(location, 1).first->second(value);
  };
  for (Thread& thread : out.threads) {
    for (Operation& o : thread.operations) {
      if (!accesses(o.kind)) continue;
      if (o.read) o.read = renamed(o.location, *o.read);
      o.location = locations(o.location);
    }
  }
  for (std::size_t i = 0; i < sketch.finals.size(); ++i) {
    const int location = static_cast<int>(i);
    std::optional<int>& value = out.finals[static_cast<std::size_t>(locations(location))];
    value = sketch.finals[i];
    if (value) value = renamed(location, *value);
  }
  return out;
}

Sketch renumbered(const Sketch& sketch) {
  return arranged(sketch, identity(sketch));
}

std::string encode(const Sketch& sketch) {
  return write(renumbered(sketch));
}

Sketch canonical(const Sketch& sketch) {
  std::vector<std::size_t> order = identity(sketch);
  Sketch best;
  std::string least;
  do {
    if (!longest_first(sketch, order)) continue;
    Sketch other = arranged(sketch, order);
    std::string text = write(other);
    if (least.empty() || text < least) least = std::move(text), best = std::move(other);
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

std::vector<std::vector<std::size_t>> symmetries(const Sketch& sketch) {
  std::vector<std::vector<std::size_t>> all;
  std::vector<std::size_t> order = identity(sketch);
  const std::string text = write(arranged(sketch, order));
  while (std::next_permutation(order.begin(), order.end()))
    if (longest_first(sketch, order) && write(arranged(sketch, order)) == text) all.push_back(order);
  return all;
}

bool is_canonical(const Sketch& sketch) {
  std::vector<std::size_t> order = identity(sketch);
  const std::string text = write(arranged(sketch, order));
  while (std::next_permutation(order.begin(), order.end())) {
    if (longest_first(sketch, order) && write(arranged(sketch, order)) < text) return false;
  }
  return true;
}

}  // namespace ptxmc::generate
