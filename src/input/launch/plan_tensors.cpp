// SPDX-License-Identifier: Apache-2.0
#include "input/launch/plan_tensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <string>

#include "input/launch/plan_memory.h"
#include "ptx/isa/table.h"
#include "support/nearest.h"

namespace ptxmc::launch {

namespace {

void list(Values& values, const JsonObject& object, std::string_view key, std::int64_t least,
          std::vector<std::int64_t>& out) {
  const Json* json = find(object, key);
  const JsonArray* items = json == nullptr ? nullptr : values.array(*json, key);
  if (items == nullptr) return;
  if (items->size() > footprint::kMaxDimensions) {
    values.error(json->position, fmt::format("{}: more than {} dimensions", key, footprint::kMaxDimensions));
    return;
  }
  for (const Json& item : *items) out.push_back(values.integer(item, key, least, kMaxBytes).value_or(least));
}

std::int64_t one_of(Values& values, const Json& json, std::string_view key,
                    std::span<const std::int64_t> choices) {
  const auto value = values.integer(json, key, 0, choices.back());
  if (!value || std::find(choices.begin(), choices.end(), *value) != choices.end()) return value.value_or(0);
  values.error(json.position,
               fmt::format("{}: expected one of {} bytes, found {}", key, fmt::join(choices, ", "), *value));
  return 0;
}

isa::TensorElement tensor_element(Values& values, const std::string& name, Position position) {
  std::vector<std::string> known;
  for (int i = 0; i <= static_cast<int>(isa::TensorElement::tf32_ftz); ++i) {
    known.emplace_back(isa::name_of(static_cast<isa::TensorElement>(i)));
    if (known.back() == name) return static_cast<isa::TensorElement>(i);
  }
  const auto near = nearest(name, known);
  values.error(position, fmt::format("type: no tensor has elements of \"{}\"{}", name,
                                     near ? fmt::format("; did you mean \"{}\"?", *near) : std::string()));
  return {};
}

/// "mode": "im2col", with "lower", "upper", "channels" and "pixels".
void pixels(Values& values, const JsonKey& key, const JsonObject& object, footprint::TiledMap& map) {
  footprint::PixelBox out;
  const Json& mode = *find(object, "mode");
  const std::string word = values.string(mode, "mode").value_or("im2col");
  bool known = false;
  for (const isa::LoadMode one :
       {isa::LoadMode::im2col, isa::LoadMode::im2col_w, isa::LoadMode::im2col_w_128}) {
    if (word != isa::name_of(one)) continue;
    out.mode = one;
    known = true;
  }
  if (!known)
    values.error(mode.position,
                 fmt::format("mode: expected im2col, im2col::w or im2col::w::128, found \"{}\"", word));
  constexpr std::int64_t kLeastCorner = -(1 << 15);
  list(values, object, "lower", kLeastCorner, out.lower);
  list(values, object, "upper", kLeastCorner, out.upper);
  if (const Json* channels = find(object, "channels"))
    out.channels = values.integer(*channels, "channels", 1, kMaxBytes).value_or(1);
  out.pixels = 1;
  if (const Json* count = find(object, "pixels"))
    out.pixels = values.integer(*count, "pixels", 1, kMaxBytes).value_or(1);
  const std::size_t rank = map.dims.size();
  const std::size_t corners = isa::is_wide(out.mode) ? 1 : std::max<std::size_t>(rank, 2) - 2;
  if (rank < 3 || out.lower.size() != corners || out.upper.size() != corners || out.channels == 0)
    values.error(
        key.position,
        fmt::format("{}: a tensor in mode {} has 3 to 5 dims, {} lower and upper corner{}, and channels",
                    key.name, word, corners, corners == 1 ? "" : "s"));
  map.pixels = out;
}

Tensor tensor(Values& values, const JsonKey& key, const JsonObject& object) {
  values.only(
      object, key.name,
      "of offset type dims strides box steps swizzle atom interleave fill mode lower upper channels pixels");
  Tensor out;
  out.name = key.name;
  out.position = out.base.position = key.position;
  const bool columns = find(object, "mode") != nullptr;
  for (const std::string_view needed : {"of", "type", "dims", "box"}) {
    if (find(object, needed) == nullptr && !(columns && needed == "box"))
      values.error(key.position, fmt::format("{}: a tensor has \"{}\"", key.name, needed));
  }
  if (const Json* of = find(object, "of")) out.base.buffer = values.string(*of, "of").value_or("");
  if (const Json* offset = find(object, "offset"))
    out.base.offset = values.integer(*offset, "offset", 0, kMaxBytes).value_or(0);
  if (const Json* type = find(object, "type")) {
    if (auto name = values.string(*type, "type"))
      out.map.element = tensor_element(values, *name, type->position);
  }
  list(values, object, "dims", 1, out.map.dims);
  list(values, object, "strides", 0, out.map.strides);
  list(values, object, "box", 1, out.map.box);
  list(values, object, "steps", 1, out.map.steps);
  if (const Json* swizzle = find(object, "swizzle"))
    out.map.swizzle = one_of(values, *swizzle, "swizzle", footprint::kSwizzles);
  if (const Json* atom = find(object, "atom"))
    out.map.atom = one_of(values, *atom, "atom", footprint::kAtoms);
  if (const Json* interleave = find(object, "interleave"))
    out.map.interleave = one_of(values, *interleave, "interleave", footprint::kInterleaves);
  if (const Json* fill = find(object, "fill")) {
    const auto word = values.string(*fill, "fill");
    out.map.fill_nan = word == "nan";
    if (word && word != "nan" && word != "zero")
      values.error(fill->position, fmt::format("fill: expected \"zero\" or \"nan\", found \"{}\"", *word));
  }
  if (columns) {
    if (const Json* box = find(object, "box")) {
      values.error(box->position, "box: a tensor with a mode has \"channels\" and \"pixels\" in its place");
      out.map.box.clear();
    }
    pixels(values, key, object, out.map);
  }
  const std::size_t rank = out.map.dims.size();
  const bool fits = out.map.box.size() == (columns ? 0 : rank) &&
                    (out.map.steps.empty() || out.map.steps.size() == rank) &&
                    (out.map.strides.empty() || out.map.strides.size() + 1 == rank);
  if (!fits)
    values.error(
        key.position,
        fmt::format("{}: {} dims have as many box sizes and steps, and one stride less", key.name, rank));
  return out;
}

}  // namespace

void read_tensors(Values& values, const Json& json, std::vector<Tensor>& out) {
  const JsonObject* object = values.object(json, "tensors");
  if (object == nullptr) return;
  for (const auto& [key, value] : *object) {
    if (const JsonObject* one = values.object(value, key.name)) out.push_back(tensor(values, key, *one));
  }
}

}  // namespace ptxmc::launch
