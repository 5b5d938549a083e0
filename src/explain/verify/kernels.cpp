// SPDX-License-Identifier: Apache-2.0
#include "explain/verify/kernels.h"

#include <algorithm>
#include <set>
#include <string>

#include "finding/rules.h"

namespace ptxmc::explain {

namespace {

/// The later one depends on the earlier one, directly or not, and may start before it is over.
bool starts_early(const program::Kernels& kernels, const std::string& earlier, const std::string& later) {
  std::set<std::string> reached{later};
  bool early = false;
  for (std::size_t known = 0; known != reached.size();) {
    known = reached.size();
    for (const program::Kernel& kernel : kernels.kernels) {
      if (!reached.contains(kernel.name)) continue;
      reached.insert(kernel.after.begin(), kernel.after.end());
      reached.insert(kernel.programmatic.begin(), kernel.programmatic.end());
      early = early || (!kernel.programmatic.empty() && kernel.name != earlier);
    }
  }
  return early && reached.contains(earlier);
}

}  // namespace

const program::Kernel* kernel_of(const claim::VerifyResult& of, trace::Thread thread) {
  const int number = of.run->thread(thread).number;
  for (const program::Kernel& kernel : of.program->kernels.kernels) {
    if (std::find(kernel.threads.begin(), kernel.threads.end(), number) != kernel.threads.end())
      return &kernel;
  }
  return nullptr;
}

bool are_of_two_kernels(const claim::VerifyResult& of, const trace::Finding& finding) {
  return kernel_of(of, finding.first.thread) != kernel_of(of, finding.second.thread);
}

std::optional<RunWords> between_kernels(const claim::VerifyResult& of, const trace::Finding& finding) {
  if (!finding::is_race(finding.rule) || finding.cause.missing != trace::Missing::synchronization)
    return std::nullopt;
  const program::Kernel *first = kernel_of(of, finding.first.thread),
                        *second = kernel_of(of, finding.second.thread);
  if (first == nullptr || second == nullptr || first == second) return std::nullopt;
  const program::Kernels& kernels = of.program->kernels;
  if (starts_early(kernels, first->name, second->name))
    return RunWords{
        "the second kernel may start before the first is over, and nothing orders them",
        "add cudaGridDependencySynchronize() before the second access, and in each kernel between the two (PTX: griddepcontrol.wait)",
        "9.7.12.13"};
  return RunWords{"the two kernels may run at the same time, and nothing orders them",
                  "run one kernel after the other: in one stream, or after an event (cudaStreamWaitEvent)",
                  "8.9.4"};
}

}  // namespace ptxmc::explain
