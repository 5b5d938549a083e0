// SPDX-License-Identifier: Apache-2.0
#include "face/cli/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "face/cli/binary_file.h"
#include "input/litmus/nvidia.h"
#include "input/litmus/parse.h"
#include "support/diagnostic.h"
#include "support/printable.h"
#include "support/refuse.h"

namespace ptxmc::cli {

namespace fs = std::filesystem;

namespace {

class Expander {
 public:
  Expander(std::vector<std::string>* lists, FolderInputs of_folder)
      : lists_(lists), of_folder_(std::move(of_folder)) {}
  void add(const std::string& argument);
  std::vector<Input> take() { return std::move(inputs_); }

 private:
  void add_folder(const fs::path& folder);
  void add_list(const fs::path& list);
  void fail(const std::string& name, std::string error) { inputs_.push_back({name, std::move(error)}); }

  std::vector<std::string>* lists_;
  FolderInputs of_folder_;
  std::vector<Input> inputs_;
  bool standard_input_ = false;    // "-" was seen
  std::set<fs::path> open_lists_;  // canonical paths, against lists that name themselves
};

void Expander::add(const std::string& argument) {
  std::error_code ignored;
  if (argument == "-") {
    if (std::exchange(standard_input_, true)) return fail(argument, "standard input is named twice");
    inputs_.push_back({argument, ""});
  } else if (fs::path(argument).filename().string().starts_with('@') &&
             fs::is_regular_file(argument, ignored)) {
    add_list(argument);
  } else if (argument.starts_with('@')) {
    add_list(argument.substr(1));
  } else if (fs::is_directory(argument, ignored)) {
    add_folder(argument);
  } else if (!fs::exists(argument, ignored)) {
    fail(argument, fmt::format("'{}': no such file or folder", argument));
  } else if (fs::path(argument).extension() == ".cu") {
    fail(argument, fmt::format("'{}' is CUDA source; compile it: nvcc -arch=sm_90a -lineinfo -ptx -o {} {}",
                               argument, fs::path(argument).replace_extension(".ptx").string(), argument));
  } else {
    inputs_.push_back({argument, ""});
  }
}

void Expander::add_folder(const fs::path& folder) {
  if (of_folder_) {
    for (Input& input : of_folder_(folder.string())) inputs_.push_back(std::move(input));
    return;
  }
  std::vector<std::string> found;
  try {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const fs::path kind = entry.path().extension();
      if ((kind == ".litmus" || kind == ".test") && entry.is_regular_file())
        found.push_back(entry.path().string());
    }
  } catch (const fs::filesystem_error& error) {
    fail(folder.string(), fmt::format("'{}': {}", folder.string(), error.code().message()));
    return;
  }
  if (found.empty())
    fail(folder.string(), fmt::format("'{}': no .litmus or .test file in this folder", folder.string()));
  std::sort(found.begin(), found.end());
  for (std::string& name : found) inputs_.push_back({std::move(name), ""});
}

void Expander::add_list(const fs::path& list) {
  if (lists_ != nullptr) lists_->push_back(list.string());
  std::ifstream stream(list, std::ios::binary);
  const std::optional<std::string> text = read_bounded(stream, kMaxTestBytes);
  if (!text || !stream.eof() || stream.bad() || fs::is_directory(list)) {
    fail(list.string(), fmt::format("'{}': cannot read this list of tests", list.string()));
    return;
  }
  std::error_code ignored;
  const fs::path canonical = fs::weakly_canonical(list, ignored);
  if (!open_lists_.insert(canonical).second) {
    fail(list.string(), fmt::format("'{}': this list names itself", list.string()));
    return;
  }
  const std::size_t before = inputs_.size();
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    constexpr const char* kSpace = " \t\r";
    const std::size_t first = line.find_first_not_of(kSpace);
    if (first == std::string::npos || line[first] == '#') continue;
    const std::string entry = line.substr(first, line.find_last_not_of(kSpace) - first + 1);
    const bool nested = entry.starts_with('@');
    const fs::path path = list.parent_path() / (nested ? entry.substr(1) : entry);
    const fs::path literal = list.parent_path() / entry;
    add(nested && !fs::exists(literal, ignored) ? "@" + path.string() : literal.string());
  }
  open_lists_.erase(canonical);
  if (inputs_.size() == before)
    fail(list.string(), fmt::format("'{}': this list names no test", list.string()));
}

}  // namespace

std::vector<Input> expand_inputs(const std::vector<std::string>& arguments, std::vector<std::string>* lists,
                                 FolderInputs of_folder) {
  Expander expander(lists, std::move(of_folder));
  for (const std::string& argument : arguments) expander.add(argument);
  return expander.take();
}

SourcePtr read_input(const Input& input, std::istream& standard_input, std::size_t limit) {
  if (!input.error.empty()) refuse(input.error);
  if (input.text != nullptr) return input.text;
  auto source = std::make_shared<Source>();
  const auto fill = [&](std::istream& stream) {
    std::string text(kRecognised, '\0');
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(stream.gcount()));
    if (const std::string what = compiled_file(input.name, text); !what.empty()) refuse(what);
    const std::optional<std::string> rest = text.size() > limit ? std::nullopt
                                            : stream.eof()      ? std::string()
                                                                : read_bounded(stream, limit - text.size());
    if (!rest) refuse(fmt::format("'{}': more than {} bytes", input.name, limit));
    if (is_binary(text)) refuse(fmt::format("'{}' is a binary file; expected a text", input.name));
    source->text = text + *rest;
  };
  if (input.name == "-") {
    source->name = "<stdin>";
    fill(standard_input);
    if (standard_input.bad()) refuse("standard input cannot be read");
    return source;
  }
  std::error_code ignored;
  std::ifstream stream(input.name, std::ios::binary);
  if (!stream || fs::is_directory(input.name, ignored))
    refuse(fmt::format("'{}': cannot read this file", input.name));
  source->name = input.name;
  fill(stream);
  if (stream.bad()) refuse(fmt::format("'{}': cannot read this file", input.name));
  return source;
}

SourcePtr source_of(const std::string& name) {
  std::istringstream nothing;
  try {
    return name == "-" ? nullptr : read_input({name, ""}, nothing, kMaxLogBytes);
  } catch (const InputError&) {
    return nullptr;
  }
}

std::vector<litmus::Test> parse_input(const SourcePtr& source, std::vector<Diagnostic>* warnings) {
  if (litmus::is_nvidia_name(source->name)) return litmus::parse_nvidia(source);
  std::vector<litmus::Test> out;
  out.push_back(litmus::parse(source, warnings));
  return out;
}

}  // namespace ptxmc::cli
