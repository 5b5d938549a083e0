// SPDX-License-Identifier: Apache-2.0
#include "face/cli/in_child.h"

#include <fmt/format.h>

#include <exception>
#include <ostream>

#include "face/cli/interrupt.h"
#include "face/cli/workers.h"
#include "support/diagnostic.h"

namespace ptxmc::cli {

Status in_child(double seconds, double grace, Streams& streams, const std::function<void(Status&)>& work) {
  const Interruptible interruptible;
  const Shared<Status> status;
  const auto flush = [&] {
    streams.err << std::flush;
    streams.out << std::flush;
  };
  flush();
  work_in_children(
      1, {seconds, grace, interrupted},
      [&](std::uint64_t) {
        try {
          work(*status);
        } catch (const InputError& error) {
          streams.err << error.what();
          *status = worse(*status, Status::input);
        } catch (const std::exception& error) {
          streams.err << fmt::format("ptxmc: internal error: {}\n", error.what());
          *status = worse(*status, Status::failure);
        }
        flush();
        if (!streams.out) {
          streams.err << "ptxmc: error: cannot write standard output\n" << std::flush;
          *status = worse(*status, Status::input);
        }
        return Next::enough;
      },
      [&](const Loss& loss) {
        streams.err << (loss.silent ? "hung: the GPU's driver did not come back; its process was killed\n"
                                    : "ptxmc: internal error: the process of the GPU died\n");
        *status = worse(*status, loss.silent ? Status::unknown : Status::failure);
        return false;
      });
  return *status;
}

}  // namespace ptxmc::cli
