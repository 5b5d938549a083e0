// SPDX-License-Identifier: Apache-2.0
#include "gpu/harness/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "gpu/harness/plan_memory.h"
#include "ptx/isa/opcode.h"
#include "ptx/isa/warp.h"

namespace ptxmc::gpu {

using isa::Opcode;
using isa::Space;
using program::Instruction;

namespace {

using isa::kWarp;
constexpr unsigned kMostThreads = 1024;
constexpr unsigned kMostShared = 46000;  // bytes, of the 48 KiB that a CTA has without asking
constexpr unsigned kMostGiven = 256;     // initial values of a variable, each of which is a store of its own
constexpr std::int64_t kOwnBarrier = 15;

class Planner {
 public:
  Planner(const Facts& facts, const HarnessOptions& options) : facts_(facts), options_(options) {}

  Plan run() {
    check();
    std::vector<Grid> grids = plan_grids(facts_);
    if (grids.size() != 1)
      facts_.cannot_run(facts_.test().threads.front().position,
                        grids.empty() ? "it has no thread on a GPU" : "its threads are on several GPUs");
    return deal(std::move(grids.front()), false, options_.instances);
  }

  /// One of several kernels.
  Plan run(const Grid& grid, bool wide, unsigned instances) {
    several_ = true;
    check();
    return deal(grid, wide, instances);
  }

  /// The share of one GPU of several, or of one beside host threads.
  Plan run_beside(const Grid& grid, bool wide, unsigned instances) {
    beside_ = true;
    check();
    return deal(grid, wide, instances);
  }

 private:
  Plan deal(Grid grid, bool wide, unsigned instances) {
    plan_.grid = std::move(grid);
    plan_.wide = wide;
    plan_.parts = plan_.grid.ctas / plan_.grid.cluster;
    classify();
    make_units();
    variables();
    plan_.instances = plan_.wide ? 1 : instances;
    while (!fits()) {
      if (plan_.instances == 1)
        facts_.cannot_run(facts_.test().threads.front().position,
                          fmt::format("it needs {} threads and {} bytes of shared memory a CTA",
                                      plan_.threads, plan_.shared_total()));
      plan_.instances /= 2;
    }
    check_clusters();
    check_ends();
    return std::move(plan_);
  }

  const program::Thread& thread(const Seat& seat) const { return facts_.test().threads[seat.thread]; }

  void check() const {
    const program::Program& test = facts_.test();
    if (test.kernels.stated && !several_)
      facts_.cannot_run(test.threads.front().position, "it has several kernels, or calls of the CUDA API");
    for (const program::Thread& thread : test.threads) {
      if (thread.placement.host && !beside_ && !several_)
        facts_.cannot_run(thread.position, "it has a host thread");
      for (const Instruction& instruction : thread.code()) check(instruction);
    }
    for (const program::Variable& variable : test.variables) {
      if (facts_.home(variable.name) == Home::columns) no_tensor(variable.position, variable.name);
      check_memory(facts_, variable);
      if (variable.initial.size() > kMostGiven)
        facts_.cannot_run(variable.position, fmt::format("`{}` has more than {} elements with initial values",
                                                         variable.name, kMostGiven));
    }
  }

  [[noreturn]] void no_tensor(Position position, const std::string& what) const {
    facts_.cannot_run(
        position,
        fmt::format("`{}` needs sm_100 and tensor memory, which the kernel does not allocate", what));
  }

  void check(const Instruction& instruction) const {
    const bool grid = isa::traits(instruction.opcode).family == isa::Family::grid;
    if (grid && !several_) facts_.cannot_run(instruction.position, fmt::format("`{}`", instruction.text));
    if (isa::traits(instruction.opcode).family == isa::Family::tensor)
      no_tensor(instruction.position, instruction.text);
    if (!is_cta_barrier(instruction) || instruction.modifiers.instance_first) return;
    const auto* number = std::get_if<program::Integer>(&instruction.operand(isa::Role::barrier).value);
    if (number == nullptr || number->value == kOwnBarrier)
      facts_.cannot_run(
          instruction.position,
          "barrier 15 is the harness's own, so the number of a barrier must be constant and another");
  }

  void classify() {
    for (const Seat& seat : plan_.grid.seats) {
      for (const Instruction& i : thread(seat).code()) {
        collective_ = collective_ || i.has(isa::Trait::collective);
        plan_.wide = plan_.wide || i.has(isa::Trait::collective);
        const bool cluster = i.opcode == Opcode::cluster_arrive || i.opcode == Opcode::cluster_wait;
        plan_.dedicated = plan_.dedicated || is_cta_barrier(i) || cluster;
        plan_.cluster_barriers = plan_.cluster_barriers || cluster;
      }
    }
  }

