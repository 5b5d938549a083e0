// SPDX-License-Identifier: Apache-2.0
// What a launch is given, and what that leads to: numbers, buffers with what is known of them, tensor maps, variables.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "input/record/recorder.h"
#include "ptx/isa/products.h"
#include "support/demangle.h"

namespace ptxmc::record {

namespace {

constexpr std::size_t kMapBytes = 128, kMapAlign = 64;

/// CUtensorMapDataType; empty: of no type that a tensor of a launch may have.
std::string element_of(std::uint64_t type) {
  using isa::TensorElement;
  constexpr std::array kTypes = {TensorElement::u8,      TensorElement::u16,     TensorElement::u32,
                                 TensorElement::s32,     TensorElement::u64,     TensorElement::s64,
                                 TensorElement::f16,     TensorElement::f32,     TensorElement::f64,
                                 TensorElement::bf16,    TensorElement::f32_ftz, TensorElement::tf32,
                                 TensorElement::tf32_ftz};
  return type < kTypes.size() ? std::string(isa::name_of(kTypes[type])) : std::string();
}

}  // namespace

std::optional<SceneArgument> Process::argument(const Parameter& parameter, const LaunchCall& call,
                                               Scene& scene) {
  std::string bytes = call.parameters.substr(parameter.offset, parameter.bytes);
  SceneArgument out;
  out.bytes = parameter.bytes;
  out.scalar = parameter.scalar;
  for (std::size_t offset = 0; offset < bytes.size();) {
    if (offset % kMapAlign == 0 && offset + kMapBytes <= bytes.size()) {
      if (const auto map = map_of_bytes_.find(bytes.substr(offset, kMapBytes)); map != map_of_bytes_.end()) {
        if (!add_map(map->second, scene)) return std::nullopt;
        out.fields.emplace_back(offset, MapNumber{map->second});
        offset += kMapBytes;
        continue;
      }
    }
    for (std::size_t i = offset; i < std::min(offset + kWord, bytes.size()); ++i) {
      if (!parameter.read[i]) bytes[i] = 0;
    }
    const std::size_t size = std::min(kWord, bytes.size() - offset);
    const std::uint64_t word = word_at(bytes, offset, size);
    if (size == kWord) {
      const auto one = value(word, scene);
      if (!one) return std::nullopt;
      if (word != 0 || out.scalar) out.fields.emplace_back(offset, *one);
    } else if (out.scalar) {
      out.fields.emplace_back(offset, Bits{word, static_cast<unsigned>(size)});
    } else {
      for (std::size_t i = 0; i < size; ++i) {
        const auto byte = static_cast<unsigned char>(bytes[offset + i]);
        if (byte != 0) out.fields.emplace_back(offset + i, Bits{byte, 1});
      }
    }
    offset += size;
  }
  return out;
}

/// A number, or an address where an allocation is.
std::optional<Value> Process::value(std::uint64_t word, Scene& scene) {
  Allocation* allocation = memory_.find(word);
  if (allocation == nullptr || word == 0) return Bits{word, kWord};
  if (!allocation->variable.empty()) {
    writing_.trouble(
        fmt::format("a launch of `{}` was not recorded: an argument is the address of the variable `{}`",
                    demangled(scene.call.kernel), allocation->variable));
    return std::nullopt;
  }
  const Place out{allocation->number, word - allocation->address};
  add_buffer(*allocation, out.offset, scene);
  return out;
}

/// The buffer, with the addresses that were seen in it, and what is known of it where the launch is led to.
void Process::add_buffer(Allocation& allocation, std::uint64_t offset, Scene& scene) {
  const auto [at, fresh] = scene.buffers.try_emplace(allocation.number);
  SceneBuffer& buffer = at->second;  // which stays where it is
  if (fresh) {
    buffer.bytes = std::max<std::uint64_t>(allocation.bytes, 1);
    buffer.shared = allocation.shared;
    for (const auto& [place, word] : looked_.addresses_in(allocation))
      add_address(buffer, place, word, scene);
  }
  const auto* known = allocation.known_at(offset);
  if (known != nullptr && !buffer.known.contains(known->first)) add_known(*known, buffer, scene);
}

/// A word of a buffer that is an address, unless another thread has freed what was there.
void Process::add_address(SceneBuffer& buffer, std::uint64_t place, std::uint64_t word, Scene& scene) {
  Allocation* target = memory_.find(word);
  if (target == nullptr || !target->variable.empty()) return;
  const std::uint64_t offset = word - target->address;
  if (buffer.fields.emplace(place, Place{target->number, offset}).second) add_buffer(*target, offset, scene);
}

void Process::add_known(const std::pair<const std::uint64_t, Allocation::Known>& known, SceneBuffer& buffer,
                        Scene& scene) {
  const auto& [begin, part] = known;
  Allocation::Known kept = part;
  std::map<std::uint64_t, std::uint64_t> addresses;
  for (std::uint64_t at = (begin + kWord - 1) / kWord * kWord; at + kWord <= begin + part.data.size();
       at += kWord) {
    const std::uint64_t word = word_at(part.data, at - begin, kWord);
    const Allocation* target = word == 0 ? nullptr : memory_.find(word);
    if (target == nullptr) continue;
    if (!target->variable.empty()) return;  // which no file of a launch says
    addresses[at] = word;
    kept.data.replace(at - begin, kWord, kWord, '\0');
  }
  buffer.known.emplace(begin, std::move(kept));
  for (const auto& [place, word] : addresses) add_address(buffer, place, word, scene);
}

bool Process::add_map(std::uint64_t number, Scene& scene) {
  const MapCall& call = maps_[number].call;
  Allocation* base = memory_.find(call.address);
  const std::string type = element_of(call.type);
  constexpr std::uint64_t kMostSwizzle = 6, kFlipped = 5, kMostInterleave = 2;
  const char* why = type.empty()                           ? "elements of less than a byte"
                    : call.swizzle == kFlipped             ? "a swizzling that flips 8 bytes"
                    : call.swizzle > kMostSwizzle          ? "a swizzling that is not modelled"
                    : call.interleave > kMostInterleave    ? "an interleaving that is not known"
                    : base == nullptr || call.address == 0 ? "an address outside of every allocation"
                    : !base->variable.empty()              ? "the address of a variable"
                                                           : nullptr;
  if (why != nullptr) {
    writing_.trouble(fmt::format("a launch of `{}` was not recorded: a tensor map has {}",
                                 demangled(scene.call.kernel), why));
    return false;
  }
  const Place place{base->number, call.address - base->address};
  add_buffer(*base, place.offset, scene);
  scene.tensors[number] = {call, type, place};
  return true;
}

/// What is not said of a variable is as the module has it.
void Process::add_variables(const KernelFacts& facts, Module& module, Scene& scene) {
  const auto add = [&](const std::string& name, bool touched) {
    const auto known = variables_.find({module.number(), name});
    const Allocation* allocation = known == variables_.end() ? nullptr : memory_.find(known->second);
    if (allocation != nullptr && allocation->variable != name) allocation = nullptr;  // of an unloaded module
    const bool written = allocation != nullptr && allocation->written;
    const auto bytes = module.variable_bytes(name);
    if ((!touched && !written) || !bytes) return;
    SceneBuffer buffer;
    buffer.bytes = *bytes;
    const Allocation::Known* whole = touched || allocation == nullptr ? nullptr : allocation->whole();
    if (whole != nullptr) buffer.known[0] = *whole;
    scene.variables[name] = std::move(buffer);
  };
  for (const std::string& name : facts.variables) add(name, module.touched.contains(name));
  for (const std::string& name : facts.constants) add(name, false);
}

}  // namespace ptxmc::record
