// SPDX-License-Identifier: Apache-2.0
#include "support/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace ptxmc {

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return name.starts_with("_Z") && status == 0 ? std::string(text.get()) : name;
}

std::string short_variable_name(const std::string& name) {
  const std::string whole = demangled(name);
  const std::size_t at = whole == name ? std::string::npos : whole.rfind("::");
  const bool plain = at != std::string::npos && whole.find_first_of(")>", at) == std::string::npos;
  return plain ? whole.substr(at + 2) : whole;
}

}  // namespace ptxmc
