// SPDX-License-Identifier: Apache-2.0
// Reads that decide whether a thread exits in front of a barrier. A barrier that a thread has come to orders its reads before what
// others write after it; one that it has exited in front of does not. So whether such a read may take what is written after the
// barrier rests on what it takes: the axioms have an execution with both (8.9.5). No schedule has, as the barrier waits for the
// exit: a proof names that (claim::Assumption::exit_order).
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "dynamic/exec/code.h"
#include "dynamic/order/events.h"

namespace ptxmc::exec {

/// Sets `guards_exit` of the reads on whose results it may rest whether a thread comes to a barrier or exits.
void find_exit_reads(Code& code);

/// What such loads have read in one run.
class ExitReads {
 public:
  void read(trace::Thread thread, trace::Address begin, const Step& step);
  /// The loads whose location another thread writes now.
  std::vector<const Step*> overwritten(trace::Thread thread, const trace::Range& range) const;
  bool any() const { return !reads_.empty(); }

 private:
  struct Readers {
    const Step* step = nullptr;
    trace::Thread first = 0;
    bool several = false;  // other threads, too
  };
  std::map<std::pair<trace::Address, trace::Site>, Readers> reads_;
};

}  // namespace ptxmc::exec
