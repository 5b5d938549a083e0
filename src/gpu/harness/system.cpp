// SPDX-License-Identifier: Apache-2.0
#include "gpu/harness/system.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "gpu/harness/plan.h"
#include "gpu/harness/writer.h"
#include "ptx/isa/opcode.h"

namespace ptxmc::gpu {

using isa::Space;
using program::Instruction;

namespace {

/// What a thread may access in global memory.
struct Reach {
  std::set<std::string> named;
  bool any = false;                                                 ///< it computes addresses
  std::vector<std::pair<std::string, const Instruction*>> changed;  ///< by read-modify-writes; "": any
};

bool is_asynchronous(const Instruction& instruction) {
  const isa::Family family = isa::traits(instruction.opcode).family;
  return family == isa::Family::async_copy;
}

class SystemWriter {
 public:
  SystemWriter(const program::Program& test, const Observation& observation, const HarnessOptions& options)
      : test_(test), facts_(test), observation_(observation), options_(options) {
    options_.stress = {};
  }

  System run() {
    check_memory();
    for (const program::Thread& thread : test_.threads) {
      reach_.push_back(reach_of(thread));
      if (thread.placement.host) out_.hosts.push_back(compile_host(facts_, thread, observation_));
    }
    std::vector<Plan> plans = plan_system(facts_, options_, !out_.hosts.empty());
    if (plans.empty()) facts_.cannot_run(test_.threads.front().position, "it has no thread on a GPU");
    find_host_variables();
    find_shared_rmws();
    Actor actor;
    actor.actors = static_cast<unsigned>(plans.size() + out_.hosts.size());
    actor.gpus = static_cast<unsigned>(plans.size());
    actor.in_host = in_host_;
    actor.paced = !out_.hosts.empty();
    actor.loops = loops();
    if (options_.home) {
      if (*options_.home >= plans.size() && plans.size() > 1)
        facts_.cannot_run(test_.threads.front().position,
                          fmt::format("--home {}: its threads are on {} GPUs", *options_.home, plans.size()));
      actor.home = std::min(*options_.home, static_cast<unsigned>(plans.size()) - 1);
    }
    out_.home = actor.home;
    out_.evaluates = evaluating(plans);
    for (const Plan& plan : plans) {
      actor.evaluates = actor.number == out_.evaluates;
      out_.gpus.push_back(HarnessWriter(test_, observation_, options_, plan, actor).run());
      ++actor.number;
    }
    place_hosts(plans.front());
    return std::move(out_);
  }

 private:
  /// What only a harness on one GPU has.
  void check_memory() const {
    const auto refuse = [&](Position position, const std::string& what) {
      facts_.cannot_run(position, what + ", and its threads are on several GPUs or on the host");
    };
    for (const program::Variable& variable : test_.variables) {
      const Home home = facts_.home(variable.name);
      if (variable.map) refuse(variable.position, fmt::format("`{}` is a tensor map", variable.name));
      if (home == Home::address || !variable.aliases.empty())
        refuse(variable.position, fmt::format("`{}` is memory of several names", variable.name));
      if (home == Home::param) refuse(variable.position, fmt::format("`{}` is a parameter", variable.name));
    }
    for (const Observed& o : observation_.names()) {
      if (o.pointer) refuse(o.name.position, "its condition is over addresses");
    }
  }

  Reach reach_of(const program::Thread& thread) const {
    Reach out;
    for (const Instruction& i : thread.code()) {
      const isa::Family family = isa::traits(i.opcode).family;
      const bool accesses = family == isa::Family::memory || is_asynchronous(i);
      const bool changes = i.opcode == isa::Opcode::atom || i.opcode == isa::Opcode::red ||
                           i.opcode == isa::Opcode::red_async ||
                           i.opcode == isa::Opcode::cp_reduce_async_bulk;
      for (const program::Operand& operand : i.operands) {
        const auto* address = std::get_if<program::Address>(&operand.value);
        if (address == nullptr || !accesses) continue;
        const bool computed = address->variable.empty();
        const Space space = computed ? facts_.completed(i).space : facts_.space(address->variable);
        if (space != Space::global && space != Space::generic) continue;
        out.any = out.any || computed;
        if (!computed) out.named.insert(address->variable);
        if (changes) out.changed.emplace_back(address->variable, &i);
      }
    }
    return out;
  }

  void find_host_variables() {
    for (std::size_t t = 0; t < test_.threads.size(); ++t) {
      if (!test_.threads[t].placement.host) continue;
      for (const program::Variable& variable : test_.variables) {
        if (facts_.space(variable.name) != Space::global) continue;
        if (reach_[t].any || reach_[t].named.contains(variable.name)) in_host_.insert(variable.name);
      }
    }
    out_.host_memory = !in_host_.empty();
  }

