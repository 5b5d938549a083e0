// SPDX-License-Identifier: Apache-2.0
// What becomes of a kernel from which synchronization is taken, one piece at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "dynamic/exec/mutations.h"
#include "explain/verify/findings.h"

namespace ptxmc::explain {

struct Mutant {
  Place place;
  exec::Change change = exec::Change::leave_out;
  /// "race at line 12, line 40": what is found that was not before; empty: nothing, and no hang
  std::string caught;
  std::string because;  ///< why nothing is: what stands for it
  bool masked = false;  ///< what rests on it is found of the launch as it stands, but less often
  claim::Verdict without =
      claim::Verdict::incomplete;  ///< what is known of the launch without it, if nothing is found
  std::string limit;  ///< why that is not known of all schedules, though it is of the launch as it stands
  /// Litmus tests in which it stands between two accesses, asked without it: those of which the exact engine says that the two
  /// are ordered all the same, and those of which it says that they race, which is a bug of ours.
  std::size_t asked = 0, ordered = 0, racing = 0;
};

struct Mutants {
  std::vector<Mutant> tried;
  std::size_t left = 0;  ///< for which there was no time
  /// Those that nothing rests on, and what is known of the launch without all of them.
  std::size_t needless = 0;
  claim::Verdict without_needless = claim::Verdict::incomplete;
};

/// What an unchanged launch shows, as a changed one is compared with it. That two instructions race is one thing, whatever
/// the cause; that they race more often is no news, but shows that something rests on what was changed.
class Baseline {
 public:
  explicit Baseline(const claim::VerifyResult& verified)
      : known_(summed(verified)), end_(verified.outcome.end) {}
  /// As bad a finding was not made there.
  bool is_news(const exec::Run& run, const trace::Finding& finding) const;
  /// The worst of what the changed launch shows beyond that; empty: nothing of a warning's severity.
  std::string beyond(const claim::VerifyResult& changed) const;
  /// A finding that both show, and the changed launch more often; empty: there is none.
  std::string oftener(const claim::VerifyResult& changed) const;

 private:
  using Key =
      std::tuple<std::string, std::uint32_t, std::uint32_t>;  // the second line of a single place is 0
  struct Known {
    Severity severity = Severity::note;
    std::uint64_t instances = 0;
    std::string words;
  };
  static Key key_of(const exec::Run& run, const trace::Finding& finding);
  static std::map<Key, Known> summed(const claim::VerifyResult& verified);
  bool is_known(const Key& key, Severity severity) const;

  std::map<Key, Known> known_;
  exec::End end_;
};

}  // namespace ptxmc::explain
