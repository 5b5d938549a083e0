// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/known_bits.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "dynamic/exec/arithmetic.h"
#include "dynamic/exec/straight_paths.h"
#include "ptx/isa/opcode.h"

namespace ptxmc::exec {

namespace {

using isa::Opcode;
using isa::Role;

/// How the bits of a result rest on those of the sources.
enum class How : std::uint8_t {
  whole,     // each on all, for all that is known
  moved,     // each is a bit of one source, or a constant
  by_bit,    // each rests on one bit of each source, and on the predicate
  compared,  // the result says how two numbers compare
};

struct Moving {
  Opcode opcode;
  std::vector<std::size_t> chosen_by;  // sources that say which bits go where
};

/// How an instruction moves bits, if it does.
const Moving* moving(Opcode opcode) {
  static const std::array<Moving, 9> kRows = {{{Opcode::mov, {}},
                                               {Opcode::cvt, {}},
                                               {Opcode::brev, {}},
                                               {Opcode::shl, {1}},
                                               {Opcode::shr, {1}},
                                               {Opcode::prmt, {2}},
                                               {Opcode::bfe, {1, 2}},
                                               {Opcode::bfi, {2, 3}},
                                               {Opcode::shf, {2}}}};
  const auto found =
      std::find_if(kRows.begin(), kRows.end(), [&](const Moving& row) { return row.opcode == opcode; });
  return found == kRows.end() ? nullptr : &*found;
}

bool is_by_bit(Opcode opcode) {
  return opcode == Opcode::and_ || opcode == Opcode::or_ || opcode == Opcode::xor_ ||
         opcode == Opcode::not_ || opcode == Opcode::lop3 || opcode == Opcode::selp;
}

How how_of(const Step& step) {
  const Opcode opcode = step.instruction->opcode;
  const isa::Modifiers& m = step.modifiers();
  if (step.compute == nullptr || step.is_unknown || step.divides || step.reads_clock) return How::whole;
  if (is_by_bit(opcode)) return step.second == kNoSlot ? How::by_bit : How::whole;
  if (opcode == Opcode::cvt && isa::pure_of(opcode, m) != isa::Pure::convert) return How::whole;
  if (is_floating(m) && opcode != Opcode::mov) return How::whole;
  if (opcode == Opcode::setp) return How::compared;
  return moving(opcode) != nullptr ? How::moved : How::whole;
}

/// The least and the greatest value, unsigned, of a number of which not all is known; and whether two can be
/// equal.
struct Between {
  std::uint64_t least = 0, greatest = 0;
};

Between between(std::uint64_t bits, std::uint64_t known, std::uint64_t all, std::uint64_t sign) {
  const std::uint64_t value = (bits ^ sign) & known;
  return {value & all, (value | ~known) & all};
}

/// Does it hold for all values, for none?
std::optional<bool> compared(const Step& step, std::uint64_t a, std::uint64_t known_a, std::uint64_t b,
                             std::uint64_t known_b) {
  const isa::Modifiers& m = step.modifiers();
  const unsigned width = m.type ? std::max<unsigned>(m.type->bits, 16) : 64;
  const std::uint64_t all = width >= 64 ? kAllBits : (std::uint64_t{1} << width) - 1;
  const bool differ = ((a ^ b) & known_a & known_b & all) != 0;
  const bool same = ((known_a & known_b) | ~all) == kAllBits && !differ;
  const bool is_signed = !m.type || m.type->is_signed();
  const std::uint64_t sign = is_signed ? std::uint64_t{1} << (width - 1) : 0;
  const Between first = between(a, known_a, all, sign), second = between(b, known_b, all, sign);
  const bool less = first.greatest < second.least, not_less = first.least >= second.greatest;
  const bool greater = first.least > second.greatest, not_greater = first.greatest <= second.least;
  const auto told = [](bool holds, bool fails) -> std::optional<bool> {
    return holds || fails ? std::optional(holds) : std::nullopt;
  };
  switch (m.compare) {
    case isa::Compare::eq:
      return told(same, differ || less || greater);
    case isa::Compare::ne:
      return told(differ || less || greater, same);
    case isa::Compare::lt:
      return told(less, not_less);
    case isa::Compare::ge:
      return told(not_less, less);
    case isa::Compare::gt:
      return told(greater, not_greater);
    case isa::Compare::le:
      return told(not_greater, greater);
    default:
      return std::nullopt;
  }
}

/// An instruction, with bits of its sources that are not known set to this and to that.
class Trial {
 public:
  Trial(std::vector<Row>& rows, const Step& step, LaneMask mask, const KnownSources& known)
      : rows_(rows), step_(step), mask_(mask), known_(known), written_(written_by(step)) {
    for (std::size_t i = 0; i < step.source_count; ++i) note(step.sources[i], known.of[i]);
    note(step.slot(Role::predicate), known.predicate);
    for (const Slot slot : written_) {
      const auto is_source = [&, slot](const Source& source) { return source.slot == slot; };
      if (std::none_of(sources_.begin(), sources_.end(), is_source)) kept_.emplace_back(slot, rows[slot]);
    }
  }

