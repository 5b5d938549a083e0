// SPDX-License-Identifier: Apache-2.0
// What spans groups of modifiers: rules of one instruction family each, with their sections.
#include <fmt/format.h>

#include <algorithm>

#include "ptx/isa/matrix.h"
#include "ptx/isa/resolver.h"
#include "ptx/isa/words.h"

namespace ptxmc::isa {

// A vector has a type, and at most 16 bytes (with .v8.b32 or .v4.b64: 32)
void Resolver::vector_rules() {
  if (!has(Group::vector)) return;
  if (!m_.type) {
    error(chosen(Group::vector), fmt::format("`.v{}` needs a type", m_.vector));
  } else if (m_.type->bits * m_.vector > (m_.vector >= 4 && m_.type->bits >= 32 ? 256 : 128) ||
             (m_.vector == 8 && m_.type->bits > 32)) {
    contradiction(Group::vector, Group::type);
  }
  if (m_.type && m_.type->bits == 128) contradiction(Group::vector, Group::type);
}

// 9.7.8.9: ld.global.nc is weak, and reads global memory by another way
void Resolver::non_coherent_rules() {
  if (!m_.non_coherent) return;
  if (has(Group::semantics) && m_.semantics != Semantics::weak)
    contradiction(Group::non_coherent, Group::semantics);
  if (contains_word("lu cv", word(Group::cache_operator)))
    contradiction(Group::non_coherent, Group::cache_operator);
  if (m_.space != Space::global) error(chosen(Group::non_coherent), "`.nc` needs the state space `.global`");
}

// PTX ISA 9.4, ld: the readonly proxy is for weak loads of global and constant memory
void Resolver::read_only_rules() {
  if (!m_.read_only) return;
  if (has(Group::semantics) && m_.semantics != Semantics::weak)
    contradiction(Group::read_only, Group::semantics);
  if (m_.non_coherent) contradiction(Group::read_only, Group::non_coherent);
  if (m_.space != Space::global && m_.space != Space::const_)
    error(chosen(Group::read_only), "`.proxy::readonly` needs the state space `.global` or `.const`");
}

// Priorities and prefetches, and vectors of more than 16 bytes, are of global memory
void Resolver::cache_rules() {
  const bool global = m_.space == Space::global || m_.space == Space::generic;
  for (const Group group : {Group::eviction, Group::l2_eviction, Group::prefetch, Group::cache_policy}) {
    if (has(group) && !global) contradiction(group, Group::space);
  }
  constexpr int kWhole = 256;  // bits
  if (has(Group::l2_eviction) && (!m_.type || m_.vector * m_.type->bits != kWhole))
    error(chosen(Group::l2_eviction),
          fmt::format("`.{}` of `{}` needs a vector of {} bits: .v8 of 32, or .v4 of 64",
                      word(Group::l2_eviction), name_, kWhole));
  if (has(Group::vector) && m_.type && m_.vector * m_.type->bits > 128 && !global)
    contradiction(Group::vector, Group::space);
}

// ld and st: 9.7.8.8, 9.7.8.11
void Resolver::memory_rules() {
  vector_rules();
  non_coherent_rules();
  read_only_rules();
  cache_rules();
  if (has(Group::mmio)) return mmio_rules();
  if (m_.semantics == Semantics::weak || m_.semantics == Semantics::volatile_) {
    if (has(Group::scope) && has(Group::semantics)) {
      contradiction(Group::semantics, Group::scope);
    } else if (has(Group::scope)) {
      error(chosen(Group::scope),
            fmt::format("scope `.{}` without a memory order: a weak `{}` has none; expected {}",
                        word(Group::scope), base_,
                        form_->opcode == Opcode::ld ? ".relaxed or .acquire" : ".relaxed or .release"));
    }
    if (m_.semantics == Semantics::volatile_) m_.scope = Scope::sys;
  } else if (!has(Group::scope)) {
    error(chosen(Group::semantics), fmt::format("`.{}` of `{}` needs a scope: one of {}",
                                                word(Group::semantics), base_, dotted_list(kScopeWords)));
  }
  const bool own = m_.semantics == Semantics::volatile_ && m_.space == Space::local;
  if (m_.semantics != Semantics::weak) {
    if (m_.space == Space::const_ || (m_.space == Space::local && !own) || m_.space == Space::param)
      contradiction(Group::semantics, Group::space);
    if (has(Group::cache_operator)) contradiction(Group::semantics, Group::cache_operator);
  }
  if (m_.semantics == Semantics::volatile_) {
    if (has(Group::eviction)) contradiction(Group::semantics, Group::eviction);
    if (has(Group::cache_policy)) contradiction(Group::semantics, Group::cache_policy);
  }
  // PTX ISA 9.1: no other thread sees local memory, so that a volatile access of it is as any other
  if (own) {
    m_.semantics = Semantics::weak;
    m_.scope = Scope::none;
  }
  if (has(Group::cache_operator) && has(Group::eviction))
    contradiction(Group::cache_operator, Group::eviction);
}

// .mmio comes with .relaxed.sys (9.7.8.8), or with an order of scope .sys (PTX ISA 9.3), on global memory
void Resolver::mmio_rules() {
  const Semantics order = form_->opcode == Opcode::ld ? Semantics::acquire : Semantics::release;
  if (!has(Group::semantics)) {
    error(chosen(Group::mmio), fmt::format("`.mmio` needs `.relaxed` or `.{}`", name_of(order)));
  } else if (m_.semantics != Semantics::relaxed && m_.semantics != order) {
    contradiction(Group::mmio, Group::semantics);
  }
  if (!has(Group::scope)) {
    error(chosen(Group::mmio), "`.mmio` needs the scope `.sys`");
  } else if (m_.scope != Scope::sys) {
    contradiction(Group::mmio, Group::scope);
  }
  if (has(Group::space) && m_.space != Space::global) contradiction(Group::mmio, Group::space);
  for (const Group group : {Group::vector, Group::cache_operator, Group::eviction, Group::l2_eviction,
                            Group::prefetch, Group::cache_policy}) {
    if (has(group)) contradiction(Group::mmio, group);
  }
  m_.mmio = m_.semantics == order;
  if (!m_.mmio) m_.semantics = Semantics::mmio;
}

// Floating numbers are added, and in vectors compared too: up to 16 bytes of them in global memory, those of 16 bits
// with .noftz.
void Resolver::floating_atomic_rules() {
  const bool half = m_.packed != Packed::none || m_.type->bits == 16;
  const bool extremum = m_.atomic == AtomicOp::min || m_.atomic == AtomicOp::max;
  const bool vector = has(Group::vector);
  if (m_.atomic != AtomicOp::add && !(vector && half && extremum)) contradiction(Group::atomic, Group::type);
  if (half && !has(Group::flush))
    error(0, fmt::format("`{}` of `.{}` needs `.noftz`", name_, word(Group::type)));
  if (!half && has(Group::flush)) contradiction(Group::flush, Group::type);
  if (!vector) return;
  if (m_.vector * m_.type->bits > 128 || m_.type->bits == 64) contradiction(Group::vector, Group::type);
  if (m_.space != Space::generic && m_.space != Space::global) contradiction(Group::vector, Group::space);
  if (m_.scope == Scope::cluster) contradiction(Group::vector, Group::scope);
}

// 9.7.12.5: .inc and .dec are .u32; .add, .min and .max are of numbers, the others of bits, and .b16 is for .cas
void Resolver::atomic_rules() {
  if (!m_.type) return;
  if (m_.packed != Packed::none || m_.type->is_floating()) return floating_atomic_rules();
  for (const Group group : {Group::flush, Group::vector}) {
    if (has(group)) return contradiction(group, Group::type);
  }
  const bool bits = m_.type->cls == TypeClass::bits;
  const bool s64 = m_.type->is_signed() && m_.type->bits == 64;
  const bool u32 = m_.type->cls == TypeClass::unsigned_ && m_.type->bits == 32;
  bool good = true;
  switch (m_.atomic) {
    case AtomicOp::inc:
    case AtomicOp::dec:
      good = u32;
      break;
    case AtomicOp::add:
      good = !bits && !s64;
      break;
    case AtomicOp::min:
    case AtomicOp::max:
      good = !bits;
      break;
    case AtomicOp::and_:
    case AtomicOp::or_:
    case AtomicOp::xor_:
      good = bits && (m_.type->bits == 32 || m_.type->bits == 64);
      break;
    case AtomicOp::exch:
      good = bits && m_.type->bits != 16;
      break;
    case AtomicOp::cas:
      good = bits;
      break;
    case AtomicOp::none:
    case AtomicOp::sub:
    case AtomicOp::mul:
    case AtomicOp::div:
      break;
  }
  if (!good) contradiction(Group::atomic, Group::type);
}

// 9.7.8.13: a strong access names order and scope; which operation takes which type
void Resolver::multimem_rules() {
  if (m_.semantics == Semantics::weak && has(Group::scope)) {
    error(chosen(Group::scope),
          fmt::format("scope `.{}` without a memory order: a weak `{}` has none", word(Group::scope), name_));
  } else if (has(Group::semantics) != has(Group::scope) && m_.semantics != Semantics::weak) {
    const Group found = has(Group::semantics) ? Group::semantics : Group::scope;
    error(chosen(found), fmt::format("`.{}` of `{}` needs {}", word(found), name_,
                                     found == Group::scope ? "a memory order"
                                                           : "a scope: one of " + dotted_list(kScopeWords)));
  }
  const bool eighth = m_.packed >= Packed::e4m3x2;  // numbers of 8 bits
  const bool half = m_.packed != Packed::none || (m_.type->is_floating() && m_.type->bits == 16);
  const bool floating = half || m_.type->is_floating();
  const int bits = m_.vector * m_.type->bits;
  const bool whole = floating ? bits == 32 || bits == 64 || bits == 128 : !has(Group::vector);
  if (!whole || (m_.type->bits == 64 && has(Group::vector)))
    return has(Group::vector)
               ? contradiction(Group::vector, Group::type)
               : error(chosen(Group::type), fmt::format("`.{}` of `{}` needs a vector of 32 bits at least",
                                                        word(Group::type), name_));
  if (has(Group::accumulation) && (!half || eighth != m_.variants.has(Variant::sum_f16)))
    return contradiction(Group::accumulation, Group::type);
  if (!has(Group::atomic)) return;
  const bool of_bits = m_.type->cls == TypeClass::bits && !floating;
  const bool logic = m_.atomic != AtomicOp::add && m_.atomic != AtomicOp::min && m_.atomic != AtomicOp::max;
  const bool sum = m_.atomic == AtomicOp::add;
  const bool s64 = m_.type->is_signed() && m_.type->bits == 64 && !floating;
  if (!sum && m_.variants.has(Variant::sum_f16)) return contradiction(Group::accumulation, Group::atomic);
  const bool good = logic ? of_bits : !of_bits && !(sum && s64) && (sum || !floating || half);
  if (!good) contradiction(Group::atomic, Group::type);
}

// 9.7.5.2: bit types are compared for equality only, the unsigned spellings need an unsigned type
void Resolver::setp_rules() {
  const bool equality = m_.compare == Compare::eq || m_.compare == Compare::ne;
  const bool unsigned_word = contains_word("lo ls hi hs", word(Group::compare));
  if (!m_.type) {
    if (unsigned_word) {
      error(chosen(Group::compare), fmt::format("`.{}` needs an unsigned type", word(Group::compare)));
    }
    return;
  }
  if (m_.type->cls == TypeClass::bits && !equality) contradiction(Group::compare, Group::type);
  if (m_.type->cls == TypeClass::signed_ && unsigned_word) contradiction(Group::compare, Group::type);
}

// 9.7.1.3, 9.7.1.4: which half of the product; the untyped short form keeps all of it that fits
void Resolver::mul_rules() {
  if (has(Group::type) && !has(Group::half)) {
    error(0, fmt::format("`{}` with a type needs one of .lo .hi .wide", base_));
  } else if (has(Group::half) && m_.half != MulHalf::lo && !has(Group::type)) {
    error(chosen(Group::half), fmt::format("`.{}` needs a type", word(Group::half)));
  } else if (m_.half == MulHalf::wide && m_.type->bits == 64) {
    contradiction(Group::half, Group::type);
  }
}

/// The second type, which must be there.
bool Resolver::has_source_type() {
  if (!more_types_.empty()) {
    m_.source_type = parse_type(words_[more_types_.front() - 1]);
    return true;
  }
  error(0, fmt::format("`{}` needs two types: that of the destination, then that of the source", name_));
  return false;
}

namespace {

/// Can an integer type hold all numbers of another?
bool holds_all(const Type& to, const Type& from) {
  if (to.is_signed() == from.is_signed()) return to.bits >= from.bits;
  return to.is_signed() && to.bits > from.bits;
}

}  // namespace

// 9.7.8.20: the types of the destination and of the source, and what they ask of the rounding
void Resolver::convert_rules() {
  if (!has_source_type()) return;
  const bool floating = m_.type->is_floating() || m_.source_type->is_floating();
  const bool of_words = m_.type->format == Float::f32 || m_.source_type->format == Float::f32;
  if (has(Group::flush) && !of_words) contradiction(Group::flush, Group::type);
  if (!floating && has(Group::rounding)) return contradiction(Group::rounding, Group::type);
  if (!floating && has(Group::clamping) && holds_all(*m_.type, *m_.source_type))
    contradiction(Group::clamping, Group::type);
  if (floating) rounding_rules();
  narrow_rules();
}

// A rounding where a number loses precision, and no other: to an integer where it becomes one or stays as wide.
void Resolver::rounding_rules() {
  const Type to = *m_.type, from = *m_.source_type;
  if (m_.variants.has(Variant::rs)) {
    if (from.format != Float::f32 || to.format == Float::f32)
      error(0, "`cvt.rs` is of `.f32`, to packed numbers");
    return;
  }
  const bool whole = word(Group::rounding).size() == 3 && word(Group::rounding) != "rna";
  const bool to_integer = !to.is_floating();
  const bool packed = to.format >= Float::f16x2;
  const bool same = to == from;
  const bool loses =
      to_integer || !from.is_floating() || packed || to.bits < from.bits || (to.bits == from.bits && !same);
  if (has(Group::rounding)) {
    const bool suits = whole ? to_integer || same : loses && !to_integer;
    if (!suits) contradiction(Group::rounding, Group::type);
    return;
  }
  if (!loses) return;
  error(0, fmt::format("`cvt` between these types needs a rounding: one of {}",
                       to_integer ? ".rni .rzi .rmi .rpi" : ".rn .rz .rm .rp"));
}

// .relu is of conversions from .f32 to shorter numbers, and of those from and to 8 bits and fewer, .satfinite too;
// the latter are .satfinite always.
void Resolver::narrow_rules() {
  const Type to = *m_.type, from = *m_.source_type;
  const bool tiny = to.format >= Float::e4m3 && to.format != Float::ue8m0x2;
  const bool narrows =
      to.is_floating() && from.format == Float::f32 && to.format != Float::f32 && to.bits <= 32;
  const bool finite = word(Group::clamping) == "satfinite";
  if (has(Group::rectification) && !narrows && !tiny && from.format < Float::e4m3)
    contradiction(Group::rectification, Group::type);
  if (finite && !narrows && !tiny) contradiction(Group::clamping, Group::type);
  if (has(Group::clamping) && !finite && (tiny || to.format >= Float::f16x2))
    contradiction(Group::clamping, Group::type);
  if (tiny && !finite) error(0, fmt::format("`cvt` to `.{}` needs `.satfinite`", word(Group::type)));
}

// 9.7.1.6: only .hi.s32 saturates
void Resolver::saturation_rules() {
  if (!has(Group::clamping)) return;
  if (m_.half != MulHalf::hi) contradiction(Group::clamping, Group::half);
  if (!m_.type->is_signed()) contradiction(Group::clamping, Group::type);
}

// 9.7.8.14: with a priority to .L2, from global memory
void Resolver::prefetch_rules() {
  if (word(Group::cache_level).size() > 2 && m_.space != Space::global)
    error(chosen(Group::cache_level),
          fmt::format("`.{}` of `prefetch` needs `.global`", word(Group::cache_level)));
}

// 9.7.8.17: a primary priority and a secondary one
void Resolver::policy_rules() {
  if (has(Group::cache_level) && !more_priorities_.empty())
    error(more_priorities_.front(), fmt::format("`.{}` is a third priority; `{}` takes two",
                                                words_[more_priorities_.front() - 1], name_));
}

void Resolver::two_type_rules() {
  has_source_type();
}

// 9.7.5.4: the choice is by the sign of an .s32 or .f32
void Resolver::choice_rules() {
  if (!has_source_type()) return;
  const Type& by = *m_.source_type;
  if (by != Type{TypeClass::signed_, 32} && by.format != Float::f32)
    return error(more_types_.front(), "`slct` chooses by a number of type .s32 or .f32");
  if (has(Group::flush) && !by.is_floating()) contradiction(Group::flush, Group::type);
}

// 9.7.5.1, 9.7.6.1
void Resolver::set_rules() {
  if (!has_source_type()) return;
  const Type& from = *m_.source_type;
  const bool equality = m_.compare == Compare::eq || m_.compare == Compare::ne;
  const bool floats_only = word(Group::compare).size() == 3;
  if (m_.type->cls == TypeClass::bits || m_.type->bits == 64) {
    error(chosen(Group::type),
          fmt::format("`set` gives a number of 16 or 32 bits, not `.{}`", word(Group::type)));
  }
  const bool wrong = (from.cls == TypeClass::bits && !equality) || (floats_only && !from.is_floating()) ||
                     (contains_word("lo ls hi hs", word(Group::compare)) && from.cls != TypeClass::unsigned_);
  if (wrong)
    error(more_types_.front(), fmt::format("`.{}` contradicts `.{}` in `set`",
                                           words_[more_types_.front() - 1], word(Group::compare)));
}

// 9.7.8.21: `.u16.s32`, or a smaller type, `.s32` and `.b32`
void Resolver::pack_rules() {
  const std::string_view narrow = word(Group::type);
  int bits = 0;
  for (const char digit : narrow.substr(1)) bits = bits * 10 + (digit - '0');
  m_.type = Type{narrow.front() == 'u' ? TypeClass::unsigned_ : TypeClass::signed_,
                 static_cast<std::uint16_t>(bits)};
  const std::size_t types = more_types_.size() + 1;
  const bool third = bits < 16;
  if (types != (third ? 3 : 2) || words_[more_types_.front() - 1] != "s32" ||
      (third && words_[more_types_.back() - 1] != "b32") || narrow.front() == 'b' || bits > 16) {
    return error(0, "`cvt.pack` takes .u16 or .s16 and .s32, or a smaller type, .s32 and .b32");
  }
  m_.source_type = Type{TypeClass::signed_, 32};
}

// 9.7.12.1: only .popc counts
void Resolver::barrier_rules() {
  if ((m_.barrier_red == BarrierRed::popc) == (m_.type->cls == TypeClass::predicate))
    contradiction(Group::barrier_red, Group::type);
}

// 9.7.12.15: .release and the like stand with a scope, and a scope with one of them (as ptxas has it)
void Resolver::mbarrier_rules() {
  if (has(Group::semantics) && !has(Group::scope)) {
    error(chosen(Group::semantics),
          fmt::format("`.{}` of `{}` needs a scope: .cta or .cluster", word(Group::semantics), name_));
  }
  if (!has(Group::scope) || has(Group::semantics)) return;
  const auto orders = std::find_if(form_->choices.begin(), form_->choices.end(),
                                   [](const Choice& choice) { return choice.group == Group::semantics; });
  error(chosen(Group::scope), fmt::format("`.{}` of `{}` needs a memory order: one of {}", word(Group::scope),
                                          name_, dotted_list(orders->words)));
}

// 9.7.12.9: only .ballot gives a mask
void Resolver::vote_rules() {
  if ((m_.warp_mode == WarpMode::ballot) != (m_.type->cls == TypeClass::bits))
    contradiction(Group::mode, Group::type);
}

// 9.7.12.12: arithmetic is on numbers, logic on bits; of floating ones the least and the most are found, with .abs and .NaN
void Resolver::redux_rules() {
  if (m_.type->is_floating()) {
    if (m_.atomic != AtomicOp::min && m_.atomic != AtomicOp::max) contradiction(Group::atomic, Group::type);
    return;
  }
  for (const Group group : {Group::magnitude, Group::nan}) {
    if (has(group)) return contradiction(group, Group::type);
  }
  const bool logic = m_.atomic == AtomicOp::and_ || m_.atomic == AtomicOp::or_ || m_.atomic == AtomicOp::xor_;
  if (logic != (m_.type->cls == TypeClass::bits)) contradiction(Group::atomic, Group::type);
}

// 9.7.12.4: only .async may be limited to a state space
void Resolver::proxy_fence_rules() {
  if (has(Group::space) && m_.proxy != Proxy::async) contradiction(Group::proxy, Group::space);
  if (!has(Group::restriction)) return;
  // A release is of the thread block's own memory, or of reads of the cluster's, an acquire of the cluster's.
  m_.space =
      word(Group::restriction) == "sync_restrict::shared::cta" ? Space::shared_cta : Space::shared_cluster;
  m_.reads_only = word(Group::restriction) == "sync_restrict::shared::cluster::read";
  if ((m_.semantics == Semantics::release) != (m_.space == Space::shared_cta || m_.reads_only)) {
    contradiction(Group::semantics, Group::restriction);
  }
}

}  // namespace ptxmc::isa
