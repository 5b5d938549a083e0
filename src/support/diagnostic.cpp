// SPDX-License-Identifier: Apache-2.0
#include "support/diagnostic.h"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace

std::string render(const Diagnostic& d) {
  std::string where = d.source ? d.source->name : "ptxmc";
  if (d.source && d.position.known()) where += fmt::format(":{}:{}", d.position.line, d.position.column);
  std::string out = fmt::format("{}: {}: {}\n", where, name_of(d.severity), d.message);
  if (d.source && d.position.known()) {
    const std::string_view line = d.source->line(d.position.line);
    out += fmt::format("  {}\n  {}\n", line, underline(line, d.position));
  }
  return out;
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
