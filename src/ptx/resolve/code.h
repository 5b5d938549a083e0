// SPDX-License-Identifier: Apache-2.0
// The code of a thread on its way from statements of PTX to instructions of a Program. take_body gives it what its body
// says; resolve_code gives every statement its form, modifiers and operands.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/isa/table.h"
#include "ptx/program/instruction.h"
#include "ptx/program/memory.h"
#include "ptx/text/cursor.h"
#include "ptx/text/syntax.h"

namespace ptxmc::resolve {

/// Names and operands before it is known what their instruction expects.
using RawName = ptx::Name;
using RawOperand = ptx::Operand;

struct RawStatement : ptx::Instruction {  // without base: labels only
  std::vector<std::string> labels;
  std::string text;
};

/// A register that an instruction reads or writes, special registers apart.
struct RegisterUse {
  std::string name;
  Position position;
  bool write = false;
  std::size_t fragment = 0;  // counts the matrix fragments of the instruction, from 1; 0: it is in none
};

struct Code {
  std::vector<program::RegisterDeclaration> registers;
  std::set<std::string> bare_registers;  // declared by .reg without %
  std::set<std::string> declared;        // all declared registers
  std::map<std::string, Position> labels;
  std::vector<RawStatement> statements;

  std::vector<program::Instruction> code;      // once it is resolved
  std::vector<std::vector<RegisterUse>> uses;  // by instruction of `code`
};

/// What names of the code mean outside of it.
class Names {
 public:
  virtual ~Names() = default;
  /// Null: there is none.
  virtual const program::Variable* variable(std::string_view name) const = 0;
  /// Code names a variable: it is there afterwards, or that is reported.
  virtual void use_variable(std::string_view name, Position position) = 0;
  /// A register although nothing declares it.
  virtual bool is_register(std::string_view) const { return false; }
};

/// What code is read with.
struct Context {
  ptx::Errors& errors;
  const Source& source;
  Names& names;
  std::string owner;  // whose code it is, as messages say it
  ptx::Comments comments = ptx::Comments::ptx;
  isa::Notation notation = isa::Notation::any;
  bool native = true;  // what only short forms have is no PTX here
};

/// Labels, instructions and registers of a body; variables are the owner's to declare. Reports what is not supported.
void take_body(const Context& context, Code& code, ptx::Body body);
void resolve_code(const Context& context, Code& code);

}  // namespace ptxmc::resolve
