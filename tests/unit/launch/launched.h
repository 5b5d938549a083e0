// SPDX-License-Identifier: Apache-2.0
// Modules and launches from texts.
#pragma once

#include <memory>
#include <string>

#include "input/launch/command_line.h"
#include "input/launch/plan_file.h"
#include "input/launch/program.h"
#include "ptx/text/module.h"
#include "support/diagnostic.h"

namespace ptxmc::launch {

inline ptx::Module module_of(const std::string& items) {
  return ptx::parse_module(std::make_shared<const Source>(
      Source{"m.ptx", ".version 8.0\n.target sm_90\n.address_size 64\n" + items}));
}

inline Plan plan_of(const std::string& text) {
  return read_plan(std::make_shared<const Source>(Source{"launch.json", text}));
}

/// What an InputError of `action` says; empty: there was none.
template <typename F>
std::string error_of(F&& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// A kernel `k` with these parameters and this body, launched so.
inline program::Program launched(const std::string& parameters, const std::string& body, Words words,
                                 const std::string& before = "", const Choice& choice = {}) {
  if (!words.any()) words.grid = "1";
  return make_program(module_of(before + ".visible .entry k(" + parameters + ") {\n" + body + "\n}\n"),
                      read_words(words), choice);
}

}  // namespace ptxmc::launch
