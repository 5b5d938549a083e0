// SPDX-License-Identifier: Apache-2.0
// What must hold for any module together with any file of launches: they are a program, which has events and runs, or an
// InputError. The text is the module, a line `----`, and the file.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "check_verify.h"

namespace ptxmc::fuzz {

constexpr std::uint64_t kLaunchedThreads = 128;
constexpr std::uint64_t kLaunchedElements = 4096;  // of a variable

/// As the exact engines take it: all threads, and their events.
inline void check_events(const ptx::Module& module, const launch::Plan& plan) {
  launch::Choice small;
  small.threads = kLaunchedThreads;
  small.elements = kLaunchedElements;
  try {
    lower::Options options;
    options.unroll = 1;
    options.budget = Budget(kLaunchSeconds);
    lower::lower(launch::make_program(module, plan, small), options);
  } catch (const InputError&) {
    // reported
  } catch (const OutOfTime&) {
    // it says so
  }
}

/// As `verify` takes it: the first CTAs of each launch, with what a program does not say beside it.
inline void check_runs(const ptx::Module& module, const launch::Plan& plan) {
  launch::Choice first;
  first.ctas = {0, 1};
  first.threads = kLaunchedThreads;
  first.elements = kLaunchedElements;
  launch::Beside beside;
  try {
    const program::Program program = launch::make_program(module, plan, first, &beside);
    exec::Options limits;
    limits.steps = kVerifySteps;
    limits.budget = Budget(kLaunchSeconds);
    trace::Detector detector;
    exec::Run(program, &detector, beside.inner_maps).run(limits);
  } catch (const InputError&) {
    // reported
  }
}

inline Outcome check_launched(const std::string& text) {
  constexpr std::string_view kBetween = "\n----\n";
  const std::size_t at = text.find(kBetween);
  if (at == std::string::npos) return Outcome::refused;
  try {
    const ptx::Module module =
        ptx::parse_module(std::make_shared<const Source>(Source{"fuzz.ptx", text.substr(0, at + 1)}));
    const launch::Plan plan = launch::read_plan(
        std::make_shared<const Source>(Source{"fuzz.json", text.substr(at + kBetween.size())}));
    check_events(module, plan);
    check_runs(module, plan);
  } catch (const InputError&) {
    return Outcome::refused;
  }
  return Outcome::parsed;
}

}  // namespace ptxmc::fuzz
