// SPDX-License-Identifier: Apache-2.0
#include "explain/verify/groups.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "explain/verify/findings.h"
#include "finding/rules.h"

namespace ptxmc::explain {

namespace {

class Groups {
 public:
  Groups(const claim::VerifyResult& of) : parent_(of.findings.size()) {
    for (const trace::Finding& finding : of.findings) plain_.push_back(is_plain(finding));
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    std::map<std::tuple<finding::RuleId, trace::Missing, trace::Site>, std::size_t> sites, families;
    std::map<std::tuple<finding::RuleId, trace::Missing, std::string, std::string>, std::size_t> lines;
    const auto join = [&](auto& known, const auto& key, std::size_t i) {
      const auto [at, fresh] = known.try_emplace(key, i);
      if (!fresh) parent_[root(i)] = root(at->second);
    };
    const std::map<Pair, std::size_t> causes = causes_of(of.findings);
    std::map<Pair, std::size_t> flags;
    for (std::size_t i = 0; i < of.findings.size(); ++i) {
      if (of.findings[i].cause.missing == trace::Missing::mutual_scope)
        flags.try_emplace(pair_of(of.findings[i]), i);
    }
    for (std::size_t i = 0; i < of.findings.size(); ++i) {
      const trace::Finding& finding = of.findings[i];
      const trace::Missing missing = finding.cause.missing;
      if (const auto cause = causes.find(pair_of(finding)); is_plain(finding) && cause != causes.end()) {
        parent_[root(i)] = root(cause->second);
        continue;
      }
      // The accesses of a flag: that their scopes leave each other out is why they race, and why neither acquires from the other.
      if (const auto flag = flags.find(pair_of(finding));
          missing == trace::Missing::scope && flag != flags.end()) {
        parent_[root(i)] = root(flag->second);
        continue;
      }
      const std::string first = place_of(of, finding.first.site).origin.text(),
                        second = place_of(of, finding.second.site).origin.text();
      for (const trace::Site site : {finding.first.site, finding.second.site})
        join(sites, std::tuple(finding.rule, missing, site), i);
      if (finding.family) join(families, std::tuple(finding.rule, missing, *finding.family), i);
      if (!first.empty() && !second.empty())
        join(lines, std::tuple(finding.rule, missing, std::min(first, second), std::max(first, second)), i);
    }
  }

  /// In the order of the first of each.
  std::vector<std::vector<std::size_t>> all() {
    std::map<std::size_t, std::size_t> numbers;
    std::vector<std::vector<std::size_t>> out;
    for (std::size_t i = 0; i < parent_.size(); ++i) {
      const auto [at, fresh] = numbers.try_emplace(root(i), out.size());
      if (fresh) out.emplace_back();
      out[at->second].push_back(i);
    }
    for (std::vector<std::size_t>& group : out)
      std::stable_partition(group.begin(), group.end(), [&](std::size_t i) { return !plain_[i]; });
    return out;
  }

 private:
  using Pair = std::pair<trace::Site, trace::Site>;

  static Pair pair_of(const trace::Finding& finding) {
    return std::minmax(finding.first.site, finding.second.site);
  }
  /// A race of which no more is known than that nothing orders it.
  static bool is_plain(const trace::Finding& finding) {
    return finding.rule == finding::RuleId::race && finding.cause.missing == trace::Missing::synchronization;
  }
  /// The first race of each pair that has a cause: in other schedules the pair may race because nothing orders it.
  static std::map<Pair, std::size_t> causes_of(const std::vector<trace::Finding>& findings) {
    std::map<Pair, std::size_t> out;
    for (std::size_t i = 0; i < findings.size(); ++i) {
      const bool caused = findings[i].cause.missing != trace::Missing::synchronization;
      if (caused && finding::severity_of(findings[i].rule) == Severity::error &&
          finding::is_race(findings[i].rule))
        out.try_emplace(pair_of(findings[i]), i);
    }
    return out;
  }

  std::size_t root(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  std::vector<std::size_t> parent_;
  std::vector<bool> plain_;  // of each finding: is_plain()
};

}  // namespace

std::vector<std::vector<std::size_t>> groups_of(const claim::VerifyResult& verified) {
  return Groups(verified).all();
}

}  // namespace ptxmc::explain
