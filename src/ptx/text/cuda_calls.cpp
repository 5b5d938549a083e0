// SPDX-License-Identifier: Apache-2.0
#include "ptx/text/cuda_calls.h"

#include <fmt/format.h>

namespace ptxmc::ptx {

namespace {

struct CudaCall {
  std::string_view cuda, ptx;
};

// What nvcc makes of them (CUDA programming guide, "Synchronization functions", "Memory fence functions", "Atomic functions").
constexpr CudaCall kCudaCalls[] = {
    {"__syncthreads", "bar.sync 0"},
    {"__syncwarp", "bar.warp.sync 0xffffffff"},
    {"__threadfence", "fence.acq_rel.gpu, or fence.sc.gpu where that is meant"},
    {"__threadfence_block", "fence.acq_rel.cta, or fence.sc.cta where that is meant"},
    {"__threadfence_system", "fence.acq_rel.sys, or fence.sc.sys where that is meant"},
    {"__nanosleep", "nanosleep.u32"},
    {"atomicAdd", "atom.relaxed.gpu.add.u32"},
    {"atomicSub", "atom.relaxed.gpu.add.s32 of the negative"},
    {"atomicExch", "atom.relaxed.gpu.exch.b32"},
    {"atomicCAS", "atom.relaxed.gpu.cas.b32"},
    {"atomicMin", "atom.relaxed.gpu.min.u32"},
    {"atomicMax", "atom.relaxed.gpu.max.u32"},
    {"atomicAnd", "atom.relaxed.gpu.and.b32"},
    {"atomicOr", "atom.relaxed.gpu.or.b32"},
    {"atomicXor", "atom.relaxed.gpu.xor.b32"},
    {"atomicInc", "atom.relaxed.gpu.inc.u32"},
    {"atomicDec", "atom.relaxed.gpu.dec.u32"},
};

}  // namespace

std::string said_of_call(std::string_view name) {
  for (const CudaCall& row : kCudaCalls)
    if (row.cuda == name) return fmt::format("`{}` is CUDA; in PTX write `{}`", name, row.ptx);
  return "";
}

}  // namespace ptxmc::ptx
