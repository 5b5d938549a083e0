// SPDX-License-Identifier: Apache-2.0
#include "kernel/left_out.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace ptxmc::kernel {

namespace {

/// Some two kernels may run at one time, or the host decides when they run.
bool may_overlap(const program::Kernels& kernels) {
  if (!kernels.stated) return false;
  if (!kernels.calls.empty() || !kernels.graphs.empty()) return true;
  std::map<std::string, std::set<std::string>> before;  // the kernels that each waits for, directly or not
  for (std::size_t round = 0; round < kernels.kernels.size(); ++round) {
    for (const program::Kernel& kernel : kernels.kernels) {
      std::set<std::string>& mine = before[kernel.name];
      for (const std::string& name : kernel.after) {
        mine.insert(name);
        const std::set<std::string> theirs = before[name];
        mine.insert(theirs.begin(), theirs.end());
      }
    }
  }
  for (const program::Kernel& a : kernels.kernels) {
    for (const program::Kernel& b : kernels.kernels) {
      if (&a != &b && !before[a.name].contains(b.name) && !before[b.name].contains(a.name)) return true;
    }
  }
  return false;
}

bool shares_clusters(const program::Program& program) {
  std::map<std::pair<int, int>, std::set<int>> ctas;
  for (const program::Thread& thread : program.threads) {
    const program::Placement& at = thread.placement;
    if (!at.cluster) continue;
    std::set<int>& of = ctas[{at.gpu, *at.cluster}];
    of.insert(at.cta.value_or(-1 - thread.number));
    if (of.size() > 1) return true;
  }
  return false;
}

}  // namespace

std::vector<std::string> left_out(const program::Program& program) {
  std::vector<std::string> out;
  if (may_overlap(program.kernels)) out.emplace_back("kernels that may overlap ran one after the other");
  if (std::any_of(program.variables.begin(), program.variables.end(),
                  [](const program::Variable& variable) { return !variable.aliases.empty(); }))
    out.emplace_back("accesses through different names of one location were not told apart");
  if (shares_clusters(program))
    out.emplace_back(
        "uses of a CTA's shared memory by the others of its cluster after its exit were not looked for");
  return out;
}

}  // namespace ptxmc::kernel
