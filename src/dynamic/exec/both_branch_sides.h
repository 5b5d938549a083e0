// SPDX-License-Identifier: Apache-2.0
// Branches that open contents decide, and whose ways do no more than compute and access memory: both are taken. What the way
// does that the concrete contents do not lead to is told to the observer as accesses, and changes nothing; what either writes
// rests on data from where they meet. So a run that shows nothing shows that whatever the contents are.
//
// The accesses must order nothing, whether they are made or not: they are weak, or relaxed atomics whose
// results no instruction looks at, at locations that no strong read looks at which control rests on (8.9.5).
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dynamic/exec/flow.h"
#include "dynamic/exec/straight_paths.h"

namespace ptxmc::exec {

/// A weak load or store, or a relaxed atomic whose result nothing uses: it orders nothing, and no order rests on it.
bool is_plain_access(const Step& step);

/// The ways of a branch, or of an access with a guard.
struct Sides {
  bool plain = false;         // they do no more than that, and come to one place
  trace::Site meet = 0;       // where
  std::vector<Slot> written;  // registers, by either
};

/// The locations that ways write, and those that strong reads look at: bytes.
class AccessedBytes {
 public:
  /// False: the other kind of access is among those of the bytes.
  bool write(trace::Address begin, std::uint32_t bytes) { return note(begin, bytes, written_, read_); }
  bool read(trace::Address begin, std::uint32_t bytes) { return note(begin, bytes, read_, written_); }

 private:
  using Set = std::unordered_set<trace::Address>;
  static bool note(trace::Address begin, std::uint32_t bytes, Set& in, const Set& other);
  Set written_, read_;
};

class BothSides {
 public:
  const Sides& of(const Code& code, const Step& step);
  AccessedBytes looked;

 private:
  const ControlFlow& control_flow(const Code& code);
  std::unordered_map<const Code*, ControlFlow> flows_;
  std::unordered_map<const Step*, Sides> known_;
};

}  // namespace ptxmc::exec
