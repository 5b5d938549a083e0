// SPDX-License-Identifier: Apache-2.0
// What must hold for any module and any file of launches: each of its kernels, launched with arguments that fit, is a
// program or an InputError.
#pragma once

#include <memory>
#include <string>

#include "launch/entry.h"
#include "launch/list.h"
#include "launch/plan_file.h"
#include "launch/program.h"
#include "outcome.h"
#include "support/diagnostic.h"

namespace ptxmc::fuzz {

/// An argument of the parameter's size.
inline launch::Argument argument_for(const ptx::Variable& parameter, launch::Plan& plan) {
  const std::uint64_t bytes = launch::bytes_of(parameter);
  if (!parameter.dimensions.empty() || bytes > 8) return {launch::Blob{bytes, {}}, {}};
  if (bytes != 8) return {launch::Number{std::nullopt, std::int64_t{1}}, {}};
  launch::Buffer buffer;
  buffer.name = "buffer" + std::to_string(plan.memory.size());
  buffer.bytes = 64;
  plan.memory.push_back(buffer);
  return {launch::Pointer{buffer.name, 16}, {}};
}

inline void check_launch(const ptx::Module& module) {
  launch::list(module, "check");
  for (const ptx::Function* entry : launch::entries_of(module)) {
    launch::Plan plan;
    launch::Launch one;
    one.entry = entry->name.name;
    one.grid.x = one.block.x = 2;
    one.shared = 128;
    one.cooperative = true;
    for (const ptx::Variable& parameter : entry->parameters)
      one.arguments.push_back(argument_for(parameter, plan));
    plan.launches.push_back(std::move(one));
    try {
      launch::make_program(module, plan);
    } catch (const InputError&) {
      // reported
    }
  }
}

inline Outcome check_plan(const std::string& text) {
  try {
    launch::read_plan(std::make_shared<const Source>(Source{"fuzz.json", text}));
  } catch (const InputError&) {
    return Outcome::refused;
  }
  return Outcome::parsed;
}

}  // namespace ptxmc::fuzz
