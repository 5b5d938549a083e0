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

using isa::Space;

// ---- Evaluation
// --------------------------------------------------------------------------------------------

bool HarnessWriter::first_of_cta(const Unit& unit) const {
  const auto first = std::find_if(plan_.units.begin(), plan_.units.end(),
                                  [&](const Unit& u) { return u.part == unit.part && u.rank == unit.rank; });
  return &*first == &unit;
}

/// The unit whose threads evaluate: one of the CTA whose shared memory the condition names.
const Unit& HarnessWriter::evaluator() const {
  const Unit* chosen = nullptr;
  for (const Observed& o : observation_.names()) {
    if (o.name.thread || facts_.space(o.name.name) != Space::shared) continue;
    const auto holds = [&](const Unit& unit) {
      return std::any_of(unit.seats.begin(), unit.seats.end(),
                         [&](const Seat& seat) { return thread(seat).number == o.holder; });
    };
    const auto unit = std::find_if(plan_.units.begin(), plan_.units.end(), holds);
    PTXMC_CHECK(unit != plan_.units.end(), "shared memory of a CTA without threads");
    if (chosen != nullptr && (chosen->part != unit->part || chosen->rank != unit->rank))
      facts_.cannot_run(o.name.position, "its condition names shared memory of several CTAs");
    if (chosen == nullptr) chosen = &*unit;
  }
  if (chosen == nullptr) return plan_.units.front();
  return *std::find_if(plan_.units.begin(), plan_.units.end(), [&](const Unit& unit) {
    return unit.part == chosen->part && unit.rank == chosen->rank;
  });
}

void HarnessWriter::evaluate() {
  const View view{"e", t_.word("other"), true};
  const std::string round = t_.word("round"), p = t_.truth("p");
  t_("sub.u32 {}, {}, 3;", round, t_.word("turn"));
  draw_role(view, round, "ptxmc_next");
  draw_round(view, round);
  position(view, false, round);
  const Unit* const evaluates = actor_.evaluates ? &evaluator() : nullptr;
  for (const Unit& unit : plan_.units) {
    const bool resets = !plan_.shareds.empty() && first_of_cta(unit);
    if (&unit != evaluates && !resets) continue;
    const std::string elsewhere = t_.new_label();
    t_.raw("\n// Evaluation and reset");
    const std::string lane = enter(view, unit, elsewhere);
    if (unit.lanes > 1) {
      t_("setp.ne.u32 {}, {}, 0;", p, lane);
      t_("@{} bra {};", p, elsewhere);
    }
    addresses(view, unit);
    if (&unit == evaluates) {
      evaluate_unit(view);
      reset_globals(view);
    }
    if (resets) reset_shared(unit);
    t_.label(elsewhere);
  }
}

std::string HarnessWriter::value_of(const View& view, std::size_t i) {
  const Observed& o = observation_.names()[i];
  const std::string value = t_.new_wide();
  if (o.name.thread) {
    t_("ld.global.b64 {}, [{}];", value, row(view, static_cast<unsigned>(i)));
    return value;
  }
  const int bits = facts_.type(o.name.name).bits;
  const bool shared = facts_.space(o.name.name) == Space::shared;
  const bool global = facts_.root(o.name.name).space == Space::global;
  if (!shared && !global)
    facts_.cannot_run(
        o.name.position,
        fmt::format("its condition names `{}`, which is neither global nor shared", o.name.name));
  const std::string base =
      shared ? t_.word("at_" + o.name.name) : t_.wide("at_" + facts_.root(o.name.name).name);
  t_("ld.{}.u{} {}, [{}+{}];", shared ? "shared" : "global", bits, value, base,
     o.name.element.value_or(0) * static_cast<unsigned>(bits) / 8);
  return value;
}

/// A signed value goes into its field by its low bits; one that does not fit stays too large for it. All ones
/// of a register are what no thread stored.
void HarnessWriter::narrow(const Observed& o, const std::string& value, const std::string& bad) {
  const unsigned field = bits();
  if (!is_narrowed(o, field)) return;
  const std::string p = t_.truth("fits"), low = t_.wide("field"), small = t_.new_label();
  t_("shr.u64 {}, {}, {};", low, value, field - 1);
  t_("setp.eq.u64 {}, {}, 0;", p, low);
  t_("@{} bra {};", p, small);
  if (o.name.thread) {
    t_("setp.eq.s64 {}, {}, -1;", p, value);
    t_("@{} bra {};", p, bad);
  }
  const auto extend = [&](const std::string& to, const std::string& from, unsigned width) {
    t_("shl.b64 {}, {}, {};", to, from, 64 - width);
    t_("shr.s64 {0}, {0}, {1};", to, 64 - width);
  };
  if (o.bits < 64) extend(value, value, static_cast<unsigned>(o.bits));
  extend(low, value, field);
  t_("setp.ne.s64 {}, {}, {};", p, low, value);
  t_("@{} bra {};", p, bad);
  t_("and.b64 {0}, {0}, {1:#x};", value, (std::uint64_t{1} << field) - 1);
  t_.label(small);
}

void HarnessWriter::evaluate_unit(const View& view) {
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
    if (observation_.names()[i].pointer) write_pointer(value, bad);
    narrow(observation_.names()[i], value, bad);
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
std::string HarnessWriter::initial(const program::Variable& variable, std::uint32_t element) {
  if (element >= variable.initial.size()) return "0";
  const program::InitialValue& value = variable.initial[element];
  if (value.address_of.empty()) return literal(value.integer, facts_.type(variable.name).bits);
  const bool global = facts_.space(value.address_of) == Space::global;
  if (!global || facts_.type(variable.name).bits != 64)
    facts_.cannot_run(variable.position,
                      fmt::format("`{}` holds the address of `{}`", variable.name, value.address_of));
  return t_.wide("at_" + value.address_of);
}

void HarnessWriter::reset_globals(const View& view) {
  restore_maps();
  for (const Cell& cell : plan_.globals) {
    if (!cell.variable->map) reset_variable("global", t_.wide("at_" + cell.variable->name), *cell.variable);
  }
  release_maps();
  if (loops_) t_("st.global.b64 [{}], 0;", row(view, rows() - 1));
}

void HarnessWriter::reset_shared(const Unit&) {
  const std::string p = t_.truth("used");
  t_("setp.ge.u32 {}, {}, 3;", p, t_.word("turn"));
  for (const Cell& cell : plan_.shareds) {
    const std::string base = t_.word("at_" + cell.variable->name);
    if (!facts_.is_mbarrier(cell.variable->name)) {
      reset_variable("shared", base, *cell.variable);
      continue;
    }
    for (std::uint32_t i = 0; i < cell.variable->elements; ++i) {
      const bool given = i < cell.variable->initial.size() && cell.variable->initial[i].integer != 0;
      if (!given) continue;  // the test initialises it itself
      const std::string place = fmt::format("[{}+{}]", base, i * kWordBytes);
      t_("@{} mbarrier.inval.shared.b64 {};", p, place);
      t_("mbarrier.init.shared.b64 {}, {};", place, cell.variable->initial[i].integer);
    }
  }
}

}  // namespace ptxmc::gpu
