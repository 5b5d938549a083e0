// SPDX-License-Identifier: Apache-2.0
// What must hold for any bytes: parse_module() returns or throws InputError; a module of functions that could all be read,
// printed, is read back as the same tree; and check_launch.h.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "check_launch.h"
#include "outcome.h"
#include "ptx/text/module.h"
#include "ptx/text/print.h"

namespace ptxmc::fuzz {

inline Outcome check_ptx(const std::string& text) {
  std::optional<ptx::Module> module;
  try {
    module = ptx::parse_module(std::make_shared<const Source>(Source{"fuzz.ptx", text}));
  } catch (const InputError&) {
    return Outcome::refused;
  }
  check_launch(*module);
  try {
    ptx::check_read(*module);
  } catch (const InputError&) {  // of a function that could not be read nothing is printed
    return Outcome::refused;
  }
  const std::string printed = ptx::print(*module);
  try {
    if (ptx::parse_module(std::make_shared<const Source>(Source{"printed.ptx", printed})) == *module)
      return Outcome::parsed;
  } catch (const InputError& error) {
    throw std::runtime_error("printed:\n" + printed + "\n" + error.what());
  }
  throw std::runtime_error("printed, it is another module:\n" + printed);
}

}  // namespace ptxmc::fuzz
