// SPDX-License-Identifier: Apache-2.0
// The writer of an entry of a module for several kernels: a kernel of the test, or the evaluation of a round;
// internal to kernels_harness.h.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstddef>
#include <string>
#include <vector>

#include "gpu/harness/kernels_harness.h"
#include "gpu/harness/writer.h"
#include "gpu/host/program.h"
#include "gpu/text/module.h"

namespace ptxmc::gpu {

inline constexpr unsigned kEvaluationThreads = 256;  // of a CTA
inline constexpr unsigned kMeetings = 200;           // polls at a start, of about half a microsecond each
inline constexpr unsigned kRound = 0, kSeed = 4, kFinished = 8,
                          kStarted = sizeof(RoundState);  // bytes of the state
static_assert(offsetof(RoundState, round) == kRound && offsetof(RoundState, seed) == kSeed &&
              offsetof(RoundState, finished) == kFinished);
// 32 random bits give delays up to 2^14 clocks, some 9 microseconds; 2^17 beside the host, which is slower.
inline constexpr unsigned kDelayShift = 18, kHostDelayShift = 15;
// draw() numbers, above those that other parts of the harness take; the last two have the kernel's added.
inline constexpr std::uint32_t kDrawMeeting = 0x10000, kDrawShift = 0x10001;
inline constexpr std::uint32_t kDrawCluster = 0x20000, kDrawDelay = 0x30000;

inline std::string entry_name(std::size_t kernel) {
  return fmt::format("ptxmc_kernel{}", kernel);
}

/// Writes one entry; a writer each.
class EntryWriter : public HarnessWriter {
 public:
  using HarnessWriter::HarnessWriter;

  std::string kernel(const program::Kernel& source, std::uint32_t number, const HostProgram& host,
                     const std::vector<const Plan*>& plans) {
    for (const Unit& unit : plan_.units) {
      for (const Seat& seat : unit.seats) texts_.push_back(thread_text(unit, seat));
    }
    needs_target();
    if (plan_.grid.cluster > 1) target_ = both(target_, {78, 90, false});
    for (const ThreadText& text : texts_) {
      target_ = both(target_, text.target);
      loops_ = loops_ || text.jumps_back;
    }
    begin();
    place_cta(number);
    const View view{"r", t_.word("half")};
    draw_round(view, t_.word("round"));
    position(view, true, t_.word("round"));
    reset_all_shared(view);
    begin_together(number, host, plans);
    std::size_t text = 0;
    for (const Unit& unit : plan_.units) {
      run_unit(view, unit, text, "ptxmc_done");
      text += unit.seats.size();
    }
    t_.label("ptxmc_done");
    if (plan_.grid.cluster > 1 && !plan_.shareds.empty()) cluster_barrier();  // no CTA's memory goes early
    return entry(entry_name(number), plan_.threads,
                 fmt::format("// Kernel {}: {} CTAs a block of {} instances\n", source.name,
                             plan_.grid.cluster * (plan_.dedicated ? plan_.parts : 1), plan_.instances));
  }

  std::string evaluation(bool loops) {
    loops_ = loops;
    needs_target();
    begin();
    const std::string round = t_.word("round"), p = t_.truth("p"), id = t_.new_word();
    t_("mov.u32 {}, 3;", t_.word("turn"));
    t_("setp.eq.u32 {}, {}, -1;", p, round);
    t_("@{} mov.u32 {}, 0;", p, t_.word("turn"));  // nothing has run
    write_clear(t_, kEvaluationThreads);
    t_("barrier.sync 15;");
    t_("mad.lo.u32 {}, {}, {}, {};", id, t_.word("cta"), kEvaluationThreads, t_.word("tid"));
    t_("setp.ge.u32 {}, {}, {};", p, id, t_.word("all"));
    t_("@{} bra ptxmc_flush;", p);
    const View view{"e", t_.word("half")};
    draw_round(view, round);
    t_("mov.u32 {}, {};", t_.word("einstance"), id);
    t_("and.b32 {}, {}, {};", t_.word("eindex"), id, plan_.instances - 1);
    t_("shr.u32 {}, {}, {};", t_.word("eblock"), id, std::countr_zero(plan_.instances));
    addresses(view, plan_.units.front());
    evaluate_unit(view);
    reset_globals(view);
    forget_results(view);
    t_.label("ptxmc_flush");
    write_flush(t_, kEvaluationThreads);
    next_round();
    return entry("ptxmc_evaluation", kEvaluationThreads, "// Evaluation and reset\n");
  }

  const isa::Target& target() const { return target_; }
  bool loops() const { return loops_; }
  unsigned result_rows() const { return rows(); }
  unsigned key_bits() const { return bits(); }
  bool moves() const { return !holds_addresses(); }
  void describe(Harness& layout) const {
    layout.instances = plan_.instances;
    layout.variables = plan_.rows;
    layout.stride = plan_.stride;
    describe_memory(layout);
  }
  void check() const { check_names(); }

