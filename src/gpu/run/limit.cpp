// SPDX-License-Identifier: Apache-2.0
#include "gpu/run/limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "gpu/text/module.h"
#include "gpu/text/text.h"

namespace ptxmc::gpu {

namespace {

constexpr std::uint32_t kFirstTrafficRounds = 64, kMostTrafficRounds = 1U << 20;
constexpr double kTrafficSeconds = 0.02;

using Clock = std::chrono::steady_clock;

bool loads(Traffic traffic, unsigned access) {
  return traffic == Traffic::loads || (traffic == Traffic::both && access % 2 == 0);
}

}  // namespace

std::string write_limit_kernel(const LimitKernel& kernel) {
  Text t;
  const std::string memory = t.wide("memory"), rounds = t.word("rounds"), sink = t.wide("sink"),
                    place = t.word("place"), step = t.word("step"), w = t.word("w"), p = t.truth("p"),
                    at = t.wide("at"), sum = t.word("sum");
  t("ld.param.u64 {}, [ptxmc_memory];", memory);
  t("ld.param.u32 {}, [ptxmc_rounds];", rounds);
  t("ld.param.u64 {}, [ptxmc_sink];", sink);
  for (const std::string& address : {memory, sink}) t("cvta.to.global.u64 {0}, {0};", address);
  t("mov.u32 {}, %ctaid.x;", w);
  t("mov.u32 {}, %tid.x;", place);
  t("mad.lo.u32 {0}, {1}, {2}, {0};", place, w, kLimitThreads);
  t("mov.u32 {}, %nctaid.x;", step);
  t("mul.lo.u32 {0}, {0}, {1};", step, kLimitThreads);
  t("mov.u32 {}, 0x5bd1e995;", sum);
  t.label("ptxmc_round");
  for (unsigned i = 0; i < kLimitUnroll; ++i) {
    t("and.b32 {}, {}, {};", w, place, kLimitWords - 1);
    t("mul.wide.u32 {}, {}, {};", at, w, kernel.stride);
    t("add.u64 {0}, {0}, {1};", at, memory);
    if (loads(kernel.traffic, i)) {
      t("ld.relaxed.gpu.global.u32 {}, [{}];", t.word(fmt::format("v{}", i)), at);
    } else {
      t("st.relaxed.gpu.global.u32 [{}], {};", at, rounds);
    }
    t("add.u32 {0}, {0}, {1};", place, step);
  }
  for (unsigned i = 0; i < kLimitUnroll; ++i) {
    if (loads(kernel.traffic, i)) t("xor.b32 {0}, {0}, {1};", sum, t.word(fmt::format("v{}", i)));
  }
  t("sub.u32 {0}, {0}, 1;", rounds);
  t("setp.ne.u32 {}, {}, 0;", p, rounds);
  t("@{} bra ptxmc_round;", p);
  t("setp.eq.u32 {}, {}, 0;", p, sum);  // what was loaded is used
  t("@{} st.global.u32 [{}], {};", p, sink, sum);
  return module_head({62, 70, false}) +
         fmt::format(
             "\n.visible .entry {}(\n    .param .u64 ptxmc_memory,\n    .param .u32 ptxmc_rounds,\n"
             "    .param .u64 ptxmc_sink)\n    .reqntid {}, 1, 1\n{{\n",
             kLimitEntry, kLimitThreads) +
         t.declarations() + t.body() + "  ret;\n}\n";
}

std::vector<LimitRate> measure_limit(const Device& device, const std::vector<LimitKernel>& kernels,
                                     double seconds, double patience) {
  std::vector<LimitRate> out;
  const DeviceMemory sink(device.driver(), sizeof(std::uint64_t));
  for (const LimitKernel& one : kernels) {
    const Kernel kernel(device.driver(), write_limit_kernel(one), kLimitEntry);
    const DeviceMemory memory(device.driver(), std::size_t{kLimitWords} * one.stride);
    memory.fill(0);
    LaunchShape shape;
    shape.threads = kLimitThreads;
    shape.cooperative = false;
    shape.ctas = kernel.resident_ctas(shape, device.info().multiprocessors);
    LimitRate rate{one, 0, 0};
    double accesses = 0;
    std::uint32_t rounds = kFirstTrafficRounds;
    for (unsigned launches = 0; launches < 3 || rate.seconds < seconds; ++launches) {
      abi::Pointer memory_at = memory.address(), sink_at = sink.address();
      const auto begin = Clock::now();
      kernel.launch(shape, {&memory_at, &rounds, &sink_at});
      if (!device.finished_within(patience))
        throw DriverError(fmt::format("a launch of {} did not end within {:g} s", kLimitEntry, patience));
      const double took = std::chrono::duration<double>(Clock::now() - begin).count();
      if (launches >= 2) {  // the first ones tell how long a round takes
        rate.seconds += took;
        accesses += static_cast<double>(shape.ctas) * kLimitThreads * kLimitUnroll * rounds;
      } else {
        const double wanted = rounds * kTrafficSeconds / std::max(took, 1e-6);
        rounds = static_cast<std::uint32_t>(std::clamp(wanted, 1.0, static_cast<double>(kMostTrafficRounds)));
      }
    }
    rate.per_second = accesses / rate.seconds;
    out.push_back(rate);
  }
  return out;
}

}  // namespace ptxmc::gpu
