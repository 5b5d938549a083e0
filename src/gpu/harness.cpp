// SPDX-License-Identifier: Apache-2.0
// The kernel's text. Registers of its own begin with %h; the threads' texts keep their names, each in a scope
// of its own.
#include "gpu/harness.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "gpu/harness_plan.h"
#include "gpu/harness_table.h"
#include "gpu/module.h"
#include "gpu/text.h"
#include "isa/opcode.h"
#include "support/check.h"

namespace ptxmc::gpu {

using isa::Opcode;
using isa::Space;
using litmus::Instruction;

namespace {

constexpr unsigned kWarp = 32;
constexpr std::size_t kMostNames = 16;
constexpr unsigned kWordBytes = 8;
constexpr std::uint32_t kRoundMix = 0x9E3779B1, kDrawMix = 0x85EBCA77;

/// What was drawn for a round; registers begin with `name`.
struct View {
  std::string name;
  std::string half;  ///< of the memory: 0 or 1
};

class Writer {
 public:
  Writer(const litmus::Test& test, const Observation& observation, const HarnessOptions& options)
      : test_(test),
        facts_(test),
        observation_(observation),
        options_(options),
        plan_(plan_harness(facts_, options)) {}

  Harness run() {
    check_names();
    for (const Unit& unit : plan_.units) {
      for (const Seat& seat : unit.seats) texts_.push_back(thread_text(unit, seat));
    }
    target_ = both(target_, {62, 70, false});
    if (plan_.grid.cluster > 1) target_ = both(target_, {78, 90, false});
    for (const ThreadText& text : texts_) {
      target_ = both(target_, text.target);
      loops_ = loops_ || text.jumps_back;
    }
    prologue();
    turn();
    write_flush(t_, plan_.threads);
    return finish();
  }

 private:
  const litmus::Thread& thread(const Seat& seat) const { return test_.threads[seat.thread]; }
  unsigned rows() const { return static_cast<unsigned>(observation_.names().size()) + 1; }  // the last: hung

  void check_names() const {
    if (observation_.names().size() > kMostNames)
      facts_.cannot_run(test_.threads.front().position,
                        fmt::format("its condition has more than {} names", kMostNames));
  }
  unsigned bits() const {
    return observation_.names().empty() ? 64 : 64 / static_cast<unsigned>(observation_.names().size());
  }

  ThreadText thread_text(const Unit& unit, const Seat& seat);
  unsigned barrier_threads(const Unit& unit) const;
  void prologue();
  void turn();
  void barrier();
  std::string draw(const std::string& round, std::uint32_t number);
  std::string draw_below(const std::string& round, std::uint32_t number, const std::string& bound);
  void draw_round(const View& view, const std::string& round);
  void position(const View& view, bool rotate, const std::string& round);
  std::string enter(const View& view, const Unit& unit, const std::string& elsewhere);
  void addresses(const View& view, const Unit& unit);
  void run_round();
  void run_unit(const View& view, const Unit& unit, std::size_t first_text, const std::string& done);
  void run_seat(const View& view, const Unit& unit, std::size_t index, const ThreadText& text,
                const std::string& done);
  void drain(const litmus::Thread& source);
  void results(const View& view, const litmus::Thread& source, const Seat& seat, const ThreadText& text);
  void keep(const ThreadText& text, const litmus::Thread& source);
  std::string row(const View& view, unsigned number);
  void evaluate();
  void evaluate_unit(const View& view);
  std::string value_of(const View& view, std::size_t i);
  void reset_globals(const View& view);
  void reset_shared(const Unit& unit);
  const Unit& evaluator() const;
  bool first_of_cta(const Unit& unit) const;
  bool holds_addresses() const;
  bool uses_async_proxy() const;
  std::string initial(const litmus::Variable& variable, std::uint32_t element);
  Harness finish();

