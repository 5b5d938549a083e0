// SPDX-License-Identifier: Apache-2.0
#include "input/launch/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "input/launch/entry.h"
#include "input/launch/list.h"
#include "input/launch/numbers.h"
#include "input/launch/usage.h"
#include "support/nearest.h"

namespace ptxmc::launch {

namespace {

constexpr std::uint32_t kAddressBytes = 8;

Position place_of(Position own, const Argument& argument) {
  return own.known() ? own : argument.position;
}

/// "1st", "22nd"
std::string ordinal(std::size_t number) {
  constexpr std::size_t kTen = 10, kTeens = 11, kLastTeen = 13, kHundred = 100;
  const std::size_t last = number % kTen, two = number % kHundred;
  const bool teen = two >= kTeens && two <= kLastTeen;
  return fmt::format("{}{}", number,
                     teen        ? "th"
                     : last == 1 ? "st"
                     : last == 2 ? "nd"
                     : last == 3 ? "rd"
                                 : "th");
}

/// "`n`, int, .u32": its name, unless the compiler numbered it, and its type.
std::string described(const ptx::Function& entry, std::size_t i, const std::vector<std::string>& types) {
  const ptx::Variable& parameter = entry.parameters[i];
  const bool numbered = parameter.name() == fmt::format("{}_param_{}", entry.name.name, i);
  return fmt::format("{}{}.{}", numbered ? "" : fmt::format("`{}`, ", parameter.name()),
                     types.empty() ? "" : types[i] + ", ", type_of(parameter));
}

/// What could stand for a missing argument: an --arg, or what a file of launches has.
std::string example(const Plan& plan, const ptx::Module& module, const ptx::Function& entry, std::size_t i) {
  const std::string word = example_argument(module, entry, i);
  if (plan.source == nullptr) return "--arg " + word;
  if (word.starts_with("tensor:")) return R"({"tensor": "NAME"})";
  if (word.starts_with("buffer:"))
    return fmt::format(R"({{"buffer": "{}"}})", plan.memory.empty() ? "NAME" : plan.memory.front().name);
  if (word.starts_with("blob:") || number_of(entry.parameters[i].type.name).empty())
    return fmt::format(R"({{"blob": {}, "fields": {{}}}})", bytes_of(entry.parameters[i]));
  return fmt::format(R"({{"{}": {}}})", number_of(entry.parameters[i].type.name), word);
}

/// Which arguments are missing, with an example of each, or too many.
std::string difference(const Plan& plan, const ptx::Module& module, const ptx::Function& entry,
                       std::size_t given) {
  constexpr std::size_t kMostShown = 8;
  const std::size_t wanted = entry.parameters.size();
  if (given == wanted + 1) return ": the last is one too many";
  if (given > wanted) return fmt::format(": the last {} are too many", given - wanted);
  const std::vector<std::string> types = parameter_types(entry);
  std::string out;
  for (std::size_t i = given; i < wanted; ++i) {
    if (i - given == kMostShown) return out + fmt::format("; and {} more", wanted - i);
    out += fmt::format("; {} the {} ({}), such as {}", i == given ? "no value for" : "nor for",
                       ordinal(i + 1), described(entry, i, types), example(plan, module, entry, i));
  }
  return out;
}

}  // namespace

std::string name_of_buffer(const std::string& name) {
  const bool is_register =
      name.size() > 1 && name.front() == 'r' && name.find_first_not_of("0123456789", 1) == std::string::npos;
  const bool is_word = name == "true" || name == "false" || name == "not" || name == "_" || name == "WARP_SZ";
  return is_register || is_word ? name + "_" : name;
}

std::optional<std::uint64_t> bits_of(const Number& number, std::string_view type, std::uint32_t bytes) {
  const auto* integer = std::get_if<std::int64_t>(&number.value);
  const double real = integer == nullptr ? std::get<double>(number.value)
                      : number.large     ? static_cast<double>(static_cast<std::uint64_t>(*integer))
                                         : static_cast<double>(*integer);
  const bool floating =
      type.starts_with('f') || (number.type && number.type->cls == isa::TypeClass::floating);
  if (floating && bytes == 4) {
    if (std::isfinite(real) && std::abs(real) > std::numeric_limits<float>::max()) return std::nullopt;
    return std::bit_cast<std::uint32_t>(static_cast<float>(real));
  }
  if (floating && bytes == 8) return std::bit_cast<std::uint64_t>(real);
  if (integer == nullptr || bytes > 8 || floating) return std::nullopt;
  const auto bits = static_cast<std::uint64_t>(*integer);
  if (bytes == 8) return bits;
  if (number.large) return std::nullopt;
  const std::int64_t least = -(std::int64_t{1} << (bytes * 8 - 1)),
                     most = (std::int64_t{1} << (bytes * 8)) - 1;
  if (*integer < least || *integer > most) return std::nullopt;
  return bits & ((std::uint64_t{1} << (bytes * 8)) - 1);
}

Parameters::Parameters(const Plan& plan, const Launch& launch, const ptx::Module& module,
                       const ptx::Function& entry, Diagnostics& diagnostics)
    : diagnostics_(diagnostics) {
  for (const Buffer& buffer : plan.memory) buffers_.insert(buffer.name);
  for (const Tensor& tensor : plan.tensors) tensors_.emplace(tensor.name, &tensor);
  const std::size_t wanted = entry.parameters.size(), given = launch.arguments.size();
  if (wanted != given) {
    const Position position = given > wanted ? launch.arguments[wanted].position : launch.position;
    diagnostics_.error(position,
                       fmt::format("`{}` takes {} argument{}, found {}{}", demangled(entry.name.name), wanted,
                                   wanted == 1 ? "" : "s", given, difference(plan, module, entry, given)));
  }
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < std::min(wanted, given); ++i) {
    const ptx::Variable& declared = entry.parameters[i];
    Parameter parameter;
    parameter.bytes = bytes_of(declared);
    parameter.align = alignment_of(declared);
    const std::uint64_t align = std::max<std::uint64_t>(parameter.align, 1);
    parameter.place = (end + align - 1) / align * align;
    end = parameter.place + parameter.bytes;
    parameter.data.resize(parameter.bytes);
    parameter.position = declared.position;
    fill(parameter, declared, launch.arguments[i]);
    parameters_.emplace(declared.name(), std::move(parameter));
  }
}

