// SPDX-License-Identifier: Apache-2.0
#include "gpu/host/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "ptx/program/tasks.h"
#include "support/check.h"

namespace ptxmc::gpu {

using isa::ApiCall;
using isa::Opcode;
using isa::Role;
using program::Instruction;
using program::Kernel;
using program::KernelGraph;

namespace {

constexpr std::string_view kLegacy = "cudaStreamLegacy";

class Planner {
 public:
  explicit Planner(const Facts& facts) : facts_(facts), kernels_(facts.test().kernels) {}

  HostProgram run() {
    check();
    for (const Kernel& kernel : kernels_.kernels) {
      program_.triggers.push_back(triggers(kernel));
      program_.functions.push_back(is_function(kernel));
    }
    find_caller();
    for (const KernelGraph& graph : kernels_.graphs) {
      add_graph(graph.name, numbers(graph.kernels));
      launched_.insert(program_.graphs.back().kernels.begin(), program_.graphs.back().kernels.end());
    }
    for (const Instruction& call : all_calls()) note(call);
    launch_the_rest();
    for (const Instruction& call : kernels_.calls) program_.steps.push_back(step_of(call));
    for (const Instruction& call : calls_of_caller()) program_.calls.push_back(step_of(call));
    return std::move(program_);
  }

 private:
  void check() {
    const program::Program& test = facts_.test();
    for (const program::Thread& thread : test.threads) {
      if (thread.placement.host) continue;
      if (gpu_ && *gpu_ != thread.placement.gpu)
        facts_.cannot_run(thread.position, "its kernels are on several GPUs");
      gpu_ = thread.placement.gpu;
    }
    if (!gpu_)
      facts_.cannot_run(test.threads.empty() ? Position{} : test.threads.front().position,
                        "it has no thread on a GPU");
  }

  const program::Thread& thread(int number) const {
    const auto& all = facts_.test().threads;
    const auto place =
        std::find_if(all.begin(), all.end(), [&](const program::Thread& t) { return t.number == number; });
    PTXMC_CHECK(place != all.end(), "the parser knows the threads");
    return *place;
  }

  bool is_function(const Kernel& kernel) const {
    const bool host = thread(kernel.threads.front()).placement.host;
    if (host && (kernel.threads.size() > 1 || at_edge(kernel)))
      facts_.cannot_run(
          kernel.position,
          fmt::format("host function {} has several threads, or is at an edge of a graph", kernel.name));
    return host;
  }

  void find_caller() {
    std::set<int> owned;
    for (const Kernel& kernel : kernels_.kernels) owned.insert(kernel.threads.begin(), kernel.threads.end());
    const auto& all = facts_.test().threads;
    for (std::uint32_t t = 0; t < all.size(); ++t) {
      if (!all[t].placement.host || owned.contains(all[t].number)) continue;
      if (program_.caller)
        facts_.cannot_run(all[t].position, "it has a second host thread beside several kernels");
      program_.caller = t;
    }
  }

  std::vector<Instruction> calls_of_caller() const {
    std::vector<Instruction> out;
    if (!program_.caller) return out;
    for (const Instruction& instruction : facts_.test().threads[*program_.caller].code()) {
      if (instruction.opcode == Opcode::api_call) out.push_back(instruction);
    }
    return out;
  }
  std::vector<Instruction> all_calls() const {
    std::vector<Instruction> out = calls_of_caller();
    out.insert(out.begin(), kernels_.calls.begin(), kernels_.calls.end());
    return out;
  }

  bool triggers(const Kernel& kernel) const {
    const auto& threads = facts_.test().threads;
    return std::any_of(threads.begin(), threads.end(), [&](const program::Thread& thread) {
      const bool own =
          std::find(kernel.threads.begin(), kernel.threads.end(), thread.number) != kernel.threads.end();
      return own && std::any_of(thread.code().begin(), thread.code().end(),
                                [](const Instruction& i) { return i.opcode == Opcode::griddep_launch; });
    });
  }

  std::uint32_t number(const std::string& name) const {
    const auto& all = kernels_.kernels;
    const auto place = std::find_if(all.begin(), all.end(), [&](const Kernel& k) { return k.name == name; });
    PTXMC_CHECK(place != all.end(), "the parser knows the kernels");
    return static_cast<std::uint32_t>(place - all.begin());
  }
  std::vector<std::uint32_t> numbers(const std::vector<std::string>& names) const {
    std::vector<std::uint32_t> out;
    for (const std::string& name : names) out.push_back(number(name));
    return out;
  }
  static const std::string& name_at(const Instruction& call, Role role) {
    return std::get<program::ObjectName>(call.operand(role).value).name;
  }
  bool at_edge(const Kernel& kernel) const {
    const auto names = [&](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), kernel.name) != list.end();
    };
    const bool before = std::any_of(kernels_.kernels.begin(), kernels_.kernels.end(),
                                    [&](const Kernel& k) { return names(k.after) || names(k.programmatic); });
    return before || !kernel.after.empty() || !kernel.programmatic.empty();
  }

