// SPDX-License-Identifier: Apache-2.0
#include "finding/acceptance.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "finding/rules.h"
#include "support/text.h"

namespace ptxmc::finding {

namespace {

constexpr std::string_view kMark = "ptxmc:", kIgnore = "ignore";
constexpr const char* kForm = "write `// ptxmc: ignore RULE: REASON`";

/// What follows `// ptxmc:` in a line; nothing: the line has no such comment.
std::optional<std::string_view> comment_of(std::string_view line) {
  for (std::size_t at = line.find("//"); at != std::string_view::npos; at = line.find("//", at + 1)) {
    const std::string_view text = trimmed(line.substr(at + 2));
    if (text.starts_with(kMark)) return trimmed(text.substr(kMark.size()));
  }
  return std::nullopt;
}

/// What is wrong with it; empty: nothing. `text` follows `ptxmc:`.
std::string read_waiver(std::string_view text, Waiver& out) {
  if (!text.starts_with(kIgnore)) return fmt::format("`{}` is no request to ptxmc; {}", text, kForm);
  text = trimmed(text.substr(kIgnore.size()));
  const std::size_t colon = text.find(':');
  std::string_view names = text.substr(0, colon);
  out.reason = colon == std::string_view::npos ? "" : std::string(trimmed(text.substr(colon + 1)));
  while (!names.empty()) {
    const std::string name(trimmed(names.substr(0, names.find(','))));
    names.remove_prefix(std::min(
        names.find(',') == std::string_view::npos ? names.size() : names.find(',') + 1, names.size()));
    if (name.empty()) continue;
    const Rule* const known = find_rule(name);
    if (known == nullptr) {
      const auto near = nearest_rule(name);
      return fmt::format("there is no rule `{}`{}", name,
                         near ? fmt::format("; did you mean `{}`?", *near) : "");
    }
    if (known->kind == Kind::answer) return fmt::format("`{}` is no finding, and cannot be waived", name);
    out.rules.emplace_back(known->name);
  }
  if (out.rules.empty()) return fmt::format("no rule is named; {}", kForm);
  return out.reason.empty() ? fmt::format("no reason is given; {}", kForm) : "";
}

}  // namespace

std::string_view name_of(AcceptedAs accepted) {
  switch (accepted) {
    case AcceptedAs::waived:
      return "waived";
    case AcceptedAs::known:
      return "known";
    case AcceptedAs::nothing:
      break;
  }
  return "";
}

bool Waiver::covers(std::uint32_t of, std::string_view rule) const {
  return (of == line || of == line + 1) && std::find(rules.begin(), rules.end(), rule) != rules.end();
}

Waivers waivers_in(const SourcePtr& source) {
  Waivers out;
  std::string_view rest = source->text;
  if (rest.find(kMark) == std::string_view::npos) return out;
  for (std::uint32_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::optional<std::string_view> text = comment_of(line);
    if (!text) continue;
    Waiver waiver{number, {}, {}};
    const std::string wrong = read_waiver(*text, waiver);
    if (wrong.empty()) {
      out.all.push_back(std::move(waiver));
    } else {
      const auto column = static_cast<std::uint32_t>(text->data() - line.data()) + 1;
      out.warnings.push_back(
          {Severity::warning,
           source,
           {number, column, static_cast<std::uint32_t>(std::max<std::size_t>(text->size(), 1))},
           "this comment waives nothing: " + wrong});
    }
  }
  return out;
}

}  // namespace ptxmc::finding
