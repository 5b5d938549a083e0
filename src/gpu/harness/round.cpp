// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "gpu/harness/table.h"
#include "gpu/harness/writer.h"
#include "gpu/text/module.h"
#include "ptx/isa/opcode.h"
#include "support/check.h"

namespace ptxmc::gpu {

using isa::Opcode;
using isa::Space;
using program::Instruction;

// ---- A round
// -----------------------------------------------------------------------------------------------

void HarnessWriter::run_round() {
  const View view{"r", t_.word("half")};
  const std::string round = t_.word("round");
  t_("sub.u32 {}, {}, 2;", round, t_.word("turn"));
  draw_stress(round);
  draw_role(view, round, "ptxmc_stress");
  draw_round(view, round);
  position(view, true, round);
  std::size_t text = 0;
  for (const Unit& unit : plan_.units) {
    run_unit(view, unit, text, "ptxmc_evaluate");
    text += unit.seats.size();
  }
  stress_round(round, "ptxmc_evaluate");
}

void HarnessWriter::run_unit(const View& view, const Unit& unit, std::size_t first_text,
                             const std::string& done) {
  const std::string elsewhere = t_.new_label(), p = t_.truth("p");
  const std::string lane = enter(view, unit, elsewhere);
  addresses(view, unit);
  before_seats(view, t_.word("round"));
  keep_pace(view);
  for (std::size_t i = 0; i < unit.seats.size(); ++i) run_seat(view, unit, i, texts_[first_text + i], done);
  t_("bra {};", done);
  t_.label(elsewhere);
}

void HarnessWriter::run_seat(const View& view, const Unit& unit, std::size_t index, const ThreadText& text,
                             const std::string& done) {
  const Seat& seat = unit.seats[index];
  const program::Thread& source = thread(seat);
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
  acquire_maps();
  touch_aliases();
  t_.raw("  {");
  for (const std::string& declared : text.declarations) t_.raw("  " + declared);
  for (const program::Variable& variable : test_.variables) {
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

/// Copies that no thread waited for end before the memory is used again.
void HarnessWriter::drain(const program::Thread& source) {
  const auto has = [&](auto&& which) {
    return std::any_of(source.code().begin(), source.code().end(), which);
  };
  if (has([](const Instruction& i) { return i.opcode == Opcode::cp_async; })) t_("cp.async.wait_all;");
  const bool bulk = has([](const Instruction& i) {
    return (i.opcode == Opcode::cp_async_bulk || i.opcode == Opcode::cp_reduce_async_bulk ||
            i.opcode == Opcode::cp_async_bulk_tensor || i.opcode == Opcode::cp_reduce_async_bulk_tensor) &&
           i.modifiers.space == Space::global;
  });
  if (!bulk) return;
  t_("cp.async.bulk.commit_group;");
  t_("cp.async.bulk.wait_group 0;");
}

/// The address of an instance's word in a row of the results.
std::string HarnessWriter::row(const View& view, unsigned number) {
  const std::string w = t_.new_word(), d = t_.new_wide();
  t_("mad.lo.u32 {}, {}, {}, {};", w, view.half, rows(), number);
  t_("mad.lo.u32 {0}, {0}, {1}, {2};", w, t_.word("all"), t_.word(view.name + "instance"));
  t_("mul.wide.u32 {}, {}, {};", d, w, kWordBytes);
  t_("add.u64 {0}, {0}, {1};", d, t_.wide("results"));
  return d;
}

void HarnessWriter::results(const View& view, const program::Thread& source, const Seat& seat,
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

/// What nothing observes must not be dead either: a store that happens for one value in 2^64.
void HarnessWriter::keep(const ThreadText& text, const program::Thread& source) {
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

}  // namespace ptxmc::gpu
