// SPDX-License-Identifier: Apache-2.0
// The kernel's text. Registers of its own begin with %h; the threads' texts keep their names, each in a scope
// of its own.
#include "gpu/harness/harness.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "gpu/harness/plan_memory.h"
#include "gpu/harness/table.h"
#include "gpu/harness/writer.h"
#include "gpu/text/module.h"
#include "ptx/isa/opcode.h"
#include "support/check.h"

namespace ptxmc::gpu {

using isa::Space;
using program::Instruction;

// ---- Threads of the test
// -----------------------------------------------------------------------------------

/// Threads of the CTA that take part in its barriers.
unsigned HarnessWriter::barrier_threads(const Unit& unit) const {
  unsigned threads = 0;
  for (const Unit& other : plan_.units) {
    if (other.part != unit.part || other.rank != unit.rank) continue;
    const auto& code = thread(other.seats.front()).code();
    const bool takes_part =
        std::any_of(code.begin(), code.end(), [](const Instruction& i) { return is_cta_barrier(i); });
    if (takes_part) threads += other.lanes;
  }
  return threads;
}

ThreadText HarnessWriter::thread_text(const Unit& unit, const Seat& seat) {
  Spelling spelling;
  spelling.end = fmt::format("ptxmc_end_P{}", thread(seat).number);
  spelling.leader = t_.truth("leader");
  spelling.fuel = t_.word("fuel");
  spelling.barrier_threads = barrier_threads(unit);
  for (const Cell& cell : plan_.globals)
    spelling.variables[cell.variable->name] = t_.wide("at_" + cell.variable->name);
  spelling.textures = textures();
  for (const AliasCell& cell : plan_.aliases)
    spelling.variables[cell.variable->name] = t_.wide("at_" + cell.variable->name);
  for (const Cell& cell : plan_.shareds)
    spelling.variables[cell.variable->name] = t_.word("at_" + cell.variable->name);
  const unsigned lane = seat.first % kWarp;
  const std::uint32_t bit = std::uint32_t{1} << lane;
  const int cta = thread(seat).placement.cta.value_or(static_cast<int>(seat.cta));
  spelling.specials = {{"ctaid.x", std::to_string(cta)},
                       {"tid.x", std::to_string(seat.first)},
                       {"warpid", std::to_string(seat.first / kWarp)},
                       {"laneid", std::to_string(lane)},
                       {"lanemask_eq", std::to_string(bit)},
                       {"lanemask_lt", std::to_string(bit - 1)},
                       {"lanemask_le", std::to_string(bit | (bit - 1))},
                       {"lanemask_gt", std::to_string(~(bit | (bit - 1)))},
                       {"lanemask_ge", std::to_string(~(bit - 1))}};
  return write_thread(facts_, thread(seat), seat.lanes, spelling);
}

/// Does global memory hold addresses at the start of a round, itself or in tensor maps?
bool HarnessWriter::holds_addresses() const {
  return !plan_.maps.empty() || std::any_of(plan_.globals.begin(), plan_.globals.end(), [](const Cell& cell) {
    const auto& initial = cell.variable->initial;
    return std::any_of(initial.begin(), initial.end(),
                       [](const program::InitialValue& value) { return !value.address_of.empty(); });
  });
}

bool HarnessWriter::uses_async_proxy() const {
  for (const Unit& unit : plan_.units) {
    for (const Seat& seat : unit.seats) {
      for (const Instruction& i : thread(seat).code()) {
        if (i.modifiers.proxy == isa::Proxy::async) return true;
      }
    }
  }
  return false;
}

// ---- Frame
// -------------------------------------------------------------------------------------------------

void HarnessWriter::prologue() {
  for (const char* name : {"memory", "results", "table", "control"}) {
    t_("ld.param.u64 {0}, [ptxmc_{1}];", t_.wide(name), name);
    t_("cvta.to.global.u64 {0}, {0};", t_.wide(name));
  }
  load_memory_parameters();
  for (const char* name : {"blocks", "rounds", "seed", "reach"})
    t_("ld.param.u32 {}, [ptxmc_{}];", t_.word(name), name);
  t_("mov.u32 {}, %tid.x;", t_.word("tid"));
  t_("mov.u32 {}, %ctaid.x;", t_.word("cta"));
  t_("mov.u32 {}, %nctaid.x;", t_.word("ctas"));
  if (plan_.grid.cluster > 1) {
    t_("rem.u32 {}, {}, {};", t_.word("rank"), t_.word("cta"), plan_.grid.cluster);
    t_("div.u32 {}, {}, {};", t_.word("cluster"), t_.word("cta"), plan_.grid.cluster);
  } else {
    t_("mov.u32 {}, {};", t_.word("cluster"), t_.word("cta"));
  }
  t_("mul.lo.u32 {}, {}, {};", t_.word("all"), t_.word("blocks"), plan_.instances);
  stress_prologue();
  if (!actor_.alone()) meeting_prologue();
  if (actor_.evaluates) write_clear(t_, plan_.threads);
  t_("mov.u32 {}, 0;", t_.word("expected"));
  t_("mov.u32 {}, 1;", t_.word("turn"));
}

/// Turn 1 and 2 reset the two halves; turn t runs round t-2 and evaluates round t-3.
void HarnessWriter::turn() {
  const std::string last = t_.word("last"), p = t_.truth("p");
  t_("add.u32 {}, {}, 2;", last, t_.word("rounds"));
  t_.label("ptxmc_turn");
  barrier();
  t_("and.b32 {}, {}, 1;", t_.word("half"), t_.word("turn"));
  t_("xor.b32 {}, {}, 1;", t_.word("other"), t_.word("half"));
  t_("setp.lt.u32 {}, {}, 2;", p, t_.word("turn"));
  t_("@{} bra ptxmc_evaluate;", p);
  t_("setp.ge.u32 {}, {}, {};", p, t_.word("turn"), last);
  t_("@{} bra ptxmc_evaluate;", p);
  run_round();
  t_.label("ptxmc_evaluate");
  evaluate();
  t_.label("ptxmc_next");
  t_("add.u32 {0}, {0}, 1;", t_.word("turn"));
  t_("setp.le.u32 {}, {}, {};", p, t_.word("turn"), last);
  t_("@{} bra ptxmc_turn;", p);
}

/// All threads of the grid. Monotonic: `expected` arrivals in total.
void HarnessWriter::barrier() {
  if (!actor_.alone()) return meeting();
  const std::string p = t_.truth("p"), seen = t_.word("seen"), poll = t_.new_label(), met = t_.new_label();
  if (uses_async_proxy()) t_("fence.proxy.async;");  // resets are stores of the generic proxy
  alias_fence();
  t_("barrier.sync 15;");
  t_("add.u32 {0}, {0}, {1};", t_.word("expected"), t_.word("ctas"));
  t_("setp.ne.u32 {}, {}, 0;", p, t_.word("tid"));
  t_("@{} bra {};", p, met);
  t_("fence.acq_rel.gpu;");
  t_("red.relaxed.gpu.global.add.u32 [{}], 1;", t_.wide("control"));
  t_.label(poll);
  t_("ld.relaxed.gpu.global.u32 {}, [{}];", seen, t_.wide("control"));
  t_("sub.u32 {0}, {0}, {1};", seen, t_.word("expected"));
  t_("setp.lt.s32 {}, {}, 0;", p, seen);
  t_("@{} bra {};", p, poll);
  t_("fence.acq_rel.gpu;");
  t_.label(met);
  t_("barrier.sync 15;");
  alias_fence();
}

Harness HarnessWriter::finish() {
  Harness out;
  out.target = target_;
  out.cta_threads = plan_.threads;
  out.cluster = plan_.grid.cluster;
  out.parts = plan_.parts;
  out.dedicated = plan_.dedicated;
  out.instances = plan_.instances;
  out.variables = plan_.rows;
  out.stride = plan_.stride;
  out.result_rows = rows();
  out.bits = bits();
  if (stresses()) out.stressing = options_.stress.ctas;
  out.scratch_bytes = options_.stress.scratch_bytes();
  if (aligns()) out.counters = groups();
  describe_memory(out);
  std::string text =
      module_head(target_) + fmt::format("// {}: {} instances a block, {} values of {} bits\n", test_.name,
                                         out.instances, observation_.names().size(), out.bits);
  for (const program::Variable& variable : test_.variables) {
    const bool own = variable.aliases.empty();
    if (own && facts_.space(variable.name) == Space::const_) text += declaration(facts_, variable, "") + "\n";
  }
  if (plan_.shared_bytes > 0)
    text += fmt::format(".shared .align 1024 .b8 ptxmc_shared[{}];\n", plan_.shared_total());
  text += memory_declarations();
  if (actor_.evaluates) text += table_declarations();
  if (!actor_.alone()) text += ".shared .align 4 .b32 ptxmc_go;\n";
  text += fmt::format(
      "\n.visible .entry {}(\n    .param .u64 ptxmc_memory,\n    .param .u64 ptxmc_results,\n"
      "    .param .u64 ptxmc_table,\n    .param .u64 ptxmc_control,\n    .param .u32 ptxmc_blocks,\n"
      "    .param .u32 ptxmc_rounds,\n    .param .u32 ptxmc_seed,\n    .param .u32 ptxmc_reach{})\n"
      "    .reqntid {}, 1, 1\n",
      out.entry, meeting_parameters() + memory_parameters(), out.cta_threads);
  if (out.cluster > 1)
    text += fmt::format("    .explicitcluster\n    .reqnctapercluster {}, 1, 1\n", out.cluster);
  out.ptx =
      text + "{\n" + t_.declarations() + t_.body() + (actor_.alone() ? "" : "ptxmc_stop:\n") + "  ret;\n}\n";
  return out;
}

unsigned Harness::blocks(unsigned ctas) const {
  const unsigned clusters = ctas / cluster;
  const unsigned playing = std::max(clusters * (100 - stressing) / 100, std::min(clusters, parts));
  const unsigned blocks = playing / (dedicated ? parts : 1);
  return window_bytes == 0 ? blocks : std::min(blocks, static_cast<unsigned>(window_bytes / memory_bytes(1)));
}

unsigned Harness::launched(unsigned ctas) const {
  if (stressing != 0) return ctas / cluster * cluster;
  return blocks(ctas) * cluster * (dedicated ? parts : 1);
}

std::size_t Harness::memory_bytes(unsigned blocks) const {
  const std::size_t held = std::size_t{2} * variables * blocks * instances * stride;
  if (scratch_bytes == 0 && counters == 0) return std::max<std::size_t>(16, held);
  const std::size_t aligned = (held + kScratchAlignment - 1) / kScratchAlignment * kScratchAlignment;
  return aligned + scratch_bytes + std::size_t{counters} * blocks * kCounterBytes;
}

std::size_t Harness::result_bytes(unsigned blocks) const {
  return std::size_t{2} * result_rows * blocks * instances * kWordBytes;
}

Harness write_harness(const program::Program& test, const Observation& observation,
                      const HarnessOptions& options) {
  const program::Program moved = with_global_maps(test);
  HarnessOptions possible = options;
  if (names_constants(test)) possible.stress.pre = possible.stress.ctas = possible.stress.align = 0;
  return HarnessWriter(moved, observation, possible).run();
}

Values unpack(std::uint64_t key, std::size_t names, unsigned bits) {
  Values out;
  for (std::size_t i = 0; i < names; ++i) {
    out.push_back(bits >= 64 ? key : key & ((std::uint64_t{1} << bits) - 1));
    if (bits < 64) key >>= bits;
  }
  return out;
}

}  // namespace ptxmc::gpu
