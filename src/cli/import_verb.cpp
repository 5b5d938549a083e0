// SPDX-License-Identifier: Apache-2.0
// `import`: threads of a launched module as a litmus test, for people to cut down.
#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <set>

#include "cli/modules.h"
#include "cli/output_file.h"
#include "litmus/print.h"
#include "support/diagnostic.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

/// Leaves those threads and what is said of them.
void keep(litmus::Test& test, const std::vector<int>& threads) {
  const std::set<int> kept(threads.begin(), threads.end());
  for (const int number : kept) {
    if (number < 0 || static_cast<std::size_t>(number) >= test.threads.size())
      refuse(fmt::format("--threads {}: there are {}, from 0", number, test.threads.size()));
  }
  const auto gone = [&](int number) { return !kept.contains(number); };
  std::erase_if(test.threads, [&](const program::Thread& thread) { return gone(thread.number); });
  std::erase_if(test.register_inits, [&](const program::RegisterInit& init) { return gone(init.thread); });
  for (program::Kernel& kernel : test.kernels.kernels)
    std::erase_if(kernel.threads, [&](int number) { return gone(number); });
}

}  // namespace

Status import_files(const Options& options, const std::vector<int>& threads, Streams& streams) {
  return with_output(options.output, options.files, streams, [&](std::ostream& out) {
    for (const Input& input : expand_inputs(options.files)) {
      if (!is_launch_name(input.name))
        refuse(fmt::format("'{}': expected a .ptx module or a .json file of launches", input.name));
      litmus::Test test = read_launch(input, options, streams.in);
      for (const program::Variable& variable : test.variables) {
        if (!variable.open.empty())
          refuse(fmt::format(
              "'{}': a part of `{}` is opaque, which a litmus test has no word for; give it data, "
              "or a buffer of its own",
              input.name, variable.name));
      }
      test.docs.push_back(fmt::format("Threads of {}, as launched.", test.source->name));
      if (!threads.empty()) keep(test, threads);
      out << litmus::print(test, litmus::Lanes::together);
    }
    return Status::ok;
  });
}

}  // namespace ptxmc::cli
