// SPDX-License-Identifier: Apache-2.0
#include "support/diagnostic.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "support/printable.h"

namespace ptxmc {

namespace {

/// A byte of a character that has begun (UTF-8).
bool goes_on(char c) {
  constexpr unsigned kMask = 0xC0, kInner = 0x80;
  return (static_cast<unsigned char>(c) & kMask) == kInner;
}

// Tabs of the line are kept in the padding, so that the markers stand below their words in any tab width.
std::string underline(std::string_view line, const std::vector<Position>& positions) {
  std::string out;
  std::size_t done = 0;  // bytes of the line
  for (const Position& position : positions) {
    const std::size_t start = position.column == 0 ? 0 : position.column - 1;
    for (; done < start; ++done) {
      const char c = done < line.size() ? line[done] : ' ';
      if (!goes_on(c)) out += c == '\t' ? '\t' : ' ';
    }
    const std::size_t room = line.size() > start ? line.size() - start : 1;
    const std::size_t marks = std::min<std::size_t>(position.length > 0 ? position.length : 1, room);
    for (; done < start + marks; ++done) {
      if (done == start || done >= line.size() || !goes_on(line[done])) out += done == start ? '^' : '~';
    }
  }
  return out;
}

constexpr std::size_t kQuoted = 160;   // bytes of a line that are quoted
constexpr std::size_t kMessage = 800;  // bytes of a message, which quotes words of the text
constexpr std::string_view kCut = "...";

/// At most kQuoted bytes of a line, around the place; moves it there.
std::string window(std::string_view line, Position& position) {
  if (line.size() <= kQuoted) return std::string(line);
  const std::size_t start =
      std::min<std::size_t>(position.column == 0 ? 0 : position.column - 1, line.size());
  std::size_t begin = start > kQuoted / 2 ? start - kQuoted / 2 : 0;
  begin = std::min(begin, line.size() - kQuoted);
  const bool before = begin != 0, after = begin + kQuoted < line.size();
  position.column = static_cast<std::uint32_t>(start - begin + (before ? kCut.size() : 0) + 1);
  const std::size_t room = kQuoted - std::min(start - begin, kQuoted - 1);
  position.length = static_cast<std::uint32_t>(std::min<std::size_t>(position.length, room));
  std::string out(before ? kCut : "");
  out += line.substr(begin, kQuoted);
  return out += after ? kCut : "";
}

std::string shortened(const std::string& message) {
  if (message.size() <= kMessage) return message;
  return message.substr(0, kMessage / 2) + std::string(kCut) + message.substr(message.size() - kMessage / 2);
}

/// " (also at column 14)", of all places but the first.
std::string also_at(const std::vector<Position>& places) {
  std::vector<std::uint32_t> columns;
  for (const Position& place : places) {
    if (place.column > (columns.empty() ? places.front().column : columns.back()))
      columns.push_back(place.column);
  }
  if (columns.empty()) return {};
  return fmt::format(" (also at column{} {})", columns.size() == 1 ? "" : "s", fmt::join(columns, ", "));
}

/// `others`: further places in that line, behind the first.
std::string render(const Diagnostic& d, const std::vector<Position>& others) {
  std::string where = d.source ? d.source->name : "ptxmc";
  if (d.source && d.position.known()) where += fmt::format(":{}:{}", d.position.line, d.position.column);
  std::string out = fmt::format("{}: {}: {}\n", where, name_of(d.severity), shortened(d.message));
  if (d.source && d.position.known()) {
    Position place = d.position;
    const std::string line = window(d.source->line(d.position.line), place);
    std::vector<Position> places{place};
    for (Position other : others) {
      other.column = other.column - d.position.column + place.column;
      if (other.column <= std::min(line.size(), kQuoted)) places.push_back(other);
    }
    out += fmt::format("  {}\n  {}\n", line, underline(line, places));
  }
  out = printable(std::move(out));
  for (const Note& note : d.notes) out += render({Severity::note, d.source, note.position, note.message}, {});
  return out;
}

}  // namespace

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::note:
      return "note";
    case Severity::warning:
      return "warning";
    case Severity::error:
      return "error";
  }
  return "error";
}

std::string render(const Diagnostic& diagnostic) {
  return render(diagnostic, {});
}

void Diagnostics::error(Position position, std::string message, std::vector<Note> notes) {
  all_.push_back({Severity::error, source_, position, std::move(message), std::move(notes)});
  ++errors_;
}

void Diagnostics::warning(Position position, std::string message) {
  all_.push_back({Severity::warning, source_, position, std::move(message)});
}

void Diagnostics::note(Position position, std::string message) {
  all_.push_back({Severity::note, source_, position, std::move(message)});
}

void Diagnostics::add(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::error) ++errors_;
  all_.push_back(std::move(diagnostic));
}

// The same mistake in one line is told once: of several threads, where a line has a statement of each.
std::string Diagnostics::render_all() const {
  using Mistake = std::tuple<const Source*, std::uint32_t, Severity, std::string_view>;
  const auto mistake_of = [](const Diagnostic& d) {
    return Mistake(d.source.get(), d.position.line, d.severity, d.message);
  };
  std::map<Mistake, std::vector<Position>> places;
  for (const Diagnostic& d : all_) places[mistake_of(d)].push_back(d.position);
  std::string out;
  for (const Diagnostic& d : all_) {
    if (!d.source || !d.position.known()) {
      out += render(d);
      continue;
    }
    std::vector<Position>& all = places.at(mistake_of(d));
    if (all.empty()) continue;  // told
    std::sort(all.begin(), all.end(),
              [](const Position& a, const Position& b) { return a.column < b.column; });
    Diagnostic first = d;
    first.position = all.front();
    first.message += also_at(all);
    out += render(first, {all.begin() + 1, all.end()});
    all.clear();
  }
  return out;
}

}  // namespace ptxmc
