// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/engine/smt/skeleton.h"

namespace ptxmc::engine::smt {

using relation::BitMatrix;

Skeleton::Skeleton(const Bounds& bounds, const Guards& guards, std::vector<relation::Rel> parts_)
    : parts(std::move(parts_)), fixed(guards.together.size()), dynamic(fixed.size()), demoted(fixed.size()) {
  for (const relation::Rel part : parts) {
    fixed |= bounds.of(part).must;
    dynamic |= bounds.of(part).may;
  }
  fixed = bounds.close_must(std::move(fixed));
  if (!guards.all_always) {
    // A composition through an event that neither end implies is missing from `fixed`: take its second step
    // out.
    for (bool changed = true; changed;) {
      changed = false;
      BitMatrix composed(fixed.size());
      composed.assign_sequence(fixed, fixed);
      composed &= guards.together;
      composed -= fixed;
      composed.for_each([&](std::size_t a, std::size_t b) {
        for (std::size_t m = 0; m < fixed.size(); ++m) {
          if (!fixed.test(a, m) || !fixed.test(m, b)) continue;
          fixed.reset(m, b);
          demoted.set(m, b);
          changed = true;
        }
      });
    }
  }
  dynamic |= demoted;
  dynamic -= fixed;
}

}  // namespace ptxmc::engine::smt
