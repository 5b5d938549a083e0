// SPDX-License-Identifier: Apache-2.0
// Random programs of several kernels: launched in streams with events between them, as nodes of a graph, or
// by a host thread that waits for them; programmatic launches and griddepcontrol.
#include <algorithm>

#include "generator.h"

namespace ptxmc::testing {

/// Which threads are one kernel, and who launches it.
void Generator::draw_kernels() {
  launches_ = has_shared() || threads_.size() < 3
                  ? random_.pick({Launches::streams, Launches::graph})
                  : random_.pick({Launches::streams, Launches::graph, Launches::host});
  std::size_t first = 0;
  if (launches_ == Launches::host) {
    threads_[0].host = true;
    threads_[0].placement = "host";
    first = 1;
  }
  for (std::size_t t = first; t < threads_.size(); ++t) {
    if (kernel_threads_.size() < 2 || random_.chance(60)) kernel_threads_.emplace_back();
    kernel_threads_.back().push_back(t);
    threads_[t].placement = fmt::format("cta {}", random_.between(0, 1));
  }
  if (launches_ == Launches::host) draw_calls(threads_[0]);
}

std::string Generator::stream() {
  return random_.pick<const char*>({"S0", "S0", "S0", "S1"});
}

/// An event is recorded in a stream, or another stream waits for it.
std::string Generator::event_call() {
  const std::string where = stream();
  return random_.chance(50) ? fmt::format("cudaEventRecord E, {}", where)
                            : fmt::format("cudaStreamWaitEvent {}, E", where);
}

/// The calls of the host thread, before its other instructions: every kernel is launched once.
void Generator::draw_calls(ThreadSpec& host) {
  for (std::size_t k = 0; k < kernel_threads_.size(); ++k) {
    const std::string where = stream();
    host.lines.push_back(
        fmt::format("cudaLaunchKernel{} K{}, {}", random_.chance(20) ? ".programmatic" : "", k, where));
    if (random_.chance(35)) host.lines.push_back(event_call());
    if (random_.chance(12)) {
      std::string line = store(host);
      host.lines.push_back(std::move(line));
    }
  }
  switch (random_.weighted({40, 15, 20, 10, 15})) {
    case 0:
      return host.lines.push_back("cudaStreamSynchronize " + stream());
    case 1:
      return host.lines.push_back("cudaDeviceSynchronize");
    case 2:
      host.lines.push_back("cudaEventRecord E, " + stream());
      return host.lines.push_back("cudaEventSynchronize E");
    case 3:
      return host.lines.push_back(fmt::format("cudaStreamQuery {}, {}", new_register(host, 32), stream()));
    default:
      return;
  }
}

/// `after K0 K1`: edges from earlier kernels; mostly one.
std::string Generator::edges(std::size_t kernel) {
  if (kernel == 0 || random_.chance(20)) return "";
  std::string names = fmt::format(" K{}", random_.below(kernel));
  const std::string more = fmt::format(" K{}", random_.below(kernel));
  if (more != names && random_.chance(30)) names += more;
  return (random_.chance(25) ? ", programmatic after" : ", after") + names;
}

std::string Generator::print_kernels() {
  std::string text = "kernels {\n";
  for (std::size_t k = 0; k < kernel_threads_.size(); ++k) {
    text += fmt::format("  K{}:", k);
    for (const std::size_t t : kernel_threads_[k]) text += fmt::format(" P{}", t);
    if (launches_ == Launches::streams && random_.chance(90)) {
      const char* how = k > 0 && random_.chance(35) ? ", programmatic stream " : ", stream ";
      text += how + stream();
    }
    if (launches_ == Launches::graph) text += edges(k);
    text += ";\n";
    if (launches_ == Launches::streams && random_.chance(30)) text += "  " + event_call() + ";\n";
  }
  return text + "}\n";
}

}  // namespace ptxmc::testing
