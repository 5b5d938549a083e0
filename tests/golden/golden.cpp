// SPDX-License-Identifier: Apache-2.0
// golden [--update] PROGRAM FOLDER: runs each FOLDER/*.case and compares.
//
// A case file has two header lines, a line of dashes, and the expected standard output with standard error
// after it:
//     args: --verdict input/mp.litmus
//     status: 0
//     ---
//     Test MP Allowed
//     ...
// The command runs in FOLDER, by the shell; times and statistics are replaced by placeholders on both sides.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../command.h"

namespace fs = std::filesystem;

namespace {

struct Case {
  std::string args;
  int status = 0;
  std::string output;
};

constexpr std::string_view kRule = "---\n";

std::string print(const Case& c) {
  return fmt::format("args: {}\nstatus: {}\n{}{}", c.args, c.status, kRule, c.output);
}

Case read(const fs::path& path) {
  std::ifstream stream(path);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  std::smatch match;
  static const std::regex shape(R"(^args: (.*)\n(?:status: (\d+)\n)?(?:---\n([^]*))?$)");
  if (!std::regex_match(text, match, shape)) throw std::runtime_error(path.string() + ": not a case file");
  return {match[1], match[2].matched ? std::stoi(match[2]) : -1, match[3]};
}

std::string normalised(std::string text) {
  static const std::pair<std::regex, const char*> kRules[] = {
      {std::regex(R"((^|\n)(Time .*) \d+\.\d\d(?=\n))"), "$1$2 T"},
      {std::regex(R"("seconds":[-+.e0-9]+)"), R"("seconds":T)"},
      {std::regex(R"("statistics":\{[^}]*\})"), R"("statistics":{})"},
  };
  for (const auto& [pattern, replacement] : kRules) text = std::regex_replace(text, pattern, replacement);
  return text;
}

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

Case run(const std::string& program, const fs::path& folder, const std::string& args) {
  const std::string errors = fs::temp_directory_path() / fmt::format("golden-{}.err", getpid());
  const std::string command =
      fmt::format("cd {} && {} {} 2>{}", quoted(folder.string()), quoted(program), args, quoted(errors));
  ptxmc::testing::Ran ran = ptxmc::testing::run_command(command);
  Case out{args, ran.status, std::move(ran.output)};
  std::ifstream stream(errors);
  out.output.append(std::istreambuf_iterator<char>(stream), {});
  fs::remove(errors);
  out.output = normalised(out.output);
  return out;
}

// The first line that differs is enough to see what happened.
std::string first_difference(const std::string& expected, const std::string& found) {
  const auto [a, b] = std::mismatch(expected.begin(), expected.end(), found.begin(), found.end());
  const auto line_of = [](const std::string& text, std::string::const_iterator at) {
    const std::size_t offset = static_cast<std::size_t>(at - text.begin());
    const std::size_t start = offset == 0 ? std::string::npos : text.rfind('\n', offset - 1);
    const std::size_t from = start == std::string::npos ? 0 : start + 1;
    return text.substr(from, text.find('\n', offset) - from);
  };
  return fmt::format("  expected: {}\n  found:    {}\n", line_of(expected, a), line_of(found, b));
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool update = !arguments.empty() && arguments.front() == "--update";
  if (update) arguments.erase(arguments.begin());
  if (arguments.size() != 2) {
    fmt::print(stderr, "usage: golden [--update] PROGRAM FOLDER\n");
    return 2;
  }
  const std::string program = fs::absolute(arguments[0]);
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(arguments[1])) {
    if (entry.path().extension() == ".case") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  int failures = paths.empty() ? 1 : 0;
  for (const fs::path& path : paths) {
    const Case expected = read(path);
    const Case found = run(program, arguments[1], expected.args);
    if (print(expected) == print(found)) continue;
    if (update) {
      std::ofstream(path) << print(found);
      fmt::print("{}: updated\n", path.filename().string());
    } else {
      ++failures;
      fmt::print("{}: FAILED\n{}", path.filename().string(), first_difference(print(expected), print(found)));
    }
  }
  fmt::print("{} cases, {} failures\n", paths.size(), failures);
  return failures == 0 ? 0 : 1;
}
