// SPDX-License-Identifier: Apache-2.0
#include "verified.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ptxmc::bench {

namespace {

constexpr int kRuns = 3;

}  // namespace

const std::vector<VerifiedKernel>& verified_kernels() {
  static const std::vector<VerifiedKernel> kKernels = {
      {"tiles",
       {"--block", "256", "--arg", "buffer:64K", "--arg", "buffer:64K", "--arg", "buffer:1K"},
       {64, 256, 1024}},
      {"prefix", {"--block", "256", "--arg", "buffer:64K", "--arg", "buffer:64K"}, {64, 256, 1024}},
      {"integers", {"--block", "128", "--arg", "buffer:512", "--arg", "buffer:512"}, {256, 1024, 4096}},
      {"wide", {"--block", "1024", "--shared", "224K", "--arg", "buffer:4K"}, {4, 16, 64}},
      {"products",
       {"--grid", "2", "--block", "384", "--cluster", "2", "--shared", "128K", "--arg",
        "tensor:2M:bf16:512x2048:64x128:swizzle=128", "--arg", "tensor:128K:bf16:512x128:64x64:swizzle=128",
        "--arg", "buffer:2M", "--arg", "512"},
       {2, 4, 8}},
  };
  return kKernels;
}

std::optional<VerifiedRun> run_verified(const std::string& program, const std::vector<std::string>& arguments,
                                        bool orders, double limit) {
  std::vector<std::string> command = {program, "verify", "--no-confirm", "--format", "json"};
  if (!orders) command.emplace_back("--no-orders");
  command.insert(command.end(), arguments.begin(), arguments.end());
  std::optional<VerifiedRun> best;
  for (int i = 0; i < kRuns; ++i) {
    const Measured measured = measure(command, limit);
    if (measured.timed_out) return std::nullopt;
    VerifiedRun run;
    run.megabytes = measured.megabytes;
    std::istringstream lines(measured.output);
    for (std::string line; std::getline(lines, line);) {  // an object a launch
      const auto report = nlohmann::json::parse(line, nullptr, false);
      if (!report.is_object() || !report.contains("ran")) return std::nullopt;
      run.instructions += report["ran"]["lanes"].get<double>();
      run.seconds += report["ran"]["seconds"].get<double>();
    }
    if (run.instructions == 0 || run.seconds <= 0) return std::nullopt;
    if (!best || run.seconds < best->seconds) best = run;
  }
  return best;
}

double slope(const std::vector<std::pair<double, double>>& points) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto count = static_cast<double>(points.size());
  for (const auto& [size, seconds] : points) {
    const double at = std::log(size), value = std::log(seconds);
    x += at;
    y += value;
    xx += at * at;
    xy += at * value;
  }
  return (count * xy - x * y) / (count * xx - x * x);
}

std::vector<std::string> find_launches(const std::string& folder) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().filename() == "launch.json") found.push_back(entry.path().parent_path().string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace ptxmc::bench
