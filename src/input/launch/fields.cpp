// SPDX-License-Identifier: Apache-2.0
#include "input/launch/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "ptx/isa/table.h"
#include "support/nearest.h"

namespace ptxmc::launch {

void Values::expected(const Json& json, std::string_view what, std::string_view kind) {
  error(json.position, fmt::format("{}: expected {}, found {}", what, kind, kind_of(json)));
}

const JsonObject* Values::object(const Json& json, std::string_view what) {
  const auto* out = json.as<JsonObject>();
  if (out == nullptr) expected(json, what, "an object");
  return out;
}

const JsonArray* Values::array(const Json& json, std::string_view what) {
  const auto* out = json.as<JsonArray>();
  if (out == nullptr) expected(json, what, "an array");
  return out;
}

std::optional<std::string> Values::string(const Json& json, std::string_view what) {
  if (const auto* out = json.as<std::string>()) return *out;
  expected(json, what, "a string");
  return std::nullopt;
}

std::optional<bool> Values::truth(const Json& json, std::string_view what) {
  if (const auto* out = json.as<bool>()) return *out;
  expected(json, what, "true or false");
  return std::nullopt;
}

std::optional<std::int64_t> Values::integer(const Json& json, std::string_view what, std::int64_t least,
                                            std::int64_t most) {
  const auto* out = json.as<std::int64_t>();
  if (out != nullptr && *out >= least && *out <= most) return *out;
  const std::string wanted = fmt::format("an integer from {} to {}", least, most);
  if (out == nullptr) {
    expected(json, what, wanted);
  } else {
    error(json.position, fmt::format("{}: expected {}, found {}", what, wanted, *out));
  }
  return std::nullopt;
}

std::optional<std::uint64_t> Values::offset(const JsonKey& key, std::uint64_t most) {
  std::uint64_t out = 0;
  const char* end = key.name.data() + key.name.size();
  const auto [stop, problem] = std::from_chars(key.name.data(), end, out);
  if (problem == std::errc() && stop == end && out <= most) return out;
  error(key.position, fmt::format("expected an offset in bytes up to {}, found `{}`", most, key.name));
  return std::nullopt;
}

void Values::only(const JsonObject& object, std::string_view what, std::string_view keys) {
  std::vector<std::string> known;
  for (const std::string_view key : isa::split_words(keys)) known.emplace_back(key);
  for (const auto& [key, value] : object) {
    if (std::find(known.begin(), known.end(), key.name) != known.end()) continue;
    const auto near = nearest(key.name, known);
    error(key.position, fmt::format("{} has no `{}`{}", what, key.name,
                                    near ? fmt::format("; did you mean `{}`?", *near) : std::string()));
  }
}

const Json* find(const JsonObject& object, std::string_view key) {
  for (const auto& [name, value] : object) {
    if (name.name == key) return &value;
  }
  return nullptr;
}

}  // namespace ptxmc::launch
