// SPDX-License-Identifier: Apache-2.0
// Bodies: statements, directives among them, and nested `{ }`.
//
// An error costs its statement; reading goes on behind the next `;`.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "ptx/text/cursor.h"
#include "ptx/text/declare.h"
#include "ptx/text/operand.h"
#include "ptx/text/scopes.h"
#include "ptx/text/syntax.h"

namespace ptxmc::ptx {

class BodyReader {
 public:
  /// `owner`: whose body it is, as messages say it.
  BodyReader(Errors& errors, std::string owner, const Extension& extension, const Limits& limits = {})
      : errors_(errors),
        owner_(std::move(owner)),
        extension_(extension),
        limits_(limits),
        scopes_(errors, owner_) {}

  /// The scope of the body itself, for parameters.
  Scopes& scopes() { return scopes_; }
  /// Up to the `}` that ends the body; the cursor stands behind its `{`, then behind the `}`.
  void block(Cursor& cursor);
  /// The statements of a range of tokens, of which the last needs no `;`: a cell of a table, say.
  void range(Cursor cursor);
  /// The body, when all of it has been read. Reports blocks without their end.
  Body finish();

 private:
  void statement(Cursor& c, bool closed);
  bool ends(const Cursor& c) const;
  std::size_t end_of_statement(const Cursor& c) const;
  void label(Cursor& c);
  void directive(Cursor& c, bool closed);
  void instruction(Cursor& c, bool closed);
  bool operands_or_form(Cursor& c, Instruction& out);
  bool declaration(Cursor& c);
  bool targets(Cursor& c);
  bool prototype(Cursor& c);
  void finish_statement(Cursor& c, bool closed, int errors_before);
  template <typename Node>
  void add(Node node, Position position);

  Errors& errors_;
  std::string owner_;
  const Extension& extension_;
  Limits limits_;
  Scopes scopes_;
};

/// Words of modules, which no body has: where one begins a line, the body's `}` is missing.
bool is_module_word(std::string_view word);

// Directives of bodies and modules alike; the cursor stands behind their word. False: reported.
bool read_location(Cursor& cursor, Location& out);
bool read_pragma(Cursor& cursor, Pragma& out);
/// A directive that has no effect on what a kernel computes: noted, and the rest of it is for the caller to skip.
bool skip_directive(Cursor& cursor, const Token& word);
bool read_section(Cursor& cursor, const Source& source, Section& out);

}  // namespace ptxmc::ptx
