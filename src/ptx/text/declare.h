// SPDX-License-Identifier: Apache-2.0
// Declarations of variables and registers (5.4).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "ptx/text/cursor.h"
#include "ptx/text/scopes.h"
#include "ptx/text/syntax.h"

namespace ptxmc::ptx {

/// What a reader of declarations takes.
struct Limits {
  std::uint64_t elements = std::uint64_t{1} << 40;  // of an array, over all dimensions
  std::uint32_t align = std::uint32_t{1} << 30;
  std::uint32_t registers = std::uint32_t{1} << 24;  // of a range `%r<4>`
  bool ampersand = false;                            // may an address be written `&x`?
};

/// What begins a declaration of a variable: global, shared, const, local, param, tex.
bool is_space(std::string_view word);
/// extern, visible, weak, common.
std::optional<Linkage> parse_linkage(std::string_view word);

class DeclarationReader {
 public:
  /// `scopes`: where names are declared; null: nowhere.
  DeclarationReader(Cursor& cursor, Scopes* scopes, const Limits& limits = {})
      : c_(cursor), scopes_(scopes), limits_(limits) {}

  // Each returns false when it reported something.
  /// `.reg .u32 %r<4>, %x`: the cursor stands behind the `.reg`.
  bool registers(Registers& out);
  /// `.global .align 8 .u32 x = 0, y[2]`: the cursor stands at the state space. `linkage` has been read.
  bool variables(std::vector<Variable>& out, Linkage linkage);
  /// `(.param .u64 p, .reg .b32 %r)`: the cursor stands behind the `(`.
  bool parameters(std::vector<Variable>& out);

  // Parts, for notations that have some of them.
  bool space(Variable& out);
  /// `.align 8`, `.attribute(.managed)`, `.ptr .global`, up to the type.
  bool properties(Variable& out, bool parameter = false);
  bool type(Type& out);
  bool align(std::uint32_t& out);
  /// `x`, `x[2][4]`, `x<4>`, and what follows a `=`.
  bool declarator(Variable& out);
  bool dimensions(Variable& out);
  bool initialiser(Variable& out);

 private:
  bool property(Variable& out, bool parameter);
  bool pointer(Variable& out);
  bool name(Declarator& out, std::string_view what, std::string_view noun);
  bool parameter_name(Variable& out);
  bool values(Variable& out, std::size_t level, std::uint64_t first, std::uint64_t& count);
  bool value(Initialiser& out, std::uint64_t index);
  bool address(Symbol& symbol, Datum& datum);
  bool masked(Initialiser& out, Datum datum);
  void add(Initialiser& out, Datum datum, Symbol symbol);

  Cursor& c_;
  Scopes* scopes_;
  Limits limits_;
};

/// Reads `.attribute(...)`, the cursor behind the word (5.4.8).
bool read_attributes(Cursor& cursor, std::vector<Attribute>& out);

}  // namespace ptxmc::ptx
