// SPDX-License-Identifier: Apache-2.0
#include "gpu/harness/stress.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "support/nearest.h"

namespace ptxmc::gpu {

namespace {

struct NumberKey {
  const char* name;
  unsigned StressOptions::*member;
  unsigned least, most;
  bool power_of_two;
  const char* help;
};

struct WordKey {
  const char* name;
  const char* help;
  std::vector<const char*> words;  // in the order of the enumerators
  unsigned (*get)(const StressOptions&);
  void (*set)(StressOptions&, unsigned);
};

const std::array<NumberKey, 12>& number_keys() {
  using S = StressOptions;
  static const std::array<NumberKey, 12> keys = {{
      {"ctas", &S::ctas, 0, 95, false, "percent of the CTAs that stress, drawn anew each round"},
      {"iterations", &S::iterations, 0, 1U << 20, false,
       "of the pattern, by each of their threads in a round"},
      {"pre", &S::pre, 0, 100, false, "percent of rounds in which testing threads stress first"},
      {"pre-iterations", &S::pre_iterations, 0, 1U << 20, false, "of the pattern, by each of them"},
      {"line", &S::line, 4, 4096, true, "bytes of a line of scratch memory, a power of two"},
      {"lines", &S::lines, 1, 1U << 16, false, "that are hammered; drawn anew each round"},
      {"scratch", &S::scratch, 4, 1U << 16, true, "KiB of scratch memory, a power of two"},
      {"shuffle", &S::shuffle, 0, 100, false, "percent of rounds with drawn CTAs and warps of an instance"},
      {"spread", &S::spread, 0, 100, false, "percent of rounds with drawn locations of the variables"},
      {"align", &S::align, 0, 100, false, "percent of rounds whose threads wait for each other first"},
      {"align-limit", &S::align_limit, 1, 1U << 16, false, "looks at the others before a thread runs alone"},
      {"occupancy", &S::occupancy, 1, 100, false, "percent of the CTAs that the GPU holds at once"},
  }};
  return keys;
}

const std::vector<WordKey>& word_keys() {
  using S = StressOptions;
  const auto pattern = [](const char* name, const char* help, auto get, auto set) {
    return WordKey{name, help, {"store-store", "store-load", "load-store", "load-load"}, get, set};
  };
  static const std::vector<WordKey> keys = {
      pattern(
          "pattern", "of the CTAs that stress", [](const S& s) { return static_cast<unsigned>(s.pattern); },
          [](S& s, unsigned n) { s.pattern = static_cast<Pattern>(n); }),
      pattern(
          "pre-pattern", "of testing threads",
          [](const S& s) { return static_cast<unsigned>(s.pre_pattern); },
          [](S& s, unsigned n) { s.pre_pattern = static_cast<Pattern>(n); }),
      {"assign",
       "of lines to warps",
       {"round-robin", "chunks"},
       [](const S& s) { return static_cast<unsigned>(s.assignment); },
       [](S& s, unsigned n) { s.assignment = static_cast<Assignment>(n); }}};
  return keys;
}

std::string expected_of(const NumberKey& key) {
  return fmt::format("a {} from {} to {}", key.power_of_two ? "power of two" : "number", key.least, key.most);
}

void set_number(StressOptions& stress, const NumberKey& key, std::string_view value) {
  unsigned n = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), n);
  const bool fits = error == std::errc() && end == value.data() + value.size() && n >= key.least &&
                    n <= key.most && (!key.power_of_two || (n & (n - 1)) == 0);
  if (!fits) throw StressError(fmt::format("{}={}: expected {}", key.name, value, expected_of(key)));
  stress.*key.member = n;
}

void set_word(StressOptions& stress, const WordKey& key, std::string_view value) {
  const auto found = std::find(key.words.begin(), key.words.end(), value);
  if (found == key.words.end())
    throw StressError(fmt::format("{}={}: expected {}", key.name, value, fmt::join(key.words, ", ")));
  key.set(stress, static_cast<unsigned>(found - key.words.begin()));
}

}  // namespace

void set_stress(StressOptions& stress, std::string_view key, std::string_view value) {
  for (const NumberKey& known : number_keys()) {
    if (known.name == key) return set_number(stress, known, value);
  }
  for (const WordKey& known : word_keys()) {
    if (known.name == key) return set_word(stress, known, value);
  }
  std::vector<std::string> names;
  for (const StressSetting& setting : stress_settings({})) names.push_back(setting.key);
  const auto near = nearest(std::string(key), names);
  throw StressError(fmt::format("unknown key '{}'{}: expected {}", key,
                                near ? fmt::format("; did you mean '{}'?", *near) : "",
                                fmt::join(names, ", ")));
}

StressOptions parse_stress(std::string_view text) {
  StressOptions stress;
  if (text == "off") return stress;
  std::vector<std::string_view> seen;
  while (true) {
    const std::string_view item = text.substr(0, text.find(','));
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos)
      throw StressError(fmt::format("'{}': expected KEY=VALUE, or `off` alone", item));
    const std::string_view key = item.substr(0, equals);
    if (std::find(seen.begin(), seen.end(), key) != seen.end())
      throw StressError(fmt::format("'{}' is given twice", key));
    set_stress(stress, key, item.substr(equals + 1));
    seen.push_back(key);
    if (item.size() == text.size()) return stress;
    text.remove_prefix(item.size() + 1);
  }
}

std::vector<StressSetting> stress_settings(const StressOptions& stress) {
  std::vector<StressSetting> out;
  for (const NumberKey& key : number_keys())
    out.push_back({key.name, std::to_string(stress.*key.member), true});
  for (const WordKey& key : word_keys()) out.push_back({key.name, key.words[key.get(stress)], false});
  return out;
}

std::string print_stress(const StressOptions& stress) {
  const std::vector<StressSetting> all = stress_settings(stress), defaults = stress_settings({});
  std::string out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].value == defaults[i].value) continue;
    out += fmt::format("{}{}={}", out.empty() ? "" : ",", all[i].key, all[i].value);
  }
  return out.empty() ? "off" : out;
}

std::string stress_help() {
  std::string out;
  for (const NumberKey& key : number_keys())
    out += fmt::format("  {:<30} {:<7} {}\n", fmt::format("{}={}..{}", key.name, key.least, key.most),
                       StressOptions{}.*key.member, key.help);
  for (const WordKey& key : word_keys())
    out += fmt::format("  {}={}\n  {:<38} {}, {}\n", key.name, fmt::join(key.words, "|"), "",
                       key.words[key.get(StressOptions{})], key.help);
  return out;
}

}  // namespace ptxmc::gpu
