// SPDX-License-Identifier: Apache-2.0
#include "report/text/certificate.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "report/text/compare.h"

namespace ptxmc::report {

namespace {

constexpr std::size_t kMostListed = 40;  // of names and differences

std::string devices_of(const observed::Certificate& certificate) {
  return certificate.devices.empty() ? "a device that the logs do not name"
                                     : fmt::format("{}", fmt::join(certificate.devices, "; "));
}

std::string sum_line(std::string_view name, const observed::CertificateSum& s) {
  const double rate = s.seconds > 0 ? static_cast<double>(s.observed) / s.seconds : 0.0;
  return fmt::format("{:<18}{:>7}{:>6}{:>9}{:>7}{:>12}{:>16}{:>6}{:>12.3g}{:>12.3g}\n", name, s.tests, s.ran,
                     s.seen + s.unseen, s.seen, s.unseen, s.forbidden, s.open,
                     static_cast<double>(s.observed), rate);
}

/// "8.10.2" after "8.9.7".
bool number_before(const std::string& a, const std::string& b) {
  const auto parts = [](const std::string& text) {
    std::vector<std::pair<unsigned long, std::string>> out;
    for (std::size_t at = 0; at <= text.size();) {
      const std::size_t end = std::min(text.find('.', at), text.size());
      const std::string part = text.substr(at, end - at);
      const bool digits =
          !part.empty() && part.size() < 9 && part.find_first_not_of("0123456789") == std::string::npos;
      out.emplace_back(digits ? std::stoul(part) : 0, part);
      at = end + 1;
    }
    return out;
  };
  return parts(a) < parts(b);
}

/// Some names, and how many more there are.
std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kMostListed); ++i)
    out += fmt::format("  {}\n", names[i]);
  if (names.size() > kMostListed) out += fmt::format("  and {} more\n", names.size() - kMostListed);
  return out;
}

std::string share_of(std::uint64_t count, std::uint64_t observed) {
  return observed == 0 ? "not observed" : fmt::format("{} of {:.3g}", count, static_cast<double>(observed));
}

/// How often a test showed what is forbidden.
std::string rates_of(const observed::Comparison& c) {
  std::string out;
  for (const observed::Row& row : c.rows) {
    if (row.standing != observed::Standing::forbidden) continue;
    const double count = static_cast<double>(row.count), all = static_cast<double>(c.observed);
    out += fmt::format("Forbidden {} in {} outcomes of {:.4g}, {:.2g} of them", row.state, row.count, all,
                       all > 0 ? count / all : 0.0);
    out += c.seconds > 0 ? fmt::format(", {:.3g} a second\n", count / c.seconds) : "\n";
  }
  return out;
}

}  // namespace

std::string forbidden_text(const observed::CertifiedTest& test) {
  const auto names = [&](observed::Axis axis) {
    const auto found = test.subjects.find(axis);
    return found == test.subjects.end() ? "" : fmt::format("{}", fmt::join(found->second, ", "));
  };
  return rates_of(test.comparison) +
         fmt::format("Axioms of this test: {}. Sections: {}\n", names(observed::Axis::axiom),
                     names(observed::Axis::section)) +
         compare_text(test.comparison);
}

std::string_view title_of(observed::Axis axis) {
  switch (axis) {
    case observed::Axis::axiom:
      return "axioms of the model";
    case observed::Axis::section:
      return "sections of the manual";
    case observed::Axis::scope:
      return "scopes";
    case observed::Axis::proxy:
      return "proxies";
    case observed::Axis::asynchronous:
      return "asynchronous operations";
    case observed::Axis::family:
      return "folders of the suite";
  }
  return "";
}

std::string certificate_verdict(const observed::Certificate& certificate) {
  const observed::CertificateSum sum = sum_of(certificate);
  if (sum.ran == 0) return "No test ran: nothing is certified.\n";
  if (sum.violations != 0)
    return fmt::format("FORBIDDEN outcomes were observed in {} tests of {} that ran on {}.\n", sum.violations,
                       sum.ran, devices_of(certificate));
  return fmt::format("No forbidden outcome was observed in {} tests that ran on {}.\n", sum.ran,
                     devices_of(certificate));
}

