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

// ---- Random numbers: the same in all threads of the grid
// ---------------------------------------------------

/// 32 bits that depend on seed, round and number: a multiply-xorshift hash.
std::string HarnessWriter::draw(const std::string& round, std::uint32_t number) {
  const std::string h = t_.new_word();
  t_("mad.lo.u32 {}, {}, {:#x}, {};", h, round, kRoundMix, t_.word("seed"));
  t_("add.u32 {0}, {0}, {1:#x};", h, number * kDrawMix);
  fold(h);
  return h;
}

void HarnessWriter::fold(const std::string& h) {
  const std::string s = t_.word("shifted");
  const auto step = [&](int shift) {
    t_("shr.u32 {}, {}, {};", s, h, shift);
    t_("xor.b32 {0}, {0}, {1};", h, s);
  };
  step(16);
  t_("mul.lo.u32 {0}, {0}, 0x7feb352d;", h);
  step(15);
  t_("mul.lo.u32 {0}, {0}, 0x846ca68b;", h);
  step(16);
}

std::string HarnessWriter::draw_below(const std::string& round, std::uint32_t number,
                                      const std::string& bound) {
  const std::string h = draw(round, number);
  t_("mul.hi.u32 {0}, {0}, {1};", h, bound);
  return h;
}

/// Distance of the parts, and where each variable lies.
void HarnessWriter::draw_round(const View& view, const std::string& round) {
  const std::string distance = t_.word(view.name + "distance");
  if (plan_.dedicated) {
    const std::string clusters = t_.new_word(), p = t_.truth("p");
    t_("mul.lo.u32 {}, {}, {};", clusters, t_.word("blocks"), plan_.parts);
    const std::string moved = draw_below(round, 1, clusters);
    limit_draw(moved, "shuffled", options_.stress.shuffle);
    t_("add.u32 {}, {}, {};", distance, role(view), moved);
    t_("setp.ge.u32 {}, {}, {};", p, distance, clusters);
    t_("@{0} sub.u32 {1}, {1}, {2};", p, distance, clusters);
    t_("rem.u32 {}, {}, {};", t_.word(view.name + "part"), distance, plan_.parts);
    t_("div.u32 {}, {}, {};", t_.word(view.name + "block"), distance, plan_.parts);
  } else if (plan_.parts > 1) {
    const std::string further = draw_below(round, 1, t_.word("reach"));
    limit_draw(further, "shuffled", options_.stress.shuffle);
    t_("add.u32 {}, {}, 1;", distance, further);
  }
  draw_base(view, round);
  for (const Cell& cell : plan_.globals) {
    if (holds_addresses()) {  // which are written a round ahead, so everything stays where it is
      for (const char* what : {"mix", "turn"})
        t_("mov.u32 {}, 0;", t_.word(fmt::format("{}{}{}", view.name, what, cell.place)));
      continue;
    }
    const std::string bits = draw(round, 8 + cell.place);
    limit_draw(bits, "spread", options_.stress.spread);
    t_("and.b32 {}, {}, {};", t_.word(fmt::format("{}mix{}", view.name, cell.place)), bits,
       plan_.instances - 1);
    t_("mul.hi.u32 {}, {}, {};", t_.word(fmt::format("{}turn{}", view.name, cell.place)), bits,
       t_.word("blocks"));
  }
}

// ---- Parts
// -------------------------------------------------------------------------------------------------

/// The thread's place in the layout of its CTA: as it is, or with the warps turned round.
void HarnessWriter::position(const View& view, bool rotate, const std::string& round) {
  const std::string place = t_.word(view.name + "place");
  const unsigned warps = plan_.threads / kWarp;
  if (!rotate || plan_.wide || warps == 1) {
    t_("mov.u32 {}, {};", place, t_.word("tid"));
    return;
  }
  const std::string p = t_.truth("p"), turned = draw_below(round, 2, std::to_string(warps));
  limit_draw(turned, "shuffled", options_.stress.shuffle);
  t_("mad.lo.u32 {}, {}, {}, {};", place, turned, kWarp, t_.word("tid"));
  t_("setp.ge.u32 {}, {}, {};", p, place, plan_.threads);
  t_("@{0} sub.u32 {1}, {1}, {2};", p, place, plan_.threads);
}

/// Goes `elsewhere` unless this thread plays the unit; else sets the instance and the lane in it.
std::string HarnessWriter::enter(const View& view, const Unit& unit, const std::string& elsewhere) {
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
    t_("mov.u32 {}, {};", block, role(view));
    move_base(view, block);
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
void HarnessWriter::addresses(const View& view, const Unit& unit) {
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
    const std::string memory = memory_of(cell, s);
    t_("mad.lo.u32 {}, {}, {}, {};", x, view.half, plan_.rows, cell.place);
    t_("mad.lo.u32 {0}, {1}, {2}, {0};", s, x, t_.word("all"));
    t_("mul.wide.u32 {}, {}, {};", t_.wide("at_" + cell.variable->name), s, plan_.stride);
    t_("add.u64 {0}, {0}, {1};", t_.wide("at_" + cell.variable->name), memory);
  }
  alias_addresses();
  if (plan_.shareds.empty()) return;
  const unsigned part = plan_.dedicated ? 0 : unit.part;
  t_("add.u32 {}, {}, {};", s, view.half, part * 2);
  t_("mad.lo.u32 {0}, {0}, {1}, {2};", s, plan_.instances, t_.word(view.name + "index"));
  t_("mov.u32 {}, ptxmc_shared;", x);
  t_("mad.lo.u32 {0}, {0}, {1}, {2};", s, plan_.shared_bytes, x);
  for (const Cell& cell : plan_.shareds)
    t_("add.u32 {}, {}, {};", t_.word("at_" + cell.variable->name), s, cell.place);
}

}  // namespace ptxmc::gpu
