// SPDX-License-Identifier: Apache-2.0
// What must hold for any module and any file of launches: each of its kernels, launched with arguments that fit, is a
// program, and has events, or is an InputError.
#pragma once

#include <memory>
#include <string>

#include "axiomatic/lower/lower.h"
#include "input/launch/entry.h"
#include "input/launch/list.h"
#include "input/launch/plan_file.h"
#include "input/launch/program.h"
#include "outcome.h"
#include "ptx/text/module.h"
#include "support/diagnostic.h"

namespace ptxmc::fuzz {

constexpr double kLaunchSeconds = 0.2;  // for the events of a launch

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
  launch::list(module, "check", "m.ptx");
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
      lower::Options options;
      options.unroll = 1;
      options.budget = Budget(kLaunchSeconds);
      lower::lower(launch::make_program(module, plan), options);
    } catch (const InputError&) {
      // reported
    } catch (const OutOfTime&) {
      // it says so
    }
  }
}

constexpr const char* kModule =
    ".version 9.0\n.target sm_90\n.address_size 64\n.extern .shared .align 8 .b8 dyn[];\n"
    ".entry k(.param .u64 a, .param .align 8 .b8 b[16]) { .reg .b64 %rd<3>; .reg .b32 %r<3>;\n"
    "ld.param.u64 %rd0, [a]; ld.param.u64 %rd1, [b+8]; mov.u32 %r0, %ctaid.x; ld.global.u32 %r1, [%rd0];\n"
    "st.shared.u32 [dyn], %r1; ret; }\n";

inline Outcome check_plan(const std::string& text) {
  static const ptx::Module module =
      ptx::parse_module(std::make_shared<const Source>(Source{"fuzz.ptx", kModule}));
  try {
    launch::Plan plan = launch::read_plan(std::make_shared<const Source>(Source{"fuzz.json", text}));
    for (launch::Launch& launch : plan.launches) launch.entry = "k";
    try {
      launch::make_program(module, plan);
    } catch (const InputError&) {
      // its arguments are for others
    }
  } catch (const InputError&) {
    return Outcome::refused;
  }
  return Outcome::parsed;
}

}  // namespace ptxmc::fuzz
