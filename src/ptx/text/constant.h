// SPDX-License-Identifier: Apache-2.0
// Constant expressions (4.5), evaluated as they are read.
#pragma once

#include <cstdint>
#include <optional>

#include "ptx/text/cursor.h"

namespace ptxmc::ptx {

struct Constant {
  enum class Type : std::uint8_t {
    s64,
    u64,
    f64,
    f32,  // 0f and 8 digits: exact, and no part of an expression (4.5.2)
  };
  Type type = Type::s64;
  std::uint64_t bits = 0;  // of f32: the lower half

  bool is_integer() const { return type == Type::s64 || type == Type::u64; }
};

/// Does a constant expression begin here? `parenthesis`: may it begin with `(`?
bool at_constant(const Cursor& cursor, bool parenthesis = true);
/// Reads one; reports what is wrong with it.
std::optional<Constant> read_constant(Cursor& cursor);
/// The same without operators that bind less tightly than `*`: what may stand behind `x+`.
std::optional<Constant> read_term(Cursor& cursor);
/// A sign and a term, `+4` or `-4*2`, behind an address: added to `sum`. False: reported.
bool read_offset(Cursor& cursor, std::int64_t& sum);

}  // namespace ptxmc::ptx
