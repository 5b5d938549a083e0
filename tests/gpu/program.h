// SPDX-License-Identifier: Apache-2.0
// A ptxmc process with the fake driver, in a process group and a folder of its own.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ptxmc::testing {

/// A folder that is removed again.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::filesystem::path path() const { return path_; }
  /// Writes a file, folders included; returns its path.
  std::string file(const std::string& name, const std::string& text) const;
  std::string at(const std::string& name) const { return (path_ / name).string(); }
  std::string text(const std::string& name) const;
  /// A message-passing test of this name that can run; returns its path.
  std::string test(const std::string& name, const std::string& folder = "tests") const;

 private:
  std::filesystem::path path_;
};

struct Ran {
  int status = -1;  ///< of its exit
  int signal = 0;   ///< or that ended it
  std::string out, err;
};

using Environment = std::map<std::string, std::string>;

class Program {
 public:
  /// Starts it in `folder`. `file_bytes`: it cannot make a file longer than that; 0: no such limit.
  Program(const Folder& folder, const std::vector<std::string>& arguments,
          const Environment& environment = {}, std::size_t file_bytes = 0);
  /// Kills what is left of its group.
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Waits until standard output or error, or the file, has this text; false after 20 seconds.
  bool says(const std::string& what, const std::string& file = "") const;
  void signal(int number) const;        ///< to the process alone
  void signal_group(int number) const;  ///< as a terminal's Ctrl-C does
  /// Waits for its end; throws std::runtime_error after 20 seconds.
  Ran finish();
  /// Is a process of its group alive? Asked after finish(); waits a little for killed ones to go.
  bool left_orphans() const;

 private:
  const Folder& folder_;
  pid_t process_ = 0;
  bool done_ = false;
};

/// Start and finish.
Ran run_program(const Folder& folder, const std::vector<std::string>& arguments,
                const Environment& environment = {});

bool has(const std::string& text, const std::string& what);
std::size_t count(const std::string& text, const std::string& what);

}  // namespace ptxmc::testing
