// SPDX-License-Identifier: Apache-2.0
// The file of a campaign: JSON lines, appended. The first names the parameters; each other one is what a test
// came to in a sweep: a line of `ptxmc run --format json` with "campaign": {"sweep", "wall"}, or what it
// missed.
//
// A record is one write(), and is on the disk (fdatasync) before the next test begins. A process that dies
// leaves at most one record that is not whole, at the end: opening cuts it off. One process at a time may
// have the file open (flock), its children included.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "face/cli/run_tests.h"

namespace ptxmc::cli {

struct CampaignRecord {
  std::string test, hash;  ///< empty: its file is wrong
  std::string file;
  std::optional<Fate> missed;  ///< nothing: it ran
  bool stuck = false;          ///< but a launch did not end
  unsigned sweep = 0;
  double wall = 0;     ///< seconds it took, all in all
  double seconds = 0;  ///< of them in kernels
  std::uint64_t instances = 0;
  std::set<std::string> states;
};

class CampaignFile {
 public:
  /// Opens or creates it. Throws InputError when it cannot, when another process has it, when it is no
  /// campaign's, or one with other parameters.
  CampaignFile(const std::string& path, const std::string& parameters);
  ~CampaignFile();
  CampaignFile(const CampaignFile&) = delete;
  CampaignFile& operator=(const CampaignFile&) = delete;

  const std::string& path() const { return path_; }
  /// Bytes of a record that was not whole.
  std::size_t repaired() const { return repaired_; }
  /// As the file stands now: children append, too.
  std::vector<CampaignRecord> records() const;
  /// A line with its end. Throws CannotWrite; then the file is as before.
  void append(const std::string& line) const;

 private:
  [[noreturn]] void refuse(const std::string& what) const;
  std::string text() const;
  void begin(const std::string& parameters);

  std::string path_;
  int file_ = -1;
  std::size_t repaired_ = 0;
};

/// The line of a run, as log_json() has it, for the file.
std::string campaign_line(const std::string& log, unsigned sweep, double wall);
/// The line of a test that did not run.
std::string missed_line(const RunItem& item, const std::string& hash, Fate fate, const std::string& why,
                        unsigned sweep, double wall);

}  // namespace ptxmc::cli
