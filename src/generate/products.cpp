// SPDX-License-Identifier: Apache-2.0
#include "generate/products.h"

#include <fmt/format.h>

#include <algorithm>

#include "generate/means.h"

namespace ptxmc::generate {

namespace {

/// The same write, of a location and with an mbarrier object of its own, completed and loaded.
Thread getting(Operation write, int location, int object) {
  write.location = location;
  Thread thread;
  thread.operations = {write};
  for (Operation& waiting : wait_for(write.means, Direction::write, object))
    thread.operations.push_back(std::move(waiting));
  thread.operations.push_back(tensor_fence(false));
  Operation load;
  load.location = location;
  load.means = Means::tensor;
  thread.operations.push_back(load);
  for (Operation& waiting : wait_for(load.means, Direction::read, 0))
    thread.operations.push_back(std::move(waiting));
  return thread;
}

/// wgmma of an operand of its own, which holds a value from the beginning on.
Thread multiplying(int location) {
  Operation read;
  read.location = location;
  read.means = Means::wgmma;
  Thread thread;
  thread.operations = {read};
  for (Operation& waiting : wait_for(read.means, Direction::read, 0))
    thread.operations.push_back(std::move(waiting));
  return thread;
}

int writes_at(const Sketch& sketch, int location) {
  int count = 0;
  for (const Thread& thread : sketch.threads)
    for (const Operation& o : thread.operations)
      if (writes(o.kind) && o.location == location) count = std::max(count, o.value);
  return count;
}

}  // namespace

Products with_products(const Sketch& sketch) {
  Products out{sketch};
  int cta = 0, object = last_number(sketch);
  for (const Thread& thread : sketch.threads) cta = std::max(cta, thread.cta + 1);
  for (const Thread& thread : sketch.threads) {
    for (const Operation& o : thread.operations) {
      if (!opaque(o.means)) continue;
      out.threads[{o.location, o.value}] = out.sketch.threads.size();
      Thread gets = getting(o, out.sketch.locations++, ++object);
      gets.cta = cta++;
      out.sketch.threads.push_back(std::move(gets));
    }
  }
  const std::vector<Storage> storage = storage_of(sketch);
  for (int location = 0; location < sketch.locations; ++location) {
    const Storage& there = storage[static_cast<std::size_t>(location)];
    for (int value = 0; there.matrix && value <= writes_at(sketch, location); ++value) {
      out.operands[{location, value}] = out.sketch.threads.size();
      Thread gets = multiplying(out.sketch.locations++);
      gets.cta = cta++;
      out.sketch.threads.push_back(std::move(gets));
      out.sketch.initial.resize(static_cast<std::size_t>(out.sketch.locations));
      out.sketch.initial.back() = {value, there.bulk ? kBulkElements : 1};
    }
  }
  return out;
}

std::string value_text(const Products& products, int location, int value) {
  const auto place = products.threads.find({location, value});
  return place == products.threads.end() ? fmt::format("{}", value) : fmt::format("P{}:%r0", place->second);
}

std::string product_text(const Products& products, int location, int value) {
  return fmt::format("P{}:%r0", products.operands.at({location, value}));
}

std::vector<std::string> products_differ(const Products& products) {
  std::vector<std::string> parts;
  for (const auto& [written, thread] : products.threads) {
    const auto [location, value] = written;
    for (int other = 0; other <= writes_at(products.sketch, location); ++other) {
      const bool said = other < value && products.threads.contains({location, other});
      if (other == value || said) continue;
      parts.push_back(fmt::format("~(P{}:%r0 == {})", thread, value_text(products, location, other)));
    }
  }
  for (const auto& [held, thread] : products.operands) {
    for (const auto& [other, other_thread] : products.operands) {
      if (other.first == held.first && other.second < held.second)
        parts.push_back(fmt::format("~(P{}:%r0 == P{}:%r0)", other_thread, thread));
    }
  }
  return parts;
}

}  // namespace ptxmc::generate
