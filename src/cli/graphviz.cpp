// SPDX-License-Identifier: Apache-2.0
// `dot` reads the graph from a temporary file and writes to a pipe: with one pipe there is nothing to
// deadlock.
#include "cli/graphviz.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "support/diagnostic.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

/// A file that is removed again.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text) {
    std::string pattern = (std::filesystem::temp_directory_path() / "ptxmc-XXXXXX").string();
    const int descriptor = mkstemp(pattern.data());
    if (descriptor < 0) refuse("--format svg: cannot make a temporary file");
    close(descriptor);
    path_ = pattern;
    std::ofstream stream(path_, std::ios::binary);
    stream << text;
    if (!stream.flush()) refuse("--format svg: cannot write a temporary file");
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace

std::string graphviz_svg(const std::string& dot) {
  const TemporaryFile file(dot);
  FILE* pipe = popen(fmt::format("dot -Tsvg {} 2>/dev/null", quoted(file.path())).c_str(), "r");
  if (!pipe) refuse("--format svg: cannot run Graphviz's `dot`");
  std::string out;
  char buffer[4096];
  for (std::size_t n = 0; (n = fread(buffer, 1, sizeof buffer, pipe)) > 0;) out.append(buffer, n);
  const int status = pclose(pipe);
  constexpr int kNotFound = 127;  // of the shell
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotFound) {
    refuse(
        "--format svg needs Graphviz's `dot`, which is not on the PATH; --format html needs no other "
        "program");
  }
  if (status != 0 || out.empty()) refuse("--format svg: Graphviz's `dot` failed");
  return out;
}

}  // namespace ptxmc::cli
