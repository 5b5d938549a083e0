// SPDX-License-Identifier: Apache-2.0
#include "repair/delta_debugging.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <string_view>
#include <vector>

#include "input/litmus/parse.h"
#include "repair/text.h"
#include "support/beyond_limits.h"
#include "support/diagnostic.h"

namespace ptxmc::repair {

namespace {

/// One word for what the condition comes to; empty: that is open.
std::string outcome_word(const Found& found, bool forall) {
  if (found.undefined) return "Undefined";
  if (found.vacuous) return "Vacuous";
  if (!found.outcome) return "";
  if (*found.outcome) return "Allowed";
  return forall ? "Required" : "Forbidden";
}

std::size_t line_end(const std::string& text, std::size_t from) {
  const std::size_t end = text.find('\n', from);
  return end == std::string::npos ? text.size() : end + 1;
}

/// Where what follows the title, doc strings and verdicts begins, and what of these lines stays.
std::size_t head_of(const std::string& text, std::string& kept) {
  std::size_t at = line_end(text, 0);
  while (at < text.size()) {
    const std::size_t end = line_end(text, at);
    if (text[at] == '"') {
      const std::size_t close = text.find('"', at + 1);
      at = close == std::string::npos ? text.size() : line_end(text, close);
    } else if (text.compare(at, 7, "Verdict") == 0) {
      at = end;
    } else if (text.find('=', at) < end && text.find('{', at) > end) {  // another key
      kept += text.substr(at, end - at);
      at = end;
    } else {
      break;
    }
  }
  return at;
}

litmus::Test parsed_as(const std::string& name, const std::string& text) {
  return litmus::parse(std::make_shared<const Source>(Source{name, text}));
}

std::size_t instructions_of(const litmus::Test& test) {
  const Layout layout(test);
  std::size_t count = 0;
  for (std::size_t code = 0; code < layout.codes().size(); ++code) count += layout.size(code);
  return count;
}

bool is_name(char c) {
  return (std::isalnum(static_cast<unsigned char>(c)) != 0) || c == '_' || c == '$' || c == '%';
}

/// Does it declare something that stands elsewhere, too? What is used stays declared.
bool declares_used(const std::string& text, std::size_t begin, std::size_t end) {
  const std::string_view line = std::string_view(text).substr(begin, end - begin);
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == std::string_view::npos) return false;
  const bool declares =
      line[first] == '.' || line.find(" aliases ") != line.npos || line.find(" @ constant") != line.npos;
  if (!declares) return false;
  for (std::size_t at = first; at < line.size();) {
    if (!is_name(line[at])) {
      ++at;
      continue;
    }
    std::size_t stop = at;
    while (stop < line.size() && is_name(line[stop])) ++stop;
    const std::string_view word = line.substr(at, stop - at);
    const bool directive = at > 0 && line[at - 1] == '.';
    at = stop;
    if (directive || std::isdigit(static_cast<unsigned char>(word.front())) != 0) continue;
    for (std::size_t i = text.find(word); i != std::string::npos; i = text.find(word, i + 1)) {
      const bool here = i >= begin && i < end;
      const bool inside = i > 0 && is_name(text[i - 1]);  // of a longer name; one may go on by a number
      if (!here && !inside && text.compare(i - 1, 1, ".") != 0) return true;
    }
  }
  return false;
}

/// Each test that has something less: an instruction, a line, a part of its condition.
std::vector<std::string> smaller(const litmus::Test& test) {
  const Layout layout(test);
  const std::string& text = layout.text();
  std::vector<std::string> out;
  const auto without = [&](const Edit& edit) { out.push_back(edited(text, {edit})); };
  for (std::size_t code = 0; code < layout.codes().size(); ++code) {
    for (std::size_t i = 0; i < layout.size(code); ++i) without(layout.remove(code, i));
  }
  for (std::size_t at = line_end(text, 0); at < text.size(); at = line_end(text, at)) {
    if (!declares_used(text, at, line_end(text, at))) without({at, line_end(text, at), ""});
  }
  for (std::size_t at = text.find(R"(/\)"); at != std::string::npos; at = text.find(R"(/\)", at + 1)) {
    const std::size_t before = std::max(text.rfind('(', at), text.rfind('\\', at - 1));
    if (before != std::string::npos) without({before + 1, at + 2, ""});
    const std::size_t behind = text.find_first_of(")/", at + 2);
    const std::size_t from = text.find_last_not_of(' ', at - 1) + 1;
    if (behind != std::string::npos) without({from, behind, text[behind] == ')' ? "" : " "});
  }
  return out;
}

}  // namespace

