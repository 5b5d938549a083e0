// SPDX-License-Identifier: Apache-2.0
#include "input/litmus/header.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "support/nearest.h"

namespace ptxmc::litmus {

namespace {

constexpr std::size_t kMaxVerdicts = 256;
constexpr std::string_view kVerdictWords =
    "Allowed, Forbidden, Required, Unknown, Undefined, Racy, RaceFree, Hangs, Terminates, Vacuous, or the "
    "name "
    "of a finding";

bool is_key_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

// `Key` or `Key[model]` before the `=` of a line; in brackets, readings with `=` of their own may follow the
// model.
struct KeyLine {
  std::string_view key;
  std::string_view model;
  bool has_model = false;
  std::string_view value;
  std::size_t value_at = 0;  // in the line
};

std::optional<KeyLine> split_key(std::string_view line) {
  KeyLine out;
  std::size_t equals = line.find('=');
  const std::size_t opens = line.find('[');
  const std::size_t closes = line.find(']');
  if (opens < equals && closes != std::string_view::npos && closes > equals) equals = line.find('=', closes);
  if (equals == std::string_view::npos) return std::nullopt;
  std::string_view left = trimmed(line.substr(0, equals));
  const std::size_t bracket = left.find('[');
  if (bracket != std::string_view::npos) {
    if (left.back() != ']') return std::nullopt;
    out.has_model = true;
    out.model = trimmed(left.substr(bracket + 1, left.size() - bracket - 2));
    left = trimmed(left.substr(0, bracket));
  }
  if (left.empty() || !std::all_of(left.begin(), left.end(), is_key_char)) return std::nullopt;
  if (left.front() >= '0' && left.front() <= '9') return std::nullopt;
  out.key = left;
  out.value = trimmed(line.substr(equals + 1));
  out.value_at = out.value.empty() ? equals + 1 : static_cast<std::size_t>(out.value.data() - line.data());
  return out;
}

// Published tests quote inside their doc strings: `... means "No, but loops were cut"`. A quote that other
// text follows on its line, with one more quote behind that, opens such a pair; any other quote closes the
// doc string.
std::size_t closing_quote(std::string_view text, std::size_t from) {
  while (true) {
    const std::size_t quote = text.find('"', from);
    if (quote == std::string_view::npos) return quote;
    const std::size_t end = std::min(text.find('\n', quote), text.size());
    const std::string_view line = text.substr(quote + 1, end - quote - 1);
    const std::size_t next = std::min(line.find_first_not_of(kBlank), line.size());
    const std::string_view after = line.substr(next);
    const bool ends = after.empty() || after[0] == '"' || after[0] == '{' || after.substr(0, 2) == "//" ||
                      after.substr(0, 2) == "(*" || after.substr(0, 2) == "/*";
    const std::size_t partner = line.find('"');
    if (ends || partner == std::string_view::npos) return quote;
    from = quote + 1 + partner + 1;
  }
}

class Header {
 public:
  Header(const Source& source, Test& test, Errors& errors) : source_(source), test_(test), errors_(errors) {}

  Place run() {
    if (std::string_view(source_.text).substr(0, 3) == "\xef\xbb\xbf") place_.offset = 3;  // byte order mark
    if (!parse_name()) return end();
    bool reported = false;  // of a run of lines that fit nowhere only the first is reported
    while (skip_blank(source_, place_, errors_, kComments)) {
      if (place_.offset >= source_.text.size()) {
        if (!reported)
          errors_.error(place_.position, "expected `{` and the initial state, found end of file");
        return end();
      }
      const char c = source_.text[place_.offset];
      if (c == '{') return place_;
      if (c == '"') {
        if (!parse_doc()) return end();
        reported = false;
      } else if (const std::optional<KeyLine> line = split_key(rest_of_line())) {
        parse_key(*line);
        reported = false;
      } else {
        if (!reported) {
          errors_.error(whole_line(),
                        fmt::format("expected a doc string in quotes, Key=value, or `{{`, found `{}`",
                                    rest_of_line().substr(0, 40)));
        }
        reported = true;
        advance(source_, place_, rest_of_line().size());
      }
    }
    return end();
  }

