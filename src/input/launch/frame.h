// SPDX-License-Identifier: Apache-2.0
// A function while its body is taken over into that of an entry.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "input/launch/function_names.h"
#include "ptx/text/syntax.h"

namespace ptxmc::launch {

/// A .param variable of a function call: each piece of it that is stored is a register of as many bits, or of 16.
struct Passed {
  struct Piece {
    std::uint32_t bytes = 0;
    std::string reg;
    std::uint32_t bits() const { return bytes < 2 ? 16 : bytes * 8; }
  };
  std::string name;  // unique
  std::map<std::int64_t, Piece> pieces;
};

struct Frame {
  Frame(const ptx::Function& f, std::string s) : function(f), names(f), suffix(std::move(s)) {}
  /// False: .noreturn (11.4.6).
  bool returns() const {
    return std::none_of(function.tuning.begin(), function.tuning.end(),
                        [](const ptx::Tuning& one) { return one.name == "noreturn"; });
  }

  const ptx::Function& function;
  FunctionNames names;
  std::string suffix;  // of its names
  std::string end;     // label behind it; empty: the entry
  std::map<std::string, std::shared_ptr<Passed>> passed;
  std::set<std::string> locals;                       // its local variables that it names: unique names
  std::map<std::string, const ptx::Type*> registers;  // that it names: unique names
};

}  // namespace ptxmc::launch
