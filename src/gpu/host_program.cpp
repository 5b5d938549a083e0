// SPDX-License-Identifier: Apache-2.0
#include "gpu/host_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "lower/tasks.h"
#include "support/check.h"

namespace ptxmc::gpu {

using isa::ApiCall;
using isa::Opcode;
using litmus::Instruction;
using litmus::Kernel;
using litmus::KernelGraph;

namespace {

constexpr std::string_view kLegacy = "cudaStreamLegacy";

class Planner {
 public:
  explicit Planner(const Facts& facts) : facts_(facts), kernels_(facts.test().kernels) {}

  HostProgram run() {
    check();
    for (const Kernel& kernel : kernels_.kernels) program_.triggers.push_back(triggers(kernel));
    for (const KernelGraph& graph : kernels_.graphs) {
      add_graph(graph.name, numbers(graph.kernels));
      launched_.insert(program_.graphs.back().kernels.begin(), program_.graphs.back().kernels.end());
    }
    for (const Instruction& call : kernels_.calls) note(call);
    launch_the_rest();
    for (const Instruction& call : kernels_.calls) add(call);
    return std::move(program_);
  }

 private:
  void check() const {
    const litmus::Test& test = facts_.test();
    std::optional<int> gpu;
    for (const litmus::Thread& thread : test.threads) {
      if (thread.placement.host)
        facts_.cannot_run(thread.position, "it has a host thread beside several kernels");
      if (gpu && *gpu != thread.placement.gpu)
        facts_.cannot_run(thread.position, "its kernels are on several GPUs");
      gpu = thread.placement.gpu;
    }
    if (kernels_.kernels.empty())
      facts_.cannot_run(test.threads.empty() ? Position{} : test.threads.front().position,
                        "it has no kernel");
  }

