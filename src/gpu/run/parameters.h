// SPDX-License-Identifier: Apache-2.0
// Parameters of the harness that do not change what a test means, but how often it shows weak behaviour:
// found by tuning (tuning.h), kept in a file for each model of GPU, or built in for an architecture.
//
// A file is one JSON object:
//   {"format": "ptxmc parameters 1", "device": {"name", "capability", "driver", "multiprocessors"},
//    "command", "seed", "objective": "weak" or "rare", "seconds",
//    "joint": PARAMETERS, "joint_gain": the geometric mean of the rates relative to the default's,
//    "tests": [{"name", "hash", "parameters": PARAMETERS, "rate", "joint_rate", "default_rate"}]}
// where rates are outcomes a second and PARAMETERS is {"instances", "stride", "stress": {KEY: VALUE}} with
// the keys of stress.h; what is left out has the value of Parameters{}.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/driver/driver.h"
#include "gpu/harness/harness.h"
#include "gpu/harness/stress.h"

namespace ptxmc::gpu {

struct Parameters {
  unsigned instances = HarnessOptions{}.instances;
  unsigned stride = HarnessOptions{}.stride;
  StressOptions stress;
  bool operator==(const Parameters&) const = default;
};

constexpr unsigned kLeastInstances = 32, kMostInstances = 1024, kMostStride = 4096;

/// "--instances 128 --stride 16 --stress off".
std::string print(const Parameters& parameters);
void apply(const Parameters& parameters, HarnessOptions& options);

/// What tuning found for one test; rates are outcomes a second.
struct TunedTest {
  std::string name;
  std::string hash;  ///< of the test's meaning
  Parameters parameters;
  double rate = 0;          ///< with these
  double joint_rate = 0;    ///< with those that are best for all tests together
  double default_rate = 0;  ///< with those that the tuning began with
};

struct ParameterFile {
  DeviceInfo device;
  std::string command;  ///< that made it
  std::uint32_t seed = 1;
  std::string objective = "weak";
  double seconds = 0;  ///< of the search
  Parameters joint;
  double joint_gain = 1;
  std::vector<TunedTest> tests;

  /// Those of the test with this hash, else the joint ones.
  const Parameters& of(const std::string& hash) const;
};

/// A file that is none of parameters.
class ParameterError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::string write_parameters(const ParameterFile& file);
/// Throws ParameterError, which says what is wrong, but not in which file.
ParameterFile read_parameters(const std::string& text);

/// "ptxmc-NVIDIA-H100-80GB-HBM3.json"
std::string parameter_file_name(const DeviceInfo& device);

/// Built in, for a device's architecture.
Parameters default_parameters(const DeviceInfo& device);

}  // namespace ptxmc::gpu
