// SPDX-License-Identifier: Apache-2.0
// What must hold for any module: each of its kernels, launched with arguments that fit and verified, is a run that its
// limits end and whose reports print, or an InputError; and a second run finds the same. A first line `//BG` says of how
// many threads and CTAs it is, by two characters.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "check_launch.h"
#include "dynamic/exec/run.h"
#include "dynamic/shadow/detector.h"
#include "report/html/verify.h"
#include "report/json/verify.h"
#include "report/sarif/sarif.h"
#include "report/text/verify.h"

namespace ptxmc::fuzz {

constexpr std::uint64_t kVerifySteps = 5000;
constexpr double kVerifySeconds = 0.5;

inline void check_run(const program::Program& program) {
  exec::Options limits;
  limits.steps = kVerifySteps;
  limits.budget = Budget(kVerifySeconds);
  const auto run_once = [&](trace::Detector& detector, claim::VerifyResult& verified) {
    auto run = std::make_unique<exec::Run>(program, &detector);
    verified.name = program.name;
    verified.program = &program;
    verified.run = run.get();
    verified.outcome = run->run(limits);
    verified.findings = detector.findings();
    return run;
  };
  trace::Detector detector, again;
  claim::VerifyResult verified, second;
  const auto run = run_once(detector, verified);
  const auto rerun = run_once(again, second);
  explain::TimelineRecorder recorder(report::drawn_findings(verified));
  exec::Run(program, &recorder).run(limits);
  report::VerifyHtml html;
  SourceFiles compiled({}, verified.file());
  html.add(verified, recorder.take(), compiled);
  html.print();
  report::Sarif sarif("", {});
  sarif.add(report::verify_json(verified));
  sarif.print();
  const bool timed_out =
      verified.outcome.end == exec::End::out_of_time || second.outcome.end == exec::End::out_of_time;
  if (!timed_out &&
      report::verify_text(verified, false, compiled) != report::verify_text(second, false, compiled))
    throw std::logic_error("a second run says something else");
}

inline Outcome check_verify(const std::string& text) {
  const bool sized = text.starts_with("//") && text.size() >= 4;
  const auto size = [&](std::size_t at, std::uint32_t most) {
    return sized ? static_cast<unsigned char>(text[at]) % most + 1 : most;
  };
  try {
    const ptx::Module module = ptx::parse_module(std::make_shared<const Source>(Source{"fuzz.ptx", text}));
    for (const ptx::Function* entry : launch::entries_of(module)) {
      launch::Plan plan;
      launch::Launch one;
      one.entry = entry->name.name;
      one.block.x = size(2, 64);
      one.grid.x = size(3, 2);
      one.shared = 128;
      for (const ptx::Variable& parameter : entry->parameters)
        one.arguments.push_back(argument_for(parameter, plan));
      plan.launches.push_back(std::move(one));
      try {
        check_run(launch::make_program(module, plan));
      } catch (const InputError&) {
        // reported
      }
    }
  } catch (const InputError&) {
    return Outcome::refused;
  }
  return Outcome::parsed;
}

}  // namespace ptxmc::fuzz
