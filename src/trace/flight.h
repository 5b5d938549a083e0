// SPDX-License-Identifier: Apache-2.0
// Asynchronous operations on the shared memory of a CTA that may be under way when its threads have exited (5.1.7, R17).
#pragma once

#include <unordered_map>
#include <vector>

#include "trace/finding.h"
#include "trace/mark.h"

namespace ptxmc::trace {

class Flight {
 public:
  Flight(const Threads& threads, Findings& findings) : threads_(threads), findings_(findings) {}
  void start();
  void add_window(std::uint32_t cta, Range window) { windows_.push_back({cta, window}); }
  /// Is it shared memory of some CTA?
  bool is_shared(Address at) const;
  void issue(const Kind& kind, const Mark& mark, Range range);
  void exit(Site site, Lanes lanes);

 private:
  struct Operation {
    Kind kind;
    Epoch epoch;
    Range range;
  };
  struct Window {
    std::uint32_t cta = 0;
    Range range;
  };
  const Threads& threads_;
  Findings& findings_;
  std::vector<Window> windows_;
  std::unordered_map<std::uint32_t, std::vector<Operation>> operations_;  // by CTA; the last of each agent
  std::unordered_map<std::uint32_t, std::uint32_t> in_cta_;               // threads that have not exited
};

}  // namespace ptxmc::trace
