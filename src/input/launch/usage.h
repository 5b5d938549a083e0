// SPDX-License-Identifier: Apache-2.0
// What a module says of how one of its entries is launched, beside its directives: what parameters are in the language
// behind, what the code takes out of structures, and which variables it names.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ptx/text/syntax.h"

namespace ptxmc::launch {

struct Usage {
  /// A part of a parameter that the code loads.
  struct Part {
    std::string type;      // "u32"
    bool address = false;  // of global memory: cvta.to.global takes it
  };
  std::map<std::string, std::map<std::uint64_t, Part>> parts;  // by parameter, by offset
  std::set<std::string> names;  // that its code and the functions it calls have
};
Usage usage_of(const ptx::Module& module, const ptx::Function& entry);

/// Types of the parameters as the mangled name has them, "float const*"; empty: it does not tell.
std::vector<std::string> parameter_types(const ptx::Function& entry);

}  // namespace ptxmc::launch
