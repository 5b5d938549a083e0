// SPDX-License-Identifier: Apache-2.0
// One operand: what its place takes (isa::Kind), as the test wrote it.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ptx/isa/matrix.h"
#include "ptx/isa/warp.h"
#include "ptx/resolve/resolver.h"
#include "support/nearest.h"

namespace ptxmc::resolve {

using isa::Kind;
using program::Address;
using program::AddressOf;
using program::Descriptor;
using program::Integer;
using program::LabelName;
using program::NegatedRegister;
using program::ObjectName;
using program::Operand;
using program::Register;
using program::RegisterPair;
using program::Sink;
using program::TensorAddress;
using program::VectorOperand;

namespace {

constexpr std::int64_t kDescriptorUnit = 16;        // bytes, of a descriptor's fields
constexpr std::int64_t kDescriptorBytes = 1 << 18;  // that they can say
constexpr std::int64_t kMaxDevice = 65535;

}  // namespace

bool CodeResolver::operand(const RawOperand& raw, Kind kind, Operand& out) {
  out.position = raw.position;
  switch (kind) {
    case Kind::destination:
    case Kind::destination_or_sink:
    case Kind::destination_or_pair:
    case Kind::destination_pair:
      return destination(raw, kind, out);
    case Kind::destination_or_vector:
    case Kind::destination_vector:
    case Kind::source_or_vector:
    case Kind::source_vector:
      return vector(raw, kind, out);
    case Kind::destination_fragment:
    case Kind::source_fragment:
    case Kind::lane_mask:
      return fragment(raw, kind, out);
    case Kind::register_:
    case Kind::predicate:
      return predicate(raw, kind, out);
    case Kind::predicate_or_number:
      if (raw.kind == RawOperand::Kind::integer) return integer(raw, out);
      return raw.kind == RawOperand::Kind::negated ? predicate(raw, Kind::predicate, out)
                                                   : source(raw, Kind::number, out);
    case Kind::source:
    case Kind::number:
      return source(raw, kind, out);
    case Kind::integer:
      return integer(raw, out);
    case Kind::fragment_or_descriptor:
      if (raw.kind == RawOperand::Kind::vector) return fragment(raw, Kind::source_fragment, out);
      return descriptor(raw, kind, out);
    case Kind::descriptor_or_address:
      if (raw.kind == RawOperand::Kind::address) return address(raw, out);
      return descriptor(raw, Kind::descriptor, out);
    case Kind::descriptor:
      return descriptor(raw, kind, out);
    case Kind::address:
      return address(raw, out);
    case Kind::tensor:
      return tensor(raw, out);
    case Kind::label:
      return label(raw, out);
    case Kind::kernel:
    case Kind::graph:
    case Kind::stream:
    case Kind::event:
      return object(raw, kind, out);
    case Kind::device:
      return device(raw, out);
  }
  return false;
}

std::string CodeResolver::found(const RawOperand& raw) const {
  const std::string percent = raw.name.percent ? "%" : "";
  switch (raw.kind) {
    case RawOperand::Kind::integer:
      return fmt::format("integer `{}`", raw.number);
    case RawOperand::Kind::name:
      return fmt::format("{} `{}{}`", is_register(raw.name) ? "register" : "name", percent, raw.name.name);
    case RawOperand::Kind::pair:
      return fmt::format("pair `{}{}|...`", percent, raw.name.name);
    case RawOperand::Kind::negated:
      return fmt::format("`!{}{}`", percent, raw.name.name);
    case RawOperand::Kind::address:
      return fmt::format("address `[{}{}]`", percent, raw.name.name);
    case RawOperand::Kind::vector:
      return fmt::format("a vector of {}", raw.elements.size());
    case RawOperand::Kind::descriptor:
      return fmt::format("descriptor `desc({}...)`", raw.name.name);
    case RawOperand::Kind::address_of:
      return fmt::format("address `&{}`", raw.name.name);
    case RawOperand::Kind::list:
      return fmt::format("a list of {}", raw.elements.size());
    case RawOperand::Kind::floating:
      return "a floating-point constant";
    case RawOperand::Kind::element:
      break;  // refused when it was read
  }
  return "operand";
}

bool CodeResolver::mismatch(const RawOperand& raw, Kind kind) {
  std::string hint;
  if (raw.kind == RawOperand::Kind::name && !is_register(raw.name) && raw.name.name != "_" &&
      !isa::is_name(kind)) {
    hint = fmt::format("; a register is `%{}`", raw.name.name);
  }
  error(raw.position, fmt::format("expected {}, found {}{}", isa::noun(kind), found(raw), hint));
  return false;
}

bool CodeResolver::destination(const RawOperand& raw, Kind kind, Operand& out) {
  if (raw.kind == RawOperand::Kind::pair &&
      (kind == Kind::destination_or_pair || kind == Kind::destination_pair))
    return pair(raw, kind, out);
  if (kind == Kind::destination_pair) return mismatch(raw, kind);
  if (raw.kind != RawOperand::Kind::name || raw.has_offset) return mismatch(raw, kind);
  if (kind == Kind::destination_or_sink && raw.name.name == "_" && !raw.name.percent) {
    out.value = Sink{};
    return true;
  }
  if (!is_register(raw.name)) return mismatch(raw, kind);
  if (isa::is_special_register(raw.name.name)) {
    error(raw.position, fmt::format("special register `%{}` cannot be written", raw.name.name));
    return false;
  }
  out.value = Register{raw.name.name};
  return true;
}

bool CodeResolver::pair(const RawOperand& raw, Kind kind, Operand& out) {
  if (kind == Kind::destination_pair && raw.second.name == "_") {
    error(raw.second.position, "`elect` writes a predicate: expected a register, found `_`");
    return false;
  }
  for (const RawName* half : {&raw.name, &raw.second}) {
    const bool special = half->percent && isa::is_special_register(half->name);
    if (half->name == "_" || (is_register(*half) && !special)) continue;
    if (special) {
      error(half->position, fmt::format("special register `%{}` cannot be written", half->name));
      return false;
    }
    error(half->position,
          fmt::format("expected a register or `_`, found `{0}`; a register is `%{0}`", half->name));
    return false;
  }
  out.value = RegisterPair{raw.name.name, raw.second.name};
  return true;
}

// Also a plain operand, of a mov that packs or unpacks
bool CodeResolver::vector(const RawOperand& raw, Kind kind, Operand& out) {
  const bool to = isa::is_written(kind);
  if (raw.kind != RawOperand::Kind::vector) {
    if (kind == Kind::destination_or_vector) return destination(raw, Kind::destination, out);
    if (kind == Kind::source_or_vector) return source(raw, Kind::source, out);
    return mismatch(raw, kind);
  }
  VectorOperand elements;
  for (const RawOperand& element : raw.elements) {
    Operand one;
    if (!operand(element, to ? Kind::destination_or_sink : Kind::number, one)) return false;
    if (const auto* r = std::get_if<Register>(&one.value)) elements.elements.emplace_back(*r);
    if (const auto* i = std::get_if<Integer>(&one.value)) elements.elements.emplace_back(*i);
    if (std::holds_alternative<Sink>(one.value)) elements.elements.emplace_back(Sink{});
  }
  out.value = std::move(elements);
  return true;
}

bool CodeResolver::predicate(const RawOperand& raw, Kind kind, Operand& out) {
  const bool negated = raw.kind == RawOperand::Kind::negated && kind == Kind::predicate;
  if ((raw.kind != RawOperand::Kind::name && !negated) || raw.has_offset || !is_register(raw.name)) {
    return mismatch(raw, kind);
  }
  if (negated) {
    out.value = NegatedRegister{raw.name.name};
  } else {
    out.value = Register{raw.name.name};
  }
  return true;
}

bool CodeResolver::source(const RawOperand& raw, Kind kind, Operand& out) {
  if (raw.kind == RawOperand::Kind::integer) {
    out.value = Integer{raw.number};
    return true;
  }
  const bool name = raw.kind == RawOperand::Kind::name;
  if (name && raw.name.name == "WARP_SZ" && !raw.has_offset) {
    out.value = Integer{isa::kWarp};
    return true;
  }
  if (name && is_register(raw.name) && !raw.has_offset) {
    out.value = Register{raw.name.name};
    return true;
  }
  const bool address = (name || raw.kind == RawOperand::Kind::address_of) && !is_register(raw.name);
  if (!address || kind != Kind::source || raw.name.name == "_" || raw.name.name == "WARP_SZ")
    return mismatch(raw, kind);
  context_.names.use_variable(raw.name.name, raw.name.position);
  out.value = AddressOf{raw.name.name, raw.has_offset ? raw.number : 0};
  return true;
}

bool CodeResolver::address(const RawOperand& raw, Operand& out) {
  const bool bare = raw.kind == RawOperand::Kind::name;
  if (bare && is_register(raw.name)) {
    const std::string name = (raw.name.percent ? "%" : "") + raw.name.name;
    error(raw.position,
          fmt::format("expected an address, found register `{0}`; the address in it is `[{0}]`", name));
    return false;
  }
  if ((!bare && raw.kind != RawOperand::Kind::address) || raw.name.name == "_")
    return mismatch(raw, Kind::address);
  if (raw.comma) {
    error(*raw.comma,
          "texture and surface coordinates are not supported; a name of that proxy stands for one location");
    return false;
  }
  Address address;
  address.offset = raw.number;
  if (is_register(raw.name)) {
    address.base_register = raw.name.name;
  } else {
    context_.names.use_variable(raw.name.name, raw.name.position);
    address.variable = raw.name.name;
  }
  out.value = std::move(address);
  return true;
}

/// `[map, {%r0, 8}]` of a tensor copy. The address of the map has no offset (9.7.8.24.9).
bool CodeResolver::tensor(const RawOperand& raw, Operand& out) {
  if (raw.kind != RawOperand::Kind::address || !raw.comma) return mismatch(raw, Kind::tensor);
  if (raw.has_offset) {
    error(raw.position, "the address of a tensor map has no offset here; add it by an instruction");
    return false;
  }
  RawOperand plain = raw;
  plain.comma.reset();
  Operand map;
  if (!address(plain, map)) return false;
  TensorAddress result;
  result.map = std::get<Address>(map.value);
  for (const RawOperand& element : raw.elements) {
    Operand one;
    if (!source(element, Kind::number, one)) return false;
    if (const auto* r = std::get_if<Register>(&one.value)) result.coordinates.emplace_back(*r);
    if (const auto* i = std::get_if<Integer>(&one.value)) result.coordinates.emplace_back(*i);
  }
  out.value = std::move(result);
  return true;
}

/// A kernel, graph, stream or event of an API call.
bool CodeResolver::object(const RawOperand& raw, Kind kind, Operand& out) {
  if (raw.kind != RawOperand::Kind::name || raw.name.percent || raw.has_offset) return mismatch(raw, kind);
  out.value = ObjectName{raw.name.name};
  return true;
}

bool CodeResolver::device(const RawOperand& raw, Operand& out) {
  if (raw.kind != RawOperand::Kind::integer || raw.number < 0 || raw.number > kMaxDevice)
    return mismatch(raw, Kind::device);
  out.value = Integer{raw.number};
  return true;
}

bool CodeResolver::integer(const RawOperand& raw, Operand& out) {
  if (raw.kind != RawOperand::Kind::integer) return mismatch(raw, Kind::integer);
  out.value = Integer{raw.number};
  return true;
}

/// A vector of registers; one register stands for a vector of one. Sources may be numbers.
bool CodeResolver::fragment(const RawOperand& raw, Kind kind, Operand& out) {
  const bool to = isa::is_written(kind);
  VectorOperand elements;
  const bool vector = raw.kind == RawOperand::Kind::vector;
  for (const RawOperand& element : vector ? raw.elements : std::vector<RawOperand>{raw}) {
    Operand one;
    if (!(to ? destination(element, Kind::destination_or_sink, one) : source(element, Kind::number, one)))
      return false;
    if (const auto* r = std::get_if<Register>(&one.value)) elements.elements.emplace_back(*r);
    if (const auto* i = std::get_if<Integer>(&one.value)) elements.elements.emplace_back(*i);
    if (std::holds_alternative<Sink>(one.value)) elements.elements.emplace_back(Sink{});
  }
  out.value = std::move(elements);
  return true;
}

/// `desc(...)`, or a register that holds a descriptor (9.7.14.5.1.2.7).
bool CodeResolver::descriptor(const RawOperand& raw, Kind kind, Operand& out) {
  if (raw.kind == RawOperand::Kind::name && is_register(raw.name)) return source(raw, Kind::number, out);
  if (raw.kind != RawOperand::Kind::descriptor) return mismatch(raw, kind);
  if (is_register(raw.name)) {
    error(raw.name.position, "a descriptor is of a variable, found a register");
    return false;
  }
  Descriptor result;
  result.variable = raw.name.name;
  result.offset = raw.number;
  for (const RawOperand& setting : raw.elements) {
    const std::string& key = setting.name.name;
    const std::int64_t bytes = setting.number;
    if (key == "leading") result.leading = bytes;
    if (key == "stride") result.stride = bytes;
    if (key == "swizzle") result.swizzle = bytes;
    const bool swizzle = key == "swizzle";
    if (swizzle ? bytes == 0 || bytes == 32 || bytes == 64 || bytes == 128
                : bytes >= 0 && bytes < kDescriptorBytes && bytes % kDescriptorUnit == 0)
      continue;
    error(raw.position,
          swizzle ? fmt::format("swizzle={}, expected 0, 32, 64 or 128", bytes)
                  : fmt::format("{}={}, expected a multiple of 16 below {}", key, bytes, kDescriptorBytes));
    return false;
  }
  context_.names.use_variable(raw.name.name, raw.name.position);
  out.value = std::move(result);
  return true;
}

void CodeResolver::unknown_label(const RawName& name) {
  std::vector<std::string> known;
  for (const auto& [label, position] : code_.labels) known.push_back(label);
  const std::optional<std::string> near = nearest(name.name, known);
  std::vector<Note> notes;
  if (near) notes.push_back({code_.labels.at(*near), fmt::format("`{}` is declared here", *near)});
  context_.errors.error(name.position,
                        fmt::format("unknown label `{}` in {}{}", name.name, context_.owner,
                                    near ? fmt::format("; did you mean `{}`?", *near) : ""),
                        std::move(notes));
}

bool CodeResolver::label(const RawOperand& raw, Operand& out) {
  if (raw.kind != RawOperand::Kind::name || raw.name.percent || raw.has_offset)
    return mismatch(raw, Kind::label);
  if (raw.name.scope == ptx::kUndeclared || code_.labels.count(raw.name.name) == 0) {
    unknown_label(raw.name);
    return false;
  }
  out.value = LabelName{raw.name.name};
  return true;
}

}  // namespace ptxmc::resolve
