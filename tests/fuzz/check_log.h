// SPDX-License-Identifier: Apache-2.0
// What must hold for any bytes: read_log() returns or throws InputError; what it returns survives merging, as
// JSON and in the herd family's text.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "check_litmus.h"
#include "observed/merge.h"
#include "report/json/merged.h"
#include "report/text/merged.h"

namespace ptxmc::fuzz {

/// Throws std::runtime_error, with the printed text, unless it reads as this test.
inline void check_merged(const observed::LoggedTest& test, const std::string& printed) {
  try {
    const auto again = observed::read_log(std::make_shared<const Source>(Source{"printed", printed}));
    if (printed.find("\xEF\xBF\xBD") != std::string::npos) return;  // bytes that are no UTF-8 were replaced
    if (again.size() != 1 || again[0].states != test.states || again[0].satisfied != test.satisfied ||
        again[0].hash != test.hash || again[0].hung != test.hung || again[0].stuck != test.stuck)
      throw std::runtime_error("another test:\n" + printed);
  } catch (const InputError& error) {
    throw std::runtime_error("printed text does not parse:\n" + printed + error.what());
  }
}

/// Throws as check_merged.
inline Outcome check_log(const std::string& text) {
  std::vector<observed::LoggedTest> tests;
  try {
    tests = observed::read_log(std::make_shared<const Source>(Source{"fuzz.log", text}));
  } catch (const InputError&) {
    return Outcome::refused;
  }
  observed::MergedLog log;
  log.add(tests, "fuzz.log");
  for (const observed::LoggedTest& test : log.tests()) {
    check_merged(test, report::merged_json(test));
    check_merged(test, report::merged_text(test));
  }
  return Outcome::parsed;
}

}  // namespace ptxmc::fuzz