  std::vector<Row> run() {
    switch (how_of(step_)) {
      case How::moved:
        if (!known_where()) return whole();
        return fitted(tried(2));
      case How::by_bit:
        return fitted(tried(1U << sources_.size()));
      case How::compared:
        return comparison();
      case How::whole:
        break;
    }
    return whole();
  }

 private:
  struct Source {
    Slot slot;
    Row row, known;
  };

  /// Registers of which something is not known.
  void note(Slot slot, const Row& known) {
    if (slot == kNoSlot) return;
    bool some = false;
    for_lanes(mask_, [&](unsigned lane) { some = some || known[lane] != kAllBits; });
    const auto is_noted = [&](const Source& source) { return source.slot == slot; };
    if (some && std::none_of(sources_.begin(), sources_.end(), is_noted))
      sources_.push_back({slot, rows_[slot], known});
  }

  bool known_where() const {
    const Moving* row = moving(step_.instruction->opcode);
    return std::all_of(row->chosen_by.begin(), row->chosen_by.end(), [&](std::size_t i) {
      bool all = true;
      for_lanes(mask_, [&](unsigned lane) { all = all && known_.of[i][lane] == kAllBits; });
      return all;
    });
  }

  /// All or nothing.
  std::vector<Row> whole() const {
    Row out{};
    for_lanes(mask_, [&](unsigned lane) {
      const bool open = std::any_of(sources_.begin(), sources_.end(),
                                    [&](const Source& source) { return source.known[lane] != kAllBits; });
      out[lane] = open || step_.is_unknown || step_.divides || step_.reads_clock ? 0 : kAllBits;
    });
    return std::vector<Row>(written_.size(), out);
  }

  /// Bits that are the same in all trials: of two, all that is not known is 0, or 1; else so many registers as there are.
  std::vector<Row> tried(unsigned trials) {
    std::vector<Row> first, out(written_.size());
    for (unsigned trial = 0; trial < trials; ++trial) {
      for (std::size_t i = 0; i < sources_.size(); ++i) {
        const Source& source = sources_[i];
        const bool ones = (trials == 2 ? trial : trial >> i & 1U) != 0;
        for_lanes(mask_, [&](unsigned lane) {
          rows_[source.slot][lane] =
              (source.row[lane] & source.known[lane]) | (ones ? ~source.known[lane] : 0);
        });
      }
      for (const auto& [slot, row] : kept_) rows_[slot] = row;
      step_.compute(rows_.data(), step_, mask_);
      for (std::size_t i = 0; i < written_.size(); ++i) {
        if (trial == 0) {
          first.push_back(rows_[written_[i]]);
          out[i].fill(kAllBits);
        }
        for_lanes(mask_,
                  [&](unsigned lane) { out[i][lane] &= ~(rows_[written_[i]][lane] ^ first[i][lane]); });
      }
    }
    for (const Source& source : sources_) rows_[source.slot] = source.row;
    for (const auto& [slot, row] : kept_) rows_[slot] = row;
    return out;
  }

  /// A result that is extended to its register, as far as it is told. A predicate has one bit.
  std::vector<Row> fitted(std::vector<Row> known) const {
    if (const auto& type = step_.modifiers().type; type && type->cls == isa::TypeClass::predicate) {
      for (Row& row : known)
        for_lanes(mask_, [&](unsigned lane) { row[lane] = (row[lane] & 1U) != 0 ? kAllBits : 0; });
      return known;
    }
    if (step_.fit.from >= 64 || known.empty()) return known;
    for_lanes(mask_, [&](unsigned lane) {
      known[0][lane] = known_extended(known[0][lane], step_.fit.from, step_.fit.is_signed);
    });
    return known;
  }

  /// The predicate that a comparison is combined with; of none it does not matter.
  bool may_be(Slot predicate, unsigned lane, unsigned truth) const {
    if (predicate == kNoSlot || (known_.predicate[lane] & 1U) == 0) return true;
    return (rows_[predicate][lane] & 1U) == (step_.is_negated(Role::predicate) ? truth ^ 1U : truth);
  }

  /// setp, with its second destination and what it is combined with.
  std::vector<Row> comparison() const {
    std::vector<Row> out(written_.size());
    const isa::BoolOp combine = step_.modifiers().combine;
    const Slot with = combine == isa::BoolOp::none ? kNoSlot : step_.slot(Role::predicate);
    for_lanes(mask_, [&](unsigned lane) {
      const auto holds = compared(step_, rows_[step_.sources[0]][lane], known_.of[0][lane],
                                  rows_[step_.sources[1]][lane], known_.of[1][lane]);
      std::array<unsigned, 2> results{};  // of each destination, a bit a value that it may have
      for (unsigned truth = 0; truth < 2; ++truth) {
        if (holds && *holds != (truth != 0)) continue;
        for (unsigned other = 0; other < 2; ++other) {
          if (!may_be(with, lane, other)) continue;
          results[0] |= 1U << combined(combine, truth, other);
          results[1] |= 1U << combined(combine, truth ^ 1U, other);
        }
      }
      for (std::size_t i = 0; i < written_.size(); ++i) {
        const unsigned values = results.at(written_[i] == step_.to ? 0 : 1);
        out[i][lane] = std::has_single_bit(values) ? kAllBits : 0;
      }
    });
    return out;
  }