void Parameters::fill(Parameter& out, const ptx::Variable& declared, const Argument& argument) {
  const auto wrong = [&](const std::string& what) {
    diagnostics_.error(argument.position, fmt::format("parameter `{}` is .{} of {} bytes: {}",
                                                      declared.name(), type_of(declared), out.bytes, what));
  };
  if (const auto* number = std::get_if<Number>(&argument.value)) {
    const std::uint32_t bytes =
        number->type ? number->type->bits / 8u : static_cast<std::uint32_t>(out.bytes);
    if (out.bytes > 8) return wrong("a number has 8 at most; a structure is a blob, or a tensor map");
    if (bytes != out.bytes) return wrong(fmt::format("the argument has {}", bytes));
    Number plain = *number;
    if (!bits_of(plain, declared.type.name, bytes)) return wrong("the number does not fit");
    if (!plain.type && declared.type.name.starts_with('f'))
      plain.type = isa::Type{isa::TypeClass::floating, static_cast<std::uint16_t>(bytes * 8)};
    return put(out, 0, plain, bytes);
  }
  if (const auto* pointer = std::get_if<Pointer>(&argument.value)) {
    if (out.bytes != kAddressBytes) return wrong("an address has 8");
    return put(out, 0, *pointer);
  }
  if (const auto* map = std::get_if<MapName>(&argument.value)) {
    if (out.bytes == kAddressBytes) {
      out.addresses.emplace(0, Pointer{name_of_buffer(map->tensor), 0, map->position});
      in_memory_.push_back(*map);
    } else if (out.bytes == footprint::kMapBytes) {
      out.map = *map;
    } else {
      wrong("a tensor map has 128, its address 8");
    }
    return;
  }
  const Blob& blob = std::get<Blob>(argument.value);
  if (blob.bytes != out.bytes) return wrong(fmt::format("the blob has {}", blob.bytes));
  for (const auto& [offset, value] : blob.fields) {
    const auto* number = std::get_if<Number>(&value);
    const std::uint32_t bytes = number != nullptr                        ? number->type->bits / 8u
                                : std::holds_alternative<Pointer>(value) ? kAddressBytes
                                                                         : footprint::kMapBytes;
    const Position position = std::visit([](const auto& field) { return field.position; }, value);
    if (offset > out.bytes || bytes > out.bytes - offset) {
      diagnostics_.error(
          place_of(position, argument),
          fmt::format("{} bytes at {} are not inside of the blob's {}", bytes, offset, out.bytes));
    } else if (number != nullptr) {
      put(out, offset, *number, bytes);
    } else if (const auto* pointer = std::get_if<Pointer>(&value)) {
      put(out, offset, *pointer);
    } else if (bytes == out.bytes) {
      out.map = std::get<MapName>(value);
    } else {
      out.inner.emplace_back(offset, std::get<MapName>(value));
    }
  }
}

void Parameters::put(Parameter& out, std::uint64_t offset, const Number& number, std::uint32_t bytes) {
  const auto bits = bits_of(number, "", bytes);
  if (!bits) {
    diagnostics_.error(number.position, fmt::format("the number does not fit {} bytes", bytes));
    return;
  }
  for (std::uint32_t i = 0; i < bytes; ++i)
    out.data[offset + i] = static_cast<std::uint8_t>(*bits >> (8 * i));
}

void Parameters::put(Parameter& out, std::uint64_t offset, const Pointer& pointer) {
  if (!known(pointer)) return;
  Pointer named = pointer;
  named.buffer = name_of_buffer(pointer.buffer);
  out.addresses.emplace(offset, std::move(named));
}

bool Parameters::known(const Pointer& pointer) {
  if (buffers_.contains(pointer.buffer)) return true;
  const auto near = nearest(pointer.buffer, {buffers_.begin(), buffers_.end()});
  diagnostics_.error(pointer.position,
                     fmt::format("no buffer is named `{}`{}", pointer.buffer,
                                 near ? fmt::format("; did you mean `{}`?", *near) : std::string()));
  return false;
}

