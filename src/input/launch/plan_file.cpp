// SPDX-License-Identifier: Apache-2.0
#include "input/launch/plan_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "input/launch/fields.h"
#include "input/launch/numbers.h"
#include "input/launch/plan_memory.h"
#include "input/launch/plan_tensors.h"
#include "ptx/isa/table.h"

namespace ptxmc::launch {

namespace {

constexpr std::int64_t kMaxCluster = 16;
constexpr std::int64_t kMaxShared = 1 << 20;
constexpr std::uint64_t kMaxArguments = 32764;  // bytes of a kernel's parameters

class PlanReader {
 public:
  explicit PlanReader(const SourcePtr& source) : source_(source), values_(source) {}

  Plan run() {
    const Json root = parse_json(source_);
    plan_.source = source_;
    if (const JsonObject* object = values_.object(root, "a file of launches")) read(*object);
    if (values_.diagnostics().has_errors()) throw InputError(values_.diagnostics());
    return std::move(plan_);
  }

 private:
  static constexpr std::string_view kOfLaunch =
      "entry grid block cluster shared cooperative programmatic arguments";

  void read(const JsonObject& object) {
    values_.only(object, "a file of launches",
                 fmt::format("$schema module memory variables tensors peers launches {}", kOfLaunch));
    if (const Json* module = find(object, "module")) {
      plan_.module_position = module->position;
      if (auto name = values_.string(*module, "module")) plan_.module = *name;
    } else {
      values_.error({1, 1, 1}, "a file of launches names its \"module\"");
    }
    if (const Json* memory = find(object, "memory")) read_buffers(values_, *memory, "memory", plan_.memory);
    if (const Json* variables = find(object, "variables"))
      read_buffers(values_, *variables, "variables", plan_.variables);
    for (const Buffer& variable : plan_.variables) {
      if (!variable.multicast.empty())
        values_.error(variable.position, "multicast: a variable of the module is memory of its own");
    }
    if (const Json* tensors = find(object, "tensors")) read_tensors(values_, *tensors, plan_.tensors);
    if (const Json* peers = find(object, "peers")) read_peers(*peers);
    const Json* launches = find(object, "launches");
    if (launches == nullptr) {
      plan_.launches.push_back(launch(object, {1, 1, 1}));
      return;
    }
    for (const auto& [key, value] : object) {
      const auto words = isa::split_words(kOfLaunch);
      if (std::find(words.begin(), words.end(), key.name) != words.end())
        values_.error(key.position, fmt::format("`{}` stands in each of the \"launches\"", key.name));
    }
    const JsonArray* list = values_.array(*launches, "launches");
    if (list == nullptr) return;
    if (list->empty()) values_.error(launches->position, "launches: expected at least one");
    for (const Json& item : *list) {
      const JsonObject* one = values_.object(item, "a launch");
      if (one == nullptr) continue;
      values_.only(*one, "a launch", kOfLaunch);
      plan_.launches.push_back(launch(*one, item.position));
    }
  }

  Launch launch(const JsonObject& object, Position position) {
    Launch out;
    out.position = position;
    if (const Json* entry = find(object, "entry")) {
      out.position = entry->position;
      out.entry = values_.string(*entry, "entry").value_or("");
    }
    if (const Json* grid = find(object, "grid")) out.grid = extents(*grid, "grid", kMaxExtent);
    if (const Json* block = find(object, "block")) out.block = extents(*block, "block", kMaxBlock);
    if (const Json* cluster = find(object, "cluster")) {
      out.cluster = extents(*cluster, "cluster", kMaxCluster);
      out.has_cluster = true;
    }
    if (const Json* shared = find(object, "shared"))
      out.shared = static_cast<std::uint64_t>(values_.integer(*shared, "shared", 0, kMaxShared).value_or(0));
    if (const Json* flag = find(object, "cooperative"))
      out.cooperative = values_.truth(*flag, "cooperative").value_or(false);
    if (const Json* flag = find(object, "programmatic"))
      out.programmatic = values_.truth(*flag, "programmatic").value_or(false);
    const Json* arguments = find(object, "arguments");
    const JsonArray* list = arguments == nullptr ? nullptr : values_.array(*arguments, "arguments");
    if (list == nullptr) return out;
    for (const Json& item : *list) {
      if (auto value = argument(item)) out.arguments.push_back({std::move(*value), item.position});
    }
    return out;
  }

