// SPDX-License-Identifier: Apache-2.0
// `run --limit`: what the GPU's memory can do.
#include <fmt/format.h>

#include <ostream>
#include <vector>

#include "face/cli/in_child.h"
#include "face/cli/verbs.h"
#include "gpu/driver/driver.h"
#include "gpu/run/limit.h"

namespace ptxmc::cli {

namespace {

constexpr double kDriverSeconds = 120;  // beside the kernels: the driver compiles them
constexpr unsigned kStrides[] = {4, 8, 16, 32, 64};
constexpr gpu::Traffic kKinds[] = {gpu::Traffic::loads, gpu::Traffic::stores, gpu::Traffic::both};

std::string_view word(gpu::Traffic traffic) {
  switch (traffic) {
    case gpu::Traffic::loads:
      return "loads";
    case gpu::Traffic::stores:
      return "stores";
    case gpu::Traffic::both:
      return "both";
  }
  return "";
}

Status measure_limit(const GpuOptions& options, Streams& streams) {
  std::vector<gpu::LimitKernel> kernels;
  for (const unsigned stride : kStrides) {
    for (const gpu::Traffic traffic : kKinds) kernels.push_back({traffic, stride});
  }
  try {
    const gpu::Device device(options.device);
    const std::vector<gpu::LimitRate> rates = gpu::measure_limit(
        device, kernels, options.run.seconds / static_cast<double>(kernels.size()), options.run.patience);
    if (!options.json) streams.out << fmt::format("Accesses of threads a second, {}\n", device.info().name);
    for (const gpu::LimitRate& rate : rates) {
      streams.out << (options.json
                          ? fmt::format("{{\"version\":1,\"verb\":\"run\",\"limit\":\"{}\",\"stride\":{},"
                                        "\"per_second\":{:.6g}}}\n",
                                        word(rate.kernel.traffic), rate.kernel.stride, rate.per_second)
                          : fmt::format("{:<7} stride {:>3}  {:.4g}\n", word(rate.kernel.traffic),
                                        rate.kernel.stride, rate.per_second));
    }
  } catch (const gpu::DriverError& error) {
    streams.err << fmt::format("ptxmc: error: {}\n`ptxmc run --limit` needs a GPU and its driver.\n",
                               error.what());
    return Status::input;
  }
  return Status::ok;
}

}  // namespace

Status show_limit(const GpuOptions& options, Streams& streams) {
  const double more = options.run.patience + kDriverSeconds;
  return in_child(options.run.seconds + more, options.run.patience, streams,
                  [&](Status& status) { status = measure_limit(options, streams); });
}

}  // namespace ptxmc::cli
