// SPDX-License-Identifier: Apache-2.0
#include "ptx/program/tasks.h"

#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "support/check.h"
#include "support/refuse.h"

namespace ptxmc::program {
namespace {

using isa::ApiCall;
using isa::Role;

constexpr std::string_view kLegacy = "cudaStreamLegacy";

/// Enqueues the calls of the section, then those of host threads.
class Planner {
 public:
  explicit Planner(const Program& program) : program_(program) {}

  TaskPlan run() {
    add_kernels();
    find_queued();
    for (const Instruction& call : program_.kernels.calls) enqueue(call, nullptr);
    for (const Thread& thread : program_.threads) {
      if (!thread.placement.host) continue;
      for (const Instruction& instruction : thread.code()) {
        if (instruction.opcode == isa::Opcode::api_call) enqueue(instruction, &thread);
      }
    }
    for (const KernelGraph& graph : program_.kernels.graphs) check_dependencies(graph);
    check_order();
    return std::move(plan_);
  }

 private:
  struct Stream {
    std::vector<TaskId> last;      // none: nothing to wait for
    bool last_is_own = false;      // `last` was enqueued in this stream
    const Thread* user = nullptr;  // the host thread that enqueues
    std::optional<int> gpu;        // of its kernels
  };
  struct CudaEvent {
    std::optional<TaskId> record;
    const Thread* user = nullptr;
  };

  [[noreturn]] void fail(Position position, std::string message) const {
    refuse(program_.source, position, std::move(message) + origin_text(program_.origins, position));
  }
  [[noreturn]] void unsupported(Position position, const std::string& what) const {
    fail(position, "not supported yet: " + what);
  }

  void add_kernels();
  void find_queued();
  void check_dependencies(const KernelGraph& graph) const;
  void check_order() const;
  int gpu_of(KernelId kernel) const;
  void check_one_gpu(KernelId kernel) const;
  bool launches_dependents(KernelId kernel) const;

  void enqueue(const Instruction& call, const Thread* host);
  void launch(const Instruction& call, const Thread* host, const std::string& kernel,
              const std::string& stream);
  void launch_graph(const Instruction& call, const Thread* host);
  TaskId add_task(const Instruction& call, const Thread* host);
  void append(TaskId task, const std::string& name, bool programmatic);
  Stream& stream(const std::string& name, const Instruction& call, const Thread* host, bool enqueuing);
  CudaEvent& cuda_event(const std::string& name, const Instruction& call, const Thread* host, bool recording);
  void check_user(const char* what, const std::string& name, const Thread*& user, const Instruction& call,
                  const Thread* host, bool changes) const;
  std::vector<TaskId> of_device(const Instruction& call, const Thread* host) const;

  KernelId find_kernel(const std::string& name) const {
    const auto& kernels = program_.kernels.kernels;
    const auto place =
        std::find_if(kernels.begin(), kernels.end(), [&](const Kernel& k) { return k.name == name; });
    PTXMC_CHECK(place != kernels.end(), "the parser knows the kernels");
    return static_cast<KernelId>(place - kernels.begin());
  }
  static const std::string& name_at(const Instruction& call, Role role) {
    return std::get<ObjectName>(call.operand(role).value).name;
  }

