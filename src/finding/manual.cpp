// SPDX-License-Identifier: Apache-2.0
#include "finding/manual.h"

#include <algorithm>
#include <iterator>

namespace ptxmc::finding {

namespace {

constexpr const char* kManual = "https://docs.nvidia.com/cuda/parallel-thread-execution/";

struct Anchor {
  std::string_view section, name;
};

constexpr Anchor kAnchors[] = {
    {"2.2.2", "cluster-of-cooperative-thread-arrays"},
    {"5.1.3", "constant-state-space"},
    {"5.1.7", "shared-state-space"},
    {"5.4.5", "alignment"},
    {"6.4.1", "addresses-as-operands"},
    {"6.4.1.1", "generic-addressing"},
    {"8.2", "memory-operations"},
    {"8.2.6", "initialization"},
    {"8.5", "scope"},
    {"8.6", "proxies"},
    {"8.7.1", "conflict-and-data-races"},
    {"8.7.2", "mixed-size-limitations"},
    {"8.8", "release-acquire-patterns"},
    {"8.9.6", "coherence-order"},
    {"9.7", "instructions"},
    {"9.7.8.6", "data-movement-and-conversion-instructions-shfl-sync"},
    {"9.7.8.24.6", "data-movement-and-conversion-instructions-cp-async-bulk"},
    {"9.7.8.24.9", "data-movement-and-conversion-instructions-cp-async-bulk-tensor"},
    {"9.7.12.1", "parallel-synchronization-and-communication-instructions-bar"},
    {"9.7.12.2", "parallel-synchronization-and-communication-instructions-bar-warp-sync"},
    {"9.7.12.4", "parallel-synchronization-and-communication-instructions-membar"},
    {"9.7.12.13", "parallel-synchronization-and-communication-instructions-griddepcontrol"},
    {"9.7.12.15", "parallel-synchronization-and-communication-instructions-mbarrier"},
    {"9.7.12.15.4", "parallel-synchronization-and-communication-instructions-mbarrier-phase"},
    {"9.7.12.15.10", "parallel-synchronization-and-communication-instructions-mbarrier-inval"},
    {"9.7.12.15.13", "parallel-synchronization-and-communication-instructions-mbarrier-arrive"},
    {"9.7.12.15.16", "parallel-synchronization-and-communication-instructions-mbarrier-test-wait-try-wait"},
    {"9.7.13.5.1", "warp-level-sparse-matrix-storage"},
    {"9.7.14.7.1", "asynchronous-warpgroup-level-matrix-instructions-wgmma-fence"},
    {"9.7.14.7.3", "asynchronous-warpgroup-level-matrix-instructions-wgmma-wait-group"},
    {"9.7.16.1", "tensor-memory"},
    {"9.7.16.1.2", "tensor-memory-allocation"},
    {"9.7.16.6.2", "tcgen05-memory-consistency-model-pipelined-instructions"},
    {"9.7.16.6.3", "tcgen05-memory-consistency-model-inter-thread-sync"},
    {"9.7.16.7.1", "tcgen05-instructions-tcgen05-alloc-dealloc-relinquish-alloc-permit"},
    {"9.7.16.8.1", "tcgen05-tensor-memory-ld-st-access-restrictions"},
    {"9.7.17.4", "miscellaneous-instructions-trap"},
    {"9.7.17.5", "miscellaneous-instructions-setmaxnreg"},
};

/// Chapter 9.7 has had other numbers in each edition. In all others an edition only adds sections.
constexpr std::string_view kNewest = "9.4", kOfInstructions = "8.4", kOfTensorCores = "8.7";
constexpr std::string_view kInstructions = "9.7.", kTensorCores = "9.7.16";

}  // namespace

std::string citation(std::string_view sections) {
  std::string_view edition = kNewest;
  for (std::size_t at = 0; (at = sections.find(kInstructions, at)) != std::string_view::npos; ++at) {
    const bool cores = sections.substr(at).starts_with(kTensorCores);
    if (edition != kOfInstructions) edition = cores ? kOfTensorCores : kOfInstructions;
  }
  return std::string("PTX ISA ").append(edition).append(", ").append(sections);
}

std::string manual_url(std::string_view section) {
  const auto* row = std::find_if(std::begin(kAnchors), std::end(kAnchors),
                                 [&](const Anchor& one) { return one.section == section; });
  std::string out = kManual;
  if (row == std::end(kAnchors)) return out;
  out += '#';
  return out.append(row->name);
}

}  // namespace ptxmc::finding