  std::string declarations(unsigned shared) const {
    std::string text;
    for (const program::Variable& variable : test_.variables) {
      if (facts_.space(variable.name) == isa::Space::const_ && variable.aliases.empty())
        text += declaration(facts_, variable, "") + "\n";
    }
    if (shared > 0) text += fmt::format(".shared .align 1024 .b8 ptxmc_shared[{}];\n", shared);
    return text + memory_declarations() + table_declarations();
  }

  /// What the end of a kernel takes away cannot be looked at.
  void check_condition() const {
    for (const Observed& o : observation_.names()) {
      if (!o.name.thread && facts_.space(o.name.name) == isa::Space::shared)
        facts_.cannot_run(o.name.position, fmt::format("its condition names `{}`, which is gone when its "
                                                       "kernel has ended",
                                                       o.name.name));
    }
  }

 private:
  void needs_target() {
    target_ = both(target_, {62, 70, false});
    if (!plan_.aliases.empty()) target_ = both(target_, {75, 70, false});  // fence.proxy.alias
    if (!plan_.maps.empty()) target_ = both(target_, {83, 90, false});
  }

  /// Parameters, and the round: acquired, so that the reset of memory is seen whatever else orders the start.
  void begin() {
    for (const char* name : {"memory", "results", "table", "control", "state"}) {
      t_("ld.param.u64 {0}, [ptxmc_{1}];", t_.wide(name), name);
      t_("cvta.to.global.u64 {0}, {0};", t_.wide(name));
    }
    for (const char* name : {"blocks", "reach"}) t_("ld.param.u32 {}, [ptxmc_{}];", t_.word(name), name);
    t_("ld.acquire.gpu.global.u32 {}, [{}+{}];", t_.word("round"), t_.wide("state"), kRound);
    t_("ld.relaxed.gpu.global.u32 {}, [{}+{}];", t_.word("seed"), t_.wide("state"), kSeed);
    load_memory_parameters();
    alias_fence();  // resets are stores to variables' own names
    t_("mov.u32 {}, %tid.x;", t_.word("tid"));
    t_("mov.u32 {}, %ctaid.x;", t_.word("cta"));
    t_("mul.lo.u32 {}, {}, {};", t_.word("all"), t_.word("blocks"), plan_.instances);
    t_("mov.u32 {}, 0;", t_.word("half"));  // memory has one half here
  }

  /// Rank and cluster; in half of the rounds the clusters begin with another one than the first, in each
  /// kernel another one.
  void place_cta(std::uint32_t number) {
    const std::string cluster = t_.word("cluster"), clusters = t_.new_word(), p = t_.truth("p"),
                      shifted = t_.new_truth();
    if (plan_.grid.cluster > 1) {
      t_("rem.u32 {}, {}, {};", t_.word("rank"), t_.word("cta"), plan_.grid.cluster);
      t_("div.u32 {}, {}, {};", cluster, t_.word("cta"), plan_.grid.cluster);
    } else {
      t_("mov.u32 {}, {};", cluster, t_.word("cta"));
    }
    t_("mul.lo.u32 {}, {}, {};", clusters, t_.word("blocks"), plan_.dedicated ? plan_.parts : 1);
    const std::string shift = draw_below(t_.word("round"), kDrawCluster + number, clusters);
    const std::string bit = draw(t_.word("round"), kDrawShift);
    t_("setp.lt.s32 {}, {}, 0;", shifted, bit);
    t_("@{0} add.u32 {1}, {1}, {2};", shifted, cluster, shift);
    t_("setp.ge.u32 {}, {}, {};", p, cluster, clusters);
    t_("@{0} sub.u32 {1}, {1}, {2};", p, cluster, clusters);
  }

  void reset_all_shared(const View& view) {
    if (plan_.shareds.empty()) return;
    t_("mov.u32 {}, 0;", t_.word("turn"));  // no object has been there before
    const std::string p = t_.truth("p");
    for (const Unit& unit : plan_.units) {
      if (!first_of_cta(unit)) continue;
      const std::string elsewhere = t_.new_label(), lane = enter(view, unit, elsewhere);
      if (unit.lanes > 1) {
        t_("setp.ne.u32 {}, {}, 0;", p, lane);
        t_("@{} bra {};", p, elsewhere);
      }
      addresses(view, unit);
      reset_shared(unit);
      t_.label(elsewhere);
    }
    if (uses_async_proxy()) t_("fence.proxy.async;");  // resets are stores of the generic proxy
  }

  /// The first thread of each CTA waits for the CTAs of the kernels beside, and in some rounds longer; the
  /// others wait for it.
  void begin_together(std::uint32_t number, const HostProgram& host, const std::vector<const Plan*>& plans) {
    const std::string p = t_.truth("p"), met = t_.new_label(), begin = t_.new_label();
    t_("setp.ne.u32 {}, {}, 0;", p, t_.word("tid"));
    t_("@{} bra {};", p, begin);
    meet(number, host, plans, met);
    t_.label(met);
    delay(number, host.with_threads() ? kHostDelayShift : kDelayShift, begin);
    t_.label(begin);
    t_("barrier.sync 15;");
    if (plan_.grid.cluster > 1 && !plan_.shareds.empty()) cluster_barrier();
  }

