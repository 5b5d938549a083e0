// SPDX-License-Identifier: Apache-2.0
#include "support/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/printable.h"

namespace ptxmc {

namespace {

const char* name_of(Severity severity) {
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

// Tabs of the line are kept in the padding, so that the marker stands below its word in any tab width.
std::string underline(std::string_view line, const Position& position) {
  std::string out;
  const std::size_t start = position.column == 0 ? 0 : position.column - 1;
  for (std::size_t i = 0; i < start; ++i) out += i < line.size() && line[i] == '\t' ? '\t' : ' ';
  out += '^';
  const std::size_t room = line.size() > start ? line.size() - start : 1;
  out.append(std::min<std::size_t>(position.length > 0 ? position.length : 1, room) - 1, '~');
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

}  // namespace

std::string render(const Diagnostic& d) {
  std::string where = d.source ? d.source->name : "ptxmc";
  if (d.source && d.position.known()) where += fmt::format(":{}:{}", d.position.line, d.position.column);
  std::string out = fmt::format("{}: {}: {}\n", where, name_of(d.severity), shortened(d.message));
  if (d.source && d.position.known()) {
    Position place = d.position;
    const std::string line = window(d.source->line(d.position.line), place);
    out += fmt::format("  {}\n  {}\n", line, underline(line, place));
  }
  return printable(std::move(out));
}

void Diagnostics::error(Position position, std::string message) {
  all_.push_back({Severity::error, source_, position, std::move(message)});
  ++errors_;
}

void Diagnostics::warning(Position position, std::string message) {
  all_.push_back({Severity::warning, source_, position, std::move(message)});
}

void Diagnostics::add(Diagnostic diagnostic) {
  if (diagnostic.severity == Severity::error) ++errors_;
  all_.push_back(std::move(diagnostic));
}

std::string Diagnostics::render_all() const {
  std::string out;
  for (const Diagnostic& d : all_) out += render(d);
  return out;
}

}  // namespace ptxmc
