// SPDX-License-Identifier: Apache-2.0
// Which parameters `run` uses for a test. For instances, stride and stress alike: what the command line says;
// else what the file of --parameters says for this test, or for all; else what is built in for the GPU's
// architecture.
#pragma once

#include <optional>
#include <string>

#include "face/cli/settings.h"
#include "face/cli/streams.h"
#include "gpu/run/parameters.h"
#include "input/litmus/test.h"

namespace ptxmc::cli {

/// The options about parameters that the command line has: "--stress off --parameters FILE".
std::string print_given(const GpuOptions& options);

/// What a file states of its test under every model, as far as it keeps the test from running.
gpu::Hazards hazards_of(const litmus::Test& test);

class ParameterChoice {
 public:
  /// Reads the file, if there is one. Throws InputError.
  explicit ParameterChoice(const GpuOptions& options);

  /// Without a device, nothing is built in. Warns, once, when the file is of another model of GPU.
  gpu::Parameters of(const litmus::Test& test, const gpu::DeviceInfo* device, Streams& streams);
  /// For all tests together.
  gpu::Parameters joint(const gpu::DeviceInfo* device, Streams& streams);

 private:
  gpu::Parameters choose(const gpu::Parameters* read, const gpu::DeviceInfo* device, Streams& streams);

  const GpuOptions& options_;
  std::optional<gpu::ParameterFile> file_;
  bool warned_ = false;
};

}  // namespace ptxmc::cli
