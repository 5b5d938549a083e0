// SPDX-License-Identifier: Apache-2.0
#include "face/cli/output_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "support/diagnostic.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace fs = std::filesystem;

namespace {

constexpr mode_t kMode = 0666;  // less what the user masks

/// Are they one file, under two names or one?
bool same_file(const fs::path& output, const std::string& input) {
  struct stat a = {}, b = {};
  if (::stat(output.c_str(), &a) != 0) return false;  // an output that is not there yet
  const int found = input == "-" ? ::fstat(STDIN_FILENO, &b) : ::stat(input.c_str(), &b);
  return found == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

std::string by_descriptor(int descriptor) {
  return fmt::format("/proc/self/fd/{}", descriptor);
}

// A signal handler reaches nothing but this: the part that has a name, on file systems without files that have none.
char named_part[4096] = "";

void remove_part(int signal) {
  ::unlink(named_part);
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

void remove_on_signals(const std::string& part) {
  if (part.size() >= sizeof named_part) return;
  std::memcpy(named_part, part.c_str(), part.size() + 1);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    void (*const before)(int) = std::signal(signal, remove_part);
    if (before != SIG_DFL) std::signal(signal, before);  // the earlier handler ends the work in order
  }
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
  beside_ = regular && !error;
  if (beside_)
    open_beside();
  else
    stream_.open(path_, std::ios::binary);
  if (!stream_.is_open() || !stream_) refuse("cannot write this file");
  struct stat now = {};
  if (there && beside_ && ::stat(path_.c_str(), &now) == 0) ::fchmod(descriptor_, now.st_mode & 07777);
}

// A file without a name, so that nothing is left of it whatever ends the program; else one that no other
// process has.
void OutputFile::open_beside() {
  const fs::path folder = path_.parent_path().empty() ? fs::path(".") : path_.parent_path();
  descriptor_ = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kMode);
  if (descriptor_ >= 0) stream_.open(by_descriptor(descriptor_), std::ios::binary);
  if (stream_.is_open()) return;
  if (descriptor_ >= 0) ::close(descriptor_);
  part_ = part_name(0);
  descriptor_ = ::open(part_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, kMode);
  if (descriptor_ < 0) {
    part_.clear();  // another's
    return;
  }
  remove_on_signals(part_.string());
  stream_.open(part_, std::ios::binary);
}

fs::path OutputFile::part_name(int number) const {
  return fmt::format("{}.{}{}.part", path_.string(), ::getpid(),
                     number == 0 ? "" : fmt::format(".{}", number));
}

/// Gives a name to a file that has none.
bool OutputFile::give_name() {
  constexpr int kMost = 100;
  for (int number = 0; number < kMost; ++number) {
    part_ = part_name(number);
    if (::linkat(AT_FDCWD, by_descriptor(descriptor_).c_str(), AT_FDCWD, part_.c_str(), AT_SYMLINK_FOLLOW) ==
        0)
      return true;
    part_.clear();
    if (errno != EEXIST) break;
  }
  return false;
}

OutputFile::~OutputFile() {
  std::error_code ignored;
  if (!part_.empty()) fs::remove(part_, ignored);
  if (descriptor_ >= 0) ::close(descriptor_);
}

void OutputFile::commit() {
  stream_.close();
  std::error_code error;
  const bool written = stream_ && (!beside_ || !part_.empty() || give_name());
  if (written && beside_) fs::rename(part_, path_, error);
  if (!written || error) refuse("cannot write this file");
  part_.clear();
}

Status with_output(const std::string& path, const Named& inputs, Streams& streams,
                   const std::function<Status(std::ostream&)>& work) {
  if (path.empty()) return work(streams.out);
  OutputFile file(path, files_read(inputs));
  const Status status = work(file.stream());
  file.commit();
  return status;
}

fs::path file_in(const std::string& folder, const std::string& name) {
  if (name.empty() || name.find('/') != std::string::npos)
    ptxmc::refuse(fmt::format("'{}' is no name of a file in {}", name, folder.empty() ? "a folder" : folder));
  return fs::path(folder) / (name + ".litmus");
}

}  // namespace ptxmc::cli
