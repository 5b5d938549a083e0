// SPDX-License-Identifier: Apache-2.0
// Stress in the kernel (stress.h). Nothing here orders anything: accesses are relaxed, and waits are for
// counts alone.
//
// Which cluster plays is drawn as a role: cluster c of n has role (c * a + b) mod n, where a is a prime
// greater than n and b is drawn, both anew each round. Roles below the number of playing clusters play, as
// clusters of that number do without stress; the others hammer. A cluster that hammered has nothing to
// evaluate: what it holds in shared memory was reset when it last played. In the two turns that reset
// everything for the first time, all clusters take a part.
//
// Memory, behind the variables: scratch memory, and a counter for each group of 32 instances (or for each
// block of one instance). A counter counts the warps of its group that were ready; it only grows, by the same
// number in each round that aligns, so nothing resets it, and a warp that stops waiting spoils nothing.
#include <fmt/format.h>

#include <algorithm>

#include "gpu/harness/writer.h"
#include "support/check.h"

namespace ptxmc::gpu {

namespace {

// Numbers of draws; harness_places.cpp has 1, 2 and those from 8 on, a small one for each variable.
constexpr std::uint32_t kOffset = 3, kFactor = 4, kShuffle = 5, kSpread = 6, kPre = 7, kAlign = 0x10000,
                        kLines = 0x20000;
constexpr std::uint32_t kPrimes[] = {1'000'003, 1'299'709};  // greater than any number of clusters
constexpr std::uint32_t kMagic = 0x5bd1e995;

std::string_view words(Pattern pattern, bool second) {
  const bool loads =
      pattern == Pattern::load_load || pattern == (second ? Pattern::store_load : Pattern::load_store);
  return loads ? "ld" : "st";
}

}  // namespace

bool HarnessWriter::stresses() const {
  return options_.stress.ctas != 0 && options_.stress.iterations != 0;
}
bool HarnessWriter::pre_stresses() const {
  return options_.stress.pre != 0 && options_.stress.pre_iterations != 0;
}

/// Do warps wait for each other? Not where instances are so large that they leave warps half empty.
bool HarnessWriter::aligns() const {
  return options_.stress.align != 0 && (plan_.wide || plan_.instances >= kWarp);
}

/// Groups of instances of a block that wait for each other, and the warps of one.
unsigned HarnessWriter::groups() const {
  return plan_.wide ? 1 : plan_.instances / kWarp;
}
unsigned HarnessWriter::group_warps() const {
  unsigned lanes = 0;
  for (const Unit& unit : plan_.units) lanes += unit.lanes;
  return plan_.wide ? lanes / kWarp : lanes;
}

/// A predicate that holds in so many percent of rounds.
std::string HarnessWriter::chance(const std::string& name, const std::string& round, std::uint32_t number,
                                  unsigned percent) {
  PTXMC_CHECK(percent > 0 && percent < 100, "a chance that is one");
  const std::string p = t_.truth(name);
  t_("setp.lt.u32 {}, {}, {:#x};", p, draw(round, number),
     static_cast<std::uint32_t>((std::uint64_t{1} << 32) * percent / 100));
  return p;
}

/// What is drawn stays so only in these percent of rounds; else it is 0.
void HarnessWriter::limit_draw(const std::string& drawn, const std::string& name, unsigned percent) {
  if (percent == 0) t_("mov.u32 {}, 0;", drawn);
  if (percent > 0 && percent < 100) t_("@!{} mov.u32 {}, 0;", t_.truth(name), drawn);
}

/// Scratch memory, the counters, and the number of clusters that play.
void HarnessWriter::stress_prologue() {
  const StressOptions& s = options_.stress;
  if (stresses()) {
    t_("div.u32 {}, {}, {};", t_.word("clusters"), t_.word("ctas"), plan_.grid.cluster);
    t_("mul.lo.u32 {}, {}, {};", t_.word("playing"), t_.word("blocks"), plan_.dedicated ? plan_.parts : 1);
  }
  if (!s.hammers() && !aligns()) return;
  const std::string base = t_.wide("scratch"), w = t_.new_word(), p = t_.truth("p");
  t_("mul.wide.u32 {}, {}, {};", base, t_.word("all"), 2 * plan_.rows * plan_.stride);
  t_("add.u64 {0}, {0}, {1};", base, kScratchAlignment - 1);
  t_("and.b64 {0}, {0}, {1};", base, -static_cast<int>(kScratchAlignment));
  t_("add.u64 {0}, {0}, {1};", base, t_.wide("memory"));
  if (s.hammers()) {
    t_("shr.u32 {}, {}, 5;", w, t_.word("tid"));
    t_("mad.lo.u32 {}, {}, {}, {};", t_.word("warp"), t_.word("cta"), plan_.threads / kWarp, w);
    t_("mov.u32 {}, {:#x};", t_.word("read"), kMagic);
  }
  if (!aligns()) return;
  const std::string at = t_.wide("counters"), count = t_.new_word();
  t_("add.u64 {}, {}, {};", at, base, s.scratch_bytes());
  t_("mov.u32 {}, 0;", t_.word("ready"));
  t_("mad.lo.u32 {}, {}, {}, {};", w, t_.word("cta"), plan_.threads, t_.word("tid"));
  t_("mul.lo.u32 {}, {}, {};", count, t_.word("blocks"), groups());
  t_("setp.lt.u32 {}, {}, {};", p, w, count);
  const std::string address = t_.new_wide();
  t_("mul.wide.u32 {}, {}, {};", address, w, kCounterBytes);
  t_("add.u64 {0}, {0}, {1};", address, at);
  t_("@{} st.relaxed.gpu.global.u32 [{}], 0;", p, address);
}

/// The part that this cluster plays in a round; goes `elsewhere` when it plays none.
void HarnessWriter::draw_role(const View& view, const std::string& round, const std::string& elsewhere) {
  const StressOptions& s = options_.stress;
  if (s.shuffle > 0 && s.shuffle < 100) chance("shuffled", round, kShuffle, s.shuffle);
  if (s.spread > 0 && s.spread < 100) chance("spread", round, kSpread, s.spread);
  if (!stresses()) return;
  const std::string role = t_.word(view.name + "role"), p = t_.truth("p");
  if (s.shuffle == 0) {
    t_("mov.u32 {}, {};", role, t_.word("cluster"));
  } else {
    const std::string factor = t_.new_word(), offset = draw_below(round, kOffset, t_.word("clusters"));
    t_("setp.lt.s32 {}, {}, 0;", p, draw(round, kFactor));
    t_("selp.u32 {}, {}, {}, {};", factor, kPrimes[0], kPrimes[1], p);
    t_("rem.u32 {0}, {0}, {1};", factor, t_.word("clusters"));
    t_("mad.lo.u32 {}, {}, {}, {};", role, t_.word("cluster"), factor, offset);
    t_("rem.u32 {0}, {0}, {1};", role, t_.word("clusters"));
    if (s.shuffle < 100) t_("@!{} mov.u32 {}, {};", t_.truth("shuffled"), role, t_.word("cluster"));
  }
  if (view.evaluates) {
    t_("setp.lt.u32 {}, {}, 3;", p, t_.word("turn"));
    t_("@{0} rem.u32 {1}, {1}, {2};", p, role, t_.word("playing"));
  }
  t_("setp.ge.u32 {}, {}, {};", p, role, t_.word("playing"));
  t_("@{} bra {};", p, elsewhere);
}

/// What all threads of the grid draw before some of them go elsewhere.
void HarnessWriter::draw_stress(const std::string& round) {
  const StressOptions& s = options_.stress;
  if (pre_stresses() && s.pre < 100) chance("pre", round, kPre, s.pre);
  if (!aligns()) return;
  const std::string guard =
      s.align < 100 ? fmt::format("@{} ", chance("aligned", round, kAlign, s.align)) : "";
  t_("{}add.u32 {}, {}, {};", guard, t_.word("ready"), t_.word("ready"), group_warps());
}

/// The address that this thread hammers: its warp's line, and its own word there.
std::string HarnessWriter::target(const std::string& round, const std::string& warps) {
  const StressOptions& s = options_.stress;
  const std::string line = t_.new_word(), h = t_.new_word(), address = t_.new_wide(), w = t_.new_word();
  if (s.assignment == Assignment::round_robin) {
    t_("rem.u32 {}, {}, {};", line, t_.word("warp"), s.lines);
  } else {
    t_("mul.lo.u32 {}, {}, {};", line, t_.word("warp"), s.lines);
    t_("div.u32 {0}, {0}, {1};", line, warps);
  }
  t_("mad.lo.u32 {}, {}, {:#x}, {};", h, round, kRoundMix, t_.word("seed"));
  t_("add.u32 {0}, {0}, {1};", line, kLines);
  t_("mad.lo.u32 {0}, {1}, {2:#x}, {0};", h, line, kDrawMix);
  fold(h);
  t_("and.b32 {0}, {0}, {1};", h, std::max(1U, s.scratch * 1024 / s.line) - 1);
  t_("mul.wide.u32 {}, {}, {};", address, h, s.line);
  t_("add.u64 {0}, {0}, {1};", address, t_.wide("scratch"));
  t_("mov.u32 {}, %laneid;", w);
  t_("shl.b32 {0}, {0}, 2;", w);
  t_("and.b32 {0}, {0}, {1};", w, s.line - 1);
  t_("cvt.u64.u32 {}, {};", t_.wide("value"), w);
  t_("add.u64 {0}, {0}, {1};", address, t_.wide("value"));
  return address;
}

void HarnessWriter::hammer(const std::string& round, Pattern pattern, unsigned iterations) {
  const std::string warps = t_.new_word(), left = t_.new_word(), loaded = t_.new_word(), p = t_.truth("p"),
                    loop = t_.new_label();
  t_("mul.lo.u32 {}, {}, {};", warps, t_.word("ctas"), plan_.threads / kWarp);
  const std::string address = target(round, warps);
  t_("mov.u32 {}, {};", left, iterations);
  t_.label(loop);
  for (const bool second : {false, true}) {
    if (words(pattern, second) == "st") {
      t_("st.relaxed.gpu.global.u32 [{}], {};", address, left);
    } else {
      t_("ld.relaxed.gpu.global.u32 {}, [{}];", loaded, address);
      t_("xor.b32 {0}, {0}, {1};", t_.word("read"), loaded);
    }
  }
  t_("sub.u32 {0}, {0}, 1;", left);
  t_("setp.ne.u32 {}, {}, 0;", p, left);
  t_("@{} bra {};", p, loop);
  t_("setp.eq.u32 {}, {}, 0;", p, t_.word("read"));  // what was loaded is used
  t_("@{} st.global.u32 [{}+24], {};", p, t_.wide("control"), left);
}

/// The round of a cluster that plays no part.
void HarnessWriter::stress_round(const std::string& round, const std::string& done) {
  if (!stresses()) return;
  t_("bra {};", done);
  t_.raw("\n// Stress");
  t_.label("ptxmc_stress");
  hammer(round, options_.stress.pattern, options_.stress.iterations);
}

/// What a testing thread does just before it runs.
void HarnessWriter::before_seats(const View& view, const std::string& round) {
  const StressOptions& s = options_.stress;
  if (pre_stresses()) {
    const std::string skip = t_.new_label();
    if (s.pre < 100) t_("@!{} bra {};", t_.truth("pre"), skip);
    hammer(round, s.pre_pattern, s.pre_iterations);
    t_.label(skip);
  }
  if (aligns()) rendezvous(view);
}

/// Waits until all warps of the group have come here, or for a while.
void HarnessWriter::rendezvous(const View& view) {
  const StressOptions& s = options_.stress;
  const std::string skip = t_.new_label(), poll = t_.new_label(), met = t_.new_label(), p = t_.truth("p"),
                    group = t_.new_word(), address = t_.new_wide(), looks = t_.new_word(),
                    seen = t_.word("seen");
  if (s.align < 100) t_("@!{} bra {};", t_.truth("aligned"), skip);
  if (plan_.wide) {
    t_("mov.u32 {}, {};", group, t_.word(view.name + "instance"));
  } else {
    t_("shr.u32 {}, {}, 5;", group, t_.word(view.name + "instance"));
  }
  t_("mul.wide.u32 {}, {}, {};", address, group, kCounterBytes);
  t_("add.u64 {0}, {0}, {1};", address, t_.wide("counters"));
  t_("mov.u32 {}, %laneid;", looks);
  t_("setp.eq.u32 {}, {}, 0;", p, looks);
  t_("@{} red.relaxed.gpu.global.add.u32 [{}], 1;", p, address);
  t_("mov.u32 {}, {};", looks, s.align_limit);
  t_.label(poll);
  t_("ld.relaxed.gpu.global.u32 {}, [{}];", seen, address);
  t_("sub.u32 {0}, {0}, {1};", seen, t_.word("ready"));
  t_("setp.ge.s32 {}, {}, 0;", p, seen);
  t_("@{} bra {};", p, met);
  t_("sub.u32 {0}, {0}, 1;", looks);
  t_("setp.ne.u32 {}, {}, 0;", p, looks);
  t_("@{} bra {};", p, poll);
  t_.label(met);
  t_("bar.warp.sync 0xffffffff;");
  t_.label(skip);
}

}  // namespace ptxmc::gpu
