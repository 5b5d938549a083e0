// SPDX-License-Identifier: Apache-2.0
#include "face/cli/nvcc_line.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>

#include "support/diagnostic.h"

namespace ptxmc::cli {

namespace {

namespace fs = std::filesystem;

/// What becomes of a flag when the line makes PTX.
enum class Flag : std::uint8_t { kept, dropped, dropped_with_value, architecture };

struct FlagRow {
  std::string_view name;
  Flag flag;
};

/// Flags that say what comes out, and where to; a value follows as a word of its own, or after `=`.
constexpr FlagRow kFlags[] = {
    {"-o", Flag::dropped_with_value},
    {"--output-file", Flag::dropped_with_value},
    {"-odir", Flag::dropped_with_value},
    {"--output-directory", Flag::dropped_with_value},
    {"-MF", Flag::dropped_with_value},
    {"--dependency-output", Flag::dropped_with_value},
    {"-MT", Flag::dropped_with_value},
    {"--dependency-target-name", Flag::dropped_with_value},
    {"-L", Flag::dropped_with_value},
    {"--library-path", Flag::dropped_with_value},
    {"-l", Flag::dropped_with_value},
    {"--library", Flag::dropped_with_value},
    {"-Xlinker", Flag::dropped_with_value},
    {"--linker-options", Flag::dropped_with_value},
    {"-Xnvlink", Flag::dropped_with_value},
    {"--nvlink-options", Flag::dropped_with_value},
    {"-cudart", Flag::dropped_with_value},
    {"--cudart", Flag::dropped_with_value},
    {"-c", Flag::dropped},
    {"--compile", Flag::dropped},
    {"-dc", Flag::dropped},
    {"--device-c", Flag::dropped},
    {"-dw", Flag::dropped},
    {"--device-w", Flag::dropped},
    {"-lib", Flag::dropped},
    {"--lib", Flag::dropped},
    {"-link", Flag::dropped},
    {"--link", Flag::dropped},
    {"-shared", Flag::dropped},
    {"--shared", Flag::dropped},
    {"-ptx", Flag::dropped},
    {"--ptx", Flag::dropped},
    {"-cubin", Flag::dropped},
    {"--cubin", Flag::dropped},
    {"-fatbin", Flag::dropped},
    {"--fatbin", Flag::dropped},
    {"-MD", Flag::dropped},
    {"--generate-dependencies-with-compile", Flag::dropped},
    {"-MMD", Flag::dropped},
    {"-MP", Flag::dropped},
    {"-lineinfo", Flag::dropped},
    {"--generate-line-info", Flag::dropped},
    {"-keep", Flag::dropped},
    {"--keep", Flag::dropped},
    {"-arch", Flag::architecture},
    {"--gpu-architecture", Flag::architecture},
    {"-code", Flag::architecture},
    {"--gpu-code", Flag::architecture},
    {"-gencode", Flag::architecture},
    {"--generate-code", Flag::architecture},
};

Flag flag_of(std::string_view name) {
  const auto* row = std::find_if(std::begin(kFlags), std::end(kFlags),
                                 [&](const FlagRow& one) { return one.name == name; });
  if (row != std::end(kFlags)) return row->flag;
  const bool joined = name.size() > 2 && (name.starts_with("-l") || name.starts_with("-L"));  // -lcudart
  return joined ? Flag::dropped : Flag::kept;
}

/// A file that the line compiles or links; it is no value of a flag.
bool is_input(const std::string& word) {
  static const std::set<std::string_view> kKinds = {".cu",  ".c",  ".cc",  ".cpp",   ".cxx",
                                                    ".o",   ".a",  ".so",  ".obj",   ".lib",
                                                    ".ptx", ".ii", ".gpu", ".cubin", ".fatbin"};
  return !word.starts_with('-') && kKinds.contains(fs::path(word).extension().string());
}

/// The newest architecture that a flag names: 120 of `arch=compute_90,code=[sm_90,sm_120]`; nothing: it names none by a number.
std::optional<Architecture> newest_of(std::string_view text) {
  std::optional<Architecture> out;
  for (const std::string_view prefix : {"sm_", "compute_", "lto_"}) {
    for (auto at = text.find(prefix); at != std::string_view::npos; at = text.find(prefix, at + 1)) {
      const std::string_view number = text.substr(at + prefix.size());
      const auto end =
          std::find_if(number.begin(), number.end(), [](unsigned char c) { return std::isalnum(c) == 0; });
      try {
        const Architecture found = read_architecture("-arch", std::string(number.begin(), end));
        if (!out || found.number > out->number || (found.number == out->number && out->suffix.empty()))
          out = found;
      } catch (const InputError&) {  // the compiler says what is wrong with it
      }
    }
  }
  return out;
}

}  // namespace

NvccLine read_nvcc_line(const std::vector<std::string>& words) {
  NvccLine out;
  auto word = words.begin();
  if (word != words.end() && fs::path(*word).filename() == "nvcc") {
    out.ptx.nvcc = fs::path(*word).has_parent_path() ? *word : find_cuda_program("nvcc");
    out.words.push_back(*out.ptx.nvcc);
    ++word;
  } else {
    out.words.push_back(find_nvcc());
  }
  out.words.insert(out.words.end(), word, words.end());
  std::string architectures;
  for (; word != words.end(); ++word) {
    const std::size_t equals = word->starts_with('-') ? word->find('=') : std::string::npos;
    const Flag flag = word->starts_with('-') ? flag_of(word->substr(0, equals)) : Flag::kept;
    const bool value_follows =
        (flag == Flag::dropped_with_value || flag == Flag::architecture) && equals == std::string::npos;
    if (flag == Flag::architecture) architectures += *word + ",";
    if (value_follows && std::next(word) != words.end()) {
      ++word;
      if (flag == Flag::architecture) architectures += *word + ",";
    }
    if (flag != Flag::kept) continue;
    if (is_input(*word)) {
      if (word->ends_with(".cu")) out.sources.push_back(*word);
    } else {
      out.ptx.flags.push_back(*word);
    }
  }
  out.ptx.target = newest_of(architectures);
  return out;
}

}  // namespace ptxmc::cli
