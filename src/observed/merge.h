// SPDX-License-Identifier: Apache-2.0
// Logs of several runs, shards, sweeps or machines as one: counts per state, instances and seconds add up.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "observed/log.h"

namespace ptxmc::observed {

class MergedLog {
 public:
  /// Adds a log, read from `from`. Throws InputError when a test of it has a name that a log before knows,
  /// but not its hash: the machines did not run the same text; and when it shares some runs with them. What
  /// shares all is left out: a line in `warnings`, where there is one, says so.
  void add(const std::vector<LoggedTest>& log, const std::string& from,
           std::vector<std::string>* warnings = nullptr);

  /// In order of their first occurrence.
  const std::vector<LoggedTest>& tests() const { return tests_; }
  bool knows(const std::string& name) const { return by_name_.count(name) != 0; }
  /// Null when there is none with this hash (or without any).
  const LoggedTest* find(const std::string& name, const std::string& hash) const;

 private:
  std::vector<LoggedTest> tests_;
  std::vector<std::string> origins_;  ///< the log that had a test first
  std::map<std::string, std::vector<std::size_t>> by_name_;
};

}  // namespace ptxmc::observed