 private:
  std::string_view rest_of_line() const {
    const std::string_view text = std::string_view(source_.text).substr(place_.offset);
    const std::size_t length = std::min(text.find('\n'), text.size());
    const std::size_t last = text.substr(0, length).find_last_not_of(kBlank);
    return text.substr(0, last == std::string_view::npos ? 0 : last + 1);
  }
  Position whole_line() const {
    Position position = place_.position;
    position.length = static_cast<std::uint32_t>(std::max<std::size_t>(rest_of_line().size(), 1));
    return position;
  }
  Place end() {
    advance(source_, place_, source_.text.size() - place_.offset);
    return place_;
  }

  bool parse_name() {
    if (!skip_blank(source_, place_, errors_, kComments)) return false;
    const std::string_view line = rest_of_line();
    if (line.substr(0, 3) != "PTX" || (line.size() > 3 && kBlank.find(line[3]) == std::string_view::npos)) {
      errors_.error(whole_line(), line.empty()
                                      ? "expected `PTX` and the name of the test, found end of file"
                                      : fmt::format("expected `PTX` and the name of the test, found `{}`",
                                                    line.substr(0, 40)));
      return false;
    }
    const std::string_view name = trimmed(line.substr(3));
    if (name.empty()) {
      errors_.error(whole_line(), "expected the name of the test after `PTX`, found the end of the line");
    } else if (name.find_first_of(kBlank) != std::string_view::npos) {
      errors_.error(whole_line(),
                    fmt::format("the name of a test has no blanks in it: `{}`", name.substr(0, 40)));
    }
    test_.name = std::string(name);
    advance(source_, place_, line.size());
    return true;
  }

  bool parse_doc() {
    const std::size_t close = closing_quote(source_.text, place_.offset + 1);
    if (close == std::string::npos) {
      errors_.error(place_.position, "doc string without its closing quote");
      return false;
    }
    test_.docs.push_back(source_.text.substr(place_.offset + 1, close - place_.offset - 1));
    advance(source_, place_, close + 1 - place_.offset);
    return true;
  }

  void parse_key(const KeyLine& line) {
    Position position = whole_line();
    const std::size_t length = rest_of_line().size();
    if (line.key == "Verdict") {
      parse_stated(line, position);
    } else if (line.has_model) {
      errors_.error(position,
                    fmt::format("only `Verdict` takes a model in brackets, `{}` does not", line.key));
    } else {
      test_.keys.emplace_back(line.key, line.value);
    }
    advance(source_, place_, length);
  }

  void parse_stated(const KeyLine& line, Position position) {
    Verdict verdict;
    verdict.position = position;
    if (line.has_model) parse_circumstances(line.model, verdict);
    const std::size_t comment =
        std::min({line.value.find("//"), line.value.find("(*"), line.value.find("/*")});
    position.column += static_cast<std::uint32_t>(line.value_at);
    position.length = 1;
    parse_verdict(line.value.substr(0, comment), position, verdict, errors_);
    add_verdict(test_, std::move(verdict), errors_);
  }

  // MODEL, NAME=VALUE,MODEL or NAME=VALUE ...: which model the verdict speaks of, under which readings.
  void parse_circumstances(std::string_view text, Verdict& verdict) {
    bool any = false;
    for (std::size_t begin = 0; begin <= text.size();) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      const std::string part(trimmed(text.substr(begin, end - begin)));
      begin = end + 1;
      if (part.empty()) continue;
      const bool first = !any;
      any = true;
      if (part.find('=') != std::string::npos) {
        verdict.readings.push_back(part);
      } else if (first) {
        verdict.model = part;
      } else {
        errors_.error(verdict.position,
                      fmt::format("expected a reading, NAME=VALUE, in `Verdict[...]`, found `{}`", part));
      }
    }
    if (!any) errors_.error(verdict.position, "expected a model's name or a reading in `Verdict[...]`");
    std::sort(verdict.readings.begin(), verdict.readings.end());
  }

