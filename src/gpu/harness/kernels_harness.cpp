// SPDX-License-Identifier: Apache-2.0
#include "gpu/harness/kernels_harness.h"

#include <fmt/format.h>

#include <algorithm>

#include "gpu/harness/kernels_entry.h"
#include "gpu/harness/plan_memory.h"
#include "gpu/text/module.h"
#include "support/check.h"

namespace ptxmc::gpu {

namespace {

/// A thread an instance, wherever the kernels run it.
Plan evaluation_plan(const Plan& kernel) {
  Plan plan;
  plan.instances = kernel.instances;
  plan.threads = kEvaluationThreads;
  plan.globals = kernel.globals;
  plan.stride = kernel.stride;
  plan.rows = kernel.rows;
  plan.aliases = kernel.aliases;
  plan.mappings = kernel.mappings;
  plan.window_bytes = kernel.window_bytes;
  plan.maps = kernel.maps;
  plan.units.emplace_back();
  return plan;
}

std::string summary(const program::Program& test, const Observation& observation,
                    const KernelsHarness& harness) {
  return fmt::format("// {}: {} instances a block, {} values of {} bits\n", test.name, harness.instances,
                     observation.names().size(), harness.bits);
}

std::string host_comment(const HostProgram& host, const program::Program& test) {
  std::string text = "// The host creates, and calls in each round:\n";
  for (const std::string& line : print(host, test)) text += "//   " + line + "\n";
  return text;
}

}  // namespace

std::size_t KernelsHarness::memory_bytes(unsigned blocks) const {
  return std::max<std::size_t>(16, std::size_t{variables} * blocks * instances * stride);
}

std::size_t KernelsHarness::result_bytes(unsigned blocks) const {
  return std::size_t{result_rows} * blocks * instances * kWordBytes;
}

unsigned KernelsHarness::evaluation_ctas(unsigned blocks) const {
  return (blocks * instances + evaluation.threads - 1) / evaluation.threads;
}

unsigned KernelsHarness::least_blocks() const {
  unsigned least = 1;
  for (const KernelEntry& kernel : kernels) least = std::max(least, kernel.least_blocks());
  return least;
}

namespace {

/// A release fence before launch_dependents orders what stands before it with the start of the dependent grid (launch-dependents-edge, PTX
/// ISA 9.4). A CTA has launched as soon as one of its threads has, and here it plays several instances.
void refuse_released_starts(const program::Program& test, const Facts& facts) {
  const auto releases = [](const program::Instruction& i) {
    return i.opcode == isa::Opcode::fence && i.modifiers.semantics != isa::Semantics::acquire;
  };
  for (const program::Kernel& kernel : test.kernels.kernels) {
    const program::Instruction *launch = nullptr, *fence = nullptr;
    for (const program::Thread& thread : test.threads) {
      if (std::find(kernel.threads.begin(), kernel.threads.end(), thread.number) == kernel.threads.end())
        continue;
      for (const program::Instruction& i : thread.code()) {
        if (i.opcode == isa::Opcode::griddep_launch) launch = &i;
        if (releases(i)) fence = &i;
      }
    }
    if (launch != nullptr && fence != nullptr)
      facts.cannot_run(
          launch->position,
          "a fence of its kernel releases to the start of the dependent grid, and one thread launches for all "
          "instances of its CTA");
  }
}

/// The host threads' code, and whether they have loops.
bool add_hosts(const program::Program& test, const Facts& facts, const Observation& observation,
               const Plan& plan, KernelsHarness& out) {
  bool loops = false;
  for (const program::Thread& thread : test.threads) {
    if (!thread.placement.host) continue;
    if (!plan.aliases.empty() || !plan.maps.empty())
      facts.cannot_run(thread.position,
                       "it has a host thread beside memory of several names, or tensor maps");
    HostThread host;
    for (std::uint32_t k = 0; k < test.kernels.kernels.size(); ++k) {
      if (out.host.functions[k] && test.kernels.kernels[k].threads.front() == thread.number)
        host.function = k;
    }
    host.code = compile_host(facts, thread, observation);
    for (const std::string& name : host.code.variables) {
      const auto cell = std::find_if(plan.globals.begin(), plan.globals.end(),
                                     [&](const Cell& c) { return c.variable->name == name; });
      PTXMC_CHECK(cell != plan.globals.end(), "a global variable without a place");
      host.places.push_back(cell->place);
    }
    loops = loops || host.code.jumps_back;
    out.hosts.push_back(std::move(host));
  }
  for (const program::Thread& thread : test.threads) {
    out.changes_atomically =
        out.changes_atomically ||
        std::any_of(thread.code().begin(), thread.code().end(), [](const program::Instruction& i) {
          return i.opcode == isa::Opcode::atom || i.opcode == isa::Opcode::red;
        });
  }
  return loops;
}

}  // namespace

KernelsHarness write_kernels_harness(const program::Program& given, const Observation& observation,
                                     const HarnessOptions& wanted) {
  const program::Program test = with_global_maps(given);
  HarnessOptions options = wanted;
  options.stress = {};  // which is the persistent kernel's
  const Facts facts(test, true);
  refuse_released_starts(test, facts);
  KernelsHarness out;
  out.host = plan_host(facts);
  const std::vector<Plan> plans = plan_kernels(facts, options);
  std::vector<const Plan*> by_kernel(test.kernels.kernels.size(), nullptr);  // null: a host function
  for (const Plan& plan : plans) by_kernel.at(plan.grid.kernel.value()) = &plan;
  std::string entries;
  bool loops = add_hosts(test, facts, observation, plans.front(), out);
  unsigned shared = 0;
  for (std::uint32_t k = 0; k < by_kernel.size(); ++k) {
    out.kernels.emplace_back();
    if (by_kernel[k] == nullptr) continue;
    const Plan& plan = *by_kernel[k];
    EntryWriter writer(test, observation, options, plan);
    writer.check();
    writer.check_condition();
    entries += writer.kernel(test.kernels.kernels[k], k, out.host, by_kernel);
    out.target = both(out.target, writer.target());
    loops = loops || writer.loops();
    shared = std::max(shared, plan.shared_total());
    out.kernels.back() = {entry_name(k), plan.threads, plan.grid.cluster, plan.parts, plan.dedicated};
  }
  EntryWriter evaluation(test, observation, options, evaluation_plan(plans.front()));
  entries += evaluation.evaluation(loops);
  out.target = both(out.target, evaluation.target());
  out.evaluation = {"ptxmc_evaluation", kEvaluationThreads, 1, 1, false};
  out.instances = plans.front().instances;
  out.variables = static_cast<unsigned>(plans.front().globals.size());
  out.stride = plans.front().stride;
  out.result_rows = evaluation.result_rows();
  out.bits = evaluation.key_bits();
  evaluation.describe(out.layout);
  out.fuel = options.fuel;
  out.moves = evaluation.moves();
  out.ptx = module_head(out.target) + summary(test, observation, out) + host_comment(out.host, test) +
            evaluation.declarations(shared) + entries;
  return out;
}

}  // namespace ptxmc::gpu
