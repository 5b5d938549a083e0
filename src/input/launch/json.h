// SPDX-License-Identifier: Apache-2.0
// JSON with the places of its values, so that errors in a file of launches can point at them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "support/source.h"

namespace ptxmc::launch {

struct Json;
struct JsonMember;
struct JsonKey {
  std::string name;
  Position position;
};
using JsonArray = std::vector<Json>;
using JsonObject = std::vector<JsonMember>;  // in the order of the text; keys differ

struct Json {
  /// Integers that fit 64 bits are std::int64_t, or std::uint64_t where they are too large for it.
  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string, JsonArray, JsonObject>
      value;
  Position position;

  template <typename T>
  const T* as() const {
    return std::get_if<T>(&value);
  }
};

struct JsonMember {
  JsonKey key;
  Json value;
};

/// Throws InputError for what is no JSON, for a key that stands twice, and for nesting beyond reason.
Json parse_json(const SourcePtr& source);

/// "an object", "a number" ...: what a value is, for messages.
std::string kind_of(const Json& json);

}  // namespace ptxmc::launch
