// SPDX-License-Identifier: Apache-2.0
// The names of one function's body: its registers with their types, its variables, the targets of its branches.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "ptx/text/syntax.h"

namespace ptxmc::launch {

class FunctionNames {
 public:
  explicit FunctionNames(const ptx::Function& function);

  /// The type of a register, without a component; null: it is none.
  const ptx::Type* find_register(std::string_view name) const;
  const ptx::Variable* find_variable(std::string_view name) const;
  /// `.branchtargets` or `.calltargets` behind a label; null: there are none.
  const ptx::Targets* find_targets(std::string_view label) const;
  /// `.callprototype` behind a label.
  const ptx::Prototype* find_prototype(std::string_view label) const;

 private:
  struct Range {
    ptx::Type type;
    std::uint32_t count = 0;
  };
  std::unordered_map<std::string, ptx::Type> registers_;
  std::unordered_map<std::string, Range> ranges_;
  std::unordered_map<std::string, const ptx::Variable*> variables_;
  std::unordered_map<std::string, const ptx::Targets*> targets_;
  std::unordered_map<std::string, const ptx::Prototype*> prototypes_;
};

}  // namespace ptxmc::launch
