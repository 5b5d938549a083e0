// SPDX-License-Identifier: Apache-2.0
// What is wrong with a run, whatever found it: faults, claim::hangs and accesses that nothing orders, one finding a cause, in
// words. Reporters print these rows; they decide nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dynamic/claim/verify_result.h"
#include "support/diagnostic.h"
#include "support/origins.h"

namespace ptxmc::explain {

struct VerifyPlace {
  Position position;          ///< in the module, or the test
  std::string text;           ///< of the instruction
  Origin origin;              ///< what the module was compiled from there, if it tells
  std::string thread;         ///< "thread 3 of CTA 0": the first one
  std::optional<int> number;  ///< of that thread in the launch; nothing: it is none of the launch
  std::uint32_t cta = 0, in_cta = 0;
  std::string access;  ///< "write", "asynchronous read"; empty: it is none
  isa::Proxy proxy = isa::Proxy::generic;
  std::string waits;  ///< "barrier 1": for which it waits; empty: it does not
};

/// Two places that are unordered with each other.
struct VerifyPair {
  std::size_t first = 0, second = 0;  ///< of `places`
  std::string bytes;                  ///< "4 bytes at smem+8", of the first instance; may be empty
};

struct VerifyFinding {
  std::string rule;
  Severity severity = Severity::error;
  std::uint64_t instances = 1;
  std::vector<VerifyPlace> places;
  std::vector<VerifyPair> pairs;  ///< empty: it is about single places
  std::string cause;              ///< without a full stop
  std::string advice;             ///< the same; empty: none
  std::string condition;          ///< of open memory, or of what a read takes; empty: none
  std::string section;            ///< of the manual: "8.9.5"
  std::optional<claim::ExactAnswer> exact;
  std::optional<std::size_t>
      number;  ///< of the first of claim::VerifyResult::findings that it stands for; none: of a fault
  /// Where release and acquire stand that do not meet.
  std::vector<std::pair<std::string, VerifyPlace>> ends;
};

/// Numbers of the findings that are asked of the exact engine: the first race of each group.
std::vector<std::size_t> representatives(const claim::VerifyResult& verified);

/// Errors first. Pairs that share a cause and an instruction, or both lines of the language behind, are one finding.
std::vector<VerifyFinding> findings_of(const claim::VerifyResult& verified);

/// "line 37 (k.cu:88)"
std::string line_of(const VerifyPlace& place);
VerifyPlace place_of(const claim::VerifyResult& verified, trace::Site site);
/// The same with a thread.
VerifyPlace place_of(const claim::VerifyResult& verified, trace::Site site, trace::Thread thread);
/// "4 bytes"
std::string plural(std::uint64_t count, const std::string& what);

}  // namespace ptxmc::explain
