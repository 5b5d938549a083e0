// SPDX-License-Identifier: Apache-2.0
// What must hold for any bytes: parse_nvidia() returns or throws InputError; each of its tests, printed as a
// litmus file, is read back as the same test.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "check_litmus.h"
#include "litmus/compare.h"
#include "litmus/nvidia.h"
#include "litmus/parse.h"
#include "litmus/print.h"

namespace ptxmc::fuzz {

/// Throws std::runtime_error, with the printed text, when print() and parse() do not agree with a test.
inline Outcome check_nvidia(const std::string& text) {
  std::vector<litmus::Test> tests;
  try {
    tests = litmus::parse_nvidia(std::make_shared<const Source>(Source{"fuzz.test", text}));
  } catch (const InputError&) {
    return Outcome::refused;
  }
  for (const litmus::Test& test : tests) {
    const std::string printed = litmus::print(test);
    try {
      const litmus::Test again = litmus::parse(std::make_shared<const Source>(Source{"printed", printed}));
      const std::string difference = litmus::difference(test, again);
      if (!difference.empty()) throw std::runtime_error("differs in " + difference + ":\n" + printed);
    } catch (const InputError& error) {
      throw std::runtime_error("printed text does not parse:\n" + printed + error.what());
    }
  }
  return Outcome::parsed;
}

}  // namespace ptxmc::fuzz
