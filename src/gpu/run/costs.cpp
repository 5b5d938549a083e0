// SPDX-License-Identifier: Apache-2.0
#include "gpu/run/costs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "gpu/text/module.h"

namespace ptxmc::gpu {

namespace {

using Turn = std::vector<std::string>;
using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kFirstRounds = 256, kMostRounds = 1U << 24;
constexpr unsigned kUnroll = 16;         // turns of a round
constexpr unsigned kWarpgroup = 128;     // 9.7.14: threads that execute a wgmma instruction together
constexpr double kLaunchSeconds = 0.02;  // of one launch, so that its own time is small beside it
constexpr std::size_t kBytes = 256;
constexpr isa::Target kBase{60, 70, false};
constexpr isa::Target kCluster{78, 90, false};
constexpr isa::Target kBulk{80, 90, false};
constexpr isa::Target kOneSided{86, 90, false};
constexpr isa::Target kWgmma{80, 90, true};
constexpr isa::Target kTensor{86, 100, true};
constexpr std::string_view kScopes[] = {"cta", "cluster", "gpu", "sys"};

const isa::Target& of_scope(std::string_view scope) {
  return scope == "cluster" ? kCluster : kBase;
}

/// The address of the next access is this one's result, which is 0.
Turn needed(const std::string& load) {
  return {load, "cvt.u64.u32 %w, %v;", "add.u64 %at, %at, %w;"};
}

Turn nothing_loaded() {
  return needed("mov.u32 %v, 0;");
}

Turn stored(const std::string& then) {
  return {"st.global.u32 [%at], 0;", then};
}

void accesses(std::vector<CostRow>& rows) {
  const auto load = [&](const std::string& name, const isa::Target& target) {
    rows.push_back({name, needed(name + ".global.u32 %v, [%at];"), nothing_loaded(), target});
  };
  const auto store = [&](const std::string& name, const isa::Target& target) {
    rows.push_back({name, {name + ".global.u32 [%at], 0;"}, {}, target});
  };
  load("ld", kBase);
  load("ld.volatile", kBase);
  store("st", kBase);
  store("st.volatile", kBase);
  for (const std::string_view scope : kScopes) {
    const isa::Target& target = of_scope(scope);
    for (const char* order : {"relaxed", "acquire"}) load(fmt::format("ld.{}.{}", order, scope), target);
    for (const char* order : {"relaxed", "release"}) {
      store(fmt::format("st.{}.{}", order, scope), target);
      const std::string red = fmt::format("red.{}.{}", order, scope);
      rows.push_back({red, {red + ".global.add.u32 [%at], 0;"}, {}, target});
    }
    for (const char* order : {"relaxed", "acquire", "release", "acq_rel"}) {
      const std::string atom = fmt::format("atom.{}.{}", order, scope);
      rows.push_back({atom, needed(atom + ".global.add.u32 %v, [%at], 0;"), nothing_loaded(), target});
    }
  }
}

void fences(std::vector<CostRow>& rows) {
  const auto fence = [&](const std::string& name, const isa::Target& target) {
    rows.push_back({name, stored(name + ";"), {"st.global.u32 [%at], 0;"}, target});
  };
  for (const std::string_view scope : kScopes) {
    for (const char* order : {"acq_rel", "sc"})
      fence(fmt::format("fence.{}.{}", order, scope), of_scope(scope));
    for (const char* order : {"acquire", "release"})
      fence(fmt::format("fence.{}.{}", order, scope), kOneSided);
  }
  for (const char* level : {"cta", "gl", "sys"}) fence(fmt::format("membar.{}", level), kBase);
  fence("fence.proxy.alias", {75, 70, false});
  for (const char* space : {"", ".global", ".shared::cta", ".shared::cluster"})
    fence(fmt::format("fence.proxy.async{}", space), kBulk);
  fence("fence.mbarrier_init.release.cluster", kBulk);
}

void barriers(std::vector<CostRow>& rows) {
  rows.push_back({"bar.sync", {"bar.sync 0;"}, {}, kBase});
  rows.push_back({"barrier.cta.sync", {"barrier.cta.sync 0;"}, {}, kCluster});
  rows.push_back({"bar.warp.sync", {"bar.warp.sync 0xffffffff;"}, {}, kBase});
  rows.push_back({"barrier.cluster.wait",
                  {"barrier.cluster.arrive.release.aligned;", "barrier.cluster.wait.acquire.aligned;"},
                  {},
                  kBulk});
  for (const char* scope : {"cta", "cluster"}) {
    for (const char* order : {"release", "relaxed"}) {
      const std::string name = fmt::format("mbarrier.arrive.{}.{}", order, scope);
      rows.push_back({name,
                      {name + ".shared::cta.b64 _, [%bar];"},
                      {},
                      order == std::string("relaxed") ? kOneSided : kBulk});
    }
    for (const char* order : {"acquire", "relaxed"}) {  // the phase before the current one has completed
      const std::string name = fmt::format("mbarrier.try_wait.parity.{}.{}", order, scope);
      rows.push_back({name,
                      {name + ".shared::cta.b64 %p, [%bar], 1;"},
                      {},
                      order == std::string("relaxed") ? kOneSided : kBulk});
    }
  }
  rows.push_back({"cp.async.wait_all", {"cp.async.wait_all;"}, {}, {70, 80, false}});
  rows.push_back({"cp.async.wait_group", {"cp.async.wait_group 0;"}, {}, {70, 80, false}});
  rows.push_back({"cp.async.bulk.wait_group", {"cp.async.bulk.wait_group 0;"}, {}, kBulk});
  rows.push_back({"cp.async.bulk.wait_group.read", {"cp.async.bulk.wait_group.read 0;"}, {}, kBulk});
}

/// With nothing under way, as of the other waits: what stands there costs so much where it waits for nothing.
/// A commit stands between a fence and a wait, where ptxas would put some otherwise.
void matrices(std::vector<CostRow>& rows) {
  const std::string fence = "wgmma.fence.sync.aligned;", commit = "wgmma.commit_group.sync.aligned;",
                    wait = "wgmma.wait_group.sync.aligned 0;";
  rows.push_back({"wgmma.fence", {fence}, {}, kWgmma, kWarpgroup});
  rows.push_back({"wgmma.commit_group", {fence, commit, wait}, {fence, wait}, kWgmma, kWarpgroup});
  rows.push_back({"wgmma.wait_group", {wait}, {}, kWgmma, kWarpgroup});
  for (const char* name : {"tcgen05.fence::before_thread_sync", "tcgen05.fence::after_thread_sync",
                           "tcgen05.wait::ld.sync.aligned", "tcgen05.wait::st.sync.aligned"})
    rows.push_back({name, {fmt::format("{};", name)}, {}, kTensor});
}

void groups(std::vector<CostRow>& rows) {
  rows.push_back({"cp.async.commit_group", {"cp.async.commit_group;"}, {}, {70, 80, false}});
  rows.push_back({"cp.async.bulk.commit_group", {"cp.async.bulk.commit_group;"}, {}, kBulk});
  rows.push_back({"griddepcontrol.wait", {"griddepcontrol.wait;"}, {}, kCluster});
}

/// Nanoseconds of a turn, with what a loop takes.
double time_of_turn(const Device& device, const Kernel& kernel, unsigned threads, double seconds,
                    double patience) {
  const DeviceMemory memory(device.driver(), kBytes);
  memory.fill(0);
  LaunchShape shape;
  shape.threads = threads;
  shape.ctas = 1;
  shape.cooperative = false;
  std::uint32_t rounds = kFirstRounds;
  double spent = 0, turns = 0;
  for (unsigned launches = 0; launches < 3 || spent < seconds; ++launches) {
    abi::Pointer memory_at = memory.address();
    const auto begin = Clock::now();
    kernel.launch(shape, {&memory_at, &rounds});
    if (!device.finished_within(patience))
      throw DriverError(fmt::format("a launch of {} did not end within {:g} s", kCostEntry, patience));
    const double took = std::chrono::duration<double>(Clock::now() - begin).count();
    if (launches >= 2) {  // the first ones tell how long a round takes
      spent += took;
      turns += static_cast<double>(rounds) * kUnroll;
    } else {
      const double wanted = rounds * kLaunchSeconds / std::max(took, 1e-6);
      rounds = static_cast<std::uint32_t>(std::clamp(wanted, 1.0, static_cast<double>(kMostRounds)));
    }
  }
  return spent / turns * 1e9;
}

}  // namespace

std::vector<CostRow> cost_rows() {
  std::vector<CostRow> rows;
  accesses(rows);
  fences(rows);
  barriers(rows);
  groups(rows);
  matrices(rows);
  return rows;
}

std::string write_cost_kernel(const isa::Target& target, const std::vector<std::string>& turn,
                              unsigned threads) {
  std::string out = module_head(target);
  out += fmt::format(
      "\n.visible .entry {}(\n    .param .u64 ptxmc_memory,\n    .param .u32 ptxmc_rounds)\n"
      "    .reqntid {}, 1, 1\n{{\n",
      kCostEntry, threads);
  out +=
      "  .reg .pred %p, %more;\n  .reg .b32 %v, %rounds, %bar, %me;\n  .reg .b64 %at, %w;\n"
      "  .shared .align 8 .b64 ptxmc_bar;\n"
      "  ld.param.u64 %at, [ptxmc_memory];\n  ld.param.u32 %rounds, [ptxmc_rounds];\n"
      "  cvta.to.global.u64 %at, %at;\n  mov.u32 %v, 0;\n  mov.u32 %bar, ptxmc_bar;\n";
  const bool object = std::any_of(turn.begin(), turn.end(), [](const std::string& line) {
    return line.find("%bar") != std::string::npos;
  });
  if (object)  // every lane arrives
    out += fmt::format(
        "  mov.u32 %me, %tid.x;\n  setp.ne.u32 %p, %me, 0;\n  @%p bra ptxmc_ready;\n"
        "  mbarrier.init.shared::cta.b64 [%bar], {};\nptxmc_ready:\n  bar.sync 0;\n",
        threads);
  out += "ptxmc_round:\n";
  for (unsigned i = 0; i < kUnroll; ++i) {
    for (const std::string& line : turn) out += "  " + line + "\n";
  }
  return out +
         "  sub.u32 %rounds, %rounds, 1;\n  setp.ne.u32 %more, %rounds, 0;\n  @%more bra ptxmc_round;\n"
         "  st.global.u32 [%at+128], %v;\n  ret;\n}\n";
}

std::vector<Cost> measure_costs(const Device& device, const std::vector<CostRow>& rows, double seconds,
                                double patience) {
  std::map<std::pair<unsigned, Turn>, double> without;
  std::vector<Cost> out;
  for (const CostRow& row : rows) {
    Cost cost{row.mnemonic, 0, ""};
    const DeviceInfo& info = device.info();
    if (info.major * 10 + info.minor < row.target.sm) {
      cost.missing = fmt::format("needs sm_{}", row.target.sm);
      out.push_back(cost);
      continue;
    }
    try {
      const Kernel kernel(device.driver(), write_cost_kernel(row.target, row.code, row.threads), kCostEntry);
      const std::pair idle(row.threads, row.without);
      if (!without.contains(idle)) {
        const Kernel empty(device.driver(), write_cost_kernel(row.target, row.without, row.threads),
                           kCostEntry);
        without[idle] = time_of_turn(device, empty, row.threads, seconds, patience);
      }
      const double took = time_of_turn(device, kernel, row.threads, seconds, patience);
      cost.nanoseconds = std::max(took - without[idle], 0.0);
    } catch (const DriverError& error) {
      if (!device.finished_within(patience)) throw;
      const std::string why = error.what();
      cost.missing = why.substr(0, why.find('\n'));
    }
    out.push_back(cost);
  }
  return out;
}

std::string cost_table(const DeviceInfo& device, const std::vector<Cost>& costs) {
  std::string out =
      fmt::format("source: {}, sm_{}{}, driver of CUDA {}.{}; one warp, `ptxmc run --costs`\n", device.name,
                  device.major, device.minor, device.driver / 1000, device.driver % 1000 / 10);
  for (const Cost& cost : costs) {
    out += cost.missing.empty() ? fmt::format("{} {:.2f}\n", cost.mnemonic, cost.nanoseconds)
                                : fmt::format("# {}: {}\n", cost.mnemonic, cost.missing);
  }
  return out;
}

}  // namespace ptxmc::gpu
