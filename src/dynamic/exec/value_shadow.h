// SPDX-License-Identifier: Apache-2.0
// What is followed of values beside the values: bits that are known of open ones, and terms over them. Each is off unless the options ask for it.
#pragma once

#include "dynamic/exec/accesses.h"
#include "dynamic/exec/known_bits.h"
#include "dynamic/exec/paths.h"
#include "dynamic/exec/terms.h"
#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

class ValueShadow : public Unit {
 public:
  using Unit::Unit;

  void start(const Options& options);
  void forget(Warp& warp, const Step& step, LaneMask mask);
  void store_known(Warp& warp, const Step& step, std::size_t element, unsigned lane, const Stored& to);
  void store_term(Warp& warp, const Step& step, std::size_t element, unsigned lane, const Stored& to);

  std::unique_ptr<KnownBits> known;                         // null: they are not followed
  std::array<std::uint64_t, kScratchWords> stored_known{};  // as written_
  std::unique_ptr<Terms> terms;                             // null: they are not followed
  std::unique_ptr<PathConditions> paths;                    // the same
  std::array<Term, kScratchWords> stored_terms{};           // as written_
};

}  // namespace ptxmc::exec
