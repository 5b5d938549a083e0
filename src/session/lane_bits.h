// SPDX-License-Identifier: Apache-2.0
// Words of 32 bits of which each bit is a truth value of its own, as a ballot gives them, and the places of bits in them: what
// is computed of such words is told of their bits, so that simple facts decide what is compared.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "axiomatic/event/expr.h"
#include "dynamic/exec/warp.h"
#include "ptx/isa/opcode.h"

namespace ptxmc::session {

class LaneBits {
 public:
  using Expr = event::Expr;
  /// Truth values, of the lowest bit first.
  using Bits = std::array<Expr, exec::kLanes>;
  explicit LaneBits(event::ExprPool& pool) : pool_(pool) {}

  /// The word, extended by zeros to 64 bits.
  Expr word(const Bits& bits);
  /// Bits that all are false.
  Bits none() const;
  /// What vote.sync gives of these truth values, of the lanes of the mask.
  Expr voted(isa::WarpMode mode, exec::LaneMask lanes, const Bits& truths);
  /// The result of an instruction on words, of which at least one is known by its bits, or by cases. Nothing: no such.
  std::optional<Expr> applied(isa::Opcode opcode, const isa::Modifiers& m, std::span<const Expr> operands);
  /// The truth value of an equality. Nothing: the same.
  std::optional<Expr> equal(Expr a, Expr b);

 private:
  /// One of several numbers: the one whose truth value holds. Exactly one of these does.
  struct Case {
    Expr holds;
    std::uint32_t number = 0;
  };
  using Cases = std::vector<Case>;
  std::optional<Bits> bits_of(Expr word) const;
  std::optional<std::uint32_t> number_of(Expr word) const;
  bool is_known(Expr word) const { return bits_.contains(word) || cases_.contains(word); }
  Expr one_of(const Cases& cases);
  std::optional<Expr> combined(isa::Opcode opcode, const Bits& a, const Bits& b);
  std::optional<Expr> moved(isa::Opcode opcode, Expr word, Expr by);
  std::optional<Expr> looked_at(isa::Opcode opcode, const isa::Modifiers& m, const Bits& bits);
  Expr counted(const Bits& bits);
  Expr highest(const Bits& bits, std::uint32_t none, bool from_above);

  event::ExprPool& pool_;
  std::map<Expr, Bits> bits_;
  std::map<Expr, Bits> counts_;  // how many of the bits are set
  std::map<Expr, Cases> cases_;
};

}  // namespace ptxmc::session
