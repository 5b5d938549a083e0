// SPDX-License-Identifier: Apache-2.0
#include "face/cli/costs_verb.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <vector>

#include "face/cli/in_child.h"
#include "face/cli/output_file.h"
#include "gpu/driver/driver.h"
#include "gpu/run/costs.h"

namespace ptxmc::cli {

namespace {

constexpr double kCompilationSeconds = 240;  // beside the kernels: the driver compiles them

Status measure_costs(const GpuOptions& options, Streams& streams) {
  try {
    const gpu::Device device(options.device);
    const std::vector<gpu::CostRow> rows = gpu::cost_rows();
    const double each = options.run.seconds / static_cast<double>(rows.size());
    const std::vector<gpu::Cost> costs = gpu::measure_costs(device, rows, each, options.run.patience);
    if (std::all_of(costs.begin(), costs.end(), [](const gpu::Cost& cost) { return !cost.missing.empty(); }))
      throw gpu::DriverError("no instruction could be measured: " + costs.front().missing);
    const std::string table = gpu::cost_table(device.info(), costs);
    return with_output(options.output, Named({}), streams, [&](std::ostream& out) {
      out << table;
      return Status::ok;
    });
  } catch (const gpu::DriverError& error) {
    streams.err << fmt::format("ptxmc: error: {}\n`ptxmc run --costs` needs a GPU and its driver.\n",
                               error.what());
    return Status::input;
  }
}

}  // namespace

Status show_costs(const GpuOptions& options, Streams& streams) {
  const double more = options.run.patience + kCompilationSeconds;
  return in_child(2 * options.run.seconds + more, options.run.patience, streams,
                  [&](Status& status) { status = measure_costs(options, streams); });
}

}  // namespace ptxmc::cli