  /// The host, or a GPU.
  static int place_of(const program::Thread& thread) {
    return thread.placement.host ? -1 : thread.placement.gpu;
  }

  /// Is a variable in host memory changed by a read-modify-write in one place and accessed in another?
  void find_shared_rmws() {
    for (std::size_t t = 0; t < test_.threads.size(); ++t) {
      for (const auto& [name, instruction] : reach_[t].changed) {
        for (std::size_t other = 0; other < test_.threads.size(); ++other) {
          if (place_of(test_.threads[t]) == place_of(test_.threads[other]) || !out_.shared_rmw.empty())
            continue;
          const bool here = name.empty() ? !in_host_.empty() : in_host_.contains(name);
          const bool meets = reach_[other].any || name.empty() || reach_[other].named.contains(name);
          if (here && meets)
            out_.shared_rmw =
                fmt::format("`{}` of P{} changes host memory that P{} accesses", instruction->text,
                            test_.threads[t].number, test_.threads[other].number);
        }
      }
    }
  }

  bool loops() const {
    std::set<std::string> passed;
    for (const program::Thread& thread : test_.threads) {
      passed.clear();
      for (const Instruction& i : thread.code()) {
        passed.insert(i.labels.begin(), i.labels.end());
        for (const program::Operand& operand : i.operands) {
          const auto* label = std::get_if<program::LabelName>(&operand.value);
          if (label != nullptr && passed.contains(label->name)) return true;
        }
      }
    }
    return false;
  }

  /// The GPU whose shared memory the condition names; else the first.
  unsigned evaluating(const std::vector<Plan>& plans) const {
    std::optional<unsigned> chosen;
    for (const Observed& o : observation_.names()) {
      if (o.name.thread || facts_.space(o.name.name) != Space::shared) continue;
      for (unsigned gpu = 0; gpu < plans.size(); ++gpu) {
        const auto& seats = plans[gpu].grid.seats;
        const bool holds = std::any_of(seats.begin(), seats.end(), [&](const Seat& seat) {
          return test_.threads[seat.thread].number == o.holder;
        });
        if (!holds) continue;
        const auto& shareds = plans[gpu].shareds;
        if (std::none_of(shareds.begin(), shareds.end(),
                         [&](const Cell& cell) { return cell.variable->name == o.name.name; }))
          facts_.cannot_run(o.name.position, fmt::format("no thread on its GPU accesses `{}`", o.name.name));
        if (chosen && *chosen != gpu)
          facts_.cannot_run(o.name.position, "its condition names shared memory of several GPUs");
        chosen = gpu;
      }
    }
    return chosen.value_or(0);
  }

  void place_hosts(const Plan& plan) {
    for (const HostCode& code : out_.hosts) {
      std::vector<std::uint32_t> places;
      for (const std::string& name : code.variables) {
        const auto cell = std::find_if(plan.globals.begin(), plan.globals.end(),
                                       [&](const Cell& c) { return c.variable->name == name; });
        places.push_back(cell->place);
      }
      out_.places.push_back(std::move(places));
    }
    for (const Cell& cell : plan.globals) {
      const auto& initial = cell.variable->initial;
      if (std::any_of(initial.begin(), initial.end(),
                      [](const program::InitialValue& value) { return !value.address_of.empty(); }))
        out_.moves = false;
    }
  }

  const program::Program& test_;
  Facts facts_;
  const Observation& observation_;
  HarnessOptions options_;    // without stress, which is for one GPU
  std::vector<Reach> reach_;  // by thread
  std::set<std::string> in_host_;
  System out_;
};

}  // namespace

MemoryShape System::shape(unsigned blocks) const {
  return {blocks, front().instances, front().variables, front().stride, moves};
}

bool is_system(const program::Program& test) {
  if (test.kernels.stated) return false;
  std::set<int> gpus;
  bool host = false;
  for (const program::Thread& thread : test.threads) {
    if (thread.placement.host) {
      host = true;
    } else {
      gpus.insert(thread.placement.gpu);
    }
  }
  return host || gpus.size() > 1;
}

System write_system(const program::Program& test, const Observation& observation,
                    const HarnessOptions& options) {
  return SystemWriter(test, observation, options).run();
}

std::string print(const System& system) {
  std::string out;
  for (std::size_t gpu = 0; gpu < system.gpus.size(); ++gpu)
    out += fmt::format("{}// ---- GPU {} ----\n{}", gpu == 0 ? "" : "\n", gpu, system.gpus[gpu].ptx);
  for (const HostCode& host : system.hosts)
    out += fmt::format("\n// P{} is a thread of the host\n", host.thread);
  return out;
}

}  // namespace ptxmc::gpu