  const Source& source_;
  Test& test_;
  Errors& errors_;
  Place place_;
};

/// Sets one part of a verdict; false when the words contradict each other.
template <typename Value>
bool set_once(std::optional<Value>& slot, Value value) {
  if (slot && *slot != value) return false;
  slot = value;
  return true;
}

// "shared-after-exit": which names there are is no matter of the grammar.
bool names_finding(std::string_view word) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return word.find('-') != std::string_view::npos && word[0] >= 'a' && word[0] <= 'z' &&
         std::all_of(word.begin(), word.end(), plain);
}

// Nothing: no such word. Else whether it agrees with the words before it.
std::optional<bool> add_verdict_word(std::string_view word, Verdict& verdict) {
  if (word == "Allowed") return set_once(verdict.proposition, Stated::allowed);
  if (word == "Forbidden") return set_once(verdict.proposition, Stated::forbidden);
  if (word == "Required") return set_once(verdict.proposition, Stated::required);
  if (word == "Unknown") return set_once(verdict.proposition, Stated::unknown);
  if (word == "Undefined") return set_once(verdict.proposition, Stated::undefined);
  if (word == "Racy") return set_once(verdict.racy, true);
  if (word == "RaceFree") return set_once(verdict.racy, false);
  if (word == "Hangs") return set_once(verdict.hangs, true);
  if (word == "Terminates") return set_once(verdict.hangs, false);
  if (word == "Vacuous") return verdict.vacuous = true;
  if (!names_finding(word)) return std::nullopt;
  verdict.findings.emplace_back(word);
  return true;
}

}  // namespace

std::string circumstances(const Verdict& verdict) {
  std::string out = verdict.model;
  for (const std::string& reading : verdict.readings) out += (out.empty() ? "" : ",") + reading;
  return out.empty() ? "" : "[" + out + "]";
}

void parse_verdict(std::string_view value, Position position, Verdict& verdict, Errors& errors) {
  std::size_t begin = 0;
  bool any = false;
  while ((begin = value.find_first_not_of(" \t\r\f\v,", begin)) != std::string_view::npos) {
    const std::size_t end = std::min(value.find_first_of(" \t\r\f\v,", begin), value.size());
    const std::string_view word = value.substr(begin, end - begin);
    Position here = position;
    here.column += static_cast<std::uint32_t>(begin);
    here.length = static_cast<std::uint32_t>(word.size());
    const std::optional<bool> agrees = add_verdict_word(word, verdict);
    if (!agrees) {
      const std::optional<std::string> near =
          nearest(std::string(word), {"Allowed", "Forbidden", "Required", "Unknown", "Undefined", "Racy",
                                      "RaceFree", "Hangs", "Terminates", "Vacuous"});
      errors.error(here, near ? fmt::format("unknown verdict `{}`; did you mean `{}`?", word, *near)
                              : fmt::format("unknown verdict `{}`; expected {}", word, kVerdictWords));
    } else if (!*agrees) {
      errors.error(here, fmt::format("`{}` contradicts the words before it", word));
    }
    any = true;
    begin = end;
  }
  if (!any) errors.error(position, fmt::format("expected a verdict: {}", kVerdictWords));
}

void add_verdict(Test& test, Verdict verdict, Errors& errors) {
  if (test.verdicts.size() == kMaxVerdicts) {
    errors.error(verdict.position, fmt::format("more than {} verdicts", kMaxVerdicts));
    throw TooManyErrors();
  }
  for (const Verdict& other : test.verdicts) {
    if (other.model != verdict.model || other.readings != verdict.readings) continue;
    errors.error(verdict.position, fmt::format("`Verdict{}` is stated twice", circumstances(verdict)),
                 {{other.position, "the first is here"}});
    return;
  }
  test.verdicts.push_back(std::move(verdict));
}

Place parse_header(const Source& source, Test& test, Errors& errors) {
  return Header(source, test, errors).run();
}

}  // namespace ptxmc::litmus
