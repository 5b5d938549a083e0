// SPDX-License-Identifier: Apache-2.0
// What spans groups of modifiers: rules of one instruction family each, with their sections.
#include <fmt/format.h>

#include "isa/matrix.h"
#include "isa/resolver.h"
#include "isa/words.h"

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

// 9.7.8.8: ld.global.nc is weak, and reads global memory by another way
void Resolver::non_coherent_rules() {
  if (!m_.non_coherent) return;
  if (has(Group::semantics) && m_.semantics != Semantics::weak)
    contradiction(Group::non_coherent, Group::semantics);
  if (m_.space != Space::global) error(chosen(Group::non_coherent), "`.nc` needs the state space `.global`");
}

// ld and st: 9.7.8.8, 9.7.8.11
void Resolver::memory_rules() {
  vector_rules();
  non_coherent_rules();
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
  if (m_.semantics != Semantics::weak) {
    if (m_.space == Space::const_ || m_.space == Space::local || m_.space == Space::param)
      contradiction(Group::semantics, Group::space);
    if (has(Group::cache_operator)) contradiction(Group::semantics, Group::cache_operator);
  }
  if (m_.semantics == Semantics::volatile_) {
    if (has(Group::eviction)) contradiction(Group::semantics, Group::eviction);
    if (has(Group::cache_policy)) contradiction(Group::semantics, Group::cache_policy);
  }
  if (has(Group::cache_operator) && has(Group::eviction))
    contradiction(Group::cache_operator, Group::eviction);
}

// .mmio comes with .relaxed.sys, on global memory (9.7.8.8)
void Resolver::mmio_rules() {
  if (!has(Group::semantics)) {
    error(chosen(Group::mmio), "`.mmio` needs `.relaxed`");
  } else if (m_.semantics != Semantics::relaxed) {
    contradiction(Group::mmio, Group::semantics);
  }
  if (!has(Group::scope)) {
    error(chosen(Group::mmio), "`.mmio` needs the scope `.sys`");
  } else if (m_.scope != Scope::sys) {
    contradiction(Group::mmio, Group::scope);
  }
  if (has(Group::space) && m_.space != Space::global) contradiction(Group::mmio, Group::space);
  for (const Group group :
       {Group::vector, Group::cache_operator, Group::eviction, Group::prefetch, Group::cache_policy}) {
    if (has(group)) contradiction(Group::mmio, group);
  }
  m_.semantics = Semantics::mmio;
}

// 9.7.12.5: .inc and .dec are .u32; .min and .max need a sign; .b16 is for .cas
void Resolver::atomic_rules() {
  if (!m_.type) return;
  const bool bits = m_.type->cls == TypeClass::bits;
  const bool u32 = m_.type->cls == TypeClass::unsigned_ && m_.type->bits == 32;
  const AtomicOp op = m_.atomic;
  if ((op == AtomicOp::inc || op == AtomicOp::dec) && !u32) contradiction(Group::atomic, Group::type);
  if ((op == AtomicOp::min || op == AtomicOp::max) && bits) contradiction(Group::atomic, Group::type);
  if (m_.type->bits == 16 && op != AtomicOp::cas) contradiction(Group::atomic, Group::type);
  const bool swaps = op == AtomicOp::cas || op == AtomicOp::exch;
  if (m_.type->bits == 128 && !swaps) contradiction(Group::atomic, Group::type);
}

// 9.7.4.2: bit types are compared for equality only, the unsigned spellings need an unsigned type
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

// 9.7.6: the types of the destination and of the source
void Resolver::convert_rules() {
  if (more_types_.empty())
    return error(0, "`cvt` needs two types: that of the destination, then that of the source");
  m_.source_type = parse_type(words_[more_types_.front() - 1]);
}

// 9.7.12.1: only .popc counts
void Resolver::barrier_rules() {
  if ((m_.barrier_red == BarrierRed::popc) == (m_.type->cls == TypeClass::predicate))
    contradiction(Group::barrier_red, Group::type);
}

// 9.7.12.15: .release and the like stand with a scope
void Resolver::mbarrier_rules() {
  if (has(Group::semantics) && !has(Group::scope)) {
    error(chosen(Group::semantics),
          fmt::format("`.{}` of `{}` needs a scope: .cta or .cluster", word(Group::semantics), name_));
  }
}

// A wait's scope stands with .acquire or .relaxed (as ptxas has it)
void Resolver::mbarrier_wait_rules() {
  mbarrier_rules();
  if (!has(Group::scope) || has(Group::semantics)) return;
  error(chosen(Group::scope),
        fmt::format("`.{}` of `{}` needs a memory order: .acquire or .relaxed", word(Group::scope), name_));
}

void Resolver::matrix_move_rules() {
  parse_shape(word(Group::shape), m_.matrix);
  m_.matrix.count = static_cast<std::uint8_t>(word(Group::matrices)[1] - '0');
  m_.matrix.transposed = has(Group::transposition);
}

