// SPDX-License-Identifier: Apache-2.0
// In place of support/recursion.cpp: the page has one thread, with one stack, which has room for a few.
#include "support/recursion.h"

#include <new>

namespace ptxmc {

namespace {
constexpr int kMostStacks = 2;
int stacks = 0;  // that calls under way have taken

struct Taken {
  Taken() { ++stacks; }
  ~Taken() { --stacks; }
  Taken(const Taken&) = delete;
  Taken& operator=(const Taken&) = delete;
};
}  // namespace

void on_fresh_stack(const std::function<void()>& f) {
  if (stacks == kMostStacks) throw std::bad_alloc();
  const Taken taken;
  f();
}

}  // namespace ptxmc
