// SPDX-License-Identifier: Apache-2.0
#include "input/litmus/nvidia_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace ptxmc::litmus {

namespace {

constexpr std::size_t kMaxCells = 99;
constexpr std::size_t kMaxExpanded = 4u << 20;  // bytes of all rows' texts

struct Line {
  std::string_view text;  // without its end
  std::size_t offset = 0;
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> out;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    out.push_back({text.substr(begin, end - begin), begin});
    begin = end + 1;
  }
  return out;
}

/// `$` and digits at this place: the number, and the bytes it takes; {0, 0} when there is none.
struct Placeholder {
  std::size_t number = 0;
  std::size_t length = 0;
};

Placeholder placeholder_at(std::string_view text, std::size_t at) {
  Placeholder out;
  if (text[at] != '$') return out;
  std::size_t end = at + 1;
  while (end < text.size() && text[end] >= '0' && text[end] <= '9') {
    out.number = std::min(out.number * 10 + static_cast<std::size_t>(text[end] - '0'), kMaxCells + 1);
    ++end;
  }
  out.length = end == at + 1 ? 0 : end - at;
  return out;
}

std::vector<std::string> cells_of(std::string_view row, std::size_t wanted) {
  std::vector<std::string> out;
  if (wanted <= 1 && row.find('|') == std::string_view::npos) return {std::string(trimmed(row))};
  if (row.find('|') != std::string_view::npos) {
    std::size_t begin = 0;
    while (begin <= row.size()) {
      const std::size_t end = std::min(row.find('|', begin), row.size());
      out.emplace_back(trimmed(row.substr(begin, end - begin)));
      begin = end + 1;
    }
    return out;
  }
  for (std::size_t at = row.find_first_not_of(kBlank); at != std::string_view::npos;) {
    const std::size_t end = std::min(row.find_first_of(kBlank, at), row.size());
    out.emplace_back(row.substr(at, end - at));
    at = row.find_first_not_of(kBlank, end);
  }
  return out;
}

class Expander {
 public:
  Expander(const SourcePtr& file, Errors& errors)
      : file_(file), errors_(errors), lines_(lines_of(file->text)) {}

  std::vector<TableRow> run() {
    rule_ = lines_.size();
    for (std::size_t i = 0; i < lines_.size() && rule_ == lines_.size(); ++i) {
      if (trimmed(lines_[i].text).starts_with("$$")) rule_ = i;
    }
    find_placeholders();
    number_cells();
    if (rule_ == lines_.size()) return {{file_, 0, {}, {}}};
    check_rule();
    std::vector<TableRow> out;
    for (std::size_t i = rule_ + 1; i < lines_.size(); ++i) row(i, out);
    if (out.empty() && !errors_.any()) errors_.error(at(rule_, 0, 2), "no rows below `$$`");
    return out;
  }

 private:
  static Position at(std::size_t line, std::size_t column, std::size_t length) {
    return {static_cast<std::uint32_t>(line + 1), static_cast<std::uint32_t>(column + 1),
            static_cast<std::uint32_t>(length)};
  }
  void find_placeholders();
  void number_cells();
  void check_rule();
  std::string_view row_text(std::size_t line) const;
  void row(std::size_t line, std::vector<TableRow>& out);
  TableRow filled(std::size_t line, std::vector<std::string> cells) const;

  const SourcePtr& file_;
  Errors& errors_;
  std::vector<Line> lines_;
  std::size_t rule_ = 0;  // the line `$$`
  std::vector<Substitution> placeholders_;
  std::size_t first_ = 1;     // the number of the first cell
  std::size_t columns_ = 0;   // cells of a row
  std::size_t expanded_ = 0;  // bytes so far
};

void Expander::find_placeholders() {
  for (std::size_t i = 0; i < rule_; ++i) {
    const std::string_view text = lines_[i].text;
    const std::size_t comment = text.find("//");
    for (std::size_t column = 0; column < std::min(comment, text.size()); ++column) {
      const Placeholder found = placeholder_at(text, column);
      if (found.length == 0) continue;
      const Position position = at(i, column, found.length);
      if (found.number > kMaxCells) {
        errors_.error(position, fmt::format("expected a placeholder from `$0` to `${}`", kMaxCells));
      } else if (rule_ == lines_.size()) {
        errors_.error(position, fmt::format("`${}` without a table: expected a line `$$` and rows below it",
                                            found.number));
      } else {
        placeholders_.push_back({position.line, position.column, position.length, 0, 0, found.number, 0});
      }
      column += found.length - 1;
    }
  }
}

/// What stands in a line of the table; empty: no row.
std::string_view Expander::row_text(std::size_t line) const {
  const std::string_view text = lines_[line].text;
  if (trimmed(text).starts_with('#')) return {};
  return text.substr(0, std::min(text.find("//"), text.size()));
}

