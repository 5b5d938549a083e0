// SPDX-License-Identifier: Apache-2.0
#include "face/cli/nvcc.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <utility>

#include "face/cli/run_program.h"
#include "face/cli/shell.h"
#include "support/printable.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostPtx = std::size_t{1} << 28;  // bytes

/// A folder that is removed again.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = (fs::temp_directory_path() / "ptxmc-nvcc-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
      refuse(fmt::format("'{}': no folder can be made there", fs::temp_directory_path().string()));
    path_ = pattern;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

bool names_architecture(const std::string& flag) {
  constexpr std::array<std::string_view, 6> kFlags = {
      "-arch", "--gpu-architecture", "-gencode", "--generate-code", "-code", "--gpu-code"};
  const std::string_view name = std::string_view(flag).substr(0, flag.find('='));
  return std::find(kFlags.begin(), kFlags.end(), name) != kFlags.end();
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + shell_word(word);
  return out;
}

}  // namespace

std::string find_cuda_program(const std::string& name) {
  if (std::string file = find_program(name); !file.empty()) return file;
  const std::string installed = "/usr/local/cuda/bin/" + name;
  return ::access(installed.c_str(), X_OK) == 0 ? installed : "";
}

CompiledCuda compile_cuda(const std::string& file, const NvccOptions& options) {
  const std::string named = fs::path(file).replace_extension(".ptx").string();
  std::vector<std::string> words = {"nvcc"};
  const bool given = std::any_of(options.flags.begin(), options.flags.end(), names_architecture);
  if (options.target || !given) words.push_back("-arch=" + options.target.value_or(Architecture{}).name());
  words.insert(words.end(), {"-lineinfo", "-ptx", file});
  words.insert(words.end(), options.flags.begin(), options.flags.end());
  CompiledCuda out;
  out.command = shell_line(words);
  const std::string nvcc = options.nvcc ? *options.nvcc : find_nvcc();
  if (nvcc.empty())
    refuse(fmt::format(
        "'{}' is CUDA source, and there is no nvcc on PATH or in /usr/local/cuda/bin; install the CUDA "
        "toolkit, or compile it elsewhere: {} -o {}",
        file, out.command, named));
  const ScratchFolder scratch;
  const fs::path ptx = scratch.path() / fs::path(named).filename();
  words.front() = nvcc;
  words.insert(words.end(), {"-o", ptx.string()});
  const ProgramRun ran = run_program(words);
  out.messages = printable(ran.output);
  if (ran.status != 0)
    refuse(fmt::format("'{}': nvcc cannot compile it: {}\n{}", file, out.command, out.messages));
  std::ifstream in(ptx, std::ios::binary);
  std::optional<std::string> text = read_bounded(in, kMostPtx);
  if (!text || text->empty())
    refuse(fmt::format("'{}': nvcc left no PTX that can be read: {}", file, out.command));
  out.ptx = std::make_shared<const Source>(Source{named, std::move(*text)});
  return out;
}

namespace {

/// The text without comments, strings, characters and directives, each a blank.
std::string code_of(std::string_view text) {
  std::string out;
  bool line_begins = true;
  for (std::size_t i = 0; i < text.size();) {
    const auto skip_to = [&](std::string_view end) {
      const std::size_t at = text.find(end, i);
      i = at == std::string_view::npos ? text.size() : at + end.size();
      out += ' ';
    };
    const char c = text[i];
    if (text.substr(i).starts_with("//")) {
      skip_to("\n");
      line_begins = true;
    } else if (text.substr(i).starts_with("/*")) {
      i += 2;
      skip_to("*/");
    } else if (c == '#' && line_begins) {
      skip_to("\n");
    } else if (c == '"' || c == '\'') {
      for (++i; i < text.size() && text[i] != c && text[i] != '\n'; ++i) i += text[i] == '\\' ? 1 : 0;
      ++i;
      out += ' ';
    } else {
      line_begins = c == '\n' || (line_begins && std::isspace(static_cast<unsigned char>(c)) != 0);
      out += c;
      ++i;
    }
  }
  return out;
}

}  // namespace

bool defines_main(std::string_view text) {
  constexpr std::string_view kName = "main";
  const std::string code = code_of(text);
  const auto is_part = [&](std::size_t i) {
    return i < code.size() && (std::isalnum(static_cast<unsigned char>(code[i])) != 0 || code[i] == '_');
  };
  for (std::size_t at = code.find(kName); at != std::string::npos; at = code.find(kName, at + 1)) {
    const std::size_t after = at + kName.size();
    if ((at != 0 && is_part(at - 1)) || is_part(after)) continue;
    const std::size_t next = code.find_first_not_of(" \t\r\n", after);
    if (next != std::string::npos && code[next] == '(') return true;
  }
  return false;
}

}  // namespace ptxmc::cli