  bool triggers(const Kernel& kernel) const {
    const auto& threads = facts_.test().threads;
    return std::any_of(threads.begin(), threads.end(), [&](const litmus::Thread& thread) {
      const bool own =
          std::find(kernel.threads.begin(), kernel.threads.end(), thread.number) != kernel.threads.end();
      return own && std::any_of(thread.code.begin(), thread.code.end(),
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
  static const std::string& name_at(const Instruction& call, std::size_t i) {
    return std::get<litmus::ObjectName>(call.operands.at(i).value).name;
  }
  static bool has_edges(const Kernel& kernel) {
    return !kernel.after.empty() || !kernel.programmatic.empty();
  }

  void add_graph(const std::string& name, std::vector<std::uint32_t> nodes) {
    HostGraph graph{name, std::move(nodes), {}};
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
    if (call.modifiers.api == ApiCall::graph_launch) launched_graphs_.insert(name_at(call, 0));
    if (call.modifiers.api != ApiCall::launch_kernel) return;
    const std::uint32_t kernel = number(name_at(call, 0));
    launched_.insert(kernel);
    const auto names = [&](const std::vector<std::string>& list) {
      return std::find(list.begin(), list.end(), kernels_.kernels[kernel].name) != list.end();
    };
    const bool before = std::any_of(kernels_.kernels.begin(), kernels_.kernels.end(),
                                    [&](const Kernel& k) { return names(k.after) || names(k.programmatic); });
    if (before || has_edges(kernels_.kernels[kernel]))
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
        add_launch(HostStep::Kind::launch, k, kernels_.kernels[k].name);
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

  void add(const Instruction& call) {
    switch (call.modifiers.api) {
      case ApiCall::launch_kernel:
        return step(HostStep::Kind::launch, number(name_at(call, 0)), name_at(call, 1),
                    call.modifiers.programmatic);
      case ApiCall::graph_launch: {
        const auto& all = program_.graphs;
        const auto graph = std::find_if(all.begin(), all.end(),
                                        [&](const HostGraph& g) { return g.name == name_at(call, 0); });
        PTXMC_CHECK(graph != all.end(), "the parser knows the graphs");
        return step(HostStep::Kind::launch_graph, static_cast<std::uint32_t>(graph - all.begin()),
                    name_at(call, 1));
      }
      case ApiCall::event_record:
        return step(HostStep::Kind::record, event(name_at(call, 0)), name_at(call, 1));
      case ApiCall::stream_wait_event:
        return step(HostStep::Kind::wait, event(name_at(call, 1)), name_at(call, 0));
      default:
        facts_.cannot_run(call.position, fmt::format("`{}`", call.text));
    }
  }

  void step(HostStep::Kind kind, std::uint32_t object, const std::string& in, bool programmatic = false) {
    const auto known = std::find_if(program_.streams.begin(), program_.streams.end(),
                                    [&](const HostStream& s) { return s.name == in; });
    const auto stream = static_cast<std::uint32_t>(known - program_.streams.begin());
    if (known == program_.streams.end()) {
      program_.streams.push_back({in, in == kLegacy});
      program_.blocking = program_.blocking || in == kLegacy;
    }
    program_.steps.push_back({kind, stream, object, programmatic});
  }

  std::uint32_t event(const std::string& name) {
    const auto known = std::find(program_.events.begin(), program_.events.end(), name);
    const auto number = static_cast<std::uint32_t>(known - program_.events.begin());
    if (known == program_.events.end()) program_.events.push_back(name);
    return number;
  }

  const Facts& facts_;
  const litmus::Kernels& kernels_;
  HostProgram program_;
  std::set<std::uint32_t> launched_;  // kernels, by a call or in a graph
  std::set<std::string> launched_graphs_;
};

/// Which kernels must have ended before another one starts: a fixed task graph, so a recursion over it.
class Order {
 public:
  Order(const lower::TaskPlan& plan, const std::vector<bool>& triggers, bool early)
      : plan_(plan), triggers_(triggers), early_(early) {}

  std::vector<std::vector<std::uint32_t>> run() {
    std::vector<std::set<std::uint32_t>> before;
    for (const lower::TaskId task : plan_.of_kernel) before.push_back(before_start(task));
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

  const Kernels& before_start(lower::TaskId id) {
    if (const auto known = start_.find(id); known != start_.end()) return known->second;
    Kernels out;
    for (const lower::TaskId p : plan_.tasks[id].after) out.merge(Kernels(before_end(p)));
    for (const lower::TaskId p : plan_.tasks[id].programmatic) {
      out.merge(Kernels(before_start(p)));
      const std::optional<std::uint32_t> kernel = plan_.tasks[p].kernel;
      if (kernel && !(early_ && triggers_[*kernel])) out.insert(*kernel);
    }
    return start_[id] = std::move(out);
  }

  /// With itself; when it is complete, what it was launched behind is complete as well.
  const Kernels& before_end(lower::TaskId id) {
    if (const auto known = end_.find(id); known != end_.end()) return known->second;
    Kernels out = before_start(id);
    for (const lower::TaskId p : plan_.tasks[id].programmatic) out.merge(Kernels(before_end(p)));
    if (plan_.tasks[id].kernel) out.insert(*plan_.tasks[id].kernel);
    return end_[id] = std::move(out);
  }

  const lower::TaskPlan& plan_;
  const std::vector<bool>& triggers_;
  bool early_;
  std::map<lower::TaskId, Kernels> start_, end_;
};

}  // namespace

HostProgram plan_host(const Facts& facts) {
  HostProgram program = Planner(facts).run();
  const lower::TaskPlan plan = lower::plan_tasks(facts.test(), lower::Errors(facts.test().source));
  program.beside = Order(plan, program.triggers, false).run();
  program.beside_early = Order(plan, program.triggers, true).run();
  return program;
}

std::vector<std::string> print(const HostProgram& program, const litmus::Test& test) {
  std::vector<std::string> out;
  const auto kernel = [&](std::uint32_t number) { return test.kernels.kernels[number].name; };
  for (const HostGraph& graph : program.graphs) {
    std::string nodes, edges;
    for (const std::uint32_t k : graph.kernels) nodes += " " + kernel(k);
    for (const HostGraph::Edge& edge : graph.edges)
      edges += fmt::format("{} {}->{}{}", edges.empty() ? ";" : ",", kernel(graph.kernels[edge.from]),
                           kernel(graph.kernels[edge.to]), edge.programmatic ? " programmatic" : "");
    out.push_back(fmt::format("cuGraphCreate {}:{}{}", graph.name, nodes, edges));
  }
  for (const HostStream& stream : program.streams) {
    if (!stream.legacy)
      out.push_back(fmt::format("cuStreamCreate {}, {}", stream.name,
                                program.blocking ? "CU_STREAM_DEFAULT" : "CU_STREAM_NON_BLOCKING"));
  }
  for (const HostStep& step : program.steps) {
    const std::string& stream = program.streams[step.stream].name;
    switch (step.kind) {
      case HostStep::Kind::launch:
        out.push_back(fmt::format("cuLaunchKernelEx {}, {}{}", kernel(step.object), stream,
                                  step.programmatic ? ", programmatic" : ""));
        break;
      case HostStep::Kind::launch_graph:
        out.push_back(fmt::format("cuGraphLaunch {}, {}", program.graphs[step.object].name, stream));
        break;
      case HostStep::Kind::record:
        out.push_back(fmt::format("cuEventRecord {}, {}", program.events[step.object], stream));
        break;
      case HostStep::Kind::wait:
        out.push_back(fmt::format("cuStreamWaitEvent {}, {}", stream, program.events[step.object]));
        break;
    }
  }
  return out;
}

}  // namespace ptxmc::gpu