  void add_graph(const std::string& name, std::vector<std::uint32_t> nodes) {
    HostGraph graph{name, std::move(nodes), {}};
    for (const std::uint32_t kernel : graph.kernels) {
      if (program_.functions[kernel])
        facts_.cannot_run(kernels_.kernels[kernel].position,
                          fmt::format("host function {} is in a graph", kernels_.kernels[kernel].name));
    }
    const auto place = [&](const std::string& kernel) {
      const auto at = std::find(graph.kernels.begin(), graph.kernels.end(), number(kernel));
      PTXMC_CHECK(at != graph.kernels.end(), "edges are between nodes of one graph");
      return static_cast<std::uint32_t>(at - graph.kernels.begin());
    };
    for (std::uint32_t to = 0; to < graph.kernels.size(); ++to) {
      const Kernel& kernel = kernels_.kernels[graph.kernels[to]];
      for (const std::string& from : kernel.after) graph.edges.push_back({place(from), to, false});
      for (const std::string& from : kernel.programmatic) graph.edges.push_back({place(from), to, true});
    }
    program_.graphs.push_back(std::move(graph));
  }

  /// Kernels that calls launch, and graphs.
  void note(const Instruction& call) {
    const ApiCall kind = call.modifiers.api;
    if (kind == ApiCall::graph_launch) launched_graphs_.insert(name_at(call, Role::graph));
    if (kind != ApiCall::launch_kernel && kind != ApiCall::launch_host_function) return;
    const std::uint32_t kernel = number(name_at(call, Role::kernel));
    launched_.insert(kernel);
    if (at_edge(kernels_.kernels[kernel]))
      facts_.cannot_run(
          kernels_.kernels[kernel].position,
          fmt::format("kernel {} is in a stream and at an edge of a graph", kernels_.kernels[kernel].name));
  }

  /// What no call launches waits for nothing but its edges: a stream for each group that edges connect.
  void launch_the_rest() {
    const auto add_launch = [&](HostStep::Kind kind, std::uint32_t object, const std::string& name) {
      program_.streams.push_back({"ptxmc_stream_of_" + name, false});
      program_.steps.push_back(
          {kind, static_cast<std::uint32_t>(program_.streams.size() - 1), object, false});
    };
    for (std::uint32_t k = 0; k < kernels_.kernels.size(); ++k) {
      if (launched_.contains(k)) continue;
      const std::vector<std::uint32_t> group = connected(k);
      launched_.insert(group.begin(), group.end());
      if (group.size() > 1) {
        const std::string name = "ptxmc_graph_of_" + kernels_.kernels[k].name;
        add_graph(name, group);
        launched_graphs_.insert(name);
        add_launch(HostStep::Kind::launch_graph, static_cast<std::uint32_t>(program_.graphs.size() - 1),
                   kernels_.kernels[k].name);
      } else {
        add_launch(program_.functions[k] ? HostStep::Kind::launch_function : HostStep::Kind::launch, k,
                   kernels_.kernels[k].name);
      }
    }
    for (std::uint32_t g = 0; g < program_.graphs.size(); ++g) {
      if (!launched_graphs_.contains(program_.graphs[g].name))
        add_launch(HostStep::Kind::launch_graph, g, program_.graphs[g].name);
    }
  }

  std::vector<std::uint32_t> connected(std::uint32_t start) const {
    std::set<std::uint32_t> group{start};
    for (bool grown = true; grown;) {
      grown = false;
      for (std::uint32_t k = 0; k < kernels_.kernels.size(); ++k) {
        std::vector<std::uint32_t> before = numbers(kernels_.kernels[k].after);
        for (const std::uint32_t p : numbers(kernels_.kernels[k].programmatic)) before.push_back(p);
        for (const std::uint32_t p : before) {
          if (group.contains(p) == group.contains(k)) continue;
          group.insert({p, k});
          grown = true;
        }
      }
    }
    return {group.begin(), group.end()};
  }

  HostStep step_of(const Instruction& call) {
    using Kind = HostStep::Kind;
    switch (call.modifiers.api) {
      case ApiCall::launch_kernel:
        return {Kind::launch, stream(name_at(call, Role::stream)), number(name_at(call, Role::kernel)),
                call.modifiers.programmatic};
      case ApiCall::launch_host_function:
        return {Kind::launch_function, stream(name_at(call, Role::stream)),
                number(name_at(call, Role::kernel)), false};
      case ApiCall::graph_launch:
        return {Kind::launch_graph, stream(name_at(call, Role::stream)), graph(name_at(call, Role::graph)),
                false};
      case ApiCall::event_record:
        return {Kind::record, stream(name_at(call, Role::stream)), event(name_at(call, Role::event)), false};
      case ApiCall::stream_wait_event:
        return {Kind::wait, stream(name_at(call, Role::stream)), event(name_at(call, Role::event)), false};
      case ApiCall::stream_synchronize:
        return {Kind::synchronize_stream, stream(name_at(call, Role::stream)), 0, false};
      case ApiCall::stream_query:
        return {Kind::query_stream, stream(name_at(call, Role::stream)), 0, false};
      case ApiCall::event_synchronize:
        return {Kind::synchronize_event, 0, event(name_at(call, Role::event)), false};
      case ApiCall::event_query:
        return {Kind::query_event, 0, event(name_at(call, Role::event)), false};
      case ApiCall::device_synchronize:
        check_device(call);
        return {Kind::synchronize_device, 0, 0, false};
      case ApiCall::none:
        break;
    }
    PTXMC_CHECK(false, "no API call");
  }

