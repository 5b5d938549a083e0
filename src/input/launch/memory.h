// SPDX-License-Identifier: Apache-2.0
// The memory of launches as a program has it: buffers, variables of the module, shared and local memory of kernels.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "input/launch/flatten.h"
#include "input/launch/launch.h"
#include "input/launch/open_bytes.h"
#include "ptx/program/program.h"
#include "ptx/text/syntax.h"
#include "support/diagnostic.h"

namespace ptxmc::launch {

/// What the exact engines can hold of a variable.
constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 20;

/// Memory is bits: what they mean is said by the instructions.
constexpr isa::Type bits_type_of(std::uint64_t bytes) {
  return {isa::TypeClass::bits, static_cast<std::uint16_t>(bytes * 8)};
}

class Memory {
 public:
  /// Variables have up to `most_elements`. Errors of the plan go to `of_plan`, of the module to `of_module`.
  Memory(const ptx::Module& module, const Plan& plan, std::uint64_t most_elements, Diagnostics& of_plan,
         Diagnostics& of_module);

  /// Tensors of memory that is not there, and variables that the module does not have, are errors.
  void check_names();
  /// All buffers, as variables.
  void add_buffers();
  /// What a kernel's code names: of the module, with all that their initial values name, and of its bodies. Dynamic
  /// shared memory, under whatever names, is one variable: renames the others in `flat`.
  void add_kernel(Flat& flat, const Launch& launch);
  void add(program::Variable variable);

  /// The variables that are the dynamic shared memory of a launch: one of each size.
  const std::set<std::string>& dynamic_shared() const { return dynamic_shared_; }
  /// Variables of the module that have the values which the module gives them: a host may have set others.
  const std::vector<std::string>& module_values() const { return module_values_; }
  /// Dynamic shared memory is behind the rest: what goes beyond it is no variable's.
  std::vector<program::Variable> take();

 private:
  using Declared = std::map<std::string, const ptx::Variable*>;
  const ptx::Variable* module_variable(const std::string& name) const;
  bool is_known(const Pointer& pointer);
  bool is_multicast(const std::string& name) const;
  void add_named(const Buffer& buffer, program::Variable variable);
  program::Variable of_buffer(const Buffer& buffer);
  std::optional<program::Variable> of_multicast(const Buffer& buffer);
  void add_module_variable(const std::string& name, const Flat* flat = nullptr);
  void add_function(const std::string& name);
  void add_object(const std::string& name, const ptx::Variable& declared);
  bool shape(const ptx::Variable& declared, program::Variable& out);
  bool initialise(const ptx::Variable& declared, program::Variable& out);
  void contents(const Buffer& buffer, program::Variable& out);
  void fields(const Buffer& buffer, program::Variable& out, OpenBytes& open);
  void numbers(const Contents& contents, program::Variable& out);
  Declared dynamic_of(const Flat& flat, const Launch& launch) const;
  void share(Flat& flat, const Launch& launch);
  void part(Flat& flat);
  std::string name_of(const std::string& name, const program::Variable& wanted) const;

  const ptx::Module& module_;
  const Plan& plan_;
  std::uint64_t most_elements_;
  Diagnostics &of_plan_, &of_module_;
  std::vector<program::Variable> variables_;
  std::set<std::string> names_, buffers_;
  std::map<std::string, const Buffer*> given_;  // what the plan says of the module's variables
  Declared declared_;  // the module's variables; of several, one that is no reference
  std::vector<std::string> module_values_;
  std::set<std::string> dynamic_shared_;
};

}  // namespace ptxmc::launch
