// SPDX-License-Identifier: Apache-2.0
// golden_errors [--update] FOLDER: parses every FOLDER/*.litmus, each of which is wrong, and compares the
// diagnostics with NAME.expected, to the letter. --update writes these files instead. A FOLDER/*.texts holds many small
// files, each behind a line `==== NAME`, in which \xNN is a byte: modules, each launched without arguments, and files of launches,
// whose "module" is another text of the same file.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "input/launch/plan_file.h"
#include "input/launch/program.h"
#include "input/litmus/parse.h"
#include "ptx/text/module.h"

namespace {

namespace fs = std::filesystem;
using namespace ptxmc;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string diagnostics_of_texts(const fs::path& path);

std::string diagnostics(const fs::path& path) {
  if (path.extension() == ".texts") return diagnostics_of_texts(path);
  try {
    litmus::parse(std::make_shared<const Source>(Source{path.filename().string(), read(path)}));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error\n";
}

std::string decoded(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool byte = text.compare(i, 2, "\\x") == 0 && i + 4 <= text.size();
    out += byte ? static_cast<char>(std::stoi(text.substr(i + 2, 2), nullptr, 16)) : text[i];
    i += byte ? 3 : 0;
  }
  return out;
}

using Texts = std::map<std::string, std::string>;

Texts texts_of(const std::string& all) {
  Texts out;
  constexpr std::string_view kMark = "==== ";
  std::string* text = nullptr;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t end = std::min(all.find('\n', begin), all.size() - 1) + 1;
    const std::string line = all.substr(begin, end - begin);
    begin = end;
    if (line.starts_with(kMark)) {
      text = &out[line.substr(kMark.size(), line.size() - kMark.size() - 1)];
    } else if (text != nullptr) {
      *text += line;
    }
  }
  for (auto& entry : out) entry.second = decoded(entry.second);
  return out;
}

std::string diagnostics_of(const std::string& name, const Texts& texts) {
  const auto source = [&](const std::string& file) {
    return std::make_shared<const Source>(Source{file, texts.at(file)});
  };
  try {
    launch::Plan plan;
    if (name.ends_with(".json")) {
      plan = launch::read_plan(source(name));
    } else {
      plan.launches.resize(1);
      plan.module = name;
    }
    launch::make_program(ptx::parse_module(source(plan.module)), plan);
  } catch (const InputError& error) {
    return error.what();
  }
  return name == "good.ptx" ? "" : "no error\n";
}

/// What each of the texts gives, after a line with its name.
std::string diagnostics_of_texts(const fs::path& path) {
  const Texts texts = texts_of(read(path));
  std::string out;
  for (const auto& entry : texts)
    out += fmt::format("==== {}\n{}", entry.first, diagnostics_of(entry.first, texts));
  return out;
}

std::vector<fs::path> inputs(const fs::path& folder) {
  std::vector<fs::path> out;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const fs::path extension = entry.path().extension();
    if (extension == ".litmus" || extension == ".texts") out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

int compare(const fs::path& folder) {
  int failures = 0;
  const std::vector<fs::path> files = inputs(folder);
  for (const fs::path& path : files) {
    const std::string found = diagnostics(path);
    const std::string expected = read(fs::path(path).replace_extension(".expected"));
    if (found == expected && found.find("no error\n") == std::string::npos) continue;
    ++failures;
    fmt::print("{}: expected\n{}found\n{}\n", path.string(), expected, found);
  }
  fmt::print("{} files, {} failures\n", files.size(), failures);
  return failures == 0 && !files.empty() ? 0 : 1;
}

int update(const fs::path& folder) {
  for (const fs::path& path : inputs(folder)) {
    std::ofstream(fs::path(path).replace_extension(".expected"), std::ios::binary) << diagnostics(path);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 1) return compare(arguments[0]);
  if (arguments.size() == 2 && arguments[0] == "--update") return update(arguments[1]);
  fmt::print(stderr, "usage: golden_errors [--update] FOLDER\n");
  return 2;
}
