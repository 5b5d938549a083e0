// SPDX-License-Identifier: Apache-2.0
// `-o FILE`: a file has all of what a run writes, or is as it was.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "cli/status.h"
#include "cli/streams.h"

namespace ptxmc::cli {

/// Written beside its place, and renamed at the end. What is no regular file (a pipe, a terminal) is written as
/// it is.
class OutputFile {
 public:
  /// Throws InputError when the file cannot be written, or is one of `inputs` ("-": standard input), by
  /// whatever name.
  OutputFile(const std::string& path, const std::vector<std::string>& inputs);
  /// Without commit() nothing is left of it.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  std::ostream& stream() { return stream_; }
  /// Throws InputError when it cannot be written.
  void commit();

 private:
  [[noreturn]] void refuse(const std::string& why) const;

  std::string shown_;           // as the user named it
  std::filesystem::path path_;  // behind symbolic links
  std::filesystem::path part_;  // empty: written in place
  std::ofstream stream_;
};

/// Gives `work` standard output where `path` is empty, else that file, which is there once `work` has returned.
Status with_output(const std::string& path, const std::vector<std::string>& inputs, Streams& streams,
                   const std::function<Status(std::ostream&)>& work);

}  // namespace ptxmc::cli
