// SPDX-License-Identifier: Apache-2.0
// Changes of a PTX module that may remove a finding of `verify`: the repairs of the litmus test that was extracted for it, mapped
// back to the instructions that it was made of, and what its cause asks for. None is proven here.
#pragma once

#include <string>
#include <vector>

#include "dynamic/claim/verify_result.h"
#include "repair/costs.h"
#include "repair/kernel/module_text.h"
#include "repair/repair.h"
#include "session/confirm.h"

namespace ptxmc::repair {

struct KernelCandidate {
  std::vector<Edit> edits;        ///< of the module
  std::vector<std::string> what;  ///< a line a change: "before line 70 (sum.cu:9): insert bar.sync 0"
  bool orders = true;  ///< false: it makes the two accesses strong, which race no more then in whatever order
  std::size_t nesting = 0;           ///< Option::nesting, the deepest
  std::vector<SourceChange> source;  ///< Option::source of each; empty: some have none
  bool moves = false;                ///< Option::moves
  double cost = 0;  ///< nanoseconds where the table has all instructions put in, else a strength
};

/// A finding, and what was extracted for it.
struct Asking {
  const claim::VerifyResult& verified;
  const trace::Finding* finding;        ///< null: it is no pair of accesses
  const session::Confirmed* confirmed;  ///< its litmus test; null where the finding is
  const ModuleText& module;
  const Costs& costs;
};

/// Those that order first, of these the cheapest, each once. `found`: of the extracted test.
std::vector<KernelCandidate> candidates(const Asking& asking, const std::vector<Repair>& found);

}  // namespace ptxmc::repair
