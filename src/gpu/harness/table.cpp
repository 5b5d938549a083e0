// SPDX-License-Identifier: Apache-2.0
#include "gpu/harness/table.h"

#include "gpu/harness/harness.h"

namespace ptxmc::gpu {

namespace {

constexpr unsigned kSlots = 128;      // of a CTA
constexpr unsigned kProbes = 16;      // before an outcome goes to global memory at once
constexpr unsigned kSlotShift = 57;   // 64 less the bits of a slot's number
constexpr unsigned kTableShift = 52;  // the same, of the global table
constexpr unsigned kTableProbes = 64;
static_assert(kTableSlots == std::size_t{1} << (64 - kTableShift));
static_assert(sizeof(TableSlot) == 16);

/// The high bits of a product: Fibonacci hashing.
std::string slot_of(Text& t, const std::string& key, unsigned shift) {
  const std::string h = t.new_wide(), slot = t.new_word();
  t("mul.lo.u64 {}, {}, 0x9E3779B97F4A7C15;", h, key);
  t("shr.u64 {0}, {0}, {1};", h, shift);
  t("cvt.u32.u64 {}, {};", slot, h);
  return slot;
}

/// Adds `count` (.b64) to the key's slot in global memory; without room, to the unrecorded outcomes.
void add_to_global(Text& t, const std::string& key, const std::string& count) {
  const std::string slot = slot_of(t, key, kTableShift), tries = t.new_word(), address = t.new_wide();
  const std::string old = t.new_wide(), p = t.new_truth(), probe = t.new_label(), hit = t.new_label(),
                    done = t.new_label();
  t("mov.u32 {}, 0;", tries);
  t.label(probe);
  t("mul.wide.u32 {}, {}, {};", address, slot, sizeof(TableSlot));
  t("add.u64 {0}, {0}, {1};", address, t.wide("table"));
  t("atom.relaxed.gpu.global.cas.b64 {}, [{}], -1, {};", old, address, key);
  t("setp.eq.u64 {}, {}, -1;", p, old);
  t("@{} bra {};", p, hit);
  t("setp.eq.u64 {}, {}, {};", p, old, key);
  t("@{} bra {};", p, hit);
  t("add.u32 {0}, {0}, 1;", slot);
  t("and.b32 {0}, {0}, {1};", slot, kTableSlots - 1);
  t("add.u32 {0}, {0}, 1;", tries);
  t("setp.lt.u32 {}, {}, {};", p, tries, kTableProbes);
  t("@{} bra {};", p, probe);
  t("red.relaxed.gpu.global.add.u64 [{}+8], {};", t.wide("control"), count);
  t("bra {};", done);
  t.label(hit);
  t("red.relaxed.gpu.global.add.u64 [{}+8], {};", address, count);
  t.label(done);
}

/// Threads of the CTA take every `threads`-th slot; `body` is given the registers of key and count addresses.
template <typename F>
void each_slot(Text& t, unsigned threads, F&& body) {
  const std::string slot = t.word("slot"), key = t.word("key_at"), count = t.word("count_at");
  const std::string base = t.word("base"), p = t.new_truth(), loop = t.new_label(), done = t.new_label();
  t("mov.u32 {}, {};", slot, t.word("tid"));
  t.label(loop);
  t("setp.ge.u32 {}, {}, {};", p, slot, kSlots);
  t("@{} bra {};", p, done);
  t("mov.u32 {}, ptxmc_keys;", base);
  t("mad.lo.u32 {}, {}, 8, {};", key, slot, base);
  t("mov.u32 {}, ptxmc_counts;", base);
  t("mad.lo.u32 {}, {}, 4, {};", count, slot, base);
  body(key, count);
  t("add.u32 {0}, {0}, {1};", slot, threads);
  t("bra {};", loop);
  t.label(done);
}

}  // namespace

std::string table_declarations() {
  return fmt::format(".shared .align 8 .b64 ptxmc_keys[{0}];\n.shared .align 4 .b32 ptxmc_counts[{0}];\n",
                     kSlots);
}

void write_clear(Text& t, unsigned threads) {
  each_slot(t, threads, [&](const std::string& key, const std::string& count) {
    t("st.shared.b64 [{}], -1;", key);
    t("st.shared.b32 [{}], 0;", count);
  });
}

void write_count(Text& t, const std::string& key) {
  const std::string peers = t.new_word(), below = t.new_word(), number = t.new_word(), p = t.new_truth();
  const std::string done = t.new_label(), probe = t.new_label(), hit = t.new_label();
  t("activemask.b32 {};", below);
  t("match.any.sync.b64 {}, {}, {};", peers, key, below);
  t("mov.u32 {}, %lanemask_lt;", below);
  t("and.b32 {0}, {0}, {1};", below, peers);
  t("setp.ne.u32 {}, {}, 0;", p, below);
  t("@{} bra {};", p, done);
  t("popc.b32 {}, {};", number, peers);
  const std::string slot = slot_of(t, key, kSlotShift), tries = t.new_word(), address = t.new_word();
  const std::string old = t.new_wide(), base = t.new_word(), many = t.new_wide();
  t("mov.u32 {}, 0;", tries);
  t.label(probe);
  t("mov.u32 {}, ptxmc_keys;", base);
  t("mad.lo.u32 {}, {}, 8, {};", address, slot, base);
  t("ld.volatile.shared.b64 {}, [{}];", old, address);
  t("setp.eq.u64 {}, {}, {};", p, old, key);
  t("@{} bra {};", p, hit);
  t("atom.relaxed.cta.shared.cas.b64 {}, [{}], -1, {};", old, address, key);
  t("setp.eq.u64 {}, {}, -1;", p, old);
  t("@{} bra {};", p, hit);
  t("setp.eq.u64 {}, {}, {};", p, old, key);
  t("@{} bra {};", p, hit);
  t("add.u32 {0}, {0}, 1;", slot);
  t("and.b32 {0}, {0}, {1};", slot, kSlots - 1);
  t("add.u32 {0}, {0}, 1;", tries);
  t("setp.lt.u32 {}, {}, {};", p, tries, kProbes);
  t("@{} bra {};", p, probe);
  t("cvt.u64.u32 {}, {};", many, number);
  add_to_global(t, key, many);
  t("bra {};", done);
  t.label(hit);
  t("mov.u32 {}, ptxmc_counts;", base);
  t("mad.lo.u32 {}, {}, 4, {};", address, slot, base);
  t("red.relaxed.cta.shared.add.u32 [{}], {};", address, number);
  t.label(done);
}

void write_flush(Text& t, unsigned threads, unsigned barrier) {
  t("barrier.sync {};", barrier);
  each_slot(t, threads, [&](const std::string& key_at, const std::string& count_at) {
    const std::string key = t.new_wide(), count = t.new_word(), many = t.new_wide(), p = t.new_truth(),
                      empty = t.new_label();
    t("ld.shared.b64 {}, [{}];", key, key_at);
    t("setp.eq.u64 {}, {}, -1;", p, key);
    t("@{} bra {};", p, empty);
    t("ld.shared.b32 {}, [{}];", count, count_at);
    t("cvt.u64.u32 {}, {};", many, count);
    add_to_global(t, key, many);
    t.label(empty);
  });
}

}  // namespace ptxmc::gpu
