// SPDX-License-Identifier: Apache-2.0
// Readings: what chapter 8 of the manual leaves open, as named choices. The table says which there are; a
// Readings object says which value of each is in force.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptxmc::model {

/// Where the value of a reading is consulted.
enum class Acts : std::uint8_t {
  text,      ///< `if "NAME=VALUE"` in a model text: a text without it does not depend on the reading
  lowering,  ///< the events of an instruction (lower::Readings): every model depends on it
  verdict,   ///< what the answer is called, once executions and flags are known
};
std::string_view name_of(Acts acts);

struct Reading {
  std::string_view name;
  std::vector<std::string_view> values;  ///< the first is the default
  std::string_view rules;                ///< sections of the manual, rules R.. and readings D.. of README.md
  Acts acts = Acts::text;
  std::string_view doc;  ///< what each value means
};

/// The table, in the order of the manual's sections. Constant data.
const std::vector<Reading>& readings();

/// One value for each reading; the defaults at first.
class Readings {
 public:
  Readings();
  /// Sets one, given as NAME=VALUE. Throws std::invalid_argument, with the names or values that there are.
  void set(std::string_view assignment);

  /// Both must be in the table.
  bool is(std::string_view name, std::string_view value) const;
  /// Those that do not have their default, as NAME=VALUE in the order of the table.
  std::vector<std::string> changed() const;
  /// Whether NAME=VALUE is in force; nothing: there is no such reading or value (cat::Conditions).
  std::optional<bool> holds(std::string_view assignment) const;
  /// The choices that differ from this one in one reading.
  struct Variant;
  std::vector<Variant> variants() const;

  friend bool operator==(const Readings&, const Readings&) = default;

 private:
  std::vector<std::size_t> chosen_;  // per reading: index of its value
};

struct Readings::Variant {
  std::string_view name;   ///< of the reading that differs
  std::string_view value;  ///< its value there
  Acts acts;
  Readings readings;
};

}  // namespace ptxmc::model
