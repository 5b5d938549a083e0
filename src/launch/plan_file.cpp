// SPDX-License-Identifier: Apache-2.0
#include "launch/plan_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "isa/table.h"
#include "launch/fields.h"
#include "launch/numbers.h"
#include "support/nearest.h"

namespace ptxmc::launch {

namespace {

constexpr std::int64_t kMaxExtent = 0x7fffffff;  // of a grid
constexpr std::int64_t kMaxBlock = 1024;
constexpr std::int64_t kMaxCluster = 16;
constexpr std::int64_t kMaxShared = 1 << 20;
constexpr std::int64_t kMaxBytes = std::int64_t{1} << 40;
constexpr std::uint64_t kMaxArguments = 32764;  // bytes of a kernel's parameters

class Reader {
 public:
  explicit Reader(const SourcePtr& source) : source_(source), values_(source) {}

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
                 fmt::format("module memory variables tensors peers launches {}", kOfLaunch));
    if (const Json* module = find(object, "module")) {
      plan_.module_position = module->position;
      if (auto name = values_.string(*module, "module")) plan_.module = *name;
    } else {
      values_.error({1, 1, 1}, "a file of launches names its \"module\"");
    }
    if (const Json* memory = find(object, "memory")) buffers(*memory, "memory", plan_.memory);
    if (const Json* variables = find(object, "variables")) buffers(*variables, "variables", plan_.variables);
    for (const Buffer& variable : plan_.variables) {
      if (!variable.multicast.empty())
        values_.error(variable.position, "multicast: a variable of the module is memory of its own");
    }
    if (const Json* tensors = find(object, "tensors")) read_tensors(*tensors);
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

  // ---- Memory -----------------------------------------------------------------------------------------------

  void buffers(const Json& json, std::string_view what, std::vector<Buffer>& out) {
    const JsonObject* object = values_.object(json, what);
    if (object == nullptr) return;
    for (const auto& [key, value] : *object) {
      if (const JsonObject* one = values_.object(value, key.name)) out.push_back(buffer(key, *one));
    }
  }

  Buffer buffer(const JsonKey& key, const JsonObject& object) {
    if (const Json* locations = find(object, "multicast")) return multicast(key, object, *locations);
    values_.only(object, key.name, "bytes space data type ranges fields multicast");
    Buffer out;
    out.name = key.name;
    out.position = key.position;
    if (const Json* bytes = find(object, "bytes")) {
      out.bytes = static_cast<std::uint64_t>(values_.integer(*bytes, "bytes", 1, kMaxBytes).value_or(1));
    }
    if (const Json* space = find(object, "space")) {
      const std::optional<std::string> name = values_.string(*space, "space");
      if (name == "const") out.space = isa::Space::const_;
      if (name && name != "global" && name != "const")
        values_.error(space->position,
                      fmt::format("space: expected \"global\" or \"const\", found \"{}\"", *name));
    }
    if (const Json* type = find(object, "type")) out.type = element_type(*type);
    if (const Json* data = find(object, "data")) out.contents = contents(*data);
    const Json* bytes = find(object, "bytes");
    if (bytes == nullptr)
      values_.error(key.position, fmt::format("{}: expected its size, \"bytes\"", key.name));
    if (const Json* ranges = find(object, "ranges")) read_ranges(*ranges, out);
    if (const Json* fields = find(object, "fields")) {
      const JsonObject* list = values_.object(*fields, "fields");
      if (list == nullptr) return out;
      for (const auto& [at, value] : *list) {
        const auto offset = values_.offset(at, out.bytes);
        const JsonObject* target = values_.object(value, "a field of memory");
        if (target == nullptr || !offset) continue;
        if (auto to = pointer(*target, value.position)) out.fields.emplace_back(*offset, std::move(*to));
      }
    }
    return out;
  }

  /// {"multicast": ["A0", "A1"]}: no memory, but a multimem address of that of several devices.
  Buffer multicast(const JsonKey& key, const JsonObject& object, const Json& locations) {
    values_.only(object, fmt::format("{}, a multimem address,", key.name), "multicast");
    Buffer out;
    out.name = key.name;
    out.position = key.position;
    const JsonArray* names = values_.array(locations, "multicast");
    if (names == nullptr) return out;
    for (const Json& name : *names) out.multicast.push_back(values_.string(name, "multicast").value_or(""));
    if (out.multicast.empty())
      values_.error(locations.position, "multicast: expected the names of the devices' buffers");
    return out;
  }

  void read_ranges(const Json& json, Buffer& out) {
    const JsonObject* list = values_.object(json, "ranges");
    if (list == nullptr) return;
    for (const auto& [at, value] : *list) {
      const auto offset = values_.offset(at, out.bytes);
      const JsonObject* object = values_.object(value, "a range");
      if (!offset || object == nullptr) continue;
      values_.only(*object, "a range", "bytes data");
      Buffer::Range range;
      range.begin = *offset;
      const Json* bytes = find(*object, "bytes");
      const Json* data = find(*object, "data");
      if (bytes == nullptr || data == nullptr) {
        values_.error(at.position, "a range has \"bytes\" and \"data\"");
        continue;
      }
      const auto left = static_cast<std::int64_t>(out.bytes - *offset);
      range.bytes = static_cast<std::uint64_t>(values_.integer(*bytes, "bytes", 0, left).value_or(0));
      range.contents = contents(*data);
      out.ranges.push_back(std::move(range));
    }
  }

