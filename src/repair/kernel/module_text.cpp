// SPDX-License-Identifier: Apache-2.0
#include "repair/kernel/module_text.h"

#include <algorithm>

#include "support/check.h"

namespace ptxmc::repair {

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

}  // namespace

ModuleText::ModuleText(std::string text) : text_(std::move(text)), lines_{0} {
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') lines_.push_back(i + 1);
  }
}

std::size_t ModuleText::offset(Position at) const {
  PTXMC_CHECK(at.line >= 1 && at.line <= lines_.size(), "no such line");
  return lines_[at.line - 1] + at.column - 1;
}

std::size_t ModuleText::mnemonic_begin(Position at) const {
  std::size_t i = offset(at);
  if (i < text_.size() && text_[i] == '@') {
    while (i < text_.size() && !is_blank(text_[i])) ++i;
    while (i < text_.size() && is_blank(text_[i])) ++i;
  }
  return i;
}

std::size_t ModuleText::mnemonic_end(Position at) const {
  std::size_t i = mnemonic_begin(at);
  while (i < text_.size() && !is_blank(text_[i]) && text_[i] != ';') ++i;
  return i;
}

std::string_view ModuleText::mnemonic(Position at) const {
  const std::size_t begin = mnemonic_begin(at);
  return std::string_view(text_).substr(begin, mnemonic_end(at) - begin);
}

std::string ModuleText::indent(std::size_t at) const {
  const std::size_t line = *std::prev(std::upper_bound(lines_.begin(), lines_.end(), at));
  std::size_t end = line;
  while (end < at && (text_[end] == ' ' || text_[end] == '\t')) ++end;
  return text_.substr(line, end - line);
}

Edit ModuleText::put_behind(Position at, const std::string& instruction) const {
  const std::size_t begin = offset(at), end = text_.find(';', begin);
  PTXMC_CHECK(end != std::string::npos, "an instruction ends with a semicolon");
  return {end + 1, end + 1, "\n" + indent(begin) + instruction + ";"};
}

Edit ModuleText::put_before(Position at, const std::string& instruction) const {
  const std::size_t begin = offset(at);
  return {begin, begin, instruction + ";\n" + indent(begin)};
}

Edit ModuleText::respell(Position at, const std::string& mnemonic) const {
  return {mnemonic_begin(at), mnemonic_end(at), mnemonic};
}

Edit ModuleText::replace_operand(Position at, std::size_t n, const std::string& operand) const {
  std::size_t begin = mnemonic_end(at);
  const std::size_t end = text_.find(';', begin);
  for (; n > 0; --n) {  // past commas that are in no brackets
    int depth = 0;
    for (; begin < end && (depth != 0 || text_[begin] != ','); ++begin) {
      depth += text_[begin] == '[' || text_[begin] == '{' ? 1 : 0;
      depth -= text_[begin] == ']' || text_[begin] == '}' ? 1 : 0;
    }
    PTXMC_CHECK(begin < end, "no such operand");
    ++begin;
  }
  while (begin < text_.size() && is_blank(text_[begin])) ++begin;
  return {begin, text_.find_first_of(";,", begin), operand};
}

std::string ModuleText::instruction(Position at) const {
  const std::size_t begin = offset(at);
  return text_.substr(begin, text_.find(';', begin) - begin);
}

Edit ModuleText::remove(Position at) const {
  const std::size_t begin = offset(at), end = text_.find(';', begin) + 1;
  const std::size_t line = *std::prev(std::upper_bound(lines_.begin(), lines_.end(), begin));
  const std::size_t next = std::min(text_.find('\n', end), text_.size() - 1) + 1;
  const auto blank = [&](std::size_t from, std::size_t to) {
    return std::all_of(text_.begin() + static_cast<std::ptrdiff_t>(from),
                       text_.begin() + static_cast<std::ptrdiff_t>(to), is_blank);
  };
  if (blank(line, begin) && blank(end, next)) return {line, next, ""};  // its line is its own
  return {begin, end, ""};
}

OldLines::OldLines(const std::string& before, std::vector<Edit> edits) : old_{0, 0} {
  std::stable_sort(edits.begin(), edits.end(),
                   [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  std::uint32_t line = 1;
  const auto take = [&](std::size_t from,
                        std::size_t to) {  // the line is that of the first mark that was there
    for (std::size_t i = from; i < to; ++i) {
      if (before[i] == '\n') {
        ++line;
        old_.push_back(0);
      } else if (!is_blank(before[i]) && old_.back() == 0) {
        old_.back() = line;
      }
    }
  };
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    take(at, edit.begin);
    for (const char c : edit.text) {
      if (c == '\n') old_.push_back(0);
    }
    if (edit.end > edit.begin && old_.back() == 0) old_.back() = line;
    line +=
        static_cast<std::uint32_t>(std::count(before.begin() + static_cast<std::ptrdiff_t>(edit.begin),
                                              before.begin() + static_cast<std::ptrdiff_t>(edit.end), '\n'));
    at = edit.end;
  }
  take(at, before.size());
}

}  // namespace ptxmc::repair