const MapName* Parameters::map_at(const std::string& name, std::int64_t offset, std::uint32_t bytes) const {
  const Parameter& parameter = parameters_.at(name);
  if (parameter.map) return &*parameter.map;
  for (const auto& [begin, map] : parameter.inner) {
    const std::int64_t at = offset - static_cast<std::int64_t>(begin);
    if (at < footprint::kMapBytes && at + static_cast<std::int64_t>(bytes) > 0) return &map;
  }
  return nullptr;
}

std::optional<Piece> Parameters::at(const std::string& name, std::int64_t offset, std::uint32_t bytes) const {
  const Parameter& parameter = parameters_.at(name);
  const bool inside = offset >= 0 && static_cast<std::uint64_t>(offset) + bytes <= parameter.bytes;
  if (!inside || bytes > 8 || map_at(name, offset, bytes) != nullptr) return std::nullopt;
  const auto begin = static_cast<std::uint64_t>(offset);
  for (const auto& [at, pointer] : parameter.addresses) {
    if (at == begin && bytes == kAddressBytes) return pointer;
    if (at < begin + bytes && begin < at + kAddressBytes) return std::nullopt;
  }
  std::uint64_t out = 0;
  for (std::uint32_t i = 0; i < bytes; ++i) out |= std::uint64_t{parameter.data[begin + i]} << (8 * i);
  return out;
}

std::optional<program::TensorMap> Parameters::map_of(const MapName& name) const {
  const auto tensor = tensors_.find(name.tensor);
  if (tensor == tensors_.end()) return std::nullopt;
  program::TensorMap map;
  static_cast<footprint::TiledMap&>(map) = tensor->second->map;
  map.base = name_of_buffer(tensor->second->base.buffer);
  map.offset = tensor->second->base.offset;
  return map;
}

std::vector<program::Variable> Parameters::maps_in_memory() const {
  std::vector<program::Variable> found;
  for (const MapName& name : in_memory_) {
    program::Variable out;
    out.name = name_of_buffer(name.tensor);
    out.type = isa::Type{isa::TypeClass::bits, 8};
    out.elements = footprint::kMapBytes;
    out.align = footprint::kMapBytes;
    out.is_array = out.ptx_form = true;
    out.map = map_of(name);
    if (out.map) {
      found.push_back(std::move(out));
    } else {
      diagnostics_.error(name.position, fmt::format("no tensor is named `{}`", name.tensor));
    }
  }
  return found;
}

std::optional<program::Variable> Parameters::object(const std::string& name, std::string& why,
                                                    std::vector<program::InnerMap>* inner) const {
  const Parameter& parameter = parameters_.at(name);
  program::Variable out;
  out.name = name;
  out.space = isa::Space::param;
  out.align = parameter.align;
  out.ptx_form = true;
  out.is_array = true;
  out.position = parameter.position;
  if (!parameter.inner.empty() && inner == nullptr) {
    why = fmt::format("tensor map `{}` is a part of a parameter", parameter.inner.front().second.tensor);
    return std::nullopt;
  }
  const auto no_tensor = [&](const MapName& map) {
    why = fmt::format("no tensor is named `{}`", map.tensor);
    return std::nullopt;
  };
  if (parameter.map) {
    out.type = isa::Type{isa::TypeClass::bits, 8};
    out.elements = footprint::kMapBytes;
    out.map = map_of(*parameter.map);
    if (!out.map) return no_tensor(*parameter.map);
    return out;
  }
  for (const auto& [offset, part] : parameter.inner) {
    const auto map = map_of(part);
    if (!map) return no_tensor(part);
    inner->push_back({name, offset, *map});
  }
  const std::uint32_t size = parameter.bytes % 8 == 0 ? 8 : parameter.bytes % 4 == 0 ? 4 : 1;
  out.type = isa::Type{isa::TypeClass::bits, static_cast<std::uint16_t>(size * 8)};
  out.elements = static_cast<std::uint32_t>(parameter.bytes / size);
  for (std::uint64_t offset = 0; offset < parameter.bytes; offset += size) {
    const bool of_map = std::any_of(parameter.inner.begin(), parameter.inner.end(), [&](const auto& part) {
      return offset >= part.first && offset < part.first + footprint::kMapBytes;
    });
    if (of_map) {
      out.initial.emplace_back();
      continue;
    }
    const auto piece = at(name, static_cast<std::int64_t>(offset), size);
    const auto* pointer = piece ? std::get_if<Pointer>(&*piece) : nullptr;
    if (!piece) {
      why = fmt::format("bytes {} to {} of parameter `{}` hold a part of an address", offset,
                        offset + size - 1, name);
      return std::nullopt;
    }
    out.initial.push_back(pointer != nullptr
                              ? program::InitialValue{pointer->offset, pointer->buffer}
                              : program::InitialValue{static_cast<std::int64_t>(std::get<0>(*piece)), {}});
  }
  return out;
}

}  // namespace ptxmc::launch
