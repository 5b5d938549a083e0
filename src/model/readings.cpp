// SPDX-License-Identifier: Apache-2.0
#include "model/readings.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "support/nearest.h"

namespace ptxmc::model {

namespace {

template <typename List, typename Name>
std::string listed(const List& list, const Name& name) {
  std::string out;
  for (const auto& item : list) out += (out.empty() ? "" : ", ") + std::string(name(item));
  return out;
}

/// Throws std::invalid_argument.
ReadingChoice find(std::string_view name, std::string_view value) {
  const std::span<const Reading> all = readings();
  const auto reading = std::find_if(all.begin(), all.end(), [&](const Reading& r) { return r.name == name; });
  if (reading == all.end()) {
    std::vector<std::string> names;
    for (const Reading& known : all) names.emplace_back(known.name);
    const std::optional<std::string> near = nearest(std::string(name), names);
    throw std::invalid_argument(
        "there is no reading '" + std::string(name) + "'; " +
        (near ? "did you mean '" + *near + "'?"
              : "the readings are " + listed(all, [](const Reading& r) { return r.name; })));
  }
  const auto found = std::find(reading->values.begin(), reading->values.end(), value);
  if (found == reading->values.end()) {
    throw std::invalid_argument("reading '" + std::string(name) + "' has no value '" + std::string(value) +
                                "'; its values are " +
                                listed(reading->values, [](std::string_view v) { return v; }));
  }
  return {static_cast<std::size_t>(reading - all.begin()),
          static_cast<std::size_t>(found - reading->values.begin())};
}

/// NAME=VALUE; the same.
ReadingChoice find(std::string_view assignment) {
  const std::size_t equals = assignment.find('=');
  if (equals == std::string_view::npos) {
    throw std::invalid_argument("found '" + std::string(assignment) + "', expected NAME=VALUE of a reading");
  }
  return find(assignment.substr(0, equals), assignment.substr(equals + 1));
}

}  // namespace

std::string_view name_of(Acts acts) {
  switch (acts) {
    case Acts::text:
      return "model text";
    case Acts::lowering:
      return "lowering";
    case Acts::verdict:
      return "verdict";
  }
  return "";
}

std::string print(ReadingChoice choice) {
  const Reading& row = kReadings[choice.reading];
  return std::string(row.name) + "=" + std::string(row.values[choice.value]);
}

void Readings::set(std::string_view assignment) {
  choose(find(assignment));
}

std::optional<bool> Readings::holds(std::string_view assignment) const {
  try {
    return has(find(assignment));
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

void Readings::take_edition(std::span<const ReadingChoice> edition) {
  edition_.fill(0);
  for (const ReadingChoice choice : edition)
    edition_.at(choice.reading) = static_cast<std::uint8_t>(choice.value);
}

bool operator==(const Readings& a, const Readings& b) {
  for (std::size_t i = 0; i < std::size(kReadings); ++i) {
    if (a.value_of(i) != b.value_of(i)) return false;
  }
  return true;
}

std::vector<ReadingChoice> Readings::changes() const {
  std::vector<ReadingChoice> out;
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    if (value_of(i) != edition_[i]) out.emplace_back(i, value_of(i));
  }
  return out;
}

std::vector<std::string> Readings::changed() const {
  std::vector<std::string> out;
  for (const ReadingChoice choice : changes()) out.push_back(print(choice));
  return out;
}

std::vector<Readings::Variant> Readings::variants() const {
  std::vector<Variant> out;
  for (std::size_t i = 0; i < chosen_.size(); ++i) {
    const Reading& reading = kReadings[i];
    for (std::size_t value = 0; value < reading.values.size(); ++value) {
      if (value == value_of(i)) continue;
      Variant& variant = out.emplace_back(Variant{reading.name, reading.values[value], reading.acts, *this});
      variant.readings.choose(ReadingChoice(i, value));
    }
  }
  return out;
}

}  // namespace ptxmc::model
