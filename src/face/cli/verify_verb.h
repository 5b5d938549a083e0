// SPDX-License-Identifier: Apache-2.0
// The verb `verify`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dynamic/claim/verify_result.h"
#include "explain/verify/acceptance.h"
#include "face/cli/answer.h"
#include "face/cli/inputs.h"
#include "face/cli/nvcc.h"
#include "face/cli/settings.h"
#include "face/cli/status.h"
#include "face/cli/streams.h"

namespace ptxmc::cli {

/// Launches in the order in which a program made them. The contents that one leaves the next one finds.
struct LaunchSequence {
  std::string file;
  std::size_t times = 1;              ///< that the program did so
  std::vector<std::string> launches;  ///< their files
  bool overlaps = false;              ///< its launches may overlap, which no launch alone shows
};

struct VerifyOptions {
  Options common;                             ///< files, what to launch, output, timeout
  std::optional<std::string> cta;             ///< "auto", "all", or numbers; nothing: auto
  std::optional<std::uint64_t> ctas_at_once;  ///< of a launch that does not run whole
  bool trace = true;                          ///< look at what orders accesses
  bool confirm = true;                        ///< ask the exact engine about races
  bool mutate = false;      ///< take synchronization away, a piece at a time, and say what is caught
  bool waits_fail = false;  ///< each wait for an mbarrier object fails at first
  std::string litmus;       ///< a folder for their litmus tests; empty: none
  bool merge = false;       ///< the files are results
  bool summary = false;     ///< at the end, of all launches
  claim::Severities severities = {};
  Allowed allowed;                       ///< of the status
  std::string baseline, write_baseline;  ///< files; empty: none
  explain::Accepting accepting = {};     ///< the baseline's, and the configuration's
  Shard shard;                           ///< of the inputs
  NvccOptions nvcc;                      ///< of CUDA sources
  bool if_launched = false;              ///< CUDA sources without launches beside them are left out
  /// They come first. A launch is not verified alone if all its occurrences are in sequences with a proof or an error.
  std::vector<LaunchSequence> sequences;
  std::map<std::string, std::size_t> occurrences;  ///< of launches, by file
  /// What the files stand for (kernel_inputs.h); nothing: it was not looked at yet.
  std::optional<std::vector<Input>> inputs = {};
  std::optional<std::size_t> choices;  ///< runs with other orders of atomics that decide, at most; 0: none
  std::optional<std::uint64_t> steps;  ///< instructions of lanes, at most
};

/// Every launch and test of the files, one after the other. Errors of the input are reported.
Status verify_files(const VerifyOptions& options, Streams& streams);

}  // namespace ptxmc::cli
