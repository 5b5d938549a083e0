// SPDX-License-Identifier: Apache-2.0
// `ptxmc nvcc`: nvcc, and then `verify` of the sources that a file of launches lies beside.
#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <ostream>

#include "face/cli/kernel_folder.h"
#include "face/cli/nvcc_line.h"
#include "face/cli/option_rows.h"
#include "face/cli/run_program.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

constexpr const char* kNvccFooter =
    "Runs nvcc with the words after `--`. Where it compiles a source that files of launches lie beside, these launches are\n"
    "verified: JSON files in the source's folder whose \"module\" is that source, or the .ptx of its name. What is verified is\n"
    "PTX that nvcc makes with the same flags, for the newest architecture that they name. Other sources are only compiled.\n"
    "\n"
    "Options of `verify` stand before `--`. The first word after it may be nvcc itself, as build systems write it.\n"
    "\n"
    "Exit status: 2 if nvcc fails, and nothing is verified then; else that of `verify`; 0 if there is no launch to verify.\n"
    "\n"
    "Example:\n"
    "  ptxmc nvcc -- -arch=sm_90a -c kernel.cu -o kernel.o\n"
    "  ptxmc nvcc --allow-incomplete --timeout 60 -- -std=c++17 kernel.cu main.cu -o app\n"
    "  cmake -DCMAKE_CUDA_COMPILER_LAUNCHER=\"ptxmc;nvcc;--\" ...\n";

/// How the compiler ended, as a shell says it.
int shell_status(int status) {
  constexpr int kSignalled = 128;
  return WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
}

/// While it lives, a compiler that is named by its path is the one that `verify` finds.
class FoundFirst {
 public:
  explicit FoundFirst(const std::string& program)
      : before_(std::getenv("PATH") == nullptr ? "" : std::getenv("PATH")) {
    const std::string folder = std::filesystem::absolute(program).parent_path().string();
    ::setenv("PATH", (folder + ":" + before_).c_str(), 1);
  }
  ~FoundFirst() { ::setenv("PATH", before_.c_str(), 1); }
  FoundFirst(const FoundFirst&) = delete;
  FoundFirst& operator=(const FoundFirst&) = delete;

 private:
  std::string before_;
};

Status compile_and_verify(const Arguments& options, const Arguments& words, Streams& streams) {
  if (words.empty()) refuse("say what to compile, after `--`: ptxmc nvcc -- -arch=sm_90a -c kernel.cu");
  const NvccLine line = read_nvcc_line(words);
  if (line.words.front().empty())
    refuse("there is no nvcc on PATH or in /usr/local/cuda/bin; install the CUDA toolkit");
  streams.out.flush();
  if (const int status = shell_status(run_attached(line.words)); status != 0) {
    streams.err << fmt::format("ptxmc: nvcc ended with status {}: nothing was verified\n", status);
    return Status::input;
  }
  Arguments verified = options;
  const std::size_t before = verified.size();
  for (const std::string& source : line.sources) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(source, ignored) && !launches_beside(source).empty())
      verified.push_back(source);
  }
  if (verified.size() == before) return Status::ok;
  if (line.ptx.target) verified.insert(verified.begin(), "--target=" + line.ptx.target->name());
  verified.push_back("--");
  verified.insert(verified.end(), line.ptx.flags.begin(), line.ptx.flags.end());
  const FoundFirst compiler(line.words.front());
  return verify_verb(verified, streams);
}

}  // namespace

Status nvcc_verb(const Arguments& arguments, Streams& streams) {
  App app("Compiles with nvcc, and verifies the launches that lie beside the sources.", "ptxmc nvcc");
  app.footer(kNvccFooter);
  const auto split = std::find(arguments.begin(), arguments.end(), "--");
  const Arguments before(arguments.begin(), split);
  const Arguments words(split == arguments.end() ? split : split + 1, arguments.end());
  const auto asks = [](const std::string& word) {
    return word == "--help" || word == "-h" || word == "--describe";
  };
  if (std::any_of(before.begin(), before.end(), asks))
    return parse_and_run(app, before, streams, [] { return Status::ok; });
  return parse_and_run(app, {}, streams, [&] { return compile_and_verify(before, words, streams); });
}

}  // namespace ptxmc::cli
