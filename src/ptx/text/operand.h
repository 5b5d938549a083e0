// SPDX-License-Identifier: Apache-2.0
// Instructions and their operands, as written.
#pragma once

#include <string_view>

#include "ptx/text/cursor.h"
#include "ptx/text/scopes.h"
#include "ptx/text/syntax.h"

namespace ptxmc::ptx {

class InstructionReader;

/// What a notation around PTX has in its bodies beyond PTX; as it stands, nothing.
class Extension {
 public:
  virtual ~Extension() = default;
  /// Does something begin here that is no part of a body? Then a `;` or `}` is missing above.
  virtual bool ends_body(const Cursor&) const { return false; }
  /// Is the cursor at an operand that PTX has not? read_operand() reads it; false: reported.
  virtual bool at_operand(const Cursor&) const { return false; }
  virtual bool read_operand(InstructionReader&, Operand&) const { return false; }
  /// Where the PTX of a statement ends; what follows up to the end of `statement` goes to read_tail(), with
  /// its instruction.
  virtual std::size_t instruction_end(const Cursor& statement) const { return statement.end_index(); }
  virtual void read_tail(Cursor, const Instruction&) const {}
};

class InstructionReader {
 public:
  InstructionReader(Cursor& cursor, Scopes& scopes, const Extension& extension)
      : c_(cursor), scopes_(scopes), extension_(extension) {}

  /// The whole range of the cursor as a guarded instruction. False: reported.
  bool instruction(Instruction& out);
  bool name(Name& out);
  /// `+4`, `-4`, `+-4`, `+4*2` ...: added to the number of `out`.
  bool offset(Operand& out);
  Cursor& cursor() { return c_; }

 private:
  bool guard(Instruction& out);
  bool operand(Operand& out, bool is_call);
  bool constant(Operand& out);
  bool named(Operand& out);
  bool index(Operand& out);
  bool bracket(Operand& out);
  bool coordinates(Operand& out);
  bool vector(Operand& out);
  bool list(Operand& out);
  bool elements(Operand& out, Position open, std::size_t most, std::string_view noun);

  Cursor& c_;
  Scopes& scopes_;
  const Extension& extension_;
};

/// A register, variable or label as `name` has it, without a component.
std::string_view spelled(const Token& token);

}  // namespace ptxmc::ptx
