// SPDX-License-Identifier: Apache-2.0
#include "input/launch/plan_memory.h"

#include <fmt/format.h>

#include "input/launch/numbers.h"

namespace ptxmc::launch {

namespace {

/// "opaque", "zero", "file.bin" or [1, 2].
Contents contents(Values& values, const Json& json) {
  Contents out;
  out.position = json.position;
  if (const auto* word = json.as<std::string>()) {
    out.kind = *word == "opaque" ? Contents::Kind::opaque
               : *word == "zero" ? Contents::Kind::zero
                                 : Contents::Kind::file;
    out.file = *word;
    return out;
  }
  const JsonArray* list = values.array(json, "data: \"opaque\", \"zero\", a file, or numbers");
  if (list == nullptr) return out;
  out.kind = Contents::Kind::numbers;
  for (const Json& item : *list) {
    if (auto value = read_number(values, item, std::nullopt, "an element of data"))
      out.numbers.push_back(*value);
  }
  return out;
}

std::optional<isa::Type> element_type(Values& values, const Json& json) {
  const std::optional<std::string> name = values.string(json, "type");
  if (!name) return std::nullopt;
  if (auto type = number_type(*name)) return type;
  values.error(json.position, fmt::format("type: expected one of {}, found \"{}\"", kNumberTypes, *name));
  return std::nullopt;
}

void read_ranges(Values& values, const Json& json, Buffer& out) {
  const JsonObject* list = values.object(json, "ranges");
  if (list == nullptr) return;
  for (const auto& [at, value] : *list) {
    const auto offset = values.offset(at, out.bytes);
    const JsonObject* object = values.object(value, "a range");
    if (!offset || object == nullptr) continue;
    values.only(*object, "a range", "bytes type data");
    Buffer::Range range;
    range.begin = *offset;
    const Json* bytes = find(*object, "bytes");
    const Json* data = find(*object, "data");
    if (bytes == nullptr || data == nullptr) {
      values.error(at.position, "a range has \"bytes\" and \"data\"");
      continue;
    }
    const auto left = static_cast<std::int64_t>(out.bytes - *offset);
    range.bytes = static_cast<std::uint64_t>(values.integer(*bytes, "bytes", 0, left).value_or(0));
    if (const Json* type = find(*object, "type")) range.type = element_type(values, *type);
    range.contents = contents(values, *data);
    out.ranges.push_back(std::move(range));
  }
}

/// {"multicast": ["A0", "A1"]}: no memory, but a multimem address of that of several devices.
Buffer multicast(Values& values, const JsonKey& key, const JsonObject& object, const Json& locations) {
  values.only(object, fmt::format("{}, a multimem address,", key.name), "multicast");
  Buffer out;
  out.name = key.name;
  out.position = key.position;
  const JsonArray* names = values.array(locations, "multicast");
  if (names == nullptr) return out;
  for (const Json& name : *names) out.multicast.push_back(values.string(name, "multicast").value_or(""));
  if (out.multicast.empty())
    values.error(locations.position, "multicast: expected the names of the devices' buffers");
  return out;
}

Buffer buffer(Values& values, const JsonKey& key, const JsonObject& object) {
  if (const Json* locations = find(object, "multicast")) return multicast(values, key, object, *locations);
  values.only(object, key.name, "bytes space data type ranges fields multicast");
  Buffer out;
  out.name = key.name;
  out.position = key.position;
  if (const Json* bytes = find(object, "bytes")) {
    out.bytes = static_cast<std::uint64_t>(values.integer(*bytes, "bytes", 1, kMaxBytes).value_or(1));
  }
  if (const Json* space = find(object, "space")) {
    const std::optional<std::string> name = values.string(*space, "space");
    if (name == "const") out.space = isa::Space::const_;
    if (name && name != "global" && name != "const")
      values.error(space->position,
                   fmt::format("space: expected \"global\" or \"const\", found \"{}\"", *name));
  }
  if (const Json* type = find(object, "type")) out.type = element_type(values, *type);
  if (const Json* data = find(object, "data")) out.contents = contents(values, *data);
  const Json* bytes = find(object, "bytes");
  if (bytes == nullptr) values.error(key.position, fmt::format("{}: expected its size, \"bytes\"", key.name));
  if (const Json* ranges = find(object, "ranges")) read_ranges(values, *ranges, out);
  if (const Json* fields = find(object, "fields")) {
    const JsonObject* list = values.object(*fields, "fields");
    if (list == nullptr) return out;
    for (const auto& [at, value] : *list) {
      const auto offset = values.offset(at, out.bytes);
      const JsonObject* target = values.object(value, "a field of memory");
      if (target == nullptr || !offset) continue;
      if (auto to = read_pointer(values, *target, value.position))
        out.fields.emplace_back(*offset, std::move(*to));
    }
  }
  return out;
}

}  // namespace

void read_buffers(Values& values, const Json& json, std::string_view what, std::vector<Buffer>& out) {
  const JsonObject* object = values.object(json, what);
  if (object == nullptr) return;
  for (const auto& [key, value] : *object) {
    if (const JsonObject* one = values.object(value, key.name)) out.push_back(buffer(values, key, *one));
  }
}

std::optional<Pointer> read_pointer(Values& values, const JsonObject& object, Position position) {
  values.only(object, "an address", "buffer offset");
  Pointer out;
  out.position = position;
  const Json* buffer = find(object, "buffer");
  if (buffer == nullptr) {
    values.error(position, "an address names its \"buffer\"");
    return std::nullopt;
  }
  out.buffer = values.string(*buffer, "buffer").value_or("");
  if (const Json* offset = find(object, "offset"))
    out.offset = values.integer(*offset, "offset", -kMaxBytes, kMaxBytes).value_or(0);
  return out;
}

std::optional<Number> read_number(Values& values, const Json& json, std::optional<isa::Type> type,
                                  std::string_view what) {
  Number out{type, std::int64_t{0}, json.position};
  if (const auto* integer = json.as<std::int64_t>()) {
    out.value = *integer;
  } else if (const auto* large = json.as<std::uint64_t>()) {
    out.value = static_cast<std::int64_t>(*large);
    out.large = true;
  } else if (const auto* real = json.as<double>()) {
    out.value = *real;
  } else {
    values.error(json.position, fmt::format("{}: expected a number, found {}", what, kind_of(json)));
    return std::nullopt;
  }
  return out;
}

}  // namespace ptxmc::launch