void Resolver::transposition_rules() {
  parse_shape(word(Group::shape), m_.matrix);
  m_.matrix.transposed = true;
}

// 9.7.13.4.14, 9.7.13.5.3, 9.7.14.5.2: types are those of D, A, B and, of mma, C
void Resolver::product_rules() {
  Matrix& matrix = m_.matrix;
  m_.type.reset();
  if (more_types_.size() + 1 < most_types()) {
    error(0, fmt::format("`{}` needs {} types, found {}", name_, most_types(), more_types_.size() + 1));
    return;
  }
  parse_shape(word(Group::shape), matrix);
  matrix.d = *parse_element(word(Group::type));
  matrix.a = *parse_element(words_[more_types_[0] - 1]);
  matrix.b = *parse_element(words_[more_types_[1] - 1]);
  matrix.c = more_types_.size() > 2 ? *parse_element(words_[more_types_[2] - 1]) : matrix.d;
  matrix.saturate = has(Group::saturation);
  matrix.parity = word(Group::combination) == "xor";
  if (!is_listed(form_->opcode, matrix)) {
    error(chosen(Group::shape),
          fmt::format("`.{}` of `{}` does not go with these types", word(Group::shape), name_));
    return;
  }
  const bool bits = matrix.a == Element::b1;
  if (bits != has(Group::combination) || bits != has(Group::no_effect)) {
    error(bits ? 0 : std::min(chosen(Group::combination), chosen(Group::no_effect)),
          bits ? fmt::format("`{}` of `.b1` needs an operation and `.popc`", name_)
               : fmt::format("only `.b1` matrices have `.and.popc` or `.xor.popc`"));
  }
  if (matrix.saturate && (matrix.d != Element::s32 || bits)) contradiction(Group::saturation, Group::type);
}

// 9.7.12.9: only .ballot gives a mask
void Resolver::vote_rules() {
  if ((m_.warp_mode == WarpMode::ballot) != (m_.type->cls == TypeClass::bits))
    contradiction(Group::mode, Group::type);
}

// 9.7.12.12: arithmetic is on numbers, logic on bits
void Resolver::redux_rules() {
  const bool logic = m_.atomic == AtomicOp::and_ || m_.atomic == AtomicOp::or_ || m_.atomic == AtomicOp::xor_;
  if (logic != (m_.type->cls == TypeClass::bits)) contradiction(Group::atomic, Group::type);
}

// 9.7.12.4: only .async may be limited to a state space
void Resolver::proxy_fence_rules() {
  if (has(Group::space) && m_.proxy != Proxy::async) contradiction(Group::proxy, Group::space);
  if (!has(Group::restriction)) return;
  // A release is of the thread block's own memory, an acquire of the cluster's.
  m_.space =
      word(Group::restriction) == "sync_restrict::shared::cta" ? Space::shared_cta : Space::shared_cluster;
  if ((m_.semantics == Semantics::release) != (m_.space == Space::shared_cta)) {
    contradiction(Group::semantics, Group::restriction);
  }
}

// 9.7.8.12: .release has a scope
void Resolver::async_store_rules() {
  if (m_.vector > 1 && m_.vector * m_.type->bits > 128) contradiction(Group::vector, Group::type);
  if (m_.semantics == Semantics::weak && has(Group::scope)) contradiction(Group::semantics, Group::scope);
  if (m_.semantics == Semantics::release && !has(Group::scope)) {
    error(chosen(Group::semantics),
          fmt::format("`.release` of `st.async` needs a scope: one of {}", dotted_list(kScopeWords)));
  }
}

void Resolver::bulk_reduction_rules() {
  reduction_rules(m_.space == Space::global);
}

void Resolver::async_reduction_rules() {
  reduction_rules(false);
}

// 9.7.8.24.7, 9.7.12.7: which operation takes which type
void Resolver::reduction_rules(bool wide) {
  const bool bits = m_.type->cls == TypeClass::bits;
  bool good = false;
  switch (m_.atomic) {
    case AtomicOp::add:
      good = !bits && (m_.type->bits == 32 || m_.type->cls == TypeClass::unsigned_);
      break;
    case AtomicOp::min:
    case AtomicOp::max:
      good = !bits && (m_.type->bits == 32 || wide);
      break;
    case AtomicOp::inc:
    case AtomicOp::dec:
      good = m_.type->cls == TypeClass::unsigned_ && m_.type->bits == 32;
      break;
    default:
      good = bits && (m_.type->bits == 32 || wide);
      break;
  }
  if (!good) contradiction(Group::atomic, Group::type);
}

// 9.7.8.25: addresses and strides have 64 bits, all other fields 32
void Resolver::map_rules() {
  const bool wide = m_.map_field == MapField::global_address || m_.map_field == MapField::global_stride;
  if (m_.type->bits != (wide ? 64 : 32)) contradiction(Group::map_field, Group::type);
}

}  // namespace ptxmc::isa
