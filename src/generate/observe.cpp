// SPDX-License-Identifier: Apache-2.0
#include "generate/observe.h"

#include <cstddef>
#include <utility>

#include "generate/access_kinds.h"
#include "support/refuse.h"

namespace ptxmc::generate {

namespace {

Operation load_of(int location, int value) {
  Operation o;
  o.location = location;
  o.read = value;
  return o;
}

void add(std::vector<Operation> operations, Thread& thread) {
  for (Operation& o : operations) thread.operations.push_back(std::move(o));
}

Thread in_between(int location, int writes) {
  Thread observer;
  for (int value = 1; value <= writes; ++value) {
    Operation o = load_of(location, value);
    o.order = {isa::Semantics::relaxed, isa::Scope::sys};
    observer.operations.push_back(std::move(o));
  }
  return observer;
}

/// Behind its accesses a thread says that its writes of the location are complete.
void tell(int location, int object, Thread& thread) {
  const std::vector<Operation> code = thread.operations;
  for (const Operation& o : code) {
    if (!writes(o.kind) || o.location != location) continue;
    if (opaque(o.access_kind)) {
      add({barrier_end("tcgen05.commit", object)}, thread);
    } else {
      add(wait_for(o.access_kind, Direction::write, 0), thread);
      add({tensor_fence(true), barrier_end("mbarrier.arrive", object)}, thread);
    }
  }
}

Thread at_last(int location, int value, int object) {
  Thread observer;
  Operation load = load_of(location, value);
  load.access_kind = AccessKind::tensor;
  add({barrier_end("mbarrier.wait", object), tensor_fence(false), load}, observer);
  add(wait_for(load.access_kind, Direction::read, 0), observer);
  return observer;
}

}  // namespace

void observe(const std::vector<int>& writes, const SourcePtr& source, Sketch& sketch) {
  sketch.finals.resize(static_cast<std::size_t>(sketch.locations));
  const std::vector<Storage> storage = storage_of(sketch);
  for (int location = 0; location < sketch.locations; ++location) {
    const auto at = static_cast<std::size_t>(location);
    if (writes[at] < 2) continue;
    if (storage[at].space == Space::tensor) {
      if (writes[at] > 2)
        refuse(source, {1, 1, 1},
               "nothing shows the order of more than two writes of one location in tensor memory");
      const int object = last_number(sketch) + 1;
      for (Thread& thread : sketch.threads) tell(location, object, thread);
      sketch.threads.push_back(at_last(location, writes[at], object));
      continue;
    }
    sketch.finals[at] = writes[at];
    if (writes[at] > 2) sketch.threads.push_back(in_between(location, writes[at]));
  }
}

}  // namespace ptxmc::generate
