// SPDX-License-Identifier: Apache-2.0
// Changes of a PTX module by the instructions of its program. A line of the source is changed as a whole: where the compiler made
// several copies of it (an unrolled loop), each is changed.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ptx/program/program.h"
#include "repair/change.h"
#include "repair/kernel/module_text.h"

namespace ptxmc::repair {

class ModuleChanges {
 public:
  ModuleChanges(const ModuleText& module, const program::Program& program);

  Option behind(const program::Instruction& i, const std::string& what) const;
  Option before(const program::Instruction& i, const std::string& what) const;
  /// With another order and scope; nothing: its form takes them not, or they are no stronger.
  std::optional<Option> respelt_as(const program::Instruction& i, isa::Semantics semantics,
                                   isa::Scope scope) const;
  Option respelt_as(const program::Instruction& i, const std::string& mnemonic) const;
  /// The n-th operand is another one. `words`: what that is.
  Option with_operand(const program::Instruction& i, std::size_t n, const std::string& operand,
                      const std::string& words) const;
  /// The register that is its n-th operand has the other lowest bit there.
  Option with_other_parity(const program::Instruction& i, std::size_t n, const std::string& name) const;
  /// A barrier stands before another instruction.
  Option hoisted(const program::Instruction& barrier, const program::Instruction& to) const;
  /// An access stands before, or after, another instruction, and with it what computes its operands; nothing: registers, branches or other
  /// accesses of its memory are between. Both are of `code`.
  std::optional<Option> moved(const std::vector<program::Instruction>& code, std::size_t from, std::size_t to,
                              bool behind) const;

  /// "line 70 (sum.cu:9)", "line 70 (sum.cu:9) and 3 copies"
  std::string line(const program::Instruction& i) const;
  std::string_view mnemonic(const program::Instruction& i) const { return module_.mnemonic(i.position); }

 private:
  /// It, and those that the compiler made of the same place of the source, in the order of the text.
  std::vector<Position> copies(const program::Instruction& i) const;
  std::string key_of(const program::Instruction& i) const;
  /// Beside a line of the source; nothing: it is not known, or not the user's.
  std::optional<SourceChange> beside(const program::Instruction& i, bool behind) const;
  std::optional<SourceChange> statement(const program::Instruction& i, bool behind,
                                        const std::string& what) const;
  std::optional<SourceChange> move(const program::Instruction& from, const program::Instruction& to,
                                   bool behind) const;

  const ModuleText& module_;
  const program::Program& program_;
  std::map<std::string, std::vector<Position>> copies_;
};

}  // namespace ptxmc::repair
