// SPDX-License-Identifier: Apache-2.0
// `-o FILE`: a file has all of what a run writes, or is as it was.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "face/cli/files_read.h"
#include "face/cli/status.h"
#include "face/cli/streams.h"

namespace ptxmc::cli {

/// Written beside its place, without a name, and put in its place at the end. What is no regular file (a pipe, a terminal) is
/// written as it is.
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
  void open_beside();
  bool give_name();
  std::filesystem::path part_name(int number) const;

  std::string shown_;           // as the user named it
  std::filesystem::path path_;  // behind symbolic links
  bool beside_ = false;         // else: written in place
  std::filesystem::path part_;  // empty: the file has no name yet
  int descriptor_ = -1;
  std::ofstream stream_;
};

/// Gives `work` standard output where `path` is empty, else that file, which is there once `work` has returned. `inputs`: what the
/// command line names; the file is none that these lead to (files_read.h).
Status with_output(const std::string& path, const Named& inputs, Streams& streams,
                   const std::function<Status(std::ostream&)>& work);

/// FOLDER/NAME.litmus. Throws InputError where NAME would leave the folder.
std::filesystem::path file_in(const std::string& folder, const std::string& name);

}  // namespace ptxmc::cli