  void check_device(const Instruction& call) const {
    const program::Operand* device = call.find(Role::device);
    const auto named = device == nullptr ? 0 : std::get<program::Integer>(device->value).value;
    if (named != *gpu_)
      facts_.cannot_run(call.position, fmt::format("`{}` is for another GPU than its kernels'", call.text));
  }

  std::uint32_t stream(const std::string& name) {
    const auto known = std::find_if(program_.streams.begin(), program_.streams.end(),
                                    [&](const HostStream& s) { return s.name == name; });
    const auto number = static_cast<std::uint32_t>(known - program_.streams.begin());
    if (known == program_.streams.end()) {
      program_.streams.push_back({name, name == kLegacy});
      program_.blocking = program_.blocking || name == kLegacy;
    }
    return number;
  }

  std::uint32_t graph(const std::string& name) const {
    const auto& all = program_.graphs;
    const auto place =
        std::find_if(all.begin(), all.end(), [&](const HostGraph& g) { return g.name == name; });
    PTXMC_CHECK(place != all.end(), "the parser knows the graphs");
    return static_cast<std::uint32_t>(place - all.begin());
  }

  std::uint32_t event(const std::string& name) {
    const auto known = std::find(program_.events.begin(), program_.events.end(), name);
    const auto number = static_cast<std::uint32_t>(known - program_.events.begin());
    if (known == program_.events.end()) program_.events.push_back(name);
    return number;
  }

  const Facts& facts_;
  const program::Kernels& kernels_;
  HostProgram program_;
  std::optional<int> gpu_;
  std::set<std::uint32_t> launched_;  // kernels, by a call or in a graph
  std::set<std::string> launched_graphs_;
};

/// Which kernels must have ended before another one starts: a fixed task graph, so a recursion over it.
class Order {
 public:
  Order(const program::TaskPlan& plan, const std::vector<bool>& triggers, bool early)
      : plan_(plan), triggers_(triggers), early_(early) {}

  std::vector<std::vector<std::uint32_t>> run() {
    std::vector<std::set<std::uint32_t>> before;
    for (const program::TaskId task : plan_.of_kernel) before.push_back(before_start(task));
    std::vector<std::vector<std::uint32_t>> out(before.size());
    for (std::uint32_t k = 0; k < before.size(); ++k) {
      for (std::uint32_t j = 0; j < before.size(); ++j) {
        if (j != k && !before[k].contains(j) && !before[j].contains(k)) out[k].push_back(j);
      }
    }
    return out;
  }

 private:
  using Kernels = std::set<std::uint32_t>;

  const Kernels& before_start(program::TaskId id) {
    if (const auto known = start_.find(id); known != start_.end()) return known->second;
    Kernels out;
    for (const program::TaskId p : plan_.tasks[id].after) out.merge(Kernels(before_end(p)));
    for (const program::TaskId p : plan_.tasks[id].programmatic) {
      out.merge(Kernels(before_start(p)));
      const std::optional<std::uint32_t> kernel = plan_.tasks[p].kernel;
      if (kernel && !(early_ && triggers_[*kernel])) out.insert(*kernel);
    }
    return start_[id] = std::move(out);
  }

  /// With itself; when it is complete, what it was launched behind is complete as well.
  const Kernels& before_end(program::TaskId id) {
    if (const auto known = end_.find(id); known != end_.end()) return known->second;
    Kernels out = before_start(id);
    for (const program::TaskId p : plan_.tasks[id].programmatic) out.merge(Kernels(before_end(p)));
    if (plan_.tasks[id].kernel) out.insert(*plan_.tasks[id].kernel);
    return end_[id] = std::move(out);
  }

  const program::TaskPlan& plan_;
  const std::vector<bool>& triggers_;
  bool early_;
  std::map<program::TaskId, Kernels> start_, end_;
};

}  // namespace

HostProgram plan_host(const Facts& facts) {
  HostProgram program = Planner(facts).run();
  const program::TaskPlan plan = program::plan_tasks(facts.test());
  program.beside = Order(plan, program.triggers, false).run();
  program.beside_early = Order(plan, program.triggers, true).run();
  if (program.with_threads()) {  // the host decides when they start, and has no CTAs to be counted
    for (auto* lists : {&program.beside, &program.beside_early}) {
      for (auto& list : *lists) list.clear();
    }
  }
  return program;
}

bool enqueues(HostStep::Kind kind) {
  return kind <= HostStep::Kind::wait;
}

}  // namespace ptxmc::gpu
