// SPDX-License-Identifier: Apache-2.0
// What must hold for any bytes that parse: a PTX module with a kernel is written, which declares every name that it
// uses, or the test is refused.
#pragma once

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>

#include "check_litmus.h"
#include "gpu/text/module.h"
#include "ptx/text/module.h"

namespace ptxmc::fuzz {

/// Throws std::runtime_error, with the module, when it is malformed.
inline Outcome check_emit(const std::string& text) {
  std::string printed;
  try {
    const litmus::Test test = litmus::parse(std::make_shared<const Source>(Source{"fuzz", text}));
    printed = gpu::print(gpu::write_module(test));
  } catch (const InputError&) {
    return Outcome::refused;
  }
  try {
    const ptx::Module module = ptx::parse_module(std::make_shared<const Source>(Source{"emitted", printed}));
    const bool kernel = std::any_of(module.items.begin(), module.items.end(), [](const ptx::Item& item) {
      const auto* function = std::get_if<ptx::Function>(&item);
      return function != nullptr && function->entry && function->body;
    });
    if (!kernel) throw std::runtime_error("a module without a kernel:\n" + printed);
  } catch (const InputError& error) {
    throw std::runtime_error("a malformed module:\n" + printed + "\n" + error.what());
  }
  return Outcome::parsed;
}

}  // namespace ptxmc::fuzz