Differs difference(const Found& first, const Found& second) {
  const std::string a = outcome_word(first, false), b = outcome_word(second, false);
  if (!a.empty() && !b.empty() && a != b) return Differs::outcome;
  const auto differ = [](std::optional<bool> x, std::optional<bool> y) { return x && y && *x != *y; };
  if (differ(first.races, second.races)) return Differs::races;
  if (differ(first.hangs, second.hangs)) return Differs::hangs;
  if (first.open.empty() && second.open.empty() && first.findings != second.findings)
    return Differs::findings;
  return Differs::nothing;
}

Distinction compare(const session::Session& first, const session::Session& second, const litmus::Test& test,
                    const Budget& budget) {
  Distinction out;
  out.text = test.source->text;
  out.first = look(first, test, budget);
  out.second = look(second, test, budget);
  out.by = difference(out.first, out.second);
  out.instructions = instructions_of(test);
  return out;
}

Distinction reduce(const session::Session& first, const session::Session& second, const Distinction& found,
                   const Budget& budget) {
  std::string kept;
  const std::size_t head = head_of(found.text, kept);
  const std::string title = found.text.substr(0, line_end(found.text, 0));
  const auto words_first = verdict_words(found.first, found.by, false),
             words_second = verdict_words(found.second, found.by, false);
  const bool conditioned = parsed_as("whole", found.text).property.condition != nullptr;
  Distinction out = found;
  const auto still = [&](const std::string& text) {
    budget.check();
    try {
      const litmus::Test test = parsed_as("reduced", text);
      if (conditioned && !test.property.condition) return false;
      const Distinction now = compare(first, second, test, budget.at_most(kMostSeconds));
      const bool same = verdict_words(now.first, found.by, false) == words_first &&
                        verdict_words(now.second, found.by, false) == words_second;
      if (now.by != found.by || !same) return false;
      out = now;
      return true;
    } catch (const BeyondLimits&) {
    } catch (const InputError&) {  // no test at all
    } catch (const OutOfTime&) {
      budget.check();
    }
    return false;
  };
  still(title + kept + found.text.substr(head));
  for (bool more = true; more;) {
    more = false;
    for (const std::string& text : smaller(parsed_as("reduced", out.text))) {
      more = text != out.text && still(text);
      if (more) break;
    }
  }
  return out;
}

std::optional<std::string> verdict_words(const Found& found, Differs by, bool forall) {
  std::string words = outcome_word(found, forall);
  if (words.empty()) return std::nullopt;
  const auto add = [&](const std::string& word) { words += " " + word; };
  if (by == Differs::races && found.races) add(*found.races ? "Racy" : "RaceFree");
  if (by == Differs::hangs && found.hangs) add(*found.hangs ? "Hangs" : "Terminates");
  if (by == Differs::findings) {
    for (const std::string& name : found.findings) add(name);
  }
  return words;
}

std::string titled(const std::string& text, const std::string& name, const std::string& doc,
                   const std::string& verdicts) {
  std::string kept;
  const std::size_t head = head_of(text, kept);
  return fmt::format("PTX {}\n{}{}{}{}", name, doc.empty() ? "" : fmt::format("\"{}\"\n", doc), kept,
                     verdicts, text.substr(head));
}

}  // namespace ptxmc::repair
