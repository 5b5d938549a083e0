// SPDX-License-Identifier: Apache-2.0
#include "face/cli/gpu_parameters.h"

#include <fmt/format.h>

#include <fstream>
#include <optional>
#include <vector>

#include "input/litmus/hash.h"
#include "report/text/herd.h"
#include "support/diagnostic.h"
#include "support/printable.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

constexpr std::size_t kMaxBytes = 64u << 20;  // of a file of parameters

[[noreturn]] void refuse_file(const std::string& file, const std::string& why) {
  ptxmc::refuse(fmt::format("'{}': {}", file, why));
}

gpu::ParameterFile read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) refuse_file(path, "cannot read this file");
  const std::optional<std::string> text = read_bounded(in, kMaxBytes);
  if (!text) refuse_file(path, fmt::format("more than {} bytes", kMaxBytes));
  try {
    return gpu::read_parameters(*text);
  } catch (const gpu::ParameterError& error) {
    refuse_file(path, error.what());
  }
}

}  // namespace

gpu::Hazards hazards_of(const litmus::Test& test) {
  gpu::Hazards out;
  for (const litmus::Verdict& verdict : test.verdicts) {
    if (!verdict.model.empty() || !verdict.readings.empty()) continue;
    if (verdict.proposition == litmus::Stated::undefined) out.undefined = verdict.position;
    if (verdict.hangs == true) out.hangs = verdict.position;
  }
  for (const program::Variable& variable : test.variables) {
    if (!variable.locations.empty()) out.multicast = variable.position;
  }
  return out;
}

std::string print_given(const GpuOptions& options) {
  std::vector<std::string> out;
  if (options.given.instances) out.push_back(fmt::format("--instances {}", *options.given.instances));
  if (options.given.stride) out.push_back(fmt::format("--stride {}", *options.given.stride));
  if (options.given.stress)
    out.push_back(fmt::format("--stress {}", gpu::print_stress(*options.given.stress)));
  if (!options.parameters.empty()) out.push_back(fmt::format("--parameters {}", options.parameters));
  return fmt::format("{}", fmt::join(out, " "));
}

ParameterChoice::ParameterChoice(const GpuOptions& options) : options_(options) {
  if (!options.parameters.empty()) file_ = read(options.parameters);
}

gpu::Parameters ParameterChoice::of(const litmus::Test& test, const gpu::DeviceInfo* device,
                                    Streams& streams) {
  return choose(file_ ? &file_->of(litmus::meaning_hash(test)) : nullptr, device, streams);
}

gpu::Parameters ParameterChoice::joint(const gpu::DeviceInfo* device, Streams& streams) {
  return choose(file_ ? &file_->joint : nullptr, device, streams);
}

gpu::Parameters ParameterChoice::choose(const gpu::Parameters* read, const gpu::DeviceInfo* device,
                                        Streams& streams) {
  gpu::Parameters out;
  if (read != nullptr) {
    out = *read;
    if (device != nullptr && device->name != file_->device.name && !warned_) {
      streams.err << fmt::format("ptxmc: warning: '{}' was tuned on {}, and this is {}\n",
                                 options_.parameters, file_->device.name, device->name);
      warned_ = true;
    }
  } else if (device != nullptr) {
    out = gpu::default_parameters(*device);
  }
  if (options_.given.instances) out.instances = *options_.given.instances;
  if (options_.given.stride) out.stride = *options_.given.stride;
  if (options_.given.stress) out.stress = *options_.given.stress;
  return out;
}

}  // namespace ptxmc::cli
