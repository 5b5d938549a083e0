// SPDX-License-Identifier: Apache-2.0
#include "report/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "support/diagnostic.h"

namespace ptxmc::report {

namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "Word NAME rest": its words; the first must be `word`.
std::vector<std::string_view> words_after(std::string_view line, std::string_view word) {
  std::vector<std::string_view> words;
  if (!line.starts_with(word) || line.size() == word.size() || line[word.size()] != ' ') return words;
  line.remove_prefix(word.size());
  while (!(line = trimmed(line)).empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

class Reader {
 public:
  explicit Reader(const SourcePtr& source) : source_(source) {}

  std::vector<LoggedTest> read() {
    std::string_view rest = source_->text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      ++line_;
      line(trimmed(rest.substr(0, end)));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (states_left_ != 0) fail(fmt::format("the log ends {} states too early", states_left_));
    if (tests_.empty()) fail("no test in this log");
    return std::move(tests_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    Diagnostics diagnostics(source_);
    diagnostics.error({line_, 1, 1}, what);
    throw InputError(diagnostics);
  }

  LoggedTest& test(const std::string& name) {
    const auto known = std::find_if(tests_.begin(), tests_.end(),
                                    [&](const LoggedTest& other) { return other.name == name; });
    if (known != tests_.end()) return *known;
    tests_.push_back({});
    tests_.back().name = name;
    return tests_.back();
  }

  void count(LoggedTest& test, const std::string& state, std::uint64_t times) {
    test.states[canonical_state(state)] += times;
    test.observed += times;
  }

  void name_hash(LoggedTest& test, const std::string& hash) {
    if (!test.hash.empty() && test.hash != hash)
      fail(fmt::format("two different tests are named {} in this log", test.name));
    test.hash = hash;
  }

  void line(std::string_view text) {
    if (states_left_ != 0) return state(text);
    if (text.starts_with('{')) return json(text);
    if (const auto words = words_after(text, "Test"); !words.empty()) {
      current_ = std::string(words.front());
      test(current_);
    }
    if (current_.empty()) return;
    if (text.starts_with("Histogram (") || text.starts_with("States ")) {
      const std::size_t first = text.find_first_of("0123456789");
      const std::size_t end = std::min(text.find_first_not_of("0123456789", first), text.size());
      const auto n = number_of(first < end ? text.substr(first, end - first) : std::string_view{});
      if (!n) fail("expected the number of states");
      states_left_ = *n;
    }
    if (text.starts_with("Hash=")) name_hash(test(current_), std::string(text.substr(5)));
    if (const auto words = words_after(text, "Time"); words.size() == 2)
      test(current_).seconds += std::strtod(std::string(words[1]).c_str(), nullptr);
    if (const auto words = words_after(text, "Hung"); words.size() == 2)
      test(current_).hung += number_of(words[1]).value_or(0);
  }

  /// "12  *>1:r0=1;" or "1:r0=1;".
  void state(std::string_view text) {
    --states_left_;
    const std::size_t arrow = text.find('>');
    if (arrow == std::string_view::npos) return count(test(current_), std::string(text), 1);
    std::string_view before = text.substr(0, arrow);
    if (!before.empty() && (before.back() == '*' || before.back() == ':')) before.remove_suffix(1);
    const auto times = number_of(trimmed(before));
    if (!times) fail("expected COUNT:>STATE");
    count(test(current_), std::string(text.substr(arrow + 1)), *times);
  }

  void json(std::string_view text) {
    try {
      const nlohmann::json object = nlohmann::json::parse(text);
      LoggedTest& to = test(object.at("test").get<std::string>());
      name_hash(to, object.at("hash").get<std::string>());
      for (const nlohmann::json& state : object.at("states"))
        count(to, state.at("state").get<std::string>(), state.at("count").get<std::uint64_t>());
      to.hung += object.value("hung", std::uint64_t{0});
      to.seconds += object.value("seconds", 0.0);
    } catch (const nlohmann::json::exception& error) {
      fail(fmt::format("not a line of `ptxmc run --format json`: {}", error.what()));
    }
  }

  const SourcePtr& source_;
  std::uint32_t line_ = 0;
  std::string current_;
  std::uint64_t states_left_ = 0;
  std::vector<LoggedTest> tests_;
};

}  // namespace

std::string canonical_state(const std::string& state) {
  std::vector<std::string_view> parts;
  std::string_view rest = state;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    const std::string_view part = trimmed(rest.substr(0, end));
    if (!part.empty()) parts.push_back(part);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::sort(parts.begin(), parts.end());
  std::string out;
  for (const std::string_view part : parts) out += fmt::format("{}{};", out.empty() ? "" : " ", part);
  return out;
}

std::vector<LoggedTest> read_log(const SourcePtr& source) {
  return Reader(source).read();
}

}  // namespace ptxmc::report
