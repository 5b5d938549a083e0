// SPDX-License-Identifier: Apache-2.0
// The registers of wgmma.mma_async on one path of a thread (9.7.14.7, D54): which have been accessed since
// the last wgmma.fence, and which belong to an operation that may be under way.
//
// - An accumulator, or a register with a part of A, that other instructions accessed needs a wgmma.fence
// before a
//   wgmma.mma_async uses it (R245, R247); an accumulator that operations of one shape use one after the other
//   does not (R246). The first wgmma.mma_async needs one in any case (R245): that is an entry of its own
//   here.
// - Between wgmma.mma_async and the wgmma.wait_group that completes its group nothing else may access them
// (R248).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "axiomatic/event/program_graph.h"
#include "ptx/isa/isa.h"

namespace ptxmc::lower {

/// A wgmma.mma_async that was issued.
struct WgmmaUse {
  event::EventId access = event::kNoEvent;  ///< its read of B, by which CopyHistory knows it
  event::Expr guard;                        ///< it exists
  isa::Matrix matrix;
  std::vector<std::string> accumulator;
  std::vector<std::string> multiplicand;  ///< A, where it is in registers
  friend bool operator==(const WgmmaUse&, const WgmmaUse&) = default;
};

/// Stands for what a wgmma.fence must come before whichever registers there are: no register has this name.
constexpr const char* kFirstOperation = "";

struct MatrixState {
  std::vector<WgmmaUse> uses;
  std::map<std::string, event::Expr> unfenced;  ///< truth value: accessed since the last fence; absent: no
  /// Two paths meet; `take_next` tells them apart.
  void merge(event::ExprPool& pool, const MatrixState& next, event::Expr take_next);
};

}  // namespace ptxmc::lower
