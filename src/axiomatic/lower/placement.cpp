// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/lower/placement.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace ptxmc::lower {
namespace {

using event::ThreadInfo;
using program::Placement;
using program::Thread;

/// A number that is per GPU and, where the program states kernels, per grid: kernel (-1: none), gpu, number.
using PerGrid = std::tuple<int, int, int>;

class Placer {
 public:
  Placer(const program::Kernels& kernels, const Errors& errors) : errors_(errors) {
    for (std::size_t k = 0; k < kernels.kernels.size(); ++k) {
      for (const int thread : kernels.kernels[k].threads)
        kernel_of_.emplace(thread, static_cast<std::uint32_t>(k));
    }
  }

  /// First pass: which cluster each numbered CTA is in.
  void survey(const Thread& thread) {
    const Placement& p = thread.placement;
    check(thread);
    if (!p.cta || !p.cluster) return;
    const auto [place, fresh] = cluster_of_cta_.try_emplace({grid(thread), p.gpu, *p.cta}, *p.cluster);
    if (!fresh && place->second != *p.cluster) {
      errors_.fail(thread.position, "cta " + std::to_string(*p.cta) + " of gpu " + std::to_string(p.gpu) +
                                        " is in cluster " + std::to_string(place->second) +
                                        " and in cluster " + std::to_string(*p.cluster));
    }
  }

  ThreadInfo place(const Thread& thread) {
    const Placement& p = thread.placement;
    ThreadInfo info;
    info.number = thread.number;
    info.host = p.host;
    info.gpu = p.host ? -1 : p.gpu;
    info.warp = p.warp;
    if (const auto kernel = kernel_of_.find(thread.number); kernel != kernel_of_.end())
      info.kernel = kernel->second;
    if (!p.cta) {
      info.cta = next_cta_++;
      info.cluster =
          p.cluster ? numbered(clusters_, {grid(thread), p.gpu, *p.cluster}, next_cluster_) : next_cluster_++;
      return info;
    }
    const PerGrid cta{grid(thread), p.gpu, *p.cta};
    const bool fresh = !ctas_.contains(cta);
    info.cta = numbered(ctas_, cta, next_cta_);
    if (fresh) {
      const auto stated = cluster_of_cta_.find(cta);
      cluster_instance_[info.cta] =
          stated != cluster_of_cta_.end()
              ? numbered(clusters_, {grid(thread), p.gpu, stated->second}, next_cluster_)
              : next_cluster_++;
    }
    info.cluster = cluster_instance_.at(info.cta);
    return info;
  }

 private:
  int grid(const Thread& thread) const {
    const auto kernel = kernel_of_.find(thread.number);
    return kernel == kernel_of_.end() ? -1 : static_cast<int>(kernel->second);
  }

  void check(const Thread& thread) {
    const Placement& p = thread.placement;
    if (!numbers_.insert(thread.number).second) {
      errors_.fail(thread.position, "two threads are named P" + std::to_string(thread.number));
    }
    if (p.lane && !p.warp) {
      errors_.fail(thread.position, "P" + std::to_string(thread.number) + " names a lane, but no warp");
    }
    if (p.host && (p.cta || p.cluster || p.warp || p.gpu != 0)) {
      errors_.fail(thread.position,
                   "host thread P" + std::to_string(thread.number) + " has a place on a gpu");
    }
  }

  static std::uint32_t numbered(std::map<PerGrid, std::uint32_t>& known, PerGrid key, std::uint32_t& next) {
    const auto [place, fresh] = known.try_emplace(key, next);
    if (fresh) ++next;
    return place->second;
  }

  const Errors& errors_;
  std::map<int, std::uint32_t> kernel_of_;  // by thread number
  std::set<int> numbers_;
  std::map<PerGrid, int> cluster_of_cta_;
  std::map<PerGrid, std::uint32_t> ctas_, clusters_;
  std::map<std::uint32_t, std::uint32_t> cluster_instance_;  // by CTA instance
  std::uint32_t next_cta_ = 0, next_cluster_ = 0;
};

/// A warp is lanes when several threads share it, or name their lanes.
void number_lanes(const std::vector<Thread>& threads, std::vector<ThreadInfo>& infos, const Errors& errors) {
  std::map<std::pair<std::uint32_t, int>, std::vector<std::size_t>> warps;  // by CTA and number
  for (std::size_t t = 0; t < infos.size(); ++t) {
    if (infos[t].warp) warps[{infos[t].cta, *infos[t].warp}].push_back(t);
  }
  for (const auto& [place, members] : warps) {
    if (members.size() == 1 && !threads[members.front()].placement.lane) continue;
    std::uint32_t taken = 0;
    for (const std::size_t t : members) {
      const auto lane = threads[t].placement.lane;
      if (!lane) continue;
      infos[t].lanes = std::uint32_t{1} << *lane;
      if ((taken & infos[t].lanes) != 0)
        errors.fail(threads[t].position, "two threads are lane " + std::to_string(*lane) + " of one warp");
      taken |= infos[t].lanes;
    }
    for (const std::size_t t : members) {
      if (threads[t].placement.lane) continue;
      if (~taken == 0) errors.fail(threads[t].position, "more than 32 threads in one warp");
      infos[t].lanes = ~taken & (taken + 1);  // the lowest that is free
      taken |= infos[t].lanes;
    }
  }
}

}  // namespace

std::vector<ThreadInfo> place_threads(const program::Program& program, const Errors& errors) {
  Placer placer(program.kernels, errors);
  for (const Thread& thread : program.threads) placer.survey(thread);
  std::vector<ThreadInfo> result;
  for (const Thread& thread : program.threads) result.push_back(placer.place(thread));
  number_lanes(program.threads, result, errors);
  return result;
}

}  // namespace ptxmc::lower