std::string certificate_facts(const observed::Certificate& certificate) {
  std::string out = fmt::format(
      "Model {}: {}\nSuite version {}, {} tests{}\nProgram ptxmc {}\n", certificate.model, certificate.manual,
      certificate.suite, certificate.tests.size(),
      certificate.shard.empty() ? "" : fmt::format(" of shard {}", certificate.shard), certificate.program);
  const std::pair<observed::Course, std::string_view> kCourses[] = {
      {observed::Course::skipped, "tests cannot run here"},
      {observed::Course::hung, "tests hung"},
      {observed::Course::failed, "tests failed to run"},
      {observed::Course::absent, "tests have not begun"},
  };
  for (const auto& [course, words] : kCourses) {
    if (const std::size_t count = count_of(certificate, course)) out += fmt::format("{} {}\n", count, words);
  }
  if (const std::size_t open = sum_of(certificate).open)
    out += fmt::format("{} observed states are not known to be allowed\n", open);
  return out;
}

std::string certificate_table(const observed::Certificate& certificate, observed::Axis axis) {
  const auto sums = sums_by(certificate, axis);
  if (sums.empty()) return "";
  std::vector<std::string> names;
  for (const auto& [name, sum] : sums) names.push_back(name);
  if (axis == observed::Axis::section) std::sort(names.begin(), names.end(), number_before);
  std::string out =
      fmt::format("{:<18}{:>7}{:>6}{:>9}{:>7}{:>12}{:>16}{:>6}{:>12}{:>12}\n", name_of(axis), "tests", "ran",
                  "allowed", "seen", "never seen", "FORBIDDEN seen", "open", "outcomes", "per second");
  for (const std::string& name : names) out += sum_line(name, sums.at(name));
  return out;
}

std::string differences_text(const observed::Certificate& certificate, const observed::Certificate& other) {
  const observed::CertificateComparison c = compare_certificates(certificate, other);
  std::string out = fmt::format("Against {} (suite version {}, model {}): {} tests ran in both.\n",
                                devices_of(other), other.suite, other.model, c.both);
  if (!c.here.empty()) out += fmt::format("{} tests ran here alone:\n{}", c.here.size(), listed(c.here));
  if (!c.there.empty()) out += fmt::format("{} tests ran there alone:\n{}", c.there.size(), listed(c.there));
  if (!c.changed.empty())
    out +=
        fmt::format("{} tests have changed between the two suites:\n{}", c.changed.size(), listed(c.changed));
  std::vector<std::string> forbidden, allowed;
  for (const observed::CertificateDifference& d : c.differences) {
    (d.forbidden ? forbidden : allowed)
        .push_back(fmt::format("{} {}  here {}, there {}", d.test, d.state, share_of(d.count, d.observed),
                               share_of(d.other, d.of_other)));
  }
  if (!forbidden.empty())
    out +=
        fmt::format("{} FORBIDDEN states were seen in one or both:\n{}", forbidden.size(), listed(forbidden));
  if (!allowed.empty())
    out += fmt::format("{} allowed states were seen in one alone:\n{}", allowed.size(), listed(allowed));
  if (forbidden.empty() && allowed.empty()) out += "The same states were seen in both.\n";
  return out;
}

std::string certificate_text(const observed::Certificate& certificate, const observed::Certificate* other,
                             bool quiet) {
  std::string out = certificate_verdict(certificate) + certificate_facts(certificate) + "\n";
  for (const observed::CertifiedTest& test : certificate.tests) {
    if (test.comparison.rows_of(observed::Standing::forbidden) != 0) out += forbidden_text(test);
  }
  for (const observed::Axis axis : observed::kAxes) {
    const std::string table = quiet ? "" : certificate_table(certificate, axis);
    if (!table.empty()) out += table + "\n";
  }
  if (other != nullptr) out += differences_text(certificate, *other) + "\n";
  return out + certificate_verdict(certificate);
}

}  // namespace ptxmc::report