void Expander::number_cells() {
  if (placeholders_.empty()) return;
  std::size_t lowest = kMaxCells, highest = 0;
  for (const Substitution& placeholder : placeholders_) {
    lowest = std::min(lowest, placeholder.number);
    highest = std::max(highest, placeholder.number);
  }
  first_ = lowest == 0 ? 0 : 1;
  for (std::size_t i = rule_ + 1; i < lines_.size(); ++i) {
    const std::string_view text = row_text(i);
    if (trimmed(text).empty()) continue;
    if (cells_of(text, highest).size() == highest + 1) first_ = 0;
    break;
  }
  columns_ = highest - first_ + 1;
  for (Substitution& placeholder : placeholders_) placeholder.index = placeholder.number - first_;
}

void Expander::check_rule() {
  const std::string_view text = lines_[rule_].text;
  const std::size_t column = text.find("$$");
  const std::string_view rest = trimmed(text.substr(column + 2));
  if (!rest.empty() && !rest.starts_with("//"))
    errors_.error(at(rule_, column, 2), "expected nothing else on the line of `$$`; rows stand below it");
  if (columns_ == 0 && !errors_.any())
    errors_.error(at(rule_, column, 2), "a table, but no `$0` that its cells replace");
}

void Expander::row(std::size_t line, std::vector<TableRow>& out) {
  const std::string_view text = row_text(line);
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos || columns_ == 0) return;
  std::vector<std::string> cells = cells_of(text, columns_);
  const Position position = at(line, first, trimmed(text).size());
  if (cells.size() != columns_) {
    errors_.error(
        position,
        fmt::format("expected {} cell{} for `${}`{}, found {}", columns_, columns_ == 1 ? "" : "s", first_,
                    columns_ == 1 ? "" : fmt::format(" to `${}`", first_ + columns_ - 1), cells.size()));
    return;
  }
  const std::size_t dollar = text.find('$');
  if (dollar != std::string_view::npos) {
    errors_.error(at(line, dollar, 1), "a cell cannot hold a placeholder");
    return;
  }
  out.push_back(filled(line, std::move(cells)));
  expanded_ += out.back().source->text.size();
  if (expanded_ > kMaxExpanded) {
    errors_.error(position, fmt::format("the rows of this table make more than {} bytes", kMaxExpanded));
    throw TooManyErrors();
  }
}

TableRow Expander::filled(std::size_t line, std::vector<std::string> cells) const {
  TableRow out;
  out.line = static_cast<std::uint32_t>(line + 1);
  out.cells = std::move(cells);
  auto source = std::make_shared<Source>();
  source->name = file_->name;
  auto next = placeholders_.begin();
  for (std::size_t i = 0; i < rule_; ++i) {
    const std::size_t start = source->text.size();
    std::size_t done = 0;  // bytes of the file's line
    for (; next != placeholders_.end() && next->line == i + 1; ++next) {
      source->text += lines_[i].text.substr(done, next->file_column - 1 - done);
      Substitution substitution = *next;
      substitution.column = static_cast<std::uint32_t>(source->text.size() - start + 1);
      substitution.length = static_cast<std::uint32_t>(out.cells[next->index].size());
      source->text += out.cells[next->index];
      out.substitutions.push_back(substitution);
      done = next->file_column - 1 + next->file_length;
    }
    source->text += lines_[i].text.substr(done);
    source->text += '\n';
  }
  out.source = std::move(source);
  return out;
}

/// A column of the row's text as a column of the file; `inside` becomes the placeholder that it lies in.
std::uint32_t file_column(const TableRow& row, std::uint32_t line, std::uint32_t column,
                          const Substitution** inside) {
  std::int64_t shift = 0;
  for (const Substitution& s : row.substitutions) {
    if (s.line != line || column < s.column) continue;
    if (column < s.column + s.length) {
      *inside = &s;
      return s.file_column;
    }
    shift = std::int64_t{s.file_column} + s.file_length - s.column - s.length;
  }
  return static_cast<std::uint32_t>(std::int64_t{column} + shift);
}

}  // namespace

std::vector<TableRow> expand_table(const SourcePtr& file, Errors& errors) {
  return Expander(file, errors).run();
}

FileError in_file(const TableRow& row, Position position, const std::string& message) {
  if (row.line == 0 || !position.known()) return {position, message, false};
  const Substitution* first = nullptr;
  const Substitution* last = nullptr;
  const std::uint32_t begin = file_column(row, position.line, position.column, &first);
  const std::uint32_t final_byte = position.column + std::max(position.length, 1u) - 1;
  std::uint32_t end = file_column(row, position.line, final_byte, &last) + 1;
  if (last != nullptr) end = last->file_column + last->file_length;
  const Position mapped{position.line, begin, std::max(end, begin + 1) - begin};
  const Substitution* cell = first != nullptr ? first : last;
  if (cell == nullptr) return {mapped, message, false};
  return {
      mapped,
      fmt::format("{} (`${}` is `{}` in line {})", message, cell->number, row.cells[cell->index], row.line),
      true};
}

}  // namespace ptxmc::litmus
