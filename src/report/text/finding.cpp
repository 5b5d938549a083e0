// SPDX-License-Identifier: Apache-2.0
#include "report/text/finding.h"

#include <fmt/format.h>

#include <algorithm>

#include "explain/verify/findings.h"

namespace ptxmc::report {

namespace {

constexpr std::size_t kWidest = 160;  // bytes of a source line

/// The line, and under it who executes what in it.
std::string excerpt_text(const Excerpt& excerpt) {
  std::string text = excerpt.text.substr(0, kWidest);
  std::replace(text.begin(), text.end(), '\t', ' ');
  std::string out = excerpt.heading.empty() ? "" : fmt::format("  {}:\n", excerpt.heading);
  out += fmt::format("  {:>5} | {}{}\n", excerpt.number, text, excerpt.text.size() > kWidest ? " ..." : "");
  const std::size_t first = std::min(excerpt.text.find_first_not_of(" \t"), excerpt.text.size()) + 1;
  for (const Caret& caret : excerpt.carets)
    out += fmt::format("        | {:>{}}{}{}\n", "^", caret.column <= kWidest ? caret.column : first,
                       caret.who.empty() ? "" : " ", caret.who);
  return out;
}

/// Each line, under what it follows from.
std::string indented(const std::string& text, std::size_t depth) {
  constexpr std::size_t kStep = 4;
  if (depth == 0) return text;
  const std::string margin(depth * kStep, ' ');
  std::string out = margin;
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] == '\n' && i + 1 < text.size()) out += margin;
  }
  return out;
}

}  // namespace

std::string finding_text(const explain::Finding& finding, const Quoted& quoted) {
  const FindingLines lines = lines_of(finding, quoted);
  std::string out =
      fmt::format("{}{}{}: {}{}{}  [{}]\n", lines.at, lines.at.empty() ? "" : ": ", name_of(finding.severity),
                  lines.title, lines.times.empty() ? "" : ", ", lines.times, lines.rule);
  for (const Excerpt& excerpt : lines.excerpts) out += excerpt_text(excerpt);
  if (lines.more_places != 0)
    out += fmt::format("  and {}\n", explain::plural(lines.more_places, "more place"));
  for (const Fact& fact : lines.facts)
    out += fmt::format("    = {}{}{}\n", fact.lead, fact.lead.empty() ? "" : ": ", fact.text);
  for (const Instruction& instruction : lines.instructions)
    out += fmt::format("    ptx: {}: {}\n", instruction.where, instruction.text);
  return indented(out, finding.depth);
}

}  // namespace ptxmc::report
