// SPDX-License-Identifier: Apache-2.0
#include "repair/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "support/check.h"

namespace ptxmc::repair {

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// A character of a name, a label, or a mnemonic with its dots.
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' ||
         c == '%' || c == '.' || c == ':';
}

/// What stands before an instruction on its line, if that is blank.
std::string indent_at(std::string_view text, std::size_t at) {
  const std::size_t line = text.rfind('\n', at == 0 ? 0 : at - 1);
  const std::size_t begin = line == std::string_view::npos ? 0 : line + 1;
  std::size_t end = begin;
  while (end < at && (text[end] == ' ' || text[end] == '\t')) ++end;
  return std::string(text.substr(begin, end - begin));
}

}  // namespace

bool overlap(const std::vector<Edit>& a, const std::vector<Edit>& b) {
  return std::any_of(a.begin(), a.end(), [&](const Edit& x) {
    return std::any_of(b.begin(), b.end(), [&](const Edit& y) { return x.begin < y.end && y.begin < x.end; });
  });
}

std::string edited(std::string_view text, std::vector<Edit> edits) {
  std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  std::string out;
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    PTXMC_CHECK(edit.begin >= at && edit.end >= edit.begin && edit.end <= text.size(), "edits overlap");
    out += text.substr(at, edit.begin - at);
    out += edit.text;
    at = edit.end;
  }
  out += text.substr(at);
  return out;
}

Layout::Layout(const litmus::Test& test) : test_(test) {
  const std::string& text = test.source->text;
  lines_.push_back(0);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') lines_.push_back(i + 1);
  }
  if (!test.threads.empty()) {
    const std::size_t head = offset(test.threads.front().position);
    const std::size_t stop = text.find_first_of("|;{", head);
    columns_ = stop == std::string::npos || text[stop] != '{';
  }
  std::map<const program::Body*, std::size_t> known;
  for (std::size_t t = 0; t < test.threads.size(); ++t) {
    const program::Thread& thread = test.threads[t];
    if (!known.emplace(thread.body.get(), codes_.size()).second) continue;
    Code code{t, {}};
    for (const program::Instruction& instruction : thread.code()) code.spans.push_back(find(instruction));
    codes_.push_back(std::move(code));
  }
}

std::size_t Layout::offset(Position position) const {
  PTXMC_CHECK(position.line >= 1 && position.line <= lines_.size(), "no such line");
  return lines_[position.line - 1] + position.column - 1;
}

std::size_t Layout::skip_blanks(std::size_t at) const {
  while (at < text().size() && is_blank(text()[at])) ++at;
  return at;
}

// A `|` that directly precedes `%` or `_` joins operands (input/litmus/parse_code.cpp).
std::size_t Layout::end_of_operands(std::size_t from) const {
  const std::string& all = text();
  std::size_t last = from;
  for (std::size_t i = from; i < all.size(); ++i) {
    const char c = all[i];
    if (c == ';') break;
    if (c == '/' && i + 1 < all.size() && (all[i + 1] == '/' || all[i + 1] == '*')) {
      const std::size_t close = all[i + 1] == '/' ? all.find('\n', i) : all.find("*/", i);
      if (close == std::string::npos) break;
      i = all[i + 1] == '/' ? close : close + 1;
      continue;
    }
    if (c == '(' && i + 1 < all.size() && all[i + 1] == '*') {
      const std::size_t close = all.find("*)", i);
      if (close == std::string::npos) break;
      i = close + 1;
      continue;
    }
    const char next = i + 1 < all.size() ? all[i + 1] : ' ';
    if (columns_ && c == '|' && next != '%' && next != '_') break;
    if (!is_blank(c)) last = i + 1;
  }
  return last;
}

std::size_t Layout::row_end(std::size_t from) const {
  const std::size_t end = text().find(';', from);
  return end == std::string::npos ? text().size() : end + 1;
}

Span Layout::find(const program::Instruction& instruction) const {
  const std::string& all = text();
  Span span;
  span.guard = offset(instruction.position);
  if (instruction.opcode == isa::Opcode::nop && instruction.text.empty()) {  // labels alone
    span.mnemonic = span.operands = span.end = span.behind = span.guard;
    return span;
  }
  std::size_t at = span.guard;
  if (at < all.size() && all[at] == '@') {
    while (at < all.size() && !is_blank(all[at])) ++at;
    at = skip_blanks(at);
  }
  span.mnemonic = at;
  while (at < all.size() && is_word(all[at])) ++at;
  span.operands = at;
  span.end = end_of_operands(at);
  span.behind = row_end(span.end);
  return span;
}

std::string_view Layout::mnemonic(std::size_t code, std::size_t index) const {
  const Span& span = codes_[code].spans[index];
  return std::string_view(text()).substr(span.mnemonic, span.operands - span.mnemonic);
}

