// SPDX-License-Identifier: Apache-2.0
// What must hold for any bytes: parse() returns or throws InputError; what it returns survives printing.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "input/litmus/compare.h"
#include "input/litmus/parse.h"
#include "input/litmus/print.h"
#include "outcome.h"

namespace ptxmc::fuzz {

/// Throws std::runtime_error, with the printed text, when print() and parse() do not agree on a test.
inline void check_printed(const litmus::Test& test) {
  const std::string printed = litmus::print(test);
  try {
    const litmus::Test again = litmus::parse(std::make_shared<const Source>(Source{"printed", printed}));
    const std::string difference = litmus::difference(test, again);
    if (!difference.empty()) throw std::runtime_error("differs in " + difference + ":\n" + printed);
  } catch (const InputError& error) {
    throw std::runtime_error("printed text does not parse:\n" + printed + error.what());
  }
}

/// Throws as check_printed.
inline Outcome check_litmus(const std::string& text) {
  litmus::Test test;
  try {
    test = litmus::parse(std::make_shared<const Source>(Source{"fuzz", text}));
  } catch (const InputError&) {
    return Outcome::refused;
  }
  check_printed(test);
  return Outcome::parsed;
}

}  // namespace ptxmc::fuzz
