// SPDX-License-Identifier: Apache-2.0
// What results of instructions on registers are, in lanes in which they are made of addresses (dynamic/exec/places.h).
#include <algorithm>
#include <bit>

#include "dynamic/exec/machine.h"
#include "ptx/integer/arithmetic.h"
#include "ptx/isa/opcode.h"

namespace ptxmc::exec {

namespace {

using isa::Opcode;
using isa::Role;

/// The operands of an instruction in one lane.
struct Operands {
  std::array<Formed, kMostSources> of{};
  std::size_t count = 0;
  bool predicate = false;
};

constexpr unsigned kWord = 32;

std::uint64_t ones(unsigned bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

class Following {
 public:
  Following(Places& places, const Step& step, const Operands& operands)
      : places_(places), step_(step), m_(step.modifiers()), a_(operands) {}

  Form result() {
    const Opcode opcode = step_.instruction->opcode;
    const bool floating =
        m_.type && m_.type->is_floating() && opcode != Opcode::mov && opcode != Opcode::selp;
    if (step_.compute == nullptr || floating || step_.has(Role::state)) return Places::kLost;
    switch (opcode) {
      case Opcode::mov:
        return a_.count == 1 ? a_.of[0].form : packed();
      case Opcode::selp:
        return (a_.predicate ? a_.of[0] : a_.of[1]).form;
      case Opcode::cvt:
        return converted();
      case Opcode::add:
        return places_.sum(a_.of[0].form, a_.of[1].form);
      case Opcode::sub:
        return places_.sum(a_.of[0].form, a_.of[1].form, true);
      case Opcode::neg:
      case Opcode::not_:
        return places_.times(a_.of[0].form, -1);
      case Opcode::mul:
        return product();
      case Opcode::mad:
        return places_.sum(product(), a_.of[2].form);
      case Opcode::setp:
      case Opcode::set:
        return compared(m_.compare == isa::Compare::eq || m_.compare == isa::Compare::ne);
      case Opcode::min:
      case Opcode::max:
        return extremum();
      default:
        return of_bits(opcode);
    }
  }

 private:
  /// Exactly one of two operands has a form; the number is the other's.
  struct OneFormed {
    const Formed* formed = nullptr;
    std::uint64_t number = 0;
  };
  std::optional<OneFormed> one_formed() const {
    const Formed &a = a_.of[0], &b = a_.of[1];
    if (b.form == Places::kNumber) return OneFormed{&a, b.value};
    if (a.form == Places::kNumber) return OneFormed{&b, a.value};
    return std::nullopt;
  }

  Form of_bits(Opcode opcode) {
    const bool bits = opcode == Opcode::and_ || opcode == Opcode::or_ || opcode == Opcode::xor_;
    if (bits) {
      const auto one = one_formed();
      if (!one) return Places::kLost;
      return opcode == Opcode::and_ ? places_.masked(*one->formed, one->number)
                                    : places_.with_bits(*one->formed, one->number);
    }
    for (std::size_t i = 1; i < a_.count; ++i) {
      if (a_.of.at(i).form != Places::kNumber && opcode != Opcode::bfi) return Places::kLost;
    }
    const Formed& a = a_.of[0];
    switch (opcode) {
      case Opcode::shl:
        return a_.of[1].value >= a.bits ? Places::kNumber : places_.shifted_left(a.form, a_.of[1].value);
      case Opcode::shr:
        return places_.shifted_right(a, a_.of[1].value);
      case Opcode::div:
      case Opcode::rem: {
        const std::uint64_t by = a_.of[1].value & ones(a.bits);
        if (!std::has_single_bit(by)) return Places::kLost;
        return opcode == Opcode::rem ? places_.masked(a, by - 1)
                                     : places_.shifted_right(a, static_cast<unsigned>(std::countr_zero(by)));
      }
      case Opcode::bfe:
        return extracted(a, a_.of[1].value & 0xffU, a_.of[2].value & 0xffU);
      case Opcode::bfi:
        return inserted();
      default:
        return Places::kLost;
    }
  }

  /// As unsigned numbers: a sign that is extracted is lost.
  Form extracted(const Formed& a, std::uint64_t begin, std::uint64_t count) {
    if (count == 0 || begin >= a.bits) return Places::kNumber;
    const std::uint64_t mask = ones(static_cast<unsigned>(std::min<std::uint64_t>(count, 64))) << begin;
    const Form kept = places_.masked(a, mask);
    if (m_.type->is_signed() && kept != Places::kNumber) return Places::kLost;
    return places_.shifted_right({kept, a.value & mask, a.bits}, begin);
  }

  Form inserted() {
    if (a_.of[2].form != Places::kNumber || a_.of[3].form != Places::kNumber) return Places::kLost;
    const std::uint64_t begin = a_.of[2].value & 0xffU, count = a_.of[3].value & 0xffU;
    const Formed &from = a_.of[0], &into = a_.of[1];
    if (count == 0 || begin >= into.bits) return into.form;
    const std::uint64_t mask = ones(static_cast<unsigned>(std::min<std::uint64_t>(count, 64)));
    return places_.sum(places_.masked(into, ~(mask << begin)),
                       places_.shifted_left(places_.masked(from, mask), begin));
  }

  Form packed() {
    const unsigned bits = step_.source_bits[0];
    Form out = Places::kNumber;
    for (std::size_t i = 0; i < a_.count; ++i) {
      Formed part = a_.of.at(i);
      part.bits = bits;
      out = places_.sum(out, places_.shifted_left(places_.extended(part, false), i * bits));
    }
    return out;
  }

  Form converted() {
    if (isa::pure_of(Opcode::cvt, m_) != isa::Pure::convert) return Places::kLost;
    const unsigned to = m_.type ? m_.type->bits : 64U, from = m_.source_type ? m_.source_type->bits : to;
    Formed a = a_.of[0];
    a.bits = from;
    if (to <= from) return places_.narrowed(a, to);
    return places_.extended(a, m_.source_type && m_.source_type->is_signed());
  }

  Form product() {
    if (m_.half == isa::MulHalf::hi) return formed_among(2) ? Places::kLost : Places::kNumber;
    const auto one = one_formed();
    if (!one) return Places::kLost;
    if (one->formed->form == Places::kNumber) return Places::kNumber;
    const bool wide = m_.half == isa::MulHalf::wide;
    const Form factor = wide ? places_.extended(*one->formed, m_.type->is_signed()) : one->formed->form;
    const auto width = static_cast<integer::Width>(one->formed->bits);
    const bool is_signed = !wide || m_.type->is_signed();
    return places_.times(factor, is_signed && width < 64 ? integer::as_signed(one->number, width)
                                                         : static_cast<std::int64_t>(one->number));
  }

  bool formed_among(std::size_t count) const {
    return std::any_of(a_.of.begin(), a_.of.begin() + static_cast<std::ptrdiff_t>(count),
                       [](const Formed& one) { return one.form != Places::kNumber; });
  }

  Form compared(bool for_equality) {
    return places_.compares(a_.of[0], a_.of[1], for_equality) ? Places::kNumber : Places::kLost;
  }

  Form extremum() {
    const Formed &a = a_.of[0], &b = a_.of[1];
    if (!places_.compares(a, b, false)) return Places::kLost;
    const bool less = a.value < b.value, least = step_.instruction->opcode == Opcode::min;
    return (less == least ? a : b).form;
  }

  Places& places_;
  const Step& step_;
  const isa::Modifiers& m_;
  const Operands& a_;
};

Form of_lane(const Warp& warp, Slot slot, unsigned lane) {
  const bool has = (warp.registers.taints[slot].address >> lane & 1U) != 0;
  return has ? (*warp.registers.forms[slot])[lane] : Places::kNumber;
}

/// The parts of a register that is unpacked: halves.
Form part_of(Places& places, const Formed& whole, std::size_t part, std::size_t count) {
  if (count != 2 || whole.bits != 2 * kWord) return Places::kLost;
  return part == 0 ? places.narrowed(whole, kWord) : places.shifted_right(whole, kWord);
}

}  // namespace

Form AddressForms::form_of(const Warp& warp, Slot slot, unsigned lane) {
  return of_lane(warp, slot, lane);
}

/// The sum has the form of one source, as the other one is a number; null: it is not so simple.
const FormRow* AddressForms::form_kept(const Warp& warp, const Step& step, LaneMask lanes) const {
  const auto has = [&](std::size_t i) {
    return (warp.registers.taints[step.sources.at(i)].address & lanes) != 0;
  };
  const auto all = [&](std::size_t i) {
    const bool whole = (warp.registers.taints[step.sources.at(i)].address & lanes) == lanes;
    return whole ? warp.registers.forms[step.sources.at(i)].get() : nullptr;
  };
  if (step.modifiers().variants.has(isa::Variant::carry) || step.elements.size() > 1) return nullptr;
  if (step.modifiers().type && step.modifiers().type->is_floating()) return nullptr;
  switch (step.instruction->opcode) {
    case Opcode::mov:
      return step.source_count == 1 ? all(0) : nullptr;
    case Opcode::add:
      return !has(1) ? all(0) : !has(0) ? all(1) : nullptr;
    case Opcode::sub:
      return !has(1) ? all(0) : nullptr;
    case Opcode::mad:
      return !has(0) && !has(1) ? all(2) : nullptr;
    default:
      return nullptr;
  }
}

/// What an instruction on registers that is about to be executed gives, in lanes with forms.
void AddressForms::follow(Warp& warp, const Step& step, LaneMask lanes, Followed& out) {
  out.lanes = lanes;
  out.lost = 0;
  if (const FormRow* kept = form_kept(warp, step, lanes)) {
    out.forms[0] = *kept;
    return;
  }
  const bool unpacks = step.instruction->opcode == Opcode::mov && step.elements.size() > 1;
  for_lanes(lanes, [&](unsigned lane) {
    Operands operands;
    operands.count = step.source_count;
    for (std::size_t i = 0; i < step.source_count; ++i)
      operands.of.at(i) = {of_lane(warp, step.sources.at(i), lane), warp.row(step.sources.at(i))[lane],
                           step.source_bits.at(i)};
    if (step.has(Role::predicate)) operands.predicate = is_true(warp, step, Role::predicate, lane);
    if (unpacks) {
      operands.of[0].bits = 64;
      for (std::size_t part = 0; part < step.elements.size(); ++part) {
        const Form form = part_of(*run_.places, operands.of[0], part, step.elements.size());
        if (part < out.forms.size()) out.forms.at(part)[lane] = form;
        if (form == Places::kLost) out.lost |= LaneMask{1} << lane;
      }
      return;
    }
    out.forms[0][lane] = Following(*run_.places, step, operands).result();
    if (out.forms[0][lane] == Places::kLost) out.lost |= LaneMask{1} << lane;
  });
}

/// It has been executed.
void AddressForms::keep_forms(Warp& warp, const Step& step, const Followed& followed) {
  const LaneMask kept = followed.lanes & ~followed.lost;
  if (step.instruction->opcode == Opcode::mov && step.elements.size() > 1) {
    for (std::size_t part = 0; part < std::min(step.elements.size(), followed.forms.size()); ++part) {
      if (step.elements[part] != kNoSlot) set_forms(warp, step.elements[part], kept, followed.forms.at(part));
    }
  } else if (step.to != kNoSlot) {
    set_forms(warp, step.to, kept, followed.forms[0]);
  }
}

void AddressForms::set_forms(Warp& warp, Slot slot, LaneMask lanes, const FormRow& forms) {
  auto& row = warp.registers.forms[slot];
  LaneMask address = 0;
  for_lanes(lanes, [&](unsigned lane) {
    if (forms[lane] == Places::kLost) warp.taint(slot).place |= LaneMask{1} << lane;
    if (forms[lane] != Places::kNumber && forms[lane] != Places::kLost) address |= LaneMask{1} << lane;
  });
  Taint& taint = warp.taint(slot);
  taint.address = (taint.address & ~lanes) | address;
  if (address == 0) return;
  if (row == nullptr) row = std::make_unique<FormRow>();
  for_lanes(address, [&](unsigned lane) { (*row)[lane] = forms[lane]; });
}

void AddressForms::set_form(Warp& warp, Slot slot, unsigned lane, Form form) {
  FormRow forms{};
  forms[lane] = form;
  set_forms(warp, slot, LaneMask{1} << lane, forms);
}

}  // namespace ptxmc::exec
