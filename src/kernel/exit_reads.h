// SPDX-License-Identifier: Apache-2.0
// Reads that decide whether a thread exits. A barrier that a thread has come to orders its reads before what others write behind it;
// one that it has exited in front of does not. So whether such a read may take what is written behind the barrier rests on
// what it takes: an execution may have both (8.9.5), though no schedule does.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "kernel/code.h"
#include "trace/events.h"

namespace ptxmc::kernel {

/// Sets `guards_exit` of the loads whose results a guarded exit may rest on.
void find_exit_reads(Code& code);

/// Of one run.
class ExitReads {
 public:
  /// A load that guards an exit has read this.
  void read(trace::Thread thread, trace::Range range, const Step& step);
  /// The loads whose location another thread writes now.
  std::vector<const Step*> overwritten(trace::Thread thread, trace::Range range) const;
  bool any() const { return !reads_.empty(); }

 private:
  struct Read {
    trace::Thread thread = 0;
    trace::Range range;
    const Step* step = nullptr;
  };
  std::multimap<trace::Address, Read> reads_;  // by the 16 bytes that they are in
};

}  // namespace ptxmc::kernel
