// SPDX-License-Identifier: Apache-2.0
// What must hold for any bytes: parse_nvidia() returns or throws InputError; each of its tests, printed as a
// litmus file, is read back as the same test.
#pragma once

#include <memory>
#include <string>

#include "check_litmus.h"
#include "input/litmus/nvidia.h"

namespace ptxmc::fuzz {

/// Throws as check_printed.
inline Outcome check_nvidia(const std::string& text) {
  std::vector<litmus::Test> tests;
  try {
    tests = litmus::parse_nvidia(std::make_shared<const Source>(Source{"fuzz.test", text}));
  } catch (const InputError&) {
    return Outcome::refused;
  }
  for (const litmus::Test& test : tests) check_printed(test);
  return Outcome::parsed;
}

}  // namespace ptxmc::fuzz
