// SPDX-License-Identifier: Apache-2.0
#include "observed/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "support/diagnostic.h"
#include "support/printable.h"
#include "support/refuse.h"
#include "support/text.h"

namespace ptxmc::observed {

namespace {

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
    const std::size_t end = std::min(line.find_first_of(kBlank), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

/// Whether a line is text: no control characters, but for tabs.
bool is_text(std::string_view line) {
  return find_control(line) == std::string_view::npos &&
         line.find_first_of("\n\r\f\v") == std::string_view::npos;
}

bool is_word(std::string_view text) {
  return !text.empty() && is_text(text) && text.find_first_of(" \t") == std::string_view::npos;
}

/// "[x]=1; 1:r0=0;", or nothing: of a test that observes nothing.
bool is_state(std::string_view text) {
  while (!(text = trimmed(text)).empty()) {
    const std::size_t end = text.find(';');
    const std::string_view part = text.substr(0, end);
    const std::size_t equals = part.find('=');
    if (end == std::string_view::npos || equals == std::string_view::npos ||
        trimmed(part.substr(0, equals)).empty())
      return false;
    text.remove_prefix(end + 1);
  }
  return true;
}

/// "12  *>1:r0=1;", a line of a histogram.
bool is_counted(std::string_view text) {
  const std::size_t arrow = text.find('>');
  const std::size_t first = text.find_first_not_of("0123456789");
  return arrow != std::string_view::npos && first != 0 && first <= arrow &&
         text.find_first_not_of(" \t*:", first) == arrow && is_state(text.substr(arrow + 1));
}

/// What stands in a line of JSON; throws nlohmann's exceptions for anything of another type.
class Fields {
 public:
  explicit Fields(const nlohmann::json& object) : object_(object) {}

  /// One line of text: what goes into a log of the herd family must be.
  std::string text(const char* key) const {
    std::string out = object_.at(key).get<std::string>();
    if (!is_text(out)) refuse(key, "one line of text");
    return out;
  }
  std::string text_or_none(const char* key) const { return object_.contains(key) ? text(key) : ""; }
  std::uint64_t number(const char* key) const {
    const nlohmann::json& value = object_.at(key);
    if (!value.is_number_unsigned()) refuse(key, "a count");
    return value.get<std::uint64_t>();
  }
  std::uint64_t number_or_none(const char* key) const { return object_.contains(key) ? number(key) : 0; }
  double seconds() const {
    const double value = object_.value("seconds", 0.0);
    return std::isfinite(value) && value > 0 ? value : 0;
  }

 private:
  [[noreturn]] void refuse(const char* key, const char* what) const {
    throw nlohmann::json::type_error::create(302, fmt::format("{} must be {}", key, what), &object_);
  }

  const nlohmann::json& object_;
};

/// "NAME (sm_90), driver 13.0", as logs in text have it.
std::string device_of(const nlohmann::json& device) {
  if (device.is_string()) return device.get<std::string>();
  const Fields fields(device);
  std::string capability = fields.text("capability");
  capability.erase(std::remove(capability.begin(), capability.end(), '.'), capability.end());
  const std::uint64_t driver = fields.number("driver");
  const std::uint64_t gpus = fields.number_or_none("gpus");
  return fmt::format("{} (sm_{}), driver {}.{}{}", fields.text("name"), capability, driver / 1000,
                     driver % 1000 / 10, gpus > 1 ? fmt::format(", {} GPUs", gpus) : "");
}

/// One line of a run.
LoggedTest test_of(const nlohmann::json& object) {
  const Fields fields(object);
  LoggedTest out;
  out.name = fields.text("test");
  if (!is_word(out.name))
    throw nlohmann::json::other_error::create(501, "the name of a test is one word", &object);
  out.hash = fields.text("hash");
  out.file = fields.text_or_none("file");
  out.condition = fields.text_or_none("condition");
  for (const nlohmann::json& state : object.at("states")) {
    const Fields one(state);
    if (!is_state(one.text("state")))
      throw nlohmann::json::other_error::create(501, "a state is NAME=VALUE; and so on", &state);
    const std::string canonical = canonical_state(one.text("state"));
    out.states[canonical] += one.number("count");
    out.observed += one.number("count");
    if (state.value("satisfied", false)) out.satisfied.insert(canonical);
  }
  out.hung = fields.number_or_none("hung");
  out.unrecorded = fields.number_or_none("unrecorded");
  out.stuck = fields.number_or_none("stuck");
  out.instances =
      object.contains("instances") ? fields.number("instances") : out.observed + out.hung + out.unrecorded;
  out.seconds = fields.seconds();
  out.runs = object.contains("runs") ? fields.number("runs") : 1;
  if (object.contains("device")) out.devices.insert(device_of(object.at("device")));
  if (object.contains("devices")) {
    for (const nlohmann::json& device : object.at("devices")) out.devices.insert(device_of(device));
  }
  const auto identify = [&](const std::string& id) {
    if (!is_word(id))
      throw nlohmann::json::other_error::create(501, "the identity of a run is one word", &object);
    out.ids.insert(id);
  };
  if (object.contains("run")) identify(fields.text("run"));
  if (object.contains("run_ids")) {
    for (const nlohmann::json& id : object.at("run_ids")) identify(id.get<std::string>());
  }
  return out;
}

/// The identity of a log that gives none; it need not resist attacks.
std::string digest_of(std::string_view text) {
  return fmt::format("~{:016x}", hash_of_text(text));
}

class Reader {
 public:
  Reader(const SourcePtr& source, std::vector<std::string>* warnings)
      : source_(source), warnings_(warnings) {}

  std::vector<LoggedTest> read() {
    std::string_view rest = source_->text;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      ++line_;
      whole_ = end < rest.size();
      line(trimmed(rest.substr(0, end)));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    if (states_left_ != 0) fail(fmt::format("the log ends {} states too early", states_left_));
    end_block();
    if (tests_.empty() && !campaign_) fail("no test in this log");
    return std::move(tests_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { ptxmc::refuse(source_, {line_, 1, 1}, what); }

  void warn(const std::string& what) const {
    if (warnings_ != nullptr) warnings_->push_back(fmt::format("{}:{}: {}", source_->name, line_, what));
  }

  void count(LoggedTest& test, const std::string& state, std::uint64_t times, bool satisfied) {
    const std::string canonical = canonical_state(state);
    test.states[canonical] += times;
    test.observed += times;
    if (satisfied) test.satisfied.insert(canonical);
  }

  /// Tests of one name are two when both their files and their hashes differ.
  void store(const LoggedTest& test) {
    std::vector<std::size_t>& same = by_name_[test.name];
    for (const std::size_t i : same) {
      LoggedTest& known = tests_[i];
      if (known.hash.empty()) known.hash = test.hash;
      if (known.hash != test.hash && !test.hash.empty()) continue;
      switch (shared_runs(known, test)) {
        case Shared::nothing:
          return known.add(test);
        case Shared::all:
          return warn(fmt::format("left out: this run of {} stands in the log before", test.name));
        case Shared::some:
          fail(fmt::format("some of these runs of {} are counted in the log before; merge the parts",
                           test.name));
      }
    }
    for (const std::size_t i : same) {
      if (test.file.empty() || tests_[i].file.empty() || test.file == tests_[i].file)
        fail(fmt::format("two different tests are named {} in this log", test.name));
    }
    same.push_back(tests_.size());
    tests_.push_back(test);
  }

  /// A test of the herd family ends where the next one begins.
  void end_block() {
    if (!block_) return;
    block_->instances = block_->observed + block_->hung + block_->unrecorded;
    block_->runs = 1;
    if (block_->ids.empty()) block_->ids.insert(digest_of(block_text_));
    store(*block_);
    block_.reset();
  }

  void line(std::string_view text) {
    if (states_left_ != 0) {
      block_text_ += fmt::format("{}\n", text);
      return state(text);
    }
    if (!is_text(text)) return warn("left out: these bytes are no text");
    if (text.starts_with('{')) return json(text);
    if (const auto words = words_after(text, "Test"); !words.empty()) {
      end_block();
      block_.emplace();
      block_->name = std::string(words.front());
      block_text_.clear();
    }
    if (!block_) return;
    block_text_ += fmt::format("{}\n", text);
    facts(*block_, text);
  }

  /// What a line outside the states says of a test.
  void facts(LoggedTest& test, std::string_view text) {
    if (is_counted(text)) fail("a state beyond the number of states that the log gives");
    if (text.starts_with("Histogram (") || text.starts_with("States ")) {
      counted_ = text.front() == 'H';
      const std::size_t first = text.find_first_of("0123456789");
      const std::size_t end = std::min(text.find_first_not_of("0123456789", first), text.size());
      const auto n = number_of(first < end ? text.substr(first, end - first) : std::string_view{});
      if (!n) fail("expected the number of states");
      states_left_ = *n;
    }
    if (text.starts_with("Hash=")) {
      const std::string hash(text.substr(5));
      if (!test.hash.empty() && test.hash != hash)
        fail(fmt::format("two different tests are named {} in this log", test.name));
      test.hash = hash;
    }
    if (text.starts_with("Condition ")) test.condition = condition_of(text.substr(10));
    if (const auto words = words_after(text, "Time"); words.size() == 2) {
      const double seconds = std::strtod(std::string(words[1]).c_str(), nullptr);
      if (std::isfinite(seconds) && seconds > 0) test.seconds += seconds;
    }
    const auto hung = words_after(text, "Hung");
    if (hung.size() == 2) test.hung += number_of(hung[1]).value_or(0);
    if (hung.size() > 5) test.stuck += number_of(hung[4]).value_or(0);  // "Hung NAME a launch of N instances"
    if (const auto words = words_after(text, "Run"); words.size() == 2)
      test.ids.insert(std::string(words[1]));
    if (const auto words = words_after(text, "Unrecorded"); words.size() == 2)
      test.unrecorded += number_of(words[1]).value_or(0);
    if (const auto words = words_after(text, "Device"); words.size() > 1)
      test.devices.insert(std::string(text.substr(static_cast<std::size_t>(words[1].data() - text.data()))));
  }

  /// "exists (...) is NOT validated": without the end.
  static std::string condition_of(std::string_view text) {
    for (const std::string_view end : {" is validated", " is NOT validated"}) {
      if (text.ends_with(end)) return std::string(text.substr(0, text.size() - end.size()));
    }
    return std::string(text);
  }

  /// "12  *>1:r0=1;" or "1:r0=1;".
  void state(std::string_view text) {
    if (!whole_) fail("the log ends within a state");
    if (!is_text(text)) fail("these bytes are no text");
    --states_left_;
    if (counted_ ? !is_counted(text) : !is_state(text))
      fail(fmt::format("expected {}, for the log gives {} more; found `{}`",
                       counted_ ? "COUNT:>STATE" : "a state such as `1:r0=0;`",
                       states_left_ == 0 ? "one" : fmt::format("{}", states_left_ + 1),
                       printable(std::string(text))));
    if (!counted_) return count(*block_, std::string(text), 1, false);
    const std::size_t arrow = text.find('>');
    std::string_view before = text.substr(0, arrow);
    const bool satisfied = before.ends_with('*');
    if (satisfied || before.ends_with(':')) before.remove_suffix(1);
    const auto times = number_of(trimmed(before));
    if (!times) fail("expected COUNT:>STATE");
    count(*block_, std::string(text.substr(arrow + 1)), *times, satisfied);
  }

  void json(std::string_view text) {
    end_block();
    try {
      const nlohmann::json object = nlohmann::json::parse(text);
      if (object.contains("campaign") && !object.contains("test")) {
        campaign_ = true;  // the first line of its file
      } else if (!object.contains("missed")) {
        LoggedTest test = test_of(object);
        if (test.ids.empty()) test.ids.insert(digest_of(text));
        store(test);
      }
    } catch (const nlohmann::json::exception& error) {
      if (!whole_) return warn("left out: the last line is torn");
      fail(fmt::format("not a line of `ptxmc run --format json`: {}", error.what()));
    }
  }

  const SourcePtr& source_;
  std::vector<std::string>* warnings_;
  std::uint32_t line_ = 0;
  bool whole_ = true;  ///< the line has its end
  bool campaign_ = false;
  std::uint64_t states_left_ = 0;
  bool counted_ = false;             ///< the states are a histogram's
  std::optional<LoggedTest> block_;  ///< of the herd family
  std::string block_text_;           ///< what the log says of it
  std::vector<LoggedTest> tests_;
  std::map<std::string, std::vector<std::size_t>> by_name_;
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

Shared shared_runs(const LoggedTest& known, const LoggedTest& other) {
  const auto in = [&](const std::string& id) { return known.ids.contains(id); };
  if (std::none_of(other.ids.begin(), other.ids.end(), in)) return Shared::nothing;
  return std::all_of(other.ids.begin(), other.ids.end(), in) ? Shared::all : Shared::some;
}

std::uint64_t LoggedTest::positive() const {
  std::uint64_t sum = 0;
  for (const auto& [state, count] : states) sum += satisfied.count(state) != 0 ? count : 0;
  return sum;
}

void LoggedTest::add(const LoggedTest& other) {
  for (const auto& [state, count] : other.states) states[state] += count;
  satisfied.insert(other.satisfied.begin(), other.satisfied.end());
  devices.insert(other.devices.begin(), other.devices.end());
  ids.insert(other.ids.begin(), other.ids.end());
  if (file.empty()) file = other.file;
  if (condition.empty()) condition = other.condition;
  observed += other.observed;
  hung += other.hung;
  seconds += other.seconds;
  instances += other.instances;
  stuck += other.stuck;
  unrecorded += other.unrecorded;
  runs += other.runs;
}

std::vector<LoggedTest> read_log(const SourcePtr& source, std::vector<std::string>* warnings) {
  return Reader(source, warnings).read();
}

}  // namespace ptxmc::observed
