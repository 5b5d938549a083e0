// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "input/litmus/parse.h"

namespace ptxmc::litmus::testing {

inline Test parse_text(const std::string& text) {
  return parse(std::make_shared<const Source>(Source{"test.litmus", text}));
}

/// The diagnostics of a text, "" when it parses.
inline std::string errors_of(const std::string& text) {
  try {
    parse_text(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

/// One thread in columns, over a fixed initial state.
inline Test columns(const std::string& code, const std::string& init = "x=0; y=0;") {
  return parse_text("PTX t\n{ " + init + " }\n P0 @ gpu 0, cta 0 ;\n" + code + "\n");
}

/// One thread block.
inline Test block(const std::string& code, const std::string& init = ".global .u32 x; .global .u32 y;") {
  return parse_text("PTX t\n{ " + init + " }\nP0 @ gpu 0, cta 0 {\n" + code + "\n}\n");
}

/// The condition of a test with registers r0.. in P0 and P1 and variables x, y, a[2].
inline Test condition(const std::string& text) {
  return parse_text("PTX t\n{ x=0; y=0; a[2]; }\n P0 | P1 ;\n ld.weak r0, x | ld.weak r0, y ;\n" + text +
                    "\n");
}

template <typename T>
const T& operand(const Test& test, std::size_t instruction, std::size_t index) {
  const auto& operands = test.threads.at(0).code().at(instruction).operands;
  REQUIRE(index < operands.size());
  const T* value = std::get_if<T>(&operands[index].value);
  REQUIRE(value != nullptr);
  return *value;
}

}  // namespace ptxmc::litmus::testing