// The place after what precedes the labels that stand before an instruction.
std::size_t Layout::before_labels(std::size_t at) const {
  const std::string& all = text();
  std::size_t first = at;
  while (true) {
    std::size_t i = first;
    while (i > 0 && is_blank(all[i - 1])) --i;
    if (i == 0 || all[i - 1] != ':') return first;
    --i;
    while (i > 0 && is_blank(all[i - 1])) --i;
    std::size_t name = i;
    while (name > 0 && is_word(all[name - 1]) && all[name - 1] != ':') --name;
    if (name == i) return first;
    first = name;
  }
}

// A row of its own, with the other cells empty; cells stand below those of the row before.
Edit Layout::insert_row(std::size_t code, std::size_t at,
                        const std::vector<std::string>& instructions) const {
  const std::string& all = text();
  const std::size_t column = codes_[code].thread, count = test_.threads.size();
  const std::size_t line = all.rfind('\n', at == 0 ? 0 : at - 1);
  const std::string_view row = std::string_view(all).substr(line + 1, at - line - 1);
  std::vector<std::size_t> bars;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i] == '|' && (i + 1 == row.size() || (row[i + 1] != '%' && row[i + 1] != '_'))) bars.push_back(i);
  }
  std::string out;
  for (const std::string& instruction : instructions) {
    std::string text = "\n";
    std::size_t begin = 0;
    for (std::size_t c = 0; c < count; ++c) {
      const bool aligned = bars.size() == count - 1;
      const std::size_t end = !aligned ? begin : c < bars.size() ? bars[c] : row.size() - 1;
      std::string cell = c == column ? " " + instruction + " " : " ";
      if (end > begin && cell.size() < end - begin) cell.resize(end - begin, ' ');
      text += cell + (c + 1 == count ? ";" : "|");
      begin = end + 1;
    }
    out += text;
  }
  return {at, at, out};
}

Edit Layout::insert_behind(std::size_t code, std::ptrdiff_t index,
                           const std::vector<std::string>& instructions) const {
  const std::string& all = text();
  if (columns_) {
    std::size_t at = 0;
    if (index < 0) {  // after the row of the heads
      at = row_end(offset(test_.threads.front().position));
    } else {
      at = codes_[code].spans[static_cast<std::size_t>(index)].behind;
    }
    return insert_row(code, at, instructions);
  }
  std::string block;
  if (index < 0) {
    const std::size_t at = before_labels(codes_[code].spans.front().guard);
    const std::string indent = indent_at(all, codes_[code].spans.front().guard);
    for (const std::string& instruction : instructions) {
      const bool label_line = at != codes_[code].spans.front().guard && indent_at(all, at).empty();
      block += (label_line ? "  " : "") + instruction + ";\n" + (label_line ? "" : indent);
    }
    return {at, at, block};
  }
  const Span& span = codes_[code].spans[static_cast<std::size_t>(index)];
  std::string indent = indent_at(all, span.guard);
  if (indent.empty()) indent = "  ";
  for (const std::string& instruction : instructions)
    block.append("\n").append(indent).append(instruction).append(";");
  return {span.behind, span.behind, block};
}

Edit Layout::insert_before(std::size_t code, std::size_t index,
                           const std::vector<std::string>& instructions) const {
  const Span& span = codes_[code].spans[index];
  std::string indent = indent_at(text(), span.guard), block;
  if (indent.empty()) indent = "  ";
  for (const std::string& instruction : instructions) block.append(instruction).append(";\n").append(indent);
  return {span.guard, span.guard, block};
}

Edit Layout::replace_mnemonic(std::size_t code, std::size_t index, const std::string& mnemonic) const {
  const Span& span = codes_[code].spans[index];
  return {span.mnemonic, span.operands, mnemonic};
}

Edit Layout::replace_operand(const program::Operand& operand, const std::string& replacement) const {
  const std::size_t begin = offset(operand.position);
  std::size_t end = begin;
  const std::string& all = text();
  if (all[begin] == '[') {
    end = all.find(']', begin) + 1;
  } else {
    if (all[end] == '-') ++end;
    while (end < all.size() && is_word(all[end])) ++end;
  }
  return {begin, end, replacement};
}

Edit Layout::remove(std::size_t code, std::size_t index) const {
  const std::string& all = text();
  const Span& span = codes_[code].spans[index];
  if (columns_) {
    const std::size_t line = all.rfind('\n', span.guard) + 1;
    std::string_view others = std::string_view(all).substr(line, span.behind - line);
    std::string rest(others.substr(0, span.guard - line));
    rest += others.substr(span.end - line);
    const bool alone =
        std::all_of(rest.begin(), rest.end(), [](char c) { return is_blank(c) || c == '|' || c == ';'; });
    if (alone) return {line - 1, span.behind, ""};
    return {span.guard, span.end, std::string(span.end - span.guard, ' ')};
  }
  const std::size_t before = all.find_last_not_of(" \t", span.guard - 1);
  const bool first = before != std::string::npos && all[before] == '\n';
  const bool last = span.behind >= all.size() || all[span.behind] == '\n';
  if (first && last) return {before, span.behind, ""};
  return {span.guard, span.behind, ""};
}

}  // namespace ptxmc::repair
