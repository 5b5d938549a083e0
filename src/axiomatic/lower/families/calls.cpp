// SPDX-License-Identifier: Apache-2.0
// Threads of kernels, griddepcontrol (9.7.12.13), and the API calls of host threads (8.9.4): one event each,
// where API synchronization begins or ends. Which of them synchronize, tasks.cpp says.
#include "axiomatic/lower/families/calls.h"

#include <vector>

namespace ptxmc::lower {

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
void Calls::start_of_kernel() {
  boundary("start of ", pool_.truth(true), unit_.api.starts);
}

/// Its last one but END.
void Calls::end_of_kernel(Expr guard) {
  boundary("end of ", guard, unit_.api.ends);
}

void Calls::boundary(const char* what, Expr guard, ApiEvents::OfThreads& list) {
  if (!unit_.tasks || !unit_.tasks->kernel_of_thread[thread_]) return;
  Instruction place;
  place.position = source_.position;
  place.text = what + unit_.program.kernels.kernels[*unit_.tasks->kernel_of_thread[thread_]].name;
  list.emplace_back(thread_, unit_.add_event(new_event(EventKind::api, place, guard)));
}

void Calls::wait_for_grids(const Instruction& instruction, State& state) {
  const Expr guard = registers_.event_guard(instruction, state);
  unit_.api.grid_waits.emplace_back(thread_, unit_.add_event(new_event(EventKind::api, instruction, guard)));
}

/// It orders nothing but, with a release fence before it, the start of the grids that it lets start (D53).
void Calls::launch_dependents(const Instruction& instruction, State& state) {
  Event event = new_event(EventKind::group, instruction, registers_.event_guard(instruction, state));
  event.labels.launches = true;
  unit_.api.launches.emplace_back(thread_, unit_.add_event(std::move(event)));
}

void Calls::heap_call(const Instruction& instruction, State&) {
  unsupported(instruction.position, "malloc and free, which `ptxmc verify` takes");
}

void Calls::local_call(const Instruction& instruction, State&) {
  unsupported(instruction.position, "local variables of functions, which `ptxmc verify` takes");
}

void Calls::api_call(const Instruction& instruction, State& state) {
  if (!info_.host) fail(instruction.position, "only a host thread calls the CUDA API");
  if (!unit_.tasks) fail(instruction.position, "an API call needs the section `kernels { ... }`");
  if (unit_.tasks->kernel_of_thread[thread_])
    fail(instruction.position, "a host function must not call the CUDA API");
  const ApiCall call = instruction.modifiers.api;
  const auto at = static_cast<std::size_t>(&instruction - source_.code().data());
  if (enqueues(call) && (instruction.guard || !body_.always_executed(at))) {
    unsupported(instruction.position, "a task that is enqueued under a condition or in a loop");
  }
  Expr guard = registers_.event_guard(instruction, state);
  if (is_query(call)) guard = pool_.conjunction(guard, query_result(instruction, state));
  unit_.api.calls.emplace_back(&instruction, unit_.add_event(new_event(EventKind::api, instruction, guard)));
}

/// The scheduler chooses whether the query finds the tasks complete; returns "it does". Only then does it
/// synchronize.
event::Expr Calls::query_result(const Instruction& instruction, State& state) {
  const Expr succeeds =
      unit_.nondeterministic_choices.is(unit_, {ChoiceKey::Kind::query, unit_.queries++}, 0);
  unit_.decide(thread_, succeeds, state.guard);
  const Width word = unit_.word();
  const Expr code =
      pool_.make(event::Op::ite, word, succeeds, pool_.constant(0, word), pool_.constant(kNotReady, word));
  registers_.write_register(state, instruction, instruction.operand(Role::result), {code, true});
  return succeeds;
}

}  // namespace ptxmc::lower
