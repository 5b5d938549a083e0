// SPDX-License-Identifier: Apache-2.0
#include "report/junit/results.h"

#include <fmt/format.h>

#include <string_view>

#include "report/escaped.h"

namespace ptxmc::report {

namespace {

/// XML has no control characters; line ends within attributes need entities.
std::string attribute(std::string_view text) {
  std::string out;
  for (const char c : escaped(text)) {
    if (c == '\n') {
      out += "&#10;";
    } else {
      out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

}  // namespace

std::string results_junit(const std::vector<VerifyResult>& results, const std::string& suite) {
  std::string cases;
  std::size_t failures = 0, errors = 0, skipped = 0;
  double seconds = 0;
  for (const VerifyResult& one : results) {
    seconds += one.seconds;
    cases += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\"", attribute(one.input),
                         attribute(one.launch.empty() ? one.input : one.launch), one.seconds);
    if (!one.error.empty()) {
      ++errors;
      cases += fmt::format("><error message=\"{}\"/></testcase>\n", attribute(one.error));
    } else if (one.failed()) {
      ++failures;
      std::string text;
      for (const VerifyResult::Finding& finding : one.findings)
        text += finding.text() + ": " + finding.cause + "\n";
      const std::string first = one.findings.empty() ? one.answer : one.findings.front().text();
      cases += fmt::format("><failure message=\"{}\">{}</failure></testcase>\n", attribute(first),
                           attribute(text));
    } else if (one.open()) {
      ++skipped;
      cases += fmt::format(
          "><skipped message=\"{}\"/></testcase>\n",
          attribute(one.unknown.empty() ? "nothing found, but not in all schedules: " + one.bounded()
                                        : "unknown: " + one.unknown));
    } else {
      cases += "/>\n";
    }
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"{}\" "
      "tests=\"{}\" "
      "failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n{}  </testsuite>\n</testsuites>\n",
      attribute(suite), results.size(), failures, errors, skipped, seconds, cases);
}

}  // namespace ptxmc::report
