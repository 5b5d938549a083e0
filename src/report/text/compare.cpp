// SPDX-License-Identifier: Apache-2.0
#include "report/text/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>

namespace ptxmc::report {

namespace {

/// Sums over tests.
struct Totals {
  std::size_t tests = 0, seen = 0, unseen = 0, forbidden = 0, open = 0, undefined = 0, violations = 0,
              undecided = 0;
  std::uint64_t observed = 0, hung = 0, weak = 0;
  double seconds = 0;

  double per_second(std::uint64_t count) const {
    return seconds > 0 ? static_cast<double>(count) / seconds : 0.0;
  }
  void add(const observed::Comparison& c) {
    ++tests;
    seen += c.rows_of(observed::Standing::seen);
    unseen += c.rows_of(observed::Standing::unseen);
    forbidden += c.rows_of(observed::Standing::forbidden);
    open += c.rows_of(observed::Standing::open);
    undefined += c.undefined ? 1 : 0;
    violations += c.rows_of(observed::Standing::forbidden) != 0 ? 1 : 0;
    undecided += c.unknown.empty() && c.other_unknown.empty() ? 0 : 1;
    observed += c.observed;
    hung += c.hung;
    weak += c.weak;
    seconds += c.seconds;
  }
};

std::string line_of(std::string_view name, const Totals& t) {
  return fmt::format("{:<16}{:>7}{:>9}{:>10}{:>9}{:>11}{:>6}{:>11}{:>12.3g}{:>12.3g}{:>12.3g}\n", name,
                     t.tests, t.seen + t.unseen, t.seen, t.unseen, t.forbidden, t.open, t.undefined,
                     static_cast<double>(t.observed), t.per_second(t.observed), t.per_second(t.weak));
}

}  // namespace

std::string word_of(observed::Standing standing, const std::string& other) {
  if (!other.empty() && standing == observed::Standing::seen) return "allowed by both";
  if (!other.empty() && standing == observed::Standing::unseen) return "not allowed by " + other;
  if (!other.empty() && standing == observed::Standing::forbidden) return "allowed by " + other + " alone";
  switch (standing) {
    case observed::Standing::seen:
      return "allowed";
    case observed::Standing::unseen:
      return "allowed, never observed";
    case observed::Standing::forbidden:
      return "FORBIDDEN BUT OBSERVED";
    case observed::Standing::open:
      return other.empty() ? "not known to be allowed" : "not known to be allowed by both";
    case observed::Standing::undefined:
      return "undefined behaviour";
  }
  return "";
}

std::string compare_text(const observed::Comparison& c) {
  std::string out = fmt::format("Compare {}\n", c.test);
  for (const observed::Row& row : c.rows)
    out += fmt::format("{:<13} {}  {}\n", row.count, row.state.empty() ? "(nothing named)" : row.state,
                       word_of(row.standing, c.other));
  const std::string sees = c.other.empty() ? "Observed" : c.other;
  out += fmt::format("Allowed {} {} {} Unseen {} Forbidden {}\n",
                     c.rows_of(observed::Standing::seen) + c.rows_of(observed::Standing::unseen), sees,
                     c.rows.size() - c.rows_of(observed::Standing::unseen),
                     c.rows_of(observed::Standing::unseen), c.rows_of(observed::Standing::forbidden));
  if (c.undefined) out += "Undefined: the manual gives this test no meaning, so no outcome contradicts it\n";
  if (c.other_undefined) out += fmt::format("Undefined by {}\n", c.other);
  if (!c.unknown.empty()) out += fmt::format("Unknown {}\n", c.unknown);
  if (!c.other_unknown.empty()) out += fmt::format("Unknown by {}: {}\n", c.other, c.other_unknown);
  if (c.hung != 0) out += fmt::format("Hung {}\n", c.hung);
  if (!c.explanation.empty()) out += "\n" + c.explanation;
  return out + "\n";
}

std::string summary_text(const std::vector<observed::Comparison>& comparisons, const std::string& other) {
  std::map<std::string, Totals> families;
  Totals all;
  for (const observed::Comparison& c : comparisons) {
    families[c.family].add(c);
    all.add(c);
  }
  std::string out = fmt::format("{:<16}{:>7}{:>9}{:>10}{:>9}{:>11}{:>6}{:>11}{:>12}{:>12}{:>12}\n", "family",
                                "tests", "allowed", "observed", "unseen", "FORBIDDEN", "open", "undefined",
                                "instances", "per second", "weak/s");
  for (const auto& [name, totals] : families) out += line_of(name.empty() ? "." : name, totals);
  out += line_of("all", all);
  if (!other.empty())
    return out +
           fmt::format("{} allows {} states that are forbidden here, and not {} that are allowed{}.\n", other,
                       all.forbidden, all.unseen,
                       all.undecided == 0 ? "" : fmt::format("; {} tests were not decided", all.undecided));
  return out + (all.violations == 0
                    ? "No forbidden outcome was observed.\n"
                    : fmt::format("FORBIDDEN outcomes were observed in {} tests.\n", all.violations));
}

}  // namespace ptxmc::report
