// SPDX-License-Identifier: Apache-2.0
#include "observed/certificate.h"

#include <algorithm>
#include <utility>

namespace ptxmc::observed {

std::string_view name_of(Axis axis) {
  switch (axis) {
    case Axis::axiom:
      return "axiom";
    case Axis::section:
      return "section";
    case Axis::scope:
      return "scope";
    case Axis::proxy:
      return "proxy";
    case Axis::asynchronous:
      return "asynchronous";
    case Axis::family:
      return "family";
  }
  return "";
}

std::string_view name_of(Course course) {
  switch (course) {
    case Course::ran:
      return "ran";
    case Course::skipped:
      return "skipped";
    case Course::hung:
      return "hung";
    case Course::failed:
      return "failed";
    case Course::absent:
      return "absent";
  }
  return "";
}

void CertificateSum::add(const CertifiedTest& test) {
  ++tests;
  if (test.course != Course::ran) return;
  const Comparison& c = test.comparison;
  ++ran;
  seen += c.rows_of(Standing::seen);
  unseen += c.rows_of(Standing::unseen);
  forbidden += c.rows_of(Standing::forbidden);
  open += c.rows_of(Standing::open);
  violations += c.rows_of(Standing::forbidden) != 0 ? 1 : 0;
  observed += c.observed;
  weak += c.weak;
  seconds += c.seconds;
}

CertificateSum sum_of(const Certificate& certificate) {
  CertificateSum out;
  for (const CertifiedTest& test : certificate.tests) out.add(test);
  return out;
}

std::map<std::string, CertificateSum> sums_by(const Certificate& certificate, Axis axis) {
  std::map<std::string, CertificateSum> out;
  for (const CertifiedTest& test : certificate.tests) {
    const auto names = test.subjects.find(axis);
    if (names == test.subjects.end()) continue;
    for (const std::string& name : names->second) out[name].add(test);
  }
  return out;
}

std::size_t count_of(const Certificate& certificate, Course course) {
  return static_cast<std::size_t>(
      std::count_if(certificate.tests.begin(), certificate.tests.end(),
                    [&](const CertifiedTest& test) { return test.course == course; }));
}

namespace {

void compare_states(const Comparison& here, const Comparison& there, CertificateComparison& out) {
  std::map<std::string, CertificateDifference> states;
  for (const Row& row : here.rows) {
    CertificateDifference& state = states[row.state];
    state.count = row.count;
    state.forbidden = row.standing == Standing::forbidden;
  }
  for (const Row& row : there.rows) {
    CertificateDifference& state = states[row.state];
    state.other = row.count;
    state.forbidden |= row.standing == Standing::forbidden;
  }
  for (auto& [name, state] : states) {
    if (!state.forbidden && (state.count != 0) == (state.other != 0)) continue;
    state.test = here.test;
    state.state = name;
    state.observed = here.observed;
    state.of_other = there.observed;
    out.differences.push_back(std::move(state));
  }
}

}  // namespace

CertificateComparison compare_certificates(const Certificate& certificate, const Certificate& other) {
  CertificateComparison out;
  std::map<std::string, const CertifiedTest*> by_name;
  for (const CertifiedTest& test : other.tests) by_name[test.comparison.test] = &test;
  for (const CertifiedTest& test : certificate.tests) {
    const auto found = by_name.find(test.comparison.test);
    const CertifiedTest* there = found == by_name.end() ? nullptr : found->second;
    const bool ran = there != nullptr && there->course == Course::ran;
    if (there != nullptr && there->hash != test.hash) {
      out.changed.push_back(test.comparison.test);
    } else if (test.course == Course::ran && ran) {
      ++out.both;
      compare_states(test.comparison, there->comparison, out);
    } else if (test.course == Course::ran) {
      out.here.push_back(test.comparison.test);
    } else if (ran) {
      out.there.push_back(test.comparison.test);
    }
    if (there != nullptr) by_name.erase(found);
  }
  for (const auto& [name, test] : by_name) {
    if (test->course == Course::ran) out.there.push_back(name);
  }
  return out;
}

}  // namespace ptxmc::observed
