// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "axiomatic/lower/families/context.h"
#include "axiomatic/lower/families/registers.h"
#include "axiomatic/lower/families/state.h"

namespace ptxmc::lower {

/// Threads of kernels, griddepcontrol, and the API calls of host threads.
class Calls : ThreadContext {
 public:
  explicit Calls(const ThreadContext& context) : ThreadContext(context) {}

  void start_of_kernel();
  void end_of_kernel(Expr guard);
  void launch_dependents(const Instruction& instruction, State& state);
  void wait_for_grids(const Instruction& instruction, State& state);
  void heap_call(const Instruction& instruction, State& state);
  void local_call(const Instruction& instruction, State& state);
  void api_call(const Instruction& instruction, State& state);

 private:
  void boundary(const char* what, Expr guard, ApiEvents::OfThreads& list);
  Expr query_result(const Instruction& instruction, State& state);

  Registers registers_{*this};
};

}  // namespace ptxmc::lower
