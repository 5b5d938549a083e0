// SPDX-License-Identifier: Apache-2.0
// Threads of kernels, griddepcontrol (9.7.12.13), and the API calls of host threads (8.9.4): one event each,
// where API synchronization begins or ends. Which of them synchronize, tasks.cpp says.
#include <vector>

#include "lower/thread.h"

namespace ptxmc::lower {

using event::EventId;
using event::EventKind;
using event::Expr;
using isa::ApiCall;

namespace {

constexpr event::Value kNotReady = 600;  // cudaErrorNotReady; cudaSuccess is 0

bool enqueues(ApiCall call) {
  return call >= ApiCall::launch_kernel && call <= ApiCall::stream_wait_event;
}

bool is_query(ApiCall call) {
  return call == ApiCall::stream_query || call == ApiCall::event_query;
}

}  // namespace

/// The thread's first event, when it is part of a kernel.
void ThreadLowering::start_of_kernel() {
  boundary("start of ", unit_.pool().truth(true), unit_.api.starts);
}

/// Its last one but END.
void ThreadLowering::end_of_kernel(Expr guard) {
  boundary("end of ", guard, unit_.api.ends);
}

void ThreadLowering::boundary(const char* what, Expr guard, ApiEvents::OfThreads& list) {
  if (!unit_.tasks || !unit_.tasks->kernel_of_thread[thread_]) return;
  Instruction place;
  place.position = source_.position;
  place.text = what + unit_.test.kernels.kernels[*unit_.tasks->kernel_of_thread[thread_]].name;
  list.emplace_back(thread_, unit_.add_event(new_event(EventKind::api, place, guard)));
}

void ThreadLowering::wait_for_grids(const Instruction& instruction, State& state) {
  const Expr guard = event_guard(instruction, state);
  unit_.api.grid_waits.emplace_back(thread_, unit_.add_event(new_event(EventKind::api, instruction, guard)));
}

/// Every path from the thread's beginning to its end comes by `at`, once.
bool ThreadLowering::always_executed(std::size_t at) const {
  if (!loops_.enclosing[at].empty()) return false;
  std::vector<bool> seen(source_.code().size() + 1, false);
  std::vector<std::size_t> open{0};
  while (!open.empty()) {
    const std::size_t here = open.back();
    open.pop_back();
    if (here == at || seen[here]) continue;
    seen[here] = true;
    if (here == source_.code().size()) return false;
    if (flow_[here].falls_through) open.push_back(here + 1);
    if (flow_[here].target) open.push_back(*flow_[here].target);
  }
  return true;
}

void ThreadLowering::api_call(const Instruction& instruction, State& state) {
  if (!info_.host) fail(instruction.position, "only a host thread calls the CUDA API");
  if (!unit_.tasks) fail(instruction.position, "an API call needs the section `kernels { ... }`");
  if (unit_.tasks->kernel_of_thread[thread_])
    fail(instruction.position, "a host function must not call the CUDA API");
  const ApiCall call = instruction.modifiers.api;
  const auto at = static_cast<std::size_t>(&instruction - source_.code().data());
  if (enqueues(call) && (instruction.guard || !always_executed(at))) {
    unit_.errors.unsupported(instruction.position, "a task that is enqueued under a condition or in a loop");
  }
  Expr guard = event_guard(instruction, state);
  if (is_query(call)) guard = unit_.pool().conjunction(guard, query_result(instruction, state));
  unit_.api.calls.emplace_back(&instruction, unit_.add_event(new_event(EventKind::api, instruction, guard)));
}

/// The scheduler chooses whether the query finds the tasks complete; returns "it does". Only then does it
/// synchronize.
event::Expr ThreadLowering::query_result(const Instruction& instruction, State& state) {
  auto& pool = unit_.pool();
  const Expr succeeds = unit_.oracles.is(unit_, {OracleKey::Kind::query, unit_.queries++}, 0);
  unit_.decide(thread_, succeeds, state.guard);
  const Width word = unit_.word();
  const Expr code =
      pool.make(event::Op::ite, word, succeeds, pool.constant(0, word), pool.constant(kNotReady, word));
  write_register(state, instruction, instruction.operand(Role::result), {code, true});
  return succeeds;
}

}  // namespace ptxmc::lower
