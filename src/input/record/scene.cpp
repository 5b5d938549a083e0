// SPDX-License-Identifier: Apache-2.0
#include "input/record/scene.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "support/text.h"

namespace ptxmc::record {

namespace {

constexpr std::size_t kSpelled = 256;  // bytes of contents in the file itself

std::string extents(const std::vector<std::uint64_t>& sizes) {
  return fmt::format("[{}]", fmt::join(sizes, ", "));
}

/// Names in the order in which the arguments ask for them: two launches that differ in addresses alone are one text.
class Plan {
 public:
  Plan(const std::vector<Scene>& scenes, std::map<std::string, std::string>& files)
      : scenes_(scenes), files_(files) {}

  std::string print() {
    std::vector<std::string> launches;
    for (const Scene& scene : scenes_) launches.push_back(launch(scene));
    std::string out = "{ \"module\": \"module.ptx\"";
    if (scenes_.size() == 1) {
      out += launches.front();
    } else {
      for (std::string& one : launches) one = "{" + one.substr(one.find_first_not_of(", \n")) + "}";
      out += fmt::format(",\n  \"launches\": [\n    {}]", fmt::join(launches, ",\n    "));
    }
    section(out, "variables", variables());
    section(out, "tensors", tensors());  // names memory
    section(out, "memory", memory());
    return out + " }\n";
  }

 private:
  static void section(std::string& out, const char* name, const std::vector<std::string>& entries) {
    if (!entries.empty())
      out += fmt::format(",\n  \"{}\": {{\n    {} }}", name, fmt::join(entries, ",\n    "));
  }

  std::string launch(const Scene& scene) {
    const LaunchCall& call = scene.call;
    std::string out = fmt::format(",\n  \"entry\": \"{}\", \"grid\": {}, \"block\": {}", call.kernel,
                                  extents(call.grid), extents(call.block));
    if (!call.cluster.empty()) out += fmt::format(", \"cluster\": {}", extents(call.cluster));
    if (call.shared != 0) out += fmt::format(", \"shared\": {}", call.shared);
    if (call.cooperative != 0) out += ", \"cooperative\": true";
    if (call.programmatic != 0) out += ", \"programmatic\": true";
    std::vector<std::string> arguments;
    for (const SceneArgument& one : scene.arguments) arguments.push_back(argument(one));
    return out + fmt::format(",\n  \"arguments\": [{}]", fmt::join(arguments, ", "));
  }
  std::string argument(const SceneArgument& argument) {
    if (argument.scalar) return value(argument.fields.front().second);
    std::vector<std::string> fields;
    for (const auto& [offset, field] : argument.fields) {
      if (offset == 0 && argument.bytes == 128 && std::holds_alternative<MapNumber>(field))
        return value(field);
      fields.push_back(fmt::format("\"{}\": {}", offset, value(field)));
    }
    if (fields.empty()) return fmt::format("{{\"blob\": {}}}", argument.bytes);
    return fmt::format("{{\"blob\": {}, \"fields\": {{{}}}}}", argument.bytes, fmt::join(fields, ", "));
  }
  std::string value(const Value& value) {
    if (const auto* place = std::get_if<Place>(&value)) return place_of(*place);
    if (const auto* map = std::get_if<MapNumber>(&value))
      return fmt::format("{{\"tensor\": \"{}\"}}", tensor(map->number));
    const Bits& bits = std::get<Bits>(value);
    return fmt::format("{{\"u{}\": {}}}", bits.bytes * 8, bits.value);
  }
  std::string place_of(const Place& place) {
    if (place.offset == 0) return fmt::format("{{\"buffer\": \"{}\"}}", buffer(place.allocation));
    return fmt::format("{{\"buffer\": \"{}\", \"offset\": {}}}", buffer(place.allocation), place.offset);
  }

  std::string buffer(std::uint64_t allocation) {
    const auto [at, fresh] = buffers_.try_emplace(allocation, fmt::format("m{}", buffers_.size()));
    if (fresh) order_.push_back(allocation);
    return at->second;
  }
  std::string tensor(std::uint64_t map) {
    const auto [at, fresh] = tensors_.try_emplace(map, fmt::format("t{}", tensors_.size()));
    if (fresh) tensor_order_.push_back(map);
    return at->second;
  }

  template <typename Member, typename Key>
  const auto& first(Member member, const Key& key) const {
    const auto found = std::find_if(scenes_.begin(), scenes_.end(),
                                    [&](const Scene& scene) { return (scene.*member).contains(key); });
    return ((*found).*member).at(key);
  }