  void make_units() {
    std::map<std::pair<unsigned, unsigned>, std::size_t> warps;  // of lanes: CTA and warp -> unit
    for (const Seat& seat : plan_.grid.seats) {
      const std::pair<unsigned, unsigned> warp{seat.cta, seat.first / kWarp};
      if (seat.lanes == Lanes::own && warps.contains(warp)) {
        plan_.units[warps[warp]].seats.push_back(seat);
        continue;
      }
      if (seat.lanes == Lanes::own) warps[warp] = plan_.units.size();
      Unit unit;
      unit.part = seat.cta / plan_.grid.cluster;
      unit.rank = seat.cta % plan_.grid.cluster;
      unit.seats.push_back(seat);
      plan_.units.push_back(std::move(unit));
    }
    for (Unit& unit : plan_.units) {
      const Seat& first = unit.seats.front();
      if (plan_.wide) {
        unit.lanes = std::max(kWarp, first.count);
        if (first.lanes == Lanes::own) check_masks(unit);
      } else {
        unit.lanes = std::bit_ceil(static_cast<unsigned>(unit.seats.size()));
      }
    }
    // Warpgroups begin at a multiple of four warps
    std::stable_sort(plan_.units.begin(), plan_.units.end(),
                     [](const Unit& a, const Unit& b) { return a.lanes > b.lanes; });
  }

  /// All lanes that a membermask names must be there, or the warp waits forever.
  void check_masks(const Unit& unit) const {
    std::uint32_t present = 0;
    for (const Seat& seat : unit.seats) present |= std::uint32_t{1} << (seat.first % kWarp);
    for (const Seat& seat : unit.seats) {
      for (const Instruction& i : thread(seat).code()) {
        if (!i.has(isa::Trait::collective) || i.opcode == Opcode::active_mask) continue;
        const program::Operand* named = i.find(isa::Role::member_mask);
        const auto* mask = named == nullptr ? nullptr : std::get_if<program::Integer>(&named->value);
        if (mask == nullptr || (static_cast<std::uint32_t>(mask->value) & ~present) != 0)
          facts_.cannot_run(i.position,
                            fmt::format("`{}` waits for lanes that no thread of the test is", i.text));
      }
    }
  }

  /// Some thread of this GPU names it: shared memory is each GPU's own.
  bool names(const std::string& variable) const {
    const auto in = [&](const program::Operand& operand) {
      const auto& value = operand.value;
      if (const auto* a = std::get_if<program::Address>(&value)) return a->variable == variable;
      if (const auto* a = std::get_if<program::AddressOf>(&value)) return a->variable == variable;
      if (const auto* d = std::get_if<program::Descriptor>(&value)) return d->variable == variable;
      if (const auto* t = std::get_if<program::TensorAddress>(&value)) return t->map.variable == variable;
      return false;
    };
    const auto in_code = [&](const Instruction& i) {
      return std::any_of(i.operands.begin(), i.operands.end(), in);
    };
    return std::any_of(plan_.grid.seats.begin(), plan_.grid.seats.end(), [&](const Seat& seat) {
      const program::Thread& source = thread(seat);
      const auto& inits = facts_.test().register_inits;
      return std::any_of(source.code().begin(), source.code().end(), in_code) ||
             std::any_of(inits.begin(), inits.end(), [&](const program::RegisterInit& init) {
               return init.thread == source.number && init.value.address_of == variable;
             });
    });
  }

  void variables() {
    unsigned alignment = 8;
    for (const program::Variable& variable : facts_.test().variables) {
      const Space space = facts_.space(variable.name);
      const unsigned bytes = variable.elements * (facts_.type(variable.name).bits / 8U);
      const unsigned aligned = std::max(facts_.alignment(variable.name), 4U);
      if (has_row(facts_, variable)) {
        plan_.globals.push_back({&variable, static_cast<unsigned>(plan_.globals.size())});
        plan_.stride = std::max({plan_.stride, std::bit_ceil(bytes), aligned});
      } else if (space == Space::shared && (!beside_ || names(variable.name))) {
        plan_.shared_bytes = (plan_.shared_bytes + aligned - 1) / aligned * aligned;
        plan_.shareds.push_back({&variable, plan_.shared_bytes});
        plan_.shared_bytes += bytes;
        alignment = std::max(alignment, aligned);
      }
    }
    plan_.shared_bytes = (plan_.shared_bytes + alignment - 1) / alignment * alignment;
    plan_.stride = std::max(plan_.stride, options_.stride);
    plan_names(facts_, plan_);
  }