  /// [x, y, z], or fewer of them.
  Extents extents(const Json& json, std::string_view what, std::int64_t most) {
    Extents out;
    if (json.as<std::int64_t>() != nullptr) {
      out.x = static_cast<std::uint32_t>(values_.integer(json, what, 1, most).value_or(1));
      return out;
    }
    const auto* list = json.as<JsonArray>();
    if (list == nullptr) {
      values_.error(json.position,
                    fmt::format("{}: expected a whole number from 1 to {}, or an array of up to 3, found {}",
                                what, most, kind_of(json)));
      return out;
    }
    if (list->empty() || list->size() > 3) {
      values_.error(json.position, fmt::format("{}: expected 1 to 3 numbers, found {}", what, list->size()));
      return out;
    }
    const std::array<std::uint32_t*, 3> sides = {&out.x, &out.y, &out.z};
    for (std::size_t i = 0; i < list->size(); ++i)
      *sides[i] = static_cast<std::uint32_t>(values_.integer((*list)[i], what, 1, most).value_or(1));
    return out;
  }

  void read_peers(const Json& json) {
    const JsonArray* list = values_.array(json, "peers");
    if (list == nullptr) return;
    for (const Json& item : *list) {
      const JsonObject* object = values_.object(item, "a peer");
      if (object == nullptr) continue;
      values_.only(*object, "a peer", "writes scope release");
      Peer out;
      out.position = item.position;
      if (const Json* writes = find(*object, "writes"))
        out.writes = values_.string(*writes, "writes").value_or("");
      if (const Json* scope = find(*object, "scope")) {
        const auto word = values_.string(*scope, "scope");
        if (word == "sys") out.scope = isa::Scope::sys;
        if (word == "gpu") out.scope = isa::Scope::gpu;
        if (word && !out.scope)
          values_.error(scope->position,
                        fmt::format("scope: expected \"sys\" or \"gpu\", found \"{}\"", *word));
      }
      if (const Json* release = find(*object, "release"))
        out.release = values_.truth(*release, "release").value_or(false);
      plan_.peers.push_back(std::move(out));
    }
  }

  std::optional<std::variant<Number, Pointer, MapName>> scalar(const Json& json, const JsonObject& object) {
    if (find(object, "buffer") != nullptr) {
      if (auto out = read_pointer(values_, object, json.position)) return *out;
      return std::nullopt;
    }
    if (const Json* tensor = find(object, "tensor")) {
      values_.only(object, "a tensor", "tensor");
      return MapName{values_.string(*tensor, "tensor").value_or(""), json.position};
    }
    if (object.size() == 1) {
      const auto& [key, value] = object.front();
      if (const auto type = number_type(key.name)) {
        if (auto out = read_number(values_, value, type, key.name)) return *out;
        return std::nullopt;
      }
    }
    values_.error(
        json.position,
        fmt::format("expected {{\"buffer\": NAME}}, {{\"tensor\": NAME}}, {{\"blob\": BYTES, \"fields\": "
                    "...}} or {{TYPE: NUMBER}}, TYPE one of {}",
                    kNumberTypes));
    return std::nullopt;
  }

  std::optional<std::variant<Number, Pointer, MapName, Blob>> argument(const Json& json) {
    const JsonObject* object = values_.object(json, "an argument");
    if (object == nullptr) return std::nullopt;
    const Json* size = find(*object, "blob");
    if (size == nullptr) {
      auto one = scalar(json, *object);
      if (!one) return std::nullopt;
      return std::visit(
          [](auto value) { return std::variant<Number, Pointer, MapName, Blob>(std::move(value)); },
          std::move(*one));
    }
    values_.only(*object, "a blob", "blob fields");
    Blob out;
    out.bytes = static_cast<std::uint64_t>(values_.integer(*size, "blob", 1, kMaxArguments).value_or(1));
    const Json* fields = find(*object, "fields");
    const JsonObject* list = fields == nullptr ? nullptr : values_.object(*fields, "fields");
    if (list == nullptr) return out;
    for (const auto& [at, value] : *list) {
      const auto offset = values_.offset(at, out.bytes);
      const JsonObject* field = values_.object(value, "a field");
      if (!offset || field == nullptr) continue;
      if (auto one = scalar(value, *field)) out.fields.emplace_back(*offset, std::move(*one));
    }
    return out;
  }

  SourcePtr source_;
  Values values_;
  Plan plan_;
};

}  // namespace

Plan read_plan(const SourcePtr& source) {
  return PlanReader(source).run();
}

bool is_plan_name(std::string_view file) {
  return file.ends_with(".json");
}

}  // namespace ptxmc::launch
