// SPDX-License-Identifier: Apache-2.0
#include "cli/output_file.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "support/diagnostic.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace fs = std::filesystem;

namespace {

/// Are they one file, under two names or one?
bool same_file(const fs::path& output, const std::string& input) {
  struct stat a = {}, b = {};
  if (::stat(output.c_str(), &a) != 0) return false;  // an output that is not there yet
  const int found = input == "-" ? ::fstat(STDIN_FILENO, &b) : ::stat(input.c_str(), &b);
  return found == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

}  // namespace

void OutputFile::refuse(const std::string& why) const {
  ptxmc::refuse(fmt::format("'{}': {}", shown_, why));
}

OutputFile::OutputFile(const std::string& path, const std::vector<std::string>& inputs)
    : shown_(path), path_(path) {
  std::error_code error;
  const bool there = fs::exists(path_, error);
  const bool regular = !there || fs::is_regular_file(path_, error);
  const auto same = [&](const std::string& input) { return same_file(path_, input); };
  if (there && regular && std::any_of(inputs.begin(), inputs.end(), same))
    refuse("is also an input; nothing is written");
  if (there && regular) path_ = fs::canonical(path_, error);
  if (regular && !error) part_ = fmt::format("{}.{}.part", path_.string(), ::getpid());
  stream_.open(part_.empty() ? path_ : part_, std::ios::binary);
  if (!stream_) refuse("cannot write this file");
  if (there && !part_.empty()) fs::permissions(part_, fs::status(path_, error).permissions(), error);
}

OutputFile::~OutputFile() {
  std::error_code ignored;
  if (!part_.empty()) fs::remove(part_, ignored);
}

void OutputFile::commit() {
  stream_.close();
  std::error_code error;
  if (stream_ && !part_.empty()) fs::rename(part_, path_, error);
  if (!stream_ || error) refuse("cannot write this file");
  part_.clear();
}

Status with_output(const std::string& path, const std::vector<std::string>& inputs, Streams& streams,
                   const std::function<Status(std::ostream&)>& work) {
  if (path.empty()) return work(streams.out);
  OutputFile file(path, inputs);
  const Status status = work(file.stream());
  file.commit();
  return status;
}

}  // namespace ptxmc::cli
