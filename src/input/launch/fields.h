// SPDX-License-Identifier: Apache-2.0
// Objects of a file of launches: their members by name, each read once, and unread members reported.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "input/launch/json.h"
#include "support/diagnostic.h"

namespace ptxmc::launch {

/// Reads values; what is wrong with one is reported, and nothing stands for it.
class Values {
 public:
  explicit Values(const SourcePtr& source) : diagnostics_(source) {}

  void error(Position position, std::string message) { diagnostics_.error(position, std::move(message)); }
  const Diagnostics& diagnostics() const { return diagnostics_; }

  const JsonObject* object(const Json& json, std::string_view what);
  const JsonArray* array(const Json& json, std::string_view what);
  std::optional<std::string> string(const Json& json, std::string_view what);
  std::optional<bool> truth(const Json& json, std::string_view what);
  /// An integer in [least, most].
  std::optional<std::int64_t> integer(const Json& json, std::string_view what, std::int64_t least,
                                      std::int64_t most);
  /// The same, of a key: "128" in {"128": ...}.
  std::optional<std::uint64_t> offset(const JsonKey& key, std::uint64_t most);

  /// Reports the keys that are none of these, which are separated by blanks.
  void only(const JsonObject& object, std::string_view what, std::string_view keys);

 private:
  void expected(const Json& json, std::string_view what, std::string_view kind);

  Diagnostics diagnostics_;
};

/// The member of that name; null: there is none.
const Json* find(const JsonObject& object, std::string_view key);

}  // namespace ptxmc::launch
