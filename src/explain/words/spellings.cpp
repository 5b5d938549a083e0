// SPDX-License-Identifier: Apache-2.0
// Sources: the reference of libcu++ (cuda::ptx) and of the CUDA runtime; headers of CUTLASS: arch/barrier.h,
// arch/grid_dependency_control.h, arch/reg_reconfig.h, cute/arch/copy_sm80.hpp, copy_sm90_tma.hpp, copy_sm90_desc.hpp, mma_sm90_gmma.hpp,
// cluster_sm90.hpp, tmem_allocator_sm100.hpp.
#include "explain/words/spellings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace ptxmc::explain {

namespace {

// clang-format off
constexpr std::array kSpellings = {
    Spelling{"bar.sync", "__syncthreads()", ""},
    Spelling{"bar.warp.sync", "__syncwarp()", ""},
    Spelling{"barrier.cluster", "cluster.sync()", "cute::cluster_sync()"},
    Spelling{"cp.async.bulk.commit_group", "cuda::ptx::cp_async_bulk_commit_group()", "cute::tma_store_arrive()"},
    Spelling{"cp.async.bulk.wait_group.read", "cuda::ptx::cp_async_bulk_wait_group_read(cuda::ptx::n32_t<N>{})", "cute::tma_store_wait<N>()"},
    Spelling{"cp.async.bulk.wait_group", "cuda::ptx::cp_async_bulk_wait_group(cuda::ptx::n32_t<N>{})", ""},
    Spelling{"cp.async.commit_group", "__pipeline_commit()", "cute::cp_async_fence()"},
    Spelling{"cp.async.mbarrier.arrive", "", "cutlass::arch::cpasync_barrier_arrive(&bar)"},
    Spelling{"cp.async.wait_group", "__pipeline_wait_prior(N)", "cute::cp_async_wait<N>()"},
    Spelling{"fence.mbarrier_init", "cuda::ptx::fence_mbarrier_init(cuda::ptx::sem_release, cuda::ptx::scope_cluster)", "cutlass::arch::fence_barrier_init()"},
    Spelling{"fence.proxy.async", "cuda::ptx::fence_proxy_async()", "cutlass::arch::fence_view_async_shared()"},
    Spelling{"fence.proxy.tensormap", "cuda::ptx::fence_proxy_tensormap_generic(...)", "cute::tma_descriptor_fence_acquire(...)"},
    Spelling{"fence.sc", "__threadfence()", ""},
    Spelling{"griddepcontrol.launch_dependents", "cudaTriggerProgrammaticLaunchCompletion()", "cutlass::arch::launch_dependent_grids()"},
    Spelling{"griddepcontrol.wait", "cudaGridDependencySynchronize()", "cutlass::arch::wait_on_dependent_grids()"},
    Spelling{"mbarrier.init", "cuda::ptx::mbarrier_init(&bar, count)", "cutlass::arch::ClusterBarrier::init(&bar, count)"},
    Spelling{"tcgen05.alloc", "cuda::ptx::tcgen05_alloc(...)", "cute::TMEM::Allocator1Sm::allocate(...)"},
    Spelling{"tcgen05.commit", "cuda::ptx::tcgen05_commit(...)", "cutlass::arch::umma_arrive(&bar)"},
    Spelling{"tcgen05.dealloc", "cuda::ptx::tcgen05_dealloc(...)", "cute::TMEM::Allocator1Sm::free(...)"},
    Spelling{"tcgen05.fence::after_thread_sync", "cuda::ptx::tcgen05_fence_after_thread_sync()", ""},
    Spelling{"tcgen05.fence::before_thread_sync", "cuda::ptx::tcgen05_fence_before_thread_sync()", ""},
    Spelling{"tcgen05.wait::ld", "cuda::ptx::tcgen05_wait_ld()", "cutlass::arch::fence_view_async_tmem_load()"},
    Spelling{"tcgen05.wait::st", "cuda::ptx::tcgen05_wait_st()", "cutlass::arch::fence_view_async_tmem_store()"},
    Spelling{"wgmma.commit_group", "", "cute::warpgroup_commit_batch()"},
    Spelling{"wgmma.fence", "", "cute::warpgroup_arrive()"},
    Spelling{"wgmma.wait_group", "", "cute::warpgroup_wait<N>()"},
};
// clang-format on

bool continues_a_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/// The name of what is called.
std::string_view callee(std::string_view call) {
  return call.substr(0, call.find_first_of("<("));
}

}  // namespace

std::span<const Spelling> spellings() {
  return kSpellings;
}

Calls calls_for(std::string_view text) {
  Calls out;
  const auto add = [&](std::string_view call, std::vector<std::string>& calls) {
    if (call.empty() || text.find(callee(call)) != std::string_view::npos) return;
    if (std::find(calls.begin(), calls.end(), call) == calls.end()) calls.emplace_back(call);
  };
  for (std::size_t at = 0; at < text.size();) {
    const auto named = std::find_if(kSpellings.begin(), kSpellings.end(), [&](const Spelling& one) {
      const std::size_t end = at + one.ptx.size();
      return text.substr(at).starts_with(one.ptx) && (end == text.size() || !continues_a_name(text[end]));
    });
    if (named == kSpellings.end()) {
      ++at;
      continue;
    }
    add(named->cuda, out.cuda);
    add(named->cutlass, out.cutlass);
    at += named->ptx.size();
  }
  return out;
}

Calls calls_for(const std::vector<std::string>& advice) {
  return calls_for(fmt::format("{}", fmt::join(advice, "; ")));
}

}  // namespace ptxmc::explain
