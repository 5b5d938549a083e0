// SPDX-License-Identifier: Apache-2.0
// What must hold for any bytes that parse: a PTX module is written, with a head and an entry whose braces match,
// or the test is refused.
#pragma once

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

#include "check_litmus.h"
#include "gpu/module.h"

namespace ptxmc::fuzz {

/// Throws std::runtime_error, with the module, when it is malformed.
inline Outcome check_emit(const std::string& text) {
  std::string module;
  try {
    const litmus::Test test = litmus::parse(std::make_shared<const Source>(Source{"fuzz", text}));
    module = gpu::print(gpu::write_module(test));
  } catch (const InputError&) {
    return Outcome::refused;
  }
  std::string code;  // without comments, which hold names as the test has them
  for (std::size_t at = 0; at < module.size();) {
    const std::size_t end = std::min(module.find('\n', at), module.size());
    const std::string line = module.substr(at, end - at);
    code += line.substr(0, line.find("//")) + "\n";
    at = end + 1;
  }
  const bool head = code.find(".version ") != std::string::npos && code.find(".target ") != std::string::npos;
  if (!head || std::count(code.begin(), code.end(), '{') != std::count(code.begin(), code.end(), '}'))
    throw std::runtime_error("a malformed module:\n" + module);
  return Outcome::parsed;
}

}  // namespace ptxmc::fuzz