  const litmus::Test& test_;
  Facts facts_;
  const Observation& observation_;
  const HarnessOptions& options_;
  Plan plan_;
  Text t_;
  std::vector<ThreadText> texts_;  // of all seats, by unit
  isa::Target target_;
  bool loops_ = false;
};

// ---- Threads of the test
// -----------------------------------------------------------------------------------

/// Threads of the CTA that take part in its barriers.
unsigned Writer::barrier_threads(const Unit& unit) const {
  unsigned threads = 0;
  for (const Unit& other : plan_.units) {
    if (other.part != unit.part || other.rank != unit.rank) continue;
    const auto& code = thread(other.seats.front()).code;
    const bool takes_part = std::any_of(code.begin(), code.end(), [](const Instruction& i) {
      const bool barrier =
          i.opcode == Opcode::bar_sync || i.opcode == Opcode::bar_arrive || i.opcode == Opcode::bar_red;
      return barrier && !i.modifiers.warp;
    });
    if (takes_part) threads += other.lanes;
  }
  return threads;
}

ThreadText Writer::thread_text(const Unit& unit, const Seat& seat) {
  Spelling spelling;
  spelling.end = fmt::format("ptxmc_end_P{}", thread(seat).number);
  spelling.leader = t_.truth("leader");
  spelling.fuel = t_.word("fuel");
  spelling.barrier_threads = barrier_threads(unit);
  for (const Cell& cell : plan_.globals)
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

/// Does global memory hold addresses at the start of a round?
bool Writer::holds_addresses() const {
  return std::any_of(plan_.globals.begin(), plan_.globals.end(), [](const Cell& cell) {
    const auto& initial = cell.variable->initial;
    return std::any_of(initial.begin(), initial.end(),
                       [](const litmus::InitialValue& value) { return !value.address_of.empty(); });
  });
}

bool Writer::uses_async_proxy() const {
  for (const Unit& unit : plan_.units) {
    for (const Seat& seat : unit.seats) {
      for (const Instruction& i : thread(seat).code) {
        if (i.modifiers.proxy == isa::Proxy::async) return true;
      }
    }
  }
  return false;
}

// ---- Frame
// -------------------------------------------------------------------------------------------------

void Writer::prologue() {
  for (const char* name : {"memory", "results", "table", "control"}) {
    t_("ld.param.u64 {0}, [ptxmc_{1}];", t_.wide(name), name);
    t_("cvta.to.global.u64 {0}, {0};", t_.wide(name));
  }
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
  write_clear(t_, plan_.threads);
  t_("mov.u32 {}, 0;", t_.word("expected"));
  t_("mov.u32 {}, 1;", t_.word("turn"));
}

/// Turn 1 and 2 reset the two halves; turn t runs round t-2 and evaluates round t-3.
void Writer::turn() {
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
void Writer::barrier() {
  const std::string p = t_.truth("p"), seen = t_.word("seen"), poll = t_.new_label(), met = t_.new_label();
  if (uses_async_proxy()) t_("fence.proxy.async;");  // resets are stores of the generic proxy
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
}

// ---- Random numbers: the same in all threads of the grid
// ---------------------------------------------------

/// 32 bits that depend on seed, round and number: a multiply-xorshift hash.
std::string Writer::draw(const std::string& round, std::uint32_t number) {
  const std::string h = t_.new_word(), s = t_.word("shifted");
  t_("mad.lo.u32 {}, {}, {:#x}, {};", h, round, kRoundMix, t_.word("seed"));
  t_("add.u32 {0}, {0}, {1:#x};", h, number * kDrawMix);
  const auto fold = [&](int shift) {
    t_("shr.u32 {}, {}, {};", s, h, shift);
    t_("xor.b32 {0}, {0}, {1};", h, s);
  };
  fold(16);
  t_("mul.lo.u32 {0}, {0}, 0x7feb352d;", h);
  fold(15);
  t_("mul.lo.u32 {0}, {0}, 0x846ca68b;", h);
  fold(16);
  return h;
}

std::string Writer::draw_below(const std::string& round, std::uint32_t number, const std::string& bound) {
  const std::string h = draw(round, number);
  t_("mul.hi.u32 {0}, {0}, {1};", h, bound);
  return h;
}

/// Distance of the parts, and where each variable lies.
void Writer::draw_round(const View& view, const std::string& round) {
  const std::string distance = t_.word(view.name + "distance");
  if (plan_.dedicated) {
    const std::string clusters = t_.new_word(), p = t_.truth("p");
    t_("mul.lo.u32 {}, {}, {};", clusters, t_.word("blocks"), plan_.parts);
    const std::string moved = draw_below(round, 1, clusters);
    t_("add.u32 {}, {}, {};", distance, t_.word("cluster"), moved);
    t_("setp.ge.u32 {}, {}, {};", p, distance, clusters);
    t_("@{0} sub.u32 {1}, {1}, {2};", p, distance, clusters);
    t_("rem.u32 {}, {}, {};", t_.word(view.name + "part"), distance, plan_.parts);
    t_("div.u32 {}, {}, {};", t_.word(view.name + "block"), distance, plan_.parts);
  } else if (plan_.parts > 1) {
    t_("add.u32 {}, {}, 1;", distance, draw_below(round, 1, t_.word("reach")));
  }
  for (const Cell& cell : plan_.globals) {
    if (holds_addresses()) {  // which are written a round ahead, so everything stays where it is
      for (const char* what : {"mix", "turn"})
        t_("mov.u32 {}, 0;", t_.word(fmt::format("{}{}{}", view.name, what, cell.place)));
      continue;
    }
    const std::string bits = draw(round, 8 + cell.place);
    t_("and.b32 {}, {}, {};", t_.word(fmt::format("{}mix{}", view.name, cell.place)), bits,
       plan_.instances - 1);
    t_("mul.hi.u32 {}, {}, {};", t_.word(fmt::format("{}turn{}", view.name, cell.place)), bits,
       t_.word("blocks"));
  }
}

// ---- Parts
// -------------------------------------------------------------------------------------------------

/// The thread's place in the layout of its CTA: as it is, or with the warps turned round.
void Writer::position(const View& view, bool rotate, const std::string& round) {
  const std::string place = t_.word(view.name + "place");
  const unsigned warps = plan_.threads / kWarp;
  if (!rotate || plan_.wide || warps == 1) {
    t_("mov.u32 {}, {};", place, t_.word("tid"));
    return;
  }
  const std::string p = t_.truth("p"), turned = draw_below(round, 2, std::to_string(warps));
  t_("mad.lo.u32 {}, {}, {}, {};", place, turned, kWarp, t_.word("tid"));
  t_("setp.ge.u32 {}, {}, {};", p, place, plan_.threads);
  t_("@{0} sub.u32 {1}, {1}, {2};", p, place, plan_.threads);
}

/// Goes `elsewhere` unless this thread plays the unit; else sets the instance and the lane in it.
std::string Writer::enter(const View& view, const Unit& unit, const std::string& elsewhere) {
  const std::string p = t_.truth("p"), place = t_.new_word(), lane = t_.word(view.name + "lane");
  const std::string index = t_.word(view.name + "index"), block = t_.word(view.name + "block");
  if (plan_.grid.cluster > 1) {
    t_("setp.ne.u32 {}, {}, {};", p, t_.word("rank"), unit.rank);
    t_("@{} bra {};", p, elsewhere);
  }
  if (plan_.dedicated && plan_.parts > 1) {
    t_("setp.ne.u32 {}, {}, {};", p, t_.word(view.name + "part"), unit.part);
    t_("@{} bra {};", p, elsewhere);
  }
  t_("sub.u32 {}, {}, {};", place, t_.word(view.name + "place"), unit.first);
  t_("setp.ge.u32 {}, {}, {};", p, place, plan_.instances * unit.lanes);
  t_("@{} bra {};", p, elsewhere);
  t_("shr.u32 {}, {}, {};", index, place, std::countr_zero(unit.lanes));
  t_("and.b32 {}, {}, {};", lane, place, unit.lanes - 1);
  if (!plan_.dedicated) {
    t_("mov.u32 {}, {};", block, t_.word("cluster"));
    for (unsigned i = 0; i < unit.part; ++i)
      t_("sub.u32 {0}, {0}, {1};", block, t_.word(view.name + "distance"));
    if (unit.part > 0) {
      t_("setp.lt.s32 {}, {}, 0;", p, block);
      t_("@{0} add.u32 {1}, {1}, {2};", p, block, t_.word("blocks"));
    }
  }
  t_("mad.lo.u32 {}, {}, {}, {};", t_.word(view.name + "instance"), block, plan_.instances, index);
  return lane;
}

/// %hd_at_x, %hw_at_s: the addresses of this instance's variables.
void Writer::addresses(const View& view, const Unit& unit) {
  const std::string p = t_.truth("p"), s = t_.new_word(), x = t_.new_word();
  for (const Cell& cell : plan_.globals) {
    const auto drawn = [&](const char* what) {
      return t_.word(fmt::format("{}{}{}", view.name, what, cell.place));
    };
    t_("add.u32 {}, {}, {};", s, t_.word(view.name + "block"), drawn("turn"));
    t_("setp.ge.u32 {}, {}, {};", p, s, t_.word("blocks"));
    t_("@{0} sub.u32 {1}, {1}, {2};", p, s, t_.word("blocks"));
    t_("xor.b32 {}, {}, {};", x, t_.word(view.name + "index"), drawn("mix"));
    t_("mad.lo.u32 {0}, {0}, {1}, {2};", s, plan_.instances, x);
    t_("mad.lo.u32 {}, {}, {}, {};", x, view.half, plan_.globals.size(), cell.place);
    t_("mad.lo.u32 {0}, {1}, {2}, {0};", s, x, t_.word("all"));
    t_("mul.wide.u32 {}, {}, {};", t_.wide("at_" + cell.variable->name), s, plan_.stride);
    t_("add.u64 {0}, {0}, {1};", t_.wide("at_" + cell.variable->name), t_.wide("memory"));
  }
  if (plan_.shareds.empty()) return;
  const unsigned part = plan_.dedicated ? 0 : unit.part;
  t_("add.u32 {}, {}, {};", s, view.half, part * 2);
  t_("mad.lo.u32 {0}, {0}, {1}, {2};", s, plan_.instances, t_.word(view.name + "index"));
  t_("mov.u32 {}, ptxmc_shared;", x);
  t_("mad.lo.u32 {0}, {0}, {1}, {2};", s, plan_.shared_bytes, x);
  for (const Cell& cell : plan_.shareds)
    t_("add.u32 {}, {}, {};", t_.word("at_" + cell.variable->name), s, cell.place);
}

// ---- A round
// -----------------------------------------------------------------------------------------------

void Writer::run_round() {
  const View view{"r", t_.word("half")};
  const std::string round = t_.word("round");
  t_("sub.u32 {}, {}, 2;", round, t_.word("turn"));
  draw_round(view, round);
  position(view, true, round);
  std::size_t text = 0;
  for (const Unit& unit : plan_.units) {
    run_unit(view, unit, text, "ptxmc_evaluate");
    text += unit.seats.size();
  }
}

void Writer::run_unit(const View& view, const Unit& unit, std::size_t first_text, const std::string& done) {
  const std::string elsewhere = t_.new_label(), p = t_.truth("p");
  const std::string lane = enter(view, unit, elsewhere);
  addresses(view, unit);
  for (std::size_t i = 0; i < unit.seats.size(); ++i) run_seat(view, unit, i, texts_[first_text + i], done);
  t_("bra {};", done);
  t_.label(elsewhere);
}

void Writer::run_seat(const View& view, const Unit& unit, std::size_t index, const ThreadText& text,
                      const std::string& done) {
  const Seat& seat = unit.seats[index];
  const litmus::Thread& source = thread(seat);
  const std::string p = t_.truth("p"), other = t_.new_label(), lane = t_.word(view.name + "lane");
  t_.raw(fmt::format("\n// P{}", source.number));
  if (seat.lanes != Lanes::all && unit.lanes > 1) {
    const unsigned mine = seat.lanes == Lanes::leader ? 0
                          : plan_.wide                ? seat.first % kWarp
                                                      : static_cast<unsigned>(index);
    t_("setp.ne.u32 {}, {}, {};", p, lane, mine);
    t_("@{} bra {};", p, other);
  }
  t_("setp.eq.u32 {}, {}, 0;", t_.truth("leader"), lane);
  t_("mov.u32 {}, {};", t_.word("fuel"), options_.fuel);
  t_.raw("  {");
  for (const std::string& declared : text.declarations) t_.raw("  " + declared);
  for (const litmus::Variable& variable : test_.variables) {
    if (facts_.space(variable.name) != Space::local) continue;
    t_.raw("  " + declaration(facts_, variable, ""));
    const int bits = facts_.type(variable.name).bits;
    for (std::uint32_t i = 0; i < variable.elements; ++i)
      t_("st.local.b{} [{}+{}], {};", bits, variable.name, i * static_cast<unsigned>(bits) / 8,
         initial(variable, i));
  }
  for (const std::string& line : text.body) t_.raw(line);
  if (text.uses_end) t_.label(fmt::format("ptxmc_end_P{}", source.number));
  drain(source);
  results(view, source, seat, text);
  t_("bra {};", done);
  t_.raw("  }");
  t_.label(other);
}

/// Copies that nobody waited for end before the memory is used again.
void Writer::drain(const litmus::Thread& source) {
  const auto has = [&](auto&& which) { return std::any_of(source.code.begin(), source.code.end(), which); };
  if (has([](const Instruction& i) { return i.opcode == Opcode::cp_async; })) t_("cp.async.wait_all;");
  const bool bulk = has([](const Instruction& i) {
    return (i.opcode == Opcode::cp_async_bulk || i.opcode == Opcode::cp_reduce_async_bulk) &&
           i.modifiers.space == Space::global;
  });
  if (!bulk) return;
  t_("cp.async.bulk.commit_group;");
  t_("cp.async.bulk.wait_group 0;");
}

/// The address of an instance's word in a row of the results.
std::string Writer::row(const View& view, unsigned number) {
  const std::string w = t_.new_word(), d = t_.new_wide();
  t_("mad.lo.u32 {}, {}, {}, {};", w, view.half, rows(), number);
  t_("mad.lo.u32 {0}, {0}, {1}, {2};", w, t_.word("all"), t_.word(view.name + "instance"));
  t_("mul.wide.u32 {}, {}, {};", d, w, kWordBytes);
  t_("add.u64 {0}, {0}, {1};", d, t_.wide("results"));
  return d;
}

void Writer::results(const View& view, const litmus::Thread& source, const Seat& seat,
                     const ThreadText& text) {
  const std::string value = t_.wide("value"), p = t_.truth("p");
  const std::string guard = seat.lanes == Lanes::all ? fmt::format("@{} ", t_.truth("leader")) : "";
  for (std::size_t i = 0; i < observation_.names().size(); ++i) {
    const Observed& o = observation_.names()[i];
    if (o.name.thread != source.number) continue;
    const auto reg = std::find_if(text.registers.begin(), text.registers.end(),
                                  [&](const RegisterType& r) { return r.name == o.name.name; });
    if (reg == text.registers.end()) {
      t_("mov.b64 {}, 0;", value);
    } else if (reg->type.cls == isa::TypeClass::predicate) {
      t_("selp.b64 {}, 1, 0, %{};", value, reg->name);
    } else if (reg->type.bits == 64) {
      t_("mov.b64 {}, %{};", value, reg->name);
    } else {
      t_("cvt.u64.u{} {}, %{};", reg->type.bits, value, reg->name);
    }
    t_("{}st.global.b64 [{}], {};", guard, row(view, static_cast<unsigned>(i)), value);
  }
  keep(text, source);
  if (!text.jumps_back) return;
  t_("setp.eq.u32 {}, {}, 0;", p, t_.word("fuel"));
  t_("@{} st.global.b64 [{}], 1;", p, row(view, rows() - 1));
}

/// What nobody observes must not be dead either: a store that happens for one value in 2^64.
void Writer::keep(const ThreadText& text, const litmus::Thread& source) {
  const std::string sum = t_.wide("sum"), value = t_.wide("value"), p = t_.truth("p");
  bool any = false;
  for (const RegisterType& reg : text.registers) {
    const bool seen = std::any_of(
        observation_.names().begin(), observation_.names().end(),
        [&](const Observed& o) { return o.name.thread == source.number && o.name.name == reg.name; });
    if (seen || reg.type.cls == isa::TypeClass::predicate || reg.type.bits < 32 || reg.type.bits > 64)
      continue;
    if (!any) t_("mov.b64 {}, 0x5bd1e995a7c3f19d;", sum);
    any = true;
    if (reg.type.bits == 32) t_("cvt.u64.u32 {}, %{};", value, reg.name);
    t_("xor.b64 {0}, {0}, {1};", sum, reg.type.bits == 32 ? value : "%" + reg.name);
  }
  if (!any) return;
  t_("setp.eq.u64 {}, {}, 0;", p, sum);
  t_("@{} st.global.b64 [{}+24], {};", p, t_.wide("control"), sum);
}

// ---- Evaluation
// --------------------------------------------------------------------------------------------

bool Writer::first_of_cta(const Unit& unit) const {
  const auto first = std::find_if(plan_.units.begin(), plan_.units.end(),
                                  [&](const Unit& u) { return u.part == unit.part && u.rank == unit.rank; });
  return &*first == &unit;
}

/// The unit whose threads evaluate: one of the CTA whose shared memory the condition names.
const Unit& Writer::evaluator() const {
  const Unit* chosen = nullptr;
  for (const Observed& o : observation_.names()) {
    if (o.name.thread || facts_.space(o.name.name) != Space::shared) continue;
    for (const Unit& unit : plan_.units) {
      const bool names = std::any_of(unit.seats.begin(), unit.seats.end(), [&](const Seat& seat) {
        const auto& code = thread(seat).code;
        return std::any_of(code.begin(), code.end(), [&](const Instruction& i) {
          return std::any_of(i.operands.begin(), i.operands.end(), [&](const litmus::Operand& operand) {
            const auto* address = std::get_if<litmus::Address>(&operand.value);
            return address != nullptr && address->variable == o.name.name;
          });
        });
      });
      if (!names) continue;
      if (chosen != nullptr && (chosen->part != unit.part || chosen->rank != unit.rank))
        facts_.cannot_run(o.name.position, "its condition names shared memory of several CTAs");
      if (chosen == nullptr) chosen = &unit;
    }
    if (chosen == nullptr)
      facts_.cannot_run(o.name.position, fmt::format("nobody but another CTA accesses `{}`", o.name.name));
  }
  if (chosen == nullptr) return plan_.units.front();
  return *std::find_if(plan_.units.begin(), plan_.units.end(), [&](const Unit& unit) {
    return unit.part == chosen->part && unit.rank == chosen->rank;
  });
}

void Writer::evaluate() {
  const View view{"e", t_.word("other")};
  const std::string round = t_.word("round"), p = t_.truth("p");
  t_("sub.u32 {}, {}, 3;", round, t_.word("turn"));
  draw_round(view, round);
  position(view, false, round);
  const Unit& evaluates = evaluator();
  for (const Unit& unit : plan_.units) {
    const bool resets = !plan_.shareds.empty() && first_of_cta(unit);
    if (&unit != &evaluates && !resets) continue;
    const std::string elsewhere = t_.new_label();
    t_.raw("\n// Evaluation and reset");
    const std::string lane = enter(view, unit, elsewhere);
    if (unit.lanes > 1) {
      t_("setp.ne.u32 {}, {}, 0;", p, lane);
      t_("@{} bra {};", p, elsewhere);
    }
    addresses(view, unit);
    if (&unit == &evaluates) {
      evaluate_unit(view);
      reset_globals(view);
    }
    if (resets) reset_shared(unit);
    t_.label(elsewhere);
  }
}

std::string Writer::value_of(const View& view, std::size_t i) {
  const Observed& o = observation_.names()[i];
  const std::string value = t_.new_wide();
  if (o.name.thread) {
    t_("ld.global.b64 {}, [{}];", value, row(view, static_cast<unsigned>(i)));
    return value;
  }
  const int bits = facts_.type(o.name.name).bits;
  const bool shared = facts_.space(o.name.name) == Space::shared;
  const bool global = facts_.space(o.name.name) == Space::global;
  if (!shared && !global)
    facts_.cannot_run(
        o.name.position,
        fmt::format("its condition names `{}`, which is neither global nor shared", o.name.name));
  const std::string base = shared ? t_.word("at_" + o.name.name) : t_.wide("at_" + o.name.name);
  t_("ld.{}.u{} {}, [{}+{}];", shared ? "shared" : "global", bits, value, base,
     o.name.element.value_or(0) * static_cast<unsigned>(bits) / 8);
  return value;
}

void Writer::evaluate_unit(const View& view) {
  const std::string p = t_.truth("p"), done = t_.new_label(), key = t_.wide("key"), high = t_.new_wide();
  const std::string bad = t_.new_label();
  t_("setp.lt.u32 {}, {}, 3;", p, t_.word("turn"));
  t_("@{} bra {};", p, done);
  if (loops_) {
    const std::string hung = t_.new_wide(), fine = t_.new_label();
    t_("ld.global.b64 {}, [{}];", hung, row(view, rows() - 1));
    t_("setp.eq.u64 {}, {}, 0;", p, hung);
    t_("@{} bra {};", p, fine);
    t_("red.relaxed.gpu.global.add.u64 [{}+16], 1;", t_.wide("control"));
    t_("bra {};", done);
    t_.label(fine);
  }
  t_("mov.b64 {}, 0;", key);
  for (std::size_t i = 0; i < observation_.names().size(); ++i) {
    const std::string value = value_of(view, i);
    if (bits() < 64) {
      t_("shr.u64 {}, {}, {};", high, value, bits());
      t_("setp.ne.u64 {}, {}, 0;", p, high);
      t_("@{} bra {};", p, bad);
      t_("shl.b64 {0}, {0}, {1};", value, i * bits());
    }
    t_("or.b64 {0}, {0}, {1};", key, value);
  }
  t_("setp.eq.u64 {}, {}, -1;", p, key);
  t_("@{} bra {};", p, bad);
  write_count(t_, key);
  t_("bra {};", done);
  t_.label(bad);
  t_("red.relaxed.gpu.global.add.u64 [{}+8], 1;", t_.wide("control"));
  t_.label(done);
}

/// An element's initial value, as an operand of a store.
std::string Writer::initial(const litmus::Variable& variable, std::uint32_t element) {
  if (element >= variable.initial.size()) return "0";
  const litmus::InitialValue& value = variable.initial[element];
  if (value.address_of.empty()) return literal(value.integer, facts_.type(variable.name).bits);
  const bool global = facts_.space(value.address_of) == Space::global;
  if (!global || facts_.type(variable.name).bits != 64)
    facts_.cannot_run(variable.position,
                      fmt::format("`{}` holds the address of `{}`", variable.name, value.address_of));
  return t_.wide("at_" + value.address_of);
}

void Writer::reset_globals(const View& view) {
  for (const Cell& cell : plan_.globals) {
    const int bits = facts_.type(cell.variable->name).bits;
    for (std::uint32_t i = 0; i < cell.variable->elements; ++i) {
      const std::string place =
          fmt::format("[{}+{}]", t_.wide("at_" + cell.variable->name), i * static_cast<unsigned>(bits) / 8);
      if (bits == 128) {
        t_("st.global.v2.b64 {}, {{{}, 0}};", place, initial(*cell.variable, i));
      } else {
        t_("st.global.b{} {}, {};", bits, place, initial(*cell.variable, i));
      }
    }
  }
  if (loops_) t_("st.global.b64 [{}], 0;", row(view, rows() - 1));
}

void Writer::reset_shared(const Unit&) {
  const std::string p = t_.truth("used");
  t_("setp.ge.u32 {}, {}, 3;", p, t_.word("turn"));
  for (const Cell& cell : plan_.shareds) {
    const int bits = facts_.type(cell.variable->name).bits;
    const bool object = facts_.is_mbarrier(cell.variable->name);
    for (std::uint32_t i = 0; i < cell.variable->elements; ++i) {
      const std::string place =
          fmt::format("[{}+{}]", t_.word("at_" + cell.variable->name), i * static_cast<unsigned>(bits) / 8);
      if (!object) {
        t_("st.shared.b{} {}, {};", bits, place, initial(*cell.variable, i));
        continue;
      }
      const bool given = i < cell.variable->initial.size() && cell.variable->initial[i].integer != 0;
      if (!given) continue;  // the test initialises it itself
      t_("@{} mbarrier.inval.shared.b64 {};", p, place);
      t_("mbarrier.init.shared.b64 {}, {};", place, cell.variable->initial[i].integer);
    }
  }
}

Harness Writer::finish() {
  Harness out;
  out.target = target_;
  out.cta_threads = plan_.threads;
  out.cluster = plan_.grid.cluster;
  out.parts = plan_.parts;
  out.dedicated = plan_.dedicated;
  out.instances = plan_.instances;
  out.variables = static_cast<unsigned>(plan_.globals.size());
  out.stride = plan_.stride;
  out.result_rows = rows();
  out.bits = bits();
  std::string text = module_head(target_) + fmt::format("// {}\n", test_.name);
  for (const litmus::Variable& variable : test_.variables) {
    if (facts_.space(variable.name) == Space::const_) text += declaration(facts_, variable, "") + "\n";
  }
  if (plan_.shared_bytes > 0)
    text += fmt::format(".shared .align 1024 .b8 ptxmc_shared[{}];\n", plan_.shared_total());
  text += table_declarations();
  text += fmt::format(
      "\n.visible .entry {}(\n    .param .u64 ptxmc_memory,\n    .param .u64 ptxmc_results,\n"
      "    .param .u64 ptxmc_table,\n    .param .u64 ptxmc_control,\n    .param .u32 ptxmc_blocks,\n"
      "    .param .u32 ptxmc_rounds,\n    .param .u32 ptxmc_seed,\n    .param .u32 ptxmc_reach)\n"
      "    .reqntid {}, 1, 1\n",
      out.entry, out.cta_threads);
  if (out.cluster > 1)
    text += fmt::format("    .explicitcluster\n    .reqnctapercluster {}, 1, 1\n", out.cluster);
  out.ptx = text + "{\n" + t_.declarations() + t_.body() + "  ret;\n}\n";
  return out;
}

}  // namespace

std::size_t Harness::memory_bytes(unsigned blocks) const {
  return std::max<std::size_t>(16, std::size_t{2} * variables * blocks * instances * stride);
}

std::size_t Harness::result_bytes(unsigned blocks) const {
  return std::size_t{2} * result_rows * blocks * instances * kWordBytes;
}

Harness write_harness(const litmus::Test& test, const Observation& observation,
                      const HarnessOptions& options) {
  return Writer(test, observation, options).run();
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
