// SPDX-License-Identifier: Apache-2.0
// launched_kernels PTXMC KERNELS TABLE: runs each line of the table in the folder KERNELS, and compares the exit status and the
// output. A line is `STATUS | COMMAND | FIRST LINE [ + PART]...`: the first line of the output (of which the beginning, where it
// ends in ...), and what else is in it. Each kernel of KERNELS/k*.ptx must have lines for races, or verify, and for liveness.
// launched_kernels --page TABLE README: the page has the table, as --print TABLE prints it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "../command.h"

namespace {

namespace fs = std::filesystem;
using ptxmc::testing::Ran;
using ptxmc::testing::run_command;
using ptxmc::testing::trimmed;

struct Line {
  int status = 0;
  std::string command, first;
  std::vector<std::string> parts;
  std::string comment;  // of the lines that it is one of
  std::string file, entry;
};

/// The word behind an option; empty: there is none.
std::string option(const std::string& command, const std::string& name) {
  std::istringstream words(command);
  for (std::string word; words >> word;) {
    if (word == name && words >> word) return word;
  }
  return "";
}

Line parse(const std::string& text, const std::string& comment) {
  const std::size_t one = text.find('|'), two = text.rfind('|');
  Line out;
  out.status = std::stoi(text.substr(0, one));
  out.command = trimmed(text.substr(one + 1, two - one - 1));
  std::string rest = trimmed(text.substr(two + 1));
  for (std::size_t plus; (plus = rest.rfind(" + ")) != std::string::npos;
       rest = trimmed(rest.substr(0, plus)))
    out.parts.insert(out.parts.begin(), trimmed(rest.substr(plus + 3)));
  out.first = rest;
  out.comment = comment;
  std::istringstream words(out.command);
  for (std::string word; words >> word;) {
    if (word.ends_with(".ptx")) out.file = word;
  }
  out.entry = option(out.command, "--entry");
  return out;
}

std::vector<Line> read(const std::string& file) {
  std::ifstream table(file);
  std::vector<Line> lines;
  std::string comment;
  for (std::string line; std::getline(table, line);) {
    if (trimmed(line).empty()) {
      comment.clear();
    } else if (line.front() == '#') {
      comment = trimmed(line.substr(1));
    } else {
      lines.push_back(parse(line, comment));
    }
  }
  return lines;
}

/// False: it is otherwise than the line says, which is printed.
bool check(const std::string& program, const fs::path& folder, const Line& line) {
  const Ran ran = run_command(fmt::format("cd '{}' && '{}' {} 2>&1", folder.string(), program, line.command));
  const std::string first = ran.output.substr(0, ran.output.find('\n'));
  const bool open = line.first.ends_with("...");
  bool right = open ? first.starts_with(line.first.substr(0, line.first.size() - 3)) : first == line.first;
  for (const std::string& part : line.parts) right = right && ran.output.find(part) != std::string::npos;
  if (ran.status == line.status && right) return true;
  fmt::print("{}\n  expected {}: {} {}\n  found    {}: {}\n", line.command, line.status, line.first,
             fmt::join(line.parts, " + "), ran.status, first);
  return false;
}

// ---- The table of the page ------------------------------------------------------------------------------------

/// `_Z2swPii`: sw; others as they are.
std::string short_name(const std::string& entry) {
  if (!entry.starts_with("_Z")) return entry;
  std::size_t used = 0;
  const auto length = std::stoul(entry.substr(2), &used);
  return entry.substr(2 + used, length);
}

enum class Question { races, liveness, other };

Question question_of(const Line& line) {
  if (line.command.starts_with("races")) return Question::races;
  return line.command.find("--property liveness") != std::string::npos ? Question::liveness : Question::other;
}

/// "Test sw Racy 2": Racy 2.
std::string answer_of(const Line& line) {
  if (line.status == 2) return "refused: one lane of a warp";
  std::string out = line.first;
  for (int words = 0; words < 2; ++words) {
    const std::size_t space = out.find(' ');
    out = space == std::string::npos ? "" : out.substr(space + 1);
  }
  for (const std::string& part : line.parts) out += (out.empty() ? "" : ", ") + part;
  const std::string assertion = line.command.find("--assert") != std::string::npos ? " (--assert)" : "";
  return out + assertion;
}

std::string launch_of(const Line& line) {
  std::string out;
  for (const char* name : {"--grid", "--cluster", "--block"}) {
    if (const std::string sizes = option(line.command, name); !sizes.empty())
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", name + 2, sizes);
  }
  return out.empty() ? "1 thread" : out;
}

std::string table_of(const std::vector<Line>& lines) {
  struct Row {
    std::string kernel, entry, comment;
    std::map<Question, std::vector<std::string>> answers;
  };
  std::vector<Row> rows;
  for (const Line& line : lines) {
    const std::string kernel = line.file.substr(0, line.file.find_first_of("_.")),
                      entry = short_name(line.entry);
    if (rows.empty() || rows.back().kernel != kernel || rows.back().entry != entry)
      rows.push_back({kernel, entry, line.comment, {}});
    rows.back().answers[question_of(line)].push_back(fmt::format("{}: {}", launch_of(line), answer_of(line)));
  }
  std::string out =
      "| kernel | entry | `races` | liveness | else | what it shows |\n|---|---|---|---|---|---|\n";
  for (Row& row : rows) {
    const auto cell = [&](Question q) { return fmt::format("{}", fmt::join(row.answers[q], "; ")); };
    out +=
        fmt::format("| {} | `{}` | {} | {} | {} | {} |\n", row.kernel, row.entry.empty() ? "sw" : row.entry,
                    cell(Question::races), cell(Question::liveness), cell(Question::other), row.comment);
  }
  return out;
}

/// Kernels of the suite that no line asks about.
int missing(const fs::path& folder, const std::vector<Line>& lines) {
  std::set<std::pair<std::string, std::string>> asked;  // file and entry, with what is asked
  for (const Line& line : lines) {
    const std::string name = line.file + ":" + short_name(line.entry);
    asked.emplace(name, question_of(line) == Question::liveness ? "liveness" : "races");
  }
  int failures = 0;
  for (const auto& file : fs::directory_iterator(folder)) {
    const std::string name = file.path().filename().string();
    if (!name.starts_with("k") || file.path().extension() != ".ptx") continue;
    std::ifstream text(file.path());
    std::vector<std::string> entries;
    for (std::string line; std::getline(text, line);) {
      if (const std::size_t at = line.find(".entry "); at != std::string::npos)
        entries.push_back(short_name(line.substr(at + 7, line.find('(') - at - 7)));
    }
    for (const std::string& entry : entries) {
      const std::string key =
          name + ":" + (entries.size() == 1 && asked.contains({name + ":", "races"}) ? "" : entry);
      const bool matrices =
          name.starts_with("k08") || name.starts_with("k10");  // verify's: one lane alone has none
      if (asked.contains({key, "races"}) && (matrices || asked.contains({key, "liveness"}))) continue;
      fmt::print("{}: no line about `{}`, or one question alone\n", name, entry);
      ++failures;
    }
  }
  return failures;
}

int compare_page(const std::string& table, const std::string& page) {
  std::ifstream in(page);
  std::stringstream text;
  text << in.rdbuf();
  if (text.str().find(table) != std::string::npos) return 0;
  fmt::print("{} has another table than this one:\n{}", page, table);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 3 && words[0] == "--page") return compare_page(table_of(read(words[1])), words[2]);
  if (words.size() == 2 && words[0] == "--print") {
    fmt::print("{}", table_of(read(words[1])));
    return 0;
  }
  if (words.size() != 3) {
    fmt::print(stderr, "usage: launched_kernels PTXMC KERNELS TABLE\n");
    return 2;
  }
  if (!fs::is_directory(words[1])) {
    fmt::print("SKIPPED: no suites: {} is no folder\n", words[1]);
    return 0;
  }
  const std::vector<Line> lines = read(words[2]);
  int failures = missing(words[1], lines);
  for (const Line& line : lines) failures += check(words[0], words[1], line) ? 0 : 1;
  fmt::print("{} launches, {} failures\n", lines.size(), failures);
  return lines.empty() || failures != 0 ? 1 : 0;
}
