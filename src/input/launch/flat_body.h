// SPDX-License-Identifier: Apache-2.0
// The body of an entry while it grows: statements, and the names in them. Registers, labels and memory of a function have
// names of their own in each call of it; predefined registers become what the launch makes of them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "input/launch/flatten.h"
#include "input/launch/frame.h"

namespace ptxmc::launch {

class FlatBody {
 public:
  FlatBody(const ptx::Module& module, const Parameters& parameters,
           const std::function<Predefined(const std::string&)>& predefined, ptx::Errors& errors)
      : module_(module), parameters_(parameters), predefined_(predefined), errors_(errors) {}

  void error(Position position, std::string message) { errors_.error(position, std::move(message)); }
  void place(const std::string& label, Position position);
  void add(ptx::Instruction instruction);
  /// Where the next statement will be, and statements there, before all that have come since.
  std::size_t size() const { return flat_.body.statements.size(); }
  void insert(std::size_t at, std::vector<ptx::Instruction> instructions);

  /// The instruction with the names that it has in the flat body.
  ptx::Instruction renamed(Frame& frame, const ptx::Instruction& instruction);
  void rename(Frame& frame, ptx::Operand& operand);
  void rename(Frame& frame, ptx::Name& name);
  /// What stands in for an instruction: its guard and place, without operands.
  ptx::Instruction renamed_guard(Frame& frame, const ptx::Instruction& instruction);

  void use_register(const std::string& name, const ptx::Type& type) { used_.emplace(name, type); }
  void use_register(const std::string& name, std::string_view type);
  std::string fresh_register(const std::string& stem, std::string_view type);
  std::string fresh_label(const std::string& stem);
  /// Those of any_value.h, whose scratch registers the body then has.
  std::vector<ptx::Instruction> any_value(const ptx::Instruction& like, const std::string& name,
                                          std::uint32_t bits);
  std::vector<ptx::Instruction> any_carry(const ptx::Instruction& like);
  /// The address of a function, as an operand.
  ptx::Operand address_of(const ptx::Function& function);

  /// All of it, with declarations of the registers that it uses.
  Flat take();

 private:
  bool settle(ptx::Operand& operand);
  void use_of_module(ptx::Name& name);
  std::string object(Frame& frame, const ptx::Variable& variable, Position use);
  void declare_registers();

  const ptx::Module& module_;
  const Parameters& parameters_;
  const std::function<Predefined(const std::string&)>& predefined_;
  ptx::Errors& errors_;
  Flat flat_;
  std::map<std::string, ptx::Type> used_;  // registers and their types
  std::map<const ptx::Variable*, std::string> object_names_;
  std::size_t instructions_ = 0;
  int fresh_ = 0;
};

}  // namespace ptxmc::launch
