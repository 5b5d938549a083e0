// SPDX-License-Identifier: Apache-2.0
// Terms of a run (dynamic/exec/terms.h) as expressions over the initial contents of memory. What is computed otherwise than by
// integer operations that are known here is any value, the same for equal terms.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "axiomatic/event/symbolic_value.h"
#include "dynamic/exec/terms.h"
#include "session/lane_bits.h"

namespace ptxmc::session {

class TermValues {
 public:
  /// The initial values of bytes of memory, by their addresses.
  using Initial = std::map<trace::Address, event::Expr>;
  /// The terms are defined. All outlive it; others may go on with the expressions of bytes.
  TermValues(const exec::Terms& terms, event::Symbols& symbols, Initial& bytes)
      : terms_(terms), symbols_(symbols), bytes_(bytes), bits_(symbols.pool()) {}

  /// The pattern of a register, of 64 bits; those above its width mean nothing.
  event::Expr of(exec::Term term);
  /// So many of its lowest bits.
  event::Expr bits(exec::Term term, unsigned bits) { return lowest(of(term), bits); }
  /// The lowest bit is set.
  event::Expr truth(exec::Term term) { return lowest(of(term), 1); }

 private:
  using Operands = std::span<const event::Expr>;
  event::ExprPool& pool() { return symbols_.pool(); }
  event::Expr anything(event::Width width);
  event::Expr initial(trace::Address begin, unsigned bytes);
  event::Expr lowest(event::Expr value, unsigned bits);
  event::Expr extended(event::Expr value, unsigned bits, bool is_signed, unsigned to = 64);
  event::Expr operation(event::Op op, unsigned bits, event::Expr a, event::Expr b);
  std::optional<event::Expr> made(exec::Term term);
  std::optional<event::Expr> tagged(exec::Terms::Tag tag, std::span<const exec::Term> operands);
  std::optional<event::Expr> voted(const exec::Step& step, std::span<const exec::Term> operands);
  event::Expr less(bool of_signed, event::Expr a, event::Expr b);
  std::optional<event::Expr> result(const exec::Step& step, std::span<const exec::Term> operands);
  std::optional<event::Expr> compared(const exec::Step& step, Operands operands);
  std::optional<event::Expr> shifted(const exec::Step& step, Operands operands);
  std::optional<event::Expr> multiplied(const exec::Step& step, Operands operands);
  std::optional<event::Expr> applied(const exec::Step& step, Operands operands);
  event::Expr converted(const exec::Step& step, event::Expr value);
  event::Expr selected(const exec::Step& step, Operands operands);

  const exec::Terms& terms_;
  event::Symbols& symbols_;
  Initial& bytes_;
  LaneBits bits_;  // of words whose bits are told
  std::map<exec::Term, event::Expr> known_;
  unsigned depth_ = 0;
};

}  // namespace ptxmc::session
