// SPDX-License-Identifier: Apache-2.0
// What a check of liveness found: who waits forever, for what, and why that does not come.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "axiomatic/question/liveness.h"
#include "explain/finding.h"
#include "input/litmus/test.h"

namespace ptxmc::explain {

struct LivenessOutcome {
  const litmus::Test& test;
  const engine::Query& query;
  std::optional<bool> hangs;                ///< nothing: unknown
  std::string unknown;                      ///< why
  const engine::State* state = nullptr;     ///< an execution that hangs
  check::Standstill standstill;             ///< of that execution
  const litmus::Verdict* stated = nullptr;  ///< what the file states, where it speaks of this question
  std::string file, model, engine, progress;
  std::vector<std::string> readings;
  double seconds = 0;
  /// loops were cut at so many turns, and the answer speaks of what is within
  std::optional<int> bound = {};
};

/// One, with a place and a sentence for each wait; none when no thread is seen to wait forever.
std::vector<Finding> findings_of(const LivenessOutcome& outcome);
/// "Hangs", "Terminates", "Unknown".
std::string_view answer_of(const std::optional<bool>& hangs);
/// Waits in words, and what reporters name of them. The outcome outlives it.
class WaitTeller {
 public:
  explicit WaitTeller(const LivenessOutcome& outcome) : outcome_(outcome), graph_(outcome.query.graph) {}

  /// "Wait P1:16 ld.acquire.gpu.u32 %r0, [flag]: reads flag=0 forever (initial value)", and a line "  For ..." for each instruction
  /// or thread that would end the wait. Ends with a line end. Threads that wait alike have one text, "Wait P1-P31:16 ...".
  std::vector<std::string> texts() const;
  /// "P1"
  std::string thread(event::ThreadId t) const;
  Position position_of(const check::Wait& wait) const;
  /// What a wait for memory reads, and which value.
  std::string location(const check::Wait& wait) const;
  std::string value(const check::Wait& wait) const;
  bool is_initial(event::EventId e) const;

 private:
  using Threads = std::vector<event::ThreadId>;

  std::string threads(const Threads& all) const;
  std::string rest(const check::Wait& wait) const;
  std::string awaited(const check::Wait& wait) const;
  std::string arrivals(const check::Wait& wait) const;
  std::string place(const Threads& all, Position position) const;
  std::string place(event::ThreadId t, Position position) const { return place(Threads{t}, position); }
  std::string source(const check::Wait& wait) const;

  const LivenessOutcome& outcome_;
  const event::ProgramGraph& graph_;
};

}  // namespace ptxmc::explain