  void meet(std::uint32_t number, const HostProgram& host, const std::vector<const Plan*>& plans,
            const std::string& met) {
    const bool triggers = host.triggers[number];
    const std::string p = t_.truth("p");
    t_("red.relaxed.gpu.global.add.u32 [{}+{}], 1;", t_.wide("state"), kStarted + 4 * number);
    const std::string bit = draw(t_.word("round"), kDrawMeeting);
    t_("setp.ge.s32 {}, {}, 0;", p, bit);
    t_("@{} bra {};", p, met);
    if (triggers) {
      target_ = both(target_, {78, 90, false});
      t_("griddepcontrol.launch_dependents;");
    }
    const std::string polls = t_.word("polls"), turn = t_.new_word();
    t_("mov.u32 {}, {};", polls, kMeetings);
    t_("add.u32 {}, {}, 1;", turn, t_.word("round"));
    for (const std::uint32_t other : host.beside_early[number]) {
      const Plan& plan = *plans[other];
      const std::string expected = t_.new_word(), seen = t_.new_word(), poll = t_.new_label();
      t_("mul.lo.u32 {}, {}, {};", expected, t_.word("blocks"),
         plan.grid.cluster * (plan.dedicated ? plan.parts : 1));
      t_("mul.lo.u32 {0}, {0}, {1};", expected, turn);
      t_.label(poll);
      t_("sub.u32 {0}, {0}, 1;", polls);
      t_("setp.lt.s32 {}, {}, 0;", p, polls);
      t_("@{} bra {};", p, met);
      t_("ld.relaxed.gpu.global.u32 {}, [{}+{}];", seen, t_.wide("state"), kStarted + 4 * other);
      t_("sub.u32 {0}, {0}, {1};", seen, expected);
      t_("setp.lt.s32 {}, {}, 0;", p, seen);
      t_("@{} bra {};", p, poll);
    }
  }

  /// In a quarter of the rounds.
  void delay(std::uint32_t number, unsigned shift, const std::string& begin) {
    const std::string p = t_.truth("p"), span = draw(t_.word("round"), kDrawDelay + number);
    const std::string from = t_.new_word(), now = t_.new_word(), poll = t_.new_label();
    t_("and.b32 {}, {}, 3;", now, span);
    t_("setp.ne.u32 {}, {}, 0;", p, now);
    t_("@{} bra {};", p, begin);
    t_("shr.u32 {0}, {0}, {1};", span, shift);
    t_("mov.u32 {}, %clock;", from);
    t_.label(poll);
    t_("mov.u32 {}, %clock;", now);
    t_("sub.u32 {0}, {0}, {1};", now, from);
    t_("setp.lt.u32 {}, {}, {};", p, now, span);
    t_("@{} bra {};", p, poll);
  }

  void cluster_barrier() {
    t_("barrier.cluster.arrive;");
    t_("barrier.cluster.wait;");
  }

  /// A kernel that has not stored its registers when its round is evaluated leaves no outcome of the round
  /// before: all ones fit no key.
  void forget_results(const View& view) {
    for (std::size_t i = 0; i < observation_.names().size(); ++i) {
      if (observation_.names()[i].name.thread)
        t_("st.global.b64 [{}], -1;", row(view, static_cast<unsigned>(i)));
    }
  }

  /// The last CTA to come here publishes the next round's number.
  void next_round() {
    const std::string p = t_.truth("p"), old = t_.new_word(), last = t_.new_word(), done = t_.new_label();
    t_("barrier.sync 15;");
    t_("setp.ne.u32 {}, {}, 0;", p, t_.word("tid"));
    t_("@{} bra {};", p, done);
    t_("mov.u32 {}, %nctaid.x;", last);
    t_("sub.u32 {0}, {0}, 1;", last);
    t_("fence.acq_rel.gpu;");
    t_("atom.relaxed.gpu.global.inc.u32 {}, [{}+{}], {};", old, t_.wide("state"), kFinished, last);
    t_("setp.ne.u32 {}, {}, {};", p, old, last);
    t_("@{} bra {};", p, done);
    t_("fence.acq_rel.gpu;");
    t_("add.u32 {0}, {0}, 1;", t_.word("round"));
    t_("st.release.gpu.global.u32 [{}+{}], {};", t_.wide("state"), kRound, t_.word("round"));
    t_.label(done);
  }

  std::string entry(const std::string& name, unsigned threads, const std::string& comment) {
    std::string text = "\n" + comment + fmt::format(".visible .entry {}(\n", name);
    for (const char* parameter : {"memory", "results", "table", "control", "state"})
      text += fmt::format("    .param .u64 ptxmc_{},\n", parameter);
    text +=
        fmt::format("    .param .u32 ptxmc_blocks,\n    .param .u32 ptxmc_reach{})\n    .reqntid {}, 1, 1\n",
                    memory_parameters(), threads);
    if (plan_.grid.cluster > 1)
      text += fmt::format("    .explicitcluster\n    .reqnctapercluster {}, 1, 1\n", plan_.grid.cluster);
    return text + "{\n" + t_.declarations() + t_.body() + "  ret;\n}\n";
  }
};

}  // namespace ptxmc::gpu
