// SPDX-License-Identifier: Apache-2.0
/// \file
/// Kernels: one execution of a launch, and what it says of all (src/doc/verify.md). What goes wrong: ptxmc/ptxmc.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "ptxmc/checker.h"
#include "ptxmc/export.h"
#include "ptxmc/result.h"

namespace ptxmc::api {

/// A module and what of it is launched.
struct Kernel {
  std::string module;             ///< PTX
  std::string name = "<module>";  ///< stands for the file in diagnostics
  /// The text of a launch.json, whose "module" is not read; files of data that it names are looked for beside `plan_name`.
  std::string plan;
  std::string plan_name = "<launch>";  ///< stands for that file in diagnostics
  /// Without a plan, this and what follows, in the words of the command line (`ptxmc verify --help`): the kernel; empty where the
  /// module has one only.
  std::string entry;
  std::string grid;                    ///< CTAs: "2", "64x2"
  std::string block;                   ///< threads of a CTA: "128", "32x4"
  std::string cluster;                 ///< CTAs of a cluster; empty: as the module says
  std::string shared;                  ///< bytes of dynamic shared memory: "48K"; empty: none
  std::vector<std::string> arguments;  ///< of the kernel, in their order: "100", "buffer:4M"
  bool cooperative = false;            ///< with the workspace that barriers of the grid use
};

/// How a launch is run, and what is asked of it.
struct VerifyOptions {
  std::optional<double> timeout;       ///< seconds
  std::optional<std::uint64_t> steps;  ///< instructions of lanes, at most
  std::optional<std::size_t> choices;  ///< runs with other orders of atomics that decide, at most; 0: none
  bool orders = true;                  ///< look at what orders accesses
  bool confirm = true;                 ///< ask the exact engine about races
  bool waits_fail = false;             ///< each wait for an mbarrier object fails at first
  std::string model;                   ///< ptx-9 or ptx-8.4; empty: ptx-9
  std::vector<std::string> readings;   ///< NAME=VALUE of each reading that does not have its default
  /// CTAs that run, by number; nothing: those that are worth it.
  std::optional<std::vector<std::uint64_t>> ctas;
};

/// What holds of a launch.
enum class VerifyAnswer : std::uint8_t {
  finding,  ///< something is wrong
  bounded,  ///< nothing was found, in what ran; `limits` say what that leaves open
  exact,    ///< nothing is wrong, in any schedule
  error,    ///< see `diagnostics`
};

/// What verify() answers.
struct VerifyResult : Common {
  VerifyAnswer answer = VerifyAnswer::error;  ///< what holds
  std::string claim;                          ///< a sentence
  std::vector<std::string> limits;            ///< sentences: why it is not of all schedules
  std::vector<Finding> findings;              ///< errors first
  std::uint64_t instructions = 0;             ///< of lanes, that ran
  std::uint64_t executed = 0;                 ///< instructions of the code that ran
  std::uint64_t code = 0;                     ///< instructions of the code
  std::string json;                           ///< the line of `--format json`
};

/// Runs a launch. Can be called off by the stop token, between the instructions of a run; the answer is then of what ran.
PTXMC_EXPORT VerifyResult verify(const Kernel& kernel, const VerifyOptions& options = {},
                                 const std::stop_token& stop = {});

}  // namespace ptxmc::api