  std::vector<Row>& rows_;
  const Step& step_;
  LaneMask mask_;
  const KnownSources& known_;
  std::vector<Slot> written_;
  std::vector<Source> sources_;
  std::vector<std::pair<Slot, Row>> kept_;  // results, as they are before
};

}  // namespace

std::vector<Slot> written_by(const Step& step) {
  std::vector<Slot> out;
  const auto add = [&](Slot slot) {
    if (slot != kNoSlot && std::find(out.begin(), out.end(), slot) == out.end()) out.push_back(slot);
  };
  add(step.to);
  add(step.second);
  for (const Slot slot : step.elements) add(slot);
  add(step.slot(Role::state));
  return out;
}

std::vector<Row> known_results(std::vector<Row>& rows, const Step& step, LaneMask mask,
                               const KnownSources& known) {
  return Trial(rows, step, mask, known).run();
}

std::uint64_t known_extended(std::uint64_t known, std::uint32_t bits, bool is_signed) {
  if (bits >= 64) return known;
  const std::uint64_t above = kAllBits << bits;
  const bool extends = !is_signed || (known >> (bits - 1) & 1U) != 0;
  return extends ? known | above : known & ~above;
}

KnownBits::KnownBits(const std::vector<Code>& codes, const std::vector<Warp>& warps) {
  for (const Warp& warp : warps) rows_.emplace_back(warp.registers.rows.size(), Row{});
  for (const Code& code : codes) {
    for (const Step& step : code.steps) {
      written_[&step] = step.act != Act::none ? results_of(code, step) : written_by(step);
    }
  }
}

void KnownBits::forget(const Warp& warp, const Step& step, LaneMask mask) {
  if (mask == 0) return;
  for (const Slot slot : written_.at(&step))
    for_lanes(mask, [&](unsigned lane) { row(warp, slot)[lane] = 0; });
}

std::vector<Row> KnownBits::results(Warp& warp, const Step& step, LaneMask mask) {
  KnownSources known;
  const auto of_slot = [&](Slot slot, Row& out) {
    out.fill(kAllBits);
    if (slot != kNoSlot) for_lanes(mask, [&](unsigned lane) { out[lane] = of(warp, slot, lane); });
  };
  for (std::size_t i = 0; i < step.source_count; ++i) of_slot(step.sources[i], known.of[i]);
  of_slot(step.slot(Role::predicate), known.predicate);
  std::vector<Row> out = known_results(warp.registers.rows, step, mask, known);
  const LaneMask either = step.guard == kNoSlot ? 0 : warp.taint(step.guard).data;
  const Slot carry = step.slot(Role::state);
  for (Row& row : out) {
    for_lanes(mask, [&](unsigned lane) {
      if ((either >> lane & 1U) != 0 || (carry != kNoSlot && of(warp, carry, lane) != kAllBits))
        row[lane] = 0;
    });
  }
  return out;
}

void KnownBits::keep(Warp& warp, const Step& step, LaneMask mask, const std::vector<Row>& results) {
  const std::vector<Slot>& written = written_.at(&step);
  for (std::size_t i = 0; i < written.size(); ++i) {
    for_lanes(mask, [&](unsigned lane) {
      set(warp, written[i], lane, results[i][lane]);
      if (results[i][lane] == kAllBits) warp.taint(written[i]).data &= ~(LaneMask{1} << lane);
    });
  }
}

std::uint64_t KnownBits::in_memory(const Memory::Span& span, std::uint64_t offset, std::uint32_t bytes) {
  constexpr std::uint64_t kByte = 0xff;
  std::uint64_t known = 0;
  for (std::uint32_t i = 0; i < bytes && i < sizeof known; ++i) {
    if ((span.sources(offset + i, 1) & bit(Source::data)) == 0) known |= kByte << (i * 8);
  }
  return known;
}

void KnownBits::store(const Memory::Span& span, std::uint64_t offset, std::uint32_t bytes, Sources sources,
                      std::uint64_t known) {
  constexpr std::uint64_t kByte = 0xff;
  for (std::uint32_t i = 0; i < bytes && i < sizeof known; ++i) {
    const bool all = (known >> (i * 8) & kByte) == kByte;
    const auto data = static_cast<Sources>(all ? bit(Source::data) : 0);
    span.set_sources(offset + i, 1, static_cast<Sources>(sources & ~data));
  }
}

}  // namespace ptxmc::exec