  std::optional<isa::Type> element_type(const Json& json) {
    const std::optional<std::string> name = values_.string(json, "type");
    if (!name) return std::nullopt;
    if (auto type = number_type(*name)) return type;
    values_.error(json.position, fmt::format("type: expected one of {}, found \"{}\"", kNumberTypes, *name));
    return std::nullopt;
  }

  /// "opaque", "zero", "file.bin" or [1, 2].
  Contents contents(const Json& json) {
    Contents out;
    out.position = json.position;
    if (const auto* word = json.as<std::string>()) {
      out.kind = *word == "opaque" ? Contents::Kind::opaque
                 : *word == "zero" ? Contents::Kind::zero
                                   : Contents::Kind::file;
      out.file = *word;
      return out;
    }
    const JsonArray* list = values_.array(json, "data: \"opaque\", \"zero\", a file, or numbers");
    if (list == nullptr) return out;
    out.kind = Contents::Kind::numbers;
    for (const Json& item : *list) {
      if (auto value = number(item, std::nullopt, "an element of data")) out.numbers.push_back(*value);
    }
    return out;
  }

  std::optional<Number> number(const Json& json, std::optional<isa::Type> type, std::string_view what) {
    Number out{type, std::int64_t{0}, json.position};
    if (const auto* integer = json.as<std::int64_t>()) {
      out.value = *integer;
    } else if (const auto* large = json.as<std::uint64_t>()) {
      out.value = static_cast<std::int64_t>(*large);
    } else if (const auto* real = json.as<double>()) {
      out.value = *real;
    } else {
      values_.error(json.position, fmt::format("{}: expected a number, found {}", what, kind_of(json)));
      return std::nullopt;
    }
    return out;
  }

  // ---- Tensors, peers ---------------------------------------------------------------------------------------

  void read_tensors(const Json& json) {
    const JsonObject* object = values_.object(json, "tensors");
    if (object == nullptr) return;
    for (const auto& [key, value] : *object) {
      if (const JsonObject* one = values_.object(value, key.name)) plan_.tensors.push_back(tensor(key, *one));
    }
  }

  Tensor tensor(const JsonKey& key, const JsonObject& object) {
    values_.only(
        object, key.name,
        "of offset type dims strides box steps swizzle interleave fill mode lower upper channels pixels");
    Tensor out;
    out.name = key.name;
    out.position = out.base.position = key.position;
    const bool columns = find(object, "mode") != nullptr;
    for (const std::string_view needed : {"of", "type", "dims", "box"}) {
      if (find(object, needed) == nullptr && !(columns && needed == "box"))
        values_.error(key.position, fmt::format("{}: a tensor has \"{}\"", key.name, needed));
    }
    if (const Json* of = find(object, "of")) out.base.buffer = values_.string(*of, "of").value_or("");
    if (const Json* offset = find(object, "offset"))
      out.base.offset = values_.integer(*offset, "offset", 0, kMaxBytes).value_or(0);
    if (const Json* type = find(object, "type")) {
      if (auto name = values_.string(*type, "type")) out.map.element = tensor_element(*name, type->position);
    }
    list(object, "dims", 1, out.map.dims);
    list(object, "strides", 0, out.map.strides);
    list(object, "box", 1, out.map.box);
    list(object, "steps", 1, out.map.steps);
    if (const Json* swizzle = find(object, "swizzle"))
      out.map.swizzle = one_of(*swizzle, "swizzle", footprint::kSwizzles);
    if (const Json* interleave = find(object, "interleave"))
      out.map.interleave = one_of(*interleave, "interleave", footprint::kInterleaves);
    if (const Json* fill = find(object, "fill")) {
      const auto word = values_.string(*fill, "fill");
      out.map.fill_nan = word == "nan";
      if (word && word != "nan" && word != "zero")
        values_.error(fill->position, fmt::format("fill: expected \"zero\" or \"nan\", found \"{}\"", *word));
    }
    if (columns) {
      if (const Json* box = find(object, "box")) {
        values_.error(box->position,
                      "box: a tensor with a mode has \"channels\" and \"pixels\" in its place");
        out.map.box.clear();
      }
      pixels(key, object, out.map);
    }
    const std::size_t rank = out.map.dims.size();
    const bool fits = out.map.box.size() == (columns ? 0 : rank) &&
                      (out.map.steps.empty() || out.map.steps.size() == rank) &&
                      (out.map.strides.empty() || out.map.strides.size() + 1 == rank);
    if (!fits)
      values_.error(
          key.position,
          fmt::format("{}: {} dims have as many box sizes and steps, and one stride less", key.name, rank));
    return out;
  }