  std::vector<std::string> memory() {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < order_.size(); ++i) {  // which grows by what buffers point to
      const SceneBuffer& one = first(&Scene::buffers, order_[i]);
      out.push_back(fmt::format("\"{}\": {}", buffers_.at(order_[i]), entry(one)));
    }
    return out;
  }
  std::vector<std::string> variables() {
    std::map<std::string, std::string> out;
    for (const Scene& scene : scenes_) {
      for (const auto& [name, one] : scene.variables)
        out.try_emplace(name, fmt::format("\"{}\": {}", name, entry(one)));
    }
    std::vector<std::string> entries;
    for (const auto& [name, text] : out) entries.push_back(text);
    return entries;
  }
  std::vector<std::string> tensors() {
    std::vector<std::string> out;
    for (const std::uint64_t map : tensor_order_) {
      const SceneTensor& one = first(&Scene::tensors, map);
      constexpr std::uint64_t kInterleaved[] = {0, 16, 32}, kSwizzled[] = {0, 32, 64, 128, 128, 0, 128},
                              kAtoms[] = {0, 0, 0, 0, 32, 0, 64};
      std::string text =
          fmt::format("\"{}\": {{\"of\": \"{}\"", tensors_.at(map), buffer(one.base.allocation));
      if (one.base.offset != 0) text += fmt::format(", \"offset\": {}", one.base.offset);
      text += fmt::format(", \"type\": \"{}\", \"dims\": {}, \"box\": {}, \"steps\": {}", one.type,
                          extents(one.call.dims), extents(one.call.box), extents(one.call.steps));
      if (!one.call.strides.empty()) text += fmt::format(", \"strides\": {}", extents(one.call.strides));
      if (one.call.swizzle != 0) text += fmt::format(", \"swizzle\": {}", kSwizzled[one.call.swizzle]);
      if (kAtoms[one.call.swizzle] != 0) text += fmt::format(", \"atom\": {}", kAtoms[one.call.swizzle]);
      if (one.call.interleave != 0)
        text += fmt::format(", \"interleave\": {}", kInterleaved[one.call.interleave]);
      if (one.call.fill != 0) text += ", \"fill\": \"nan\"";
      out.push_back(text + "}");
    }
    return out;
  }

  std::string entry(const SceneBuffer& one) {
    std::string out = fmt::format("{{\"bytes\": {}, ", one.bytes);
    const auto first = one.known.find(0);
    const bool whole = first != one.known.end() && first->second.bytes == one.bytes;
    const std::size_t widest = one.bytes % 4 == 0 ? 4 : 1;
    out += whole ? contents(first->second, one.fields.empty() ? widest : kWord) : "\"data\": \"opaque\"";
    if (!whole && !one.known.empty()) {
      std::vector<std::string> ranges;
      for (const auto& [offset, part] : one.known)
        ranges.push_back(fmt::format("\"{}\": {{\"bytes\": {}, {}}}", offset, part.bytes,
                                     contents(part, offset % 4 == 0 && part.bytes % 4 == 0 ? widest : 1)));
      out += fmt::format(", \"ranges\": {{{}}}", fmt::join(ranges, ", "));
    }
    if (one.fields.empty()) return out + "}";
    std::vector<std::string> fields;
    for (const auto& [offset, place] : one.fields)
      fields.push_back(fmt::format("\"{}\": {}", offset, place_of(place)));
    return out + fmt::format(", \"fields\": {{{}}}}}", fmt::join(fields, ", "));
  }
  std::string contents(const Allocation::Known& part, std::size_t element) {
    if (part.zero()) return "\"data\": \"zero\"";
    const std::string type = fmt::format("\"type\": \"u{}\"", element * 8);
    if (part.data.size() > kSpelled) {
      const std::string name = fmt::format("data-{:016x}.bin", hash_of_text(part.data));
      files_[name] = part.data;
      return fmt::format("{}, \"data\": \"{}\"", type, name);
    }
    std::vector<std::uint64_t> numbers;
    for (std::size_t at = 0; at < part.data.size(); at += element) {
      std::uint64_t number = 0;
      std::memcpy(&number, part.data.data() + at, element);
      numbers.push_back(number);
    }
    return fmt::format("{}, \"data\": {}", type, extents(numbers));
  }

  const std::vector<Scene>& scenes_;
  std::map<std::string, std::string>& files_;
  std::map<std::uint64_t, std::string> buffers_, tensors_;
  std::vector<std::uint64_t> order_, tensor_order_;
};

}  // namespace

void Scene::forget_contents() {
  const auto forget = [](auto& all) {
    for (auto& [key, buffer] : all) {
      buffer.known.clear();
      buffer.fields.clear();
    }
  };
  forget(buffers);
  forget(variables);
}

std::string plan_of(const std::vector<Scene>& scenes, std::map<std::string, std::string>& files) {
  return Plan(scenes, files).print();
}

}  // namespace ptxmc::record