  const Program& program_;
  TaskPlan plan_;
  std::map<std::string, Stream> streams_;
  std::map<std::string, CudaEvent> events_;
  std::map<KernelId, std::string> graph_of_;
  std::set<KernelId> launched_, queued_;  // so far; by any call, also in graphs
  std::set<std::string> launched_graphs_;
  std::optional<TaskId> legacy_;  // the last task of the legacy stream
};

void Planner::add_kernels() {
  plan_.kernel_of_thread.resize(program_.threads.size());
  std::unordered_map<int, std::uint32_t> threads;  // by their numbers
  for (std::uint32_t t = 0; t < program_.threads.size(); ++t) threads.emplace(program_.threads[t].number, t);
  for (KernelId k = 0; k < program_.kernels.kernels.size(); ++k) {
    plan_.threads.emplace_back();
    for (const int number : program_.kernels.kernels[k].threads) {
      const auto thread = threads.find(number);
      if (thread == threads.end()) continue;
      plan_.kernel_of_thread[thread->second] = k;
      plan_.threads.back().push_back(thread->second);
    }
    plan_.launches_dependents.push_back(launches_dependents(k));
    check_one_gpu(k);
    plan_.of_kernel.push_back(static_cast<TaskId>(plan_.tasks.size()));
    plan_.tasks.push_back({k, nullptr, {}, {}});
  }
  for (const KernelGraph& graph : program_.kernels.graphs) {
    for (const std::string& kernel : graph.kernels) graph_of_.emplace(find_kernel(kernel), graph.name);
  }
  for (KernelId k = 0; k < program_.kernels.kernels.size(); ++k) {
    Task& task = plan_.tasks[plan_.of_kernel[k]];
    for (const auto& name : program_.kernels.kernels[k].after)
      task.after.push_back(plan_.of_kernel[find_kernel(name)]);
    for (const auto& name : program_.kernels.kernels[k].programmatic) {
      task.programmatic.push_back(plan_.of_kernel[find_kernel(name)]);
    }
  }
}

void Planner::find_queued() {
  const auto note = [&](const Instruction& call) {
    const ApiCall kind = call.modifiers.api;
    if (kind == ApiCall::launch_kernel) queued_.insert(find_kernel(name_at(call, Role::kernel)));
    if (kind == ApiCall::launch_host_function) queued_.insert(find_kernel(name_at(call, Role::kernel)));
    if (kind != ApiCall::graph_launch) return;
    for (const auto& [kernel, graph] : graph_of_) {
      if (graph == name_at(call, Role::graph)) queued_.insert(kernel);
    }
  };
  for (const Instruction& call : program_.kernels.calls) note(call);
  for (const Thread& thread : program_.threads) {
    if (!thread.placement.host) continue;
    for (const Instruction& instruction : thread.code()) {
      if (instruction.opcode == isa::Opcode::api_call) note(instruction);
    }
  }
}

int Planner::gpu_of(KernelId kernel) const {
  return program_.threads[plan_.threads[kernel].front()].placement.gpu;
}

void Planner::check_one_gpu(KernelId kernel) const {
  for (const std::uint32_t t : plan_.threads[kernel]) {
    if (program_.threads[t].placement.gpu == gpu_of(kernel)) continue;
    fail(program_.threads[t].position,
         "kernel " + program_.kernels.kernels[kernel].name + " has threads on two gpus");
  }
}

bool Planner::launches_dependents(KernelId kernel) const {
  std::set<const Body*> bodies;  // which many threads share
  for (const std::uint32_t t : plan_.threads[kernel]) bodies.insert(program_.threads[t].body.get());
  return std::any_of(bodies.begin(), bodies.end(), [](const Body* body) {
    return std::any_of(body->code.begin(), body->code.end(), [](const Instruction& instruction) {
      return instruction.opcode == isa::Opcode::griddep_launch;
    });
  });
}

/// The edges of a graph are between its own nodes.
void Planner::check_dependencies(const KernelGraph& graph) const {
  for (KernelId k = 0; k < program_.kernels.kernels.size(); ++k) {
    const Kernel& kernel = program_.kernels.kernels[k];
    const auto own = graph_of_.find(k);
    const bool inside = own != graph_of_.end() && own->second == graph.name;
    for (const auto* list : {&kernel.after, &kernel.programmatic}) {
      for (const std::string& name : *list) {
        const auto other = graph_of_.find(find_kernel(name));
        if (inside == (other != graph_of_.end() && other->second == graph.name)) continue;
        fail(kernel.position, "kernels " + kernel.name + " and " + name +
                                  " are not in one graph: " + graph.name + " holds one of them");
      }
    }
  }
}

/// Takes away tasks that wait for nothing until none is left; what remains waits for itself.
void Planner::check_order() const {
  std::vector<bool> done(plan_.tasks.size(), false);
  for (bool changed = true; changed;) {
    changed = false;
    for (TaskId t = 0; t < plan_.tasks.size(); ++t) {
      const auto ready = [&](const std::vector<TaskId>& list) {
        return std::all_of(list.begin(), list.end(), [&](TaskId p) { return done[p]; });
      };
      if (done[t] || !ready(plan_.tasks[t].after) || !ready(plan_.tasks[t].programmatic)) continue;
      done[t] = changed = true;
    }
  }
  for (const Task& task : plan_.tasks) {
    if (!task.kernel || done[plan_.of_kernel[*task.kernel]]) continue;
    const Kernel& kernel = program_.kernels.kernels[*task.kernel];
    fail(kernel.position, "kernel " + kernel.name + " waits for itself");
  }
}

void Planner::enqueue(const Instruction& call, const Thread* host) {
  switch (call.modifiers.api) {
    case ApiCall::launch_kernel:
    case ApiCall::launch_host_function:
      return launch(call, host, name_at(call, Role::kernel), name_at(call, Role::stream));
    case ApiCall::graph_launch:
      return launch_graph(call, host);
    case ApiCall::event_record: {
      stream(name_at(call, Role::stream), call, host, true);
      const TaskId record = add_task(call, host);
      append(record, name_at(call, Role::stream), false);
      cuda_event(name_at(call, Role::event), call, host, true).record = record;
      return;
    }
    case ApiCall::stream_wait_event: {
      stream(name_at(call, Role::stream), call, host, true);
      const TaskId wait = add_task(call, host);
      const CudaEvent& event = cuda_event(name_at(call, Role::event), call, host, false);
      if (event.record) plan_.tasks[wait].after.push_back(*event.record);
      append(wait, name_at(call, Role::stream), false);
      return;
    }
    case ApiCall::stream_synchronize:
    case ApiCall::stream_query:
      plan_.waits_for[&call] = stream(name_at(call, Role::stream), call, host, false).last;
      return;
    case ApiCall::event_synchronize:
    case ApiCall::event_query: {
      const CudaEvent& event = cuda_event(name_at(call, Role::event), call, host, false);
      if (event.record) plan_.waits_for[&call] = {*event.record};
      return;
    }
    case ApiCall::device_synchronize:
      plan_.waits_for[&call] = of_device(call, host);
      return;
    case ApiCall::none:
      break;
  }
  PTXMC_CHECK(false, "no API call");
}

TaskId Planner::add_task(const Instruction& call, const Thread* host) {
  plan_.tasks.push_back({std::nullopt, host ? &call : nullptr, {}, {}});
  return static_cast<TaskId>(plan_.tasks.size() - 1);
}

void Planner::launch(const Instruction& call, const Thread* host, const std::string& name,
                     const std::string& in) {
  const KernelId kernel = find_kernel(name);
  if (const auto graph = graph_of_.find(kernel); graph != graph_of_.end()) {
    fail(call.position,
         "kernel " + name + " is a node of graph " + graph->second + ", which is launched instead");
  }
  if (!launched_.insert(kernel).second) {
    fail(call.position, "kernel " + name + " is launched twice; state a second one, with threads of its own");
  }
  const bool function = program_.threads[plan_.threads[kernel].front()].placement.host;
  if (function != (call.modifiers.api == ApiCall::launch_host_function)) {
    fail(call.position, function ? name + " is a host function: cudaLaunchHostFunc launches it"
                                 : name + " is a kernel: cudaLaunchKernel launches it");
  }
  Stream& queue = stream(in, call, host, true);
  if (!function) {
    if (queue.gpu && *queue.gpu != gpu_of(kernel)) {
      fail(call.position, "stream " + in + " is of gpu " + std::to_string(*queue.gpu) + ", kernel " + name +
                              " of gpu " + std::to_string(gpu_of(kernel)));
    }
    queue.gpu = gpu_of(kernel);
  }
  const TaskId task = plan_.of_kernel[kernel];
  if (host) plan_.tasks[task].call = &call;
  append(task, in, call.modifiers.programmatic);
}

void Planner::launch_graph(const Instruction& call, const Thread* host) {
  const std::string& name = name_at(call, Role::graph);
  if (!launched_graphs_.insert(name).second) fail(call.position, "graph " + name + " is launched twice");
  stream(name_at(call, Role::stream), call, host, true);
  const TaskId start = add_task(call, host);
  append(start, name_at(call, Role::stream), false);
  const TaskId end = add_task(call, nullptr);
  plan_.tasks[end].after.push_back(start);
  for (const auto& [kernel, graph] : graph_of_) {
    if (graph != name) continue;
    Task& node = plan_.tasks[plan_.of_kernel[kernel]];
    if (node.programmatic.empty() && node.after.empty()) node.after.push_back(start);
    plan_.tasks[end].after.push_back(plan_.of_kernel[kernel]);
    if (!streams_.at(name_at(call, Role::stream)).gpu)
      streams_.at(name_at(call, Role::stream)).gpu = gpu_of(kernel);
  }
  append(end, name_at(call, Role::stream), false);
}

/// The task follows the last one of its stream; in the legacy stream that of every stream, and all follow it.
void Planner::append(TaskId task, const std::string& name, bool programmatic) {
  Stream& queue = streams_.at(name);
  Task& added = plan_.tasks[task];
  if (name == kLegacy) {
    for (const auto& [other, stream] : streams_)
      added.after.insert(added.after.end(), stream.last.begin(), stream.last.end());
    for (auto& [other, stream] : streams_) {
      stream.last = {task};
      stream.last_is_own = other == name;
    }
    legacy_ = task;
    return;
  }
  const bool behind_kernel =
      queue.last_is_own && plan_.tasks[queue.last.front()].kernel &&
      !program_.threads[plan_.threads[*plan_.tasks[queue.last.front()].kernel].front()].placement.host;
  auto& list = programmatic && behind_kernel ? added.programmatic : added.after;
  list.insert(list.end(), queue.last.begin(), queue.last.end());
  queue.last = {task};
  queue.last_is_own = true;
}

Planner::Stream& Planner::stream(const std::string& name, const Instruction& call, const Thread* host,
                                 bool enqueuing) {
  const auto [place, fresh] = streams_.try_emplace(name);
  if (fresh && legacy_) place->second.last = {*legacy_};
  check_user("stream", name, place->second.user, call, host, enqueuing);
  if (enqueuing && name == kLegacy) {  // a barrier in every stream
    for (auto& [other, stream] : streams_) check_user("stream", other, stream.user, call, host, true);
  }
  return place->second;
}

Planner::CudaEvent& Planner::cuda_event(const std::string& name, const Instruction& call, const Thread* host,
                                        bool recording) {
  CudaEvent& event = events_[name];
  check_user("event", name, event.user, call, host, recording);
  return event;
}

/// What two host threads do to one queue has no order that is known beforehand.
void Planner::check_user(const char* what, const std::string& name, const Thread*& user,
                         const Instruction& call, const Thread* host, bool changes) const {
  if (user && host && user != host) {
    unsupported(call.position, std::string(what) + " " + name + " is used by P" +
                                   std::to_string(user->number) + " and P" + std::to_string(host->number));
  }
  if (changes && host) user = host;
}

/// The last tasks of the device's streams, and kernels that are in none.
std::vector<TaskId> Planner::of_device(const Instruction& call, const Thread* host) const {
  const Operand* device = call.find(Role::device);
  const int gpu = device == nullptr ? 0 : static_cast<int>(std::get<Integer>(device->value).value);
  std::vector<TaskId> result;
  for (const auto& [name, stream] : streams_) {
    if (stream.gpu.value_or(0) != gpu) continue;
    const Thread* user = stream.user;
    check_user("stream", name, user, call, host, false);
    result.insert(result.end(), stream.last.begin(), stream.last.end());
  }
  for (KernelId k = 0; k < plan_.of_kernel.size(); ++k) {
    if (!queued_.contains(k) && gpu_of(k) == gpu) result.push_back(plan_.of_kernel[k]);
  }
  return result;
}

/// For whose completion a task waits, directly or not.
class Waiting {
 public:
  explicit Waiting(const TaskPlan& plan) : plan_(plan) {}

  const std::set<KernelId>& kernels(TaskId id) {
    if (const auto known = known_.find(id); known != known_.end()) return known->second;
    std::set<KernelId> out;
    for (const auto* before : {&plan_.tasks[id].after, &plan_.tasks[id].programmatic}) {
      for (const TaskId other : *before) {
        out.merge(std::set(kernels(other)));
        if (plan_.tasks[other].kernel) out.insert(*plan_.tasks[other].kernel);
      }
    }
    return known_[id] = std::move(out);
  }

 private:
  const TaskPlan& plan_;
  std::map<TaskId, std::set<KernelId>> known_;
};

}  // namespace

bool TaskPlan::may_overlap() const {
  Waiting waiting(*this);
  for (KernelId a = 0; a < of_kernel.size(); ++a) {
    for (KernelId b = 0; b < a; ++b) {
      if (!waiting.kernels(of_kernel[a]).contains(b) && !waiting.kernels(of_kernel[b]).contains(a))
        return true;
    }
  }
  return false;
}

TaskPlan plan_tasks(const Program& program) {
  return Planner(program).run();
}

}  // namespace ptxmc::program