  std::int64_t one_of(const Json& json, std::string_view key, std::span<const std::int64_t> choices) {
    const auto value = values_.integer(json, key, 0, choices.back());
    if (!value || std::find(choices.begin(), choices.end(), *value) != choices.end())
      return value.value_or(0);
    values_.error(json.position, fmt::format("{}: expected one of {} bytes, found {}", key,
                                             fmt::join(choices, ", "), *value));
    return 0;
  }

  /// "mode": "im2col", with "lower", "upper", "channels" and "pixels".
  void pixels(const JsonKey& key, const JsonObject& object, footprint::TiledMap& map) {
    footprint::PixelBox out;
    const Json& mode = *find(object, "mode");
    const std::string word = values_.string(mode, "mode").value_or("im2col");
    bool known = false;
    for (const isa::LoadMode one :
         {isa::LoadMode::im2col, isa::LoadMode::im2col_w, isa::LoadMode::im2col_w_128}) {
      if (word != isa::name_of(one)) continue;
      out.mode = one;
      known = true;
    }
    if (!known)
      values_.error(mode.position,
                    fmt::format("mode: expected im2col, im2col::w or im2col::w::128, found \"{}\"", word));
    constexpr std::int64_t kLeastCorner = -(1 << 15);
    list(object, "lower", kLeastCorner, out.lower);
    list(object, "upper", kLeastCorner, out.upper);
    if (const Json* channels = find(object, "channels"))
      out.channels = values_.integer(*channels, "channels", 1, kMaxBytes).value_or(1);
    out.pixels = 1;
    if (const Json* count = find(object, "pixels"))
      out.pixels = values_.integer(*count, "pixels", 1, kMaxBytes).value_or(1);
    const std::size_t rank = map.dims.size();
    const std::size_t corners = isa::is_wide(out.mode) ? 1 : std::max<std::size_t>(rank, 2) - 2;
    if (rank < 3 || out.lower.size() != corners || out.upper.size() != corners || out.channels == 0)
      values_.error(
          key.position,
          fmt::format("{}: a tensor in mode {} has 3 to 5 dims, {} lower and upper corner{}, and channels",
                      key.name, word, corners, corners == 1 ? "" : "s"));
    map.pixels = out;
  }

  isa::TensorElement tensor_element(const std::string& name, Position position) {
    std::vector<std::string> known;
    for (int i = 0; i <= static_cast<int>(isa::TensorElement::tf32_ftz); ++i) {
      known.emplace_back(isa::name_of(static_cast<isa::TensorElement>(i)));
      if (known.back() == name) return static_cast<isa::TensorElement>(i);
    }
    const auto near = nearest(name, known);
    values_.error(position, fmt::format("type: no tensor has elements of \"{}\"{}", name,
                                        near ? fmt::format("; did you mean \"{}\"?", *near) : std::string()));
    return {};
  }

  void list(const JsonObject& object, std::string_view key, std::int64_t least,
            std::vector<std::int64_t>& out) {
    const Json* json = find(object, key);
    const JsonArray* items = json == nullptr ? nullptr : values_.array(*json, key);
    if (items == nullptr) return;
    if (items->size() > footprint::kMaxDimensions) {
      values_.error(json->position,
                    fmt::format("{}: more than {} dimensions", key, footprint::kMaxDimensions));
      return;
    }
    for (const Json& item : *items)
      out.push_back(values_.integer(item, key, least, kMaxBytes).value_or(least));
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

  // ---- Arguments --------------------------------------------------------------------------------------------

  /// {"buffer": "A", "offset": 0}
  std::optional<Pointer> pointer(const JsonObject& object, Position position) {
    values_.only(object, "an address", "buffer offset");
    Pointer out;
    out.position = position;
    const Json* buffer = find(object, "buffer");
    if (buffer == nullptr) {
      values_.error(position, "an address names its \"buffer\"");
      return std::nullopt;
    }
    out.buffer = values_.string(*buffer, "buffer").value_or("");
    if (const Json* offset = find(object, "offset"))
      out.offset = values_.integer(*offset, "offset", -kMaxBytes, kMaxBytes).value_or(0);
    return out;
  }

  std::optional<std::variant<Number, Pointer, MapName>> scalar(const Json& json, const JsonObject& object) {
    if (find(object, "buffer") != nullptr) {
      if (auto out = pointer(object, json.position)) return *out;
      return std::nullopt;
    }
    if (const Json* tensor = find(object, "tensor")) {
      values_.only(object, "a tensor", "tensor");
      return MapName{values_.string(*tensor, "tensor").value_or(""), json.position};
    }
    if (object.size() == 1) {
      const auto& [key, value] = object.front();
      if (const auto type = number_type(key.name)) {
        if (auto out = number(value, type, key.name)) return *out;
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
  return Reader(source).run();
}

bool is_plan_name(std::string_view file) {
  return file.ends_with(".json");
}

}  // namespace ptxmc::launch
