// SPDX-License-Identifier: Apache-2.0
// What a suite of tests says of a GPU: each test beside the model, what it is about, and sums over that.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "observed/compare.h"

namespace ptxmc::observed {

/// What tests are counted by.
enum class Axis : std::uint8_t { axiom, section, scope, proxy, asynchronous, family };
inline constexpr Axis kAxes[] = {Axis::axiom, Axis::section,      Axis::scope,
                                 Axis::proxy, Axis::asynchronous, Axis::family};
/// The enumerator.
std::string_view name_of(Axis axis);

/// What a test is about: its names on each axis.
using Subjects = std::map<Axis, std::set<std::string>>;

/// What a test came to.
enum class Course : std::uint8_t {
  ran,
  skipped,  ///< this GPU cannot run it, or the suite is another's
  hung,     ///< a launch did not end, and no outcome was seen
  failed,   ///< the driver refuses it, or an internal error
  absent,   ///< no run came to it
};
/// The enumerator.
std::string_view name_of(Course course);

struct CertifiedTest {
  std::string hash;  ///< of its meaning
  Subjects subjects;
  Course course = Course::absent;
  std::string why;        ///< it did not run, in a line or several
  Comparison comparison;  ///< of one that did not run: `test`, `file` and `family` alone
};

struct Certificate {
  std::string program;            ///< version of ptxmc
  std::string model, manual;      ///< "ptx-9.4", what it is
  unsigned suite = 0;             ///< version of the suite
  std::string shard;              ///< "2/8"; empty: the whole suite
  std::set<std::string> devices;  ///< "NAME (sm_90), driver 13.0"
  std::vector<CertifiedTest> tests;
};

/// Sums over tests.
struct CertificateSum {
  std::size_t tests = 0, ran = 0;
  std::size_t seen = 0, unseen = 0, forbidden = 0, open = 0;  ///< states
  std::size_t violations = 0;                                 ///< tests with a forbidden state
  std::uint64_t observed = 0, weak = 0;                       ///< outcomes
  double seconds = 0;

  void add(const CertifiedTest& test);
};

CertificateSum sum_of(const Certificate& certificate);
/// By name.
std::map<std::string, CertificateSum> sums_by(const Certificate& certificate, Axis axis);
/// How many tests came to that.
std::size_t count_of(const Certificate& certificate, Course course);

/// A state that stands otherwise in one certificate than in the other.
struct CertificateDifference {
  std::string test, state;
  bool forbidden = false;                    ///< by the first one's model
  std::uint64_t count = 0, other = 0;        ///< how often each saw it
  std::uint64_t observed = 0, of_other = 0;  ///< outcomes of the test
};

/// Two certificates, of two GPUs or drivers say.
struct CertificateComparison {
  std::size_t both = 0;                  ///< tests that ran in both
  std::vector<std::string> here, there;  ///< tests that ran in one alone
  std::vector<std::string> changed;      ///< tests of one name and two meanings: not compared
  /// States that were seen in one alone, or that are forbidden and were seen in one or both.
  std::vector<CertificateDifference> differences;
};
CertificateComparison compare_certificates(const Certificate& certificate, const Certificate& other);

}  // namespace ptxmc::observed
