// SPDX-License-Identifier: Apache-2.0
#include "repair/source_change.h"

#include <fmt/format.h>

#include <algorithm>

namespace ptxmc::repair {

namespace {

struct Function {
  std::string_view instruction, statement;
};
constexpr Function kFunctions[] = {
    {"bar.sync 0", "__syncthreads();"},
    {"bar.warp.sync 0xffffffff", "__syncwarp();"},
    {"fence.acq_rel.cta", "__threadfence_block();"},
    {"fence.acq_rel.gpu", "__threadfence();"},
    {"fence.acq_rel.sys", "__threadfence_system();"},
};

/// Statements of these lines hold others.
constexpr std::string_view kControl[] = {"if", "else", "for", "while", "do", "switch", "case", "default"};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

/// Without blanks at both ends, and without a comment at the end.
std::string_view squeezed(std::string_view line) {
  line = line.substr(0, line.find("//"));
  const std::size_t begin = line.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(" \t\r\n") + 1 - begin);
}

bool is_control(std::string_view line) {
  const std::size_t word = std::min(line.find_first_not_of("abcdefghijklmnopqrstuvwxyz"), line.size());
  return std::find(std::begin(kControl), std::end(kControl), line.substr(0, word)) != std::end(kControl);
}

/// A statement begins on that line, and no other one holds it without braces.
bool begins_statement(const std::vector<std::string>& lines, std::size_t line) {
  for (std::size_t above = line; above-- > 0;) {
    const std::string_view text = squeezed(lines[above]);
    if (text.empty()) continue;
    return text.ends_with(';') || text.ends_with('{') || text.ends_with('}') || text.starts_with('#');
  }
  return false;
}

bool can_stand(const std::vector<std::string>& lines, const SourceChange& change) {
  if (change.at.line == 0 || change.at.line > lines.size()) return false;
  const std::size_t line = change.at.line - 1;
  const std::string_view text = squeezed(lines[line]);
  if (text.empty() || !begins_statement(lines, line)) return false;
  if (change.behind) return text.ends_with(';') && !is_control(text);
  const std::size_t first = lines[line].find_first_not_of(" \t") + 1;
  return !text.starts_with('}') && !text.starts_with("else") &&
         (!is_control(text) || change.at.column <= first);
}

/// The line is one statement, which declares nothing that others may name; or none is meant.
bool can_be_taken(const std::vector<std::string>& lines, std::uint32_t number) {
  if (number == 0) return true;
  if (number > lines.size() || !begins_statement(lines, number - 1)) return false;
  const std::string_view text = squeezed(lines[number - 1]);
  std::string_view left = text.substr(0, text.find('='));  // of an assignment: a declaration has a type there
  left = left.substr(0, left.find_last_not_of(" +-*/|&^%<>") + 1);
  const bool declares = text.find('=') != std::string_view::npos && left.find(' ') != std::string_view::npos;
  return text.ends_with(';') && std::count(text.begin(), text.end(), ';') == 1 && !is_control(text) &&
         !declares;
}

}  // namespace

std::optional<std::string> statement_of(const std::string& instructions) {
  for (const Function& function : kFunctions) {
    if (function.instruction == instructions) return std::string(function.statement);
  }
  if (instructions.find_first_of("[%@\"") != std::string::npos) return std::nullopt;
  return fmt::format("asm volatile(\"{};\" ::: \"memory\");", instructions);
}

std::optional<std::string> with_changes(const std::string& source, const std::vector<SourceChange>& changes) {
  const std::vector<std::string> lines = lines_of(source);
  std::vector<std::string> before(lines.size() + 1);  // each line
  std::vector<bool> taken(lines.size(), false);
  for (const SourceChange& change : changes) {
    if (!can_stand(lines, change) || !can_be_taken(lines, change.taken)) return std::nullopt;
    if (change.taken != 0) taken[change.taken - 1] = true;
    const std::string statement =
        change.taken == 0 ? change.statement : std::string(squeezed(lines[change.taken - 1]));
    const std::string& line = lines[change.at.line - 1];
    before[change.at.line - (change.behind ? 0 : 1)] +=
        line.substr(0, line.find_first_not_of(" \t")) + statement + "\n";
  }
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) out += before[i] + (taken[i] ? "" : lines[i]);
  return out + before[lines.size()];
}

}  // namespace ptxmc::repair