  bool fits() {
    std::map<std::pair<unsigned, unsigned>, unsigned> next;  // by part (where they differ) and rank
    plan_.threads = 0;
    for (Unit& unit : plan_.units) {
      unsigned& end = next[{plan_.dedicated ? unit.part : 0, unit.rank}];
      unit.first = end;
      end += (plan_.instances * unit.lanes + kWarp - 1) / kWarp * kWarp;
      plan_.threads = std::max(plan_.threads, end);
    }
    return plan_.threads <= kMostThreads && plan_.shared_total() <= kMostShared;
  }

  /// A barrier of a cluster waits for every thread of it.
  void check_clusters() const {
    if (!plan_.cluster_barriers) return;
    std::map<std::pair<unsigned, unsigned>, unsigned> threads;
    for (const Unit& unit : plan_.units) {
      threads[{unit.part, unit.rank}] += unit.lanes;
      const bool takes_part =
          std::any_of(thread(unit.seats.front()).code().begin(), thread(unit.seats.front()).code().end(),
                      [](const Instruction& i) { return i.opcode == Opcode::cluster_arrive; });
      if (!takes_part || unit.seats.front().lanes != Lanes::all)
        facts_.cannot_run(thread(unit.seats.front()).position,
                          "a cluster barrier waits for this thread, which does not arrive");
    }
    const bool even = std::all_of(threads.begin(), threads.end(),
                                  [&](const auto& entry) { return entry.second == plan_.threads; });
    if (threads.size() != plan_.grid.ctas || !even)
      facts_.cannot_run(facts_.test().threads.front().position,
                        "it has cluster barriers, and its CTAs have different numbers of threads");
  }

  /// Refuses what cannot be stopped once it is on the GPU.
  void check_ends() const {
    const Hazards& hazards = options_.hazards;
    if (hazards.undefined) facts_.cannot_run(*hazards.undefined, "its behaviour is undefined");
    if (hazards.hangs && collective_) facts_.cannot_run(*hazards.hangs, "it can wait forever at a barrier");
    if (hazards.multicast)
      facts_.cannot_run(*hazards.multicast, "it needs a multicast object of several GPUs' memory");
    std::set<unsigned> ctas;
    for (const Seat& seat : plan_.grid.seats) ctas.insert(seat.cta);
    if (plan_.dedicated && !plan_.shareds.empty() && ctas.size() != plan_.grid.ctas)
      facts_.cannot_run(facts_.test().threads.front().position,
                        "its clusters have different numbers of CTAs, and barriers and shared memory");
  }

  const Facts& facts_;
  const HarnessOptions& options_;
  Plan plan_;
  bool several_ = false;     // kernels
  bool beside_ = false;      // it is one actor of several
  bool collective_ = false;  // some thread needs its warp
};

}  // namespace

Plan plan_harness(const Facts& facts, const HarnessOptions& options) {
  return Planner(facts, options).run();
}

namespace {

/// All grids of a round have the same instances, so one that takes fewer asks it of the others. `deal` plans
/// one grid.
template <typename Deal>
std::vector<Plan> plan_evenly(const std::vector<Grid>& grids, bool wide, unsigned instances,
                              const Deal& deal) {
  std::vector<Plan> plans;
  for (bool even = false; !even;) {
    plans.clear();
    for (const Grid& grid : grids) plans.push_back(deal(grid, wide, instances));
    const auto needs_warps = [](const Plan& plan) { return plan.wide; };
    wide = std::any_of(plans.begin(), plans.end(), needs_warps);
    for (const Plan& plan : plans) instances = std::min(instances, plan.instances);
    even = std::all_of(plans.begin(), plans.end(),
                       [&](const Plan& plan) { return plan.wide == wide && plan.instances == instances; });
  }
  return plans;
}

}  // namespace

std::vector<Plan> plan_kernels(const Facts& facts, const HarnessOptions& options) {
  std::vector<Grid> grids = plan_grids(facts);
  std::sort(grids.begin(), grids.end(), [](const Grid& a, const Grid& b) { return a.kernel < b.kernel; });
  return plan_evenly(grids, false, options.instances, [&](const Grid& grid, bool wide, unsigned instances) {
    return Planner(facts, options).run(grid, wide, instances);
  });
}

std::vector<Plan> plan_system(const Facts& facts, const HarnessOptions& options, bool one_instance) {
  std::vector<Grid> grids = plan_grids(facts);
  std::sort(grids.begin(), grids.end(), [](const Grid& a, const Grid& b) { return a.gpu < b.gpu; });
  return plan_evenly(grids, one_instance, options.instances,
                     [&](const Grid& grid, bool wide, unsigned instances) {
                       return Planner(facts, options).run_beside(grid, wide, instances);
                     });
}

}  // namespace ptxmc::gpu
