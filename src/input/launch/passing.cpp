// SPDX-License-Identifier: Apache-2.0
#include "input/launch/passing.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "input/launch/entry.h"
#include "ptx/text/rewrite.h"

namespace ptxmc::launch {

using ptx::convert;
using ptx::extended;
using ptx::integer;
using ptx::move;
using ptx::reg;
using ptx::sum;
using ptx::variable;

std::optional<Passing::Access> Passing::access(const ptx::Instruction& instruction, std::size_t address,
                                               std::size_t value) {
  if (instruction.operands.size() != 2) return std::nullopt;
  const ptx::Operand& place = instruction.operands[address];
  if (place.kind != ptx::Operand::Kind::address || place.name.percent || place.comma) return std::nullopt;
  Access out;
  out.parameter = place.name.name;
  out.offset = place.number;
  if (!instruction.words.empty()) out.type = instruction.words.back();
  out.bytes = bytes_of(out.type);
  const ptx::Operand& other = instruction.operands[value];
  out.values = other.kind == ptx::Operand::Kind::vector ? other.elements : std::vector<ptx::Operand>{other};
  if (out.bytes == 0 || out.bytes > 8) return std::nullopt;
  return out;
}

bool Passing::from_parameter(Frame& frame, const ptx::Instruction& instruction) {
  const std::optional<Access> load = access(instruction, 1, 0);
  if (!load) return false;
  const auto passed = frame.passed.find(load->parameter);
  const bool kernel =
      passed == frame.passed.end() && frame.suffix.empty() && parameters_.has(load->parameter);
  if (!kernel && passed == frame.passed.end()) return false;
  if (!(kernel ? is_aligned(*load, instruction.position) : is_aligned(frame, *load, instruction.position)))
    return true;
  const ptx::Instruction like = flat_.renamed_guard(frame, instruction);
  std::int64_t offset = load->offset;
  for (ptx::Operand to : load->values) {
    const bool sink = to.name.name == "_";
    const std::uint32_t bits = sink ? 0 : register_bits(frame, to);
    if (!sink) flat_.rename(frame, to);
    if (!sink && !(kernel ? from_kernel(like, *load, offset, to, bits)
                          : from_passed(like, *load, offset, *passed->second, to, bits)))
      return true;
    offset += load->bytes;
  }
  return true;
}

/// 6.4.1: where the parameter lies, its bytes are a multiple of as many as are read at once. False: reported.
bool Passing::is_aligned(const Access& load, Position position) {
  const auto bytes = static_cast<std::uint64_t>(load.bytes) * load.values.size();
  const std::uint64_t at = parameters_.place(load.parameter) + static_cast<std::uint64_t>(load.offset);
  if (load.offset < 0 || at % bytes == 0) return true;
  flat_.error(
      position,
      fmt::format("{} bytes of parameter `{}` at byte {} of the parameters: expected a multiple of {}; "
                  "declare it with .align {}",
                  bytes, load.parameter, at, bytes, bytes));
  return false;
}

/// The same of a .param variable of a call, which lies where its declaration in this function says (5.4.5).
bool Passing::is_aligned(const Frame& frame, const Access& access, Position position) {
  const ptx::Variable* declared = frame.names.find_variable(access.parameter);
  for (const auto* variables : {&frame.function.parameters, &frame.function.returns}) {
    for (const ptx::Variable& variable : *variables) {
      if (variable.name() == access.parameter) declared = &variable;
    }
  }
  const auto bytes = static_cast<std::int64_t>(access.bytes * access.values.size());
  if (declared == nullptr || (access.offset % bytes == 0 && alignment_of(*declared) % bytes == 0))
    return true;
  flat_.error(position,
              fmt::format("{} bytes at byte {} of `{}`, which is aligned to {}: expected a multiple of {}; "
                          "declare it with .align {}",
                          bytes, access.offset, access.parameter, alignment_of(*declared), bytes, bytes));
  return false;
}

bool Passing::from_kernel(const ptx::Instruction& like, const Access& load, std::int64_t offset,
                          const ptx::Operand& to, std::uint32_t bits) {
  const std::optional<Piece> piece = parameters_.at(load.parameter, offset, load.bytes);
  if (!piece) {
    const std::uint64_t size = parameters_.bytes(load.parameter);
    if (offset < 0 || static_cast<std::uint64_t>(offset) + load.bytes > size) {
      flat_.error(like.position, fmt::format("{} bytes at offset {} of parameter `{}`, which has {}",
                                             load.bytes, offset, load.parameter, size));
      return false;
    }
    if (const MapName* map = parameters_.map_at(load.parameter, offset, load.bytes)) {
      if (copied_maps_.insert(map->tensor).second)
        flat_.error(
            like.position,
            fmt::format("the kernel copies tensor map `{}` into a variable of its own, where no copy can "
                        "use it; declare the parameter `const __grid_constant__ CUtensorMap`",
                        map->tensor));
      return false;
    }
    flat_.error(like.position, fmt::format("{} bytes at {} of parameter `{}` are no number and no address",
                                           load.bytes, offset, load.parameter));
    return false;
  }
  if (const auto* number = std::get_if<std::uint64_t>(&*piece)) {
    flat_.add(move(like, bits, to, integer(extended(*number, load.bytes, load.type.starts_with('s')))));
    return true;
  }
  const Pointer& pointer = std::get<Pointer>(*piece);
  flat_.add(move(like, bits, to, variable(pointer.buffer)));
  if (pointer.offset != 0) flat_.add(sum(like, bits, to, to, integer(pointer.offset)));
  return true;
}

bool Passing::from_passed(const ptx::Instruction& like, const Access& load, std::int64_t offset,
                          const Passed& from, const ptx::Operand& to, std::uint32_t bits) {
  const auto piece = from.pieces.find(offset);
  if (piece == from.pieces.end() || piece->second.bytes != load.bytes) {
    flat_.error(like.position,
                fmt::format("{} bytes at {} of `{}` were not passed as such; other pieces are not supported",
                            load.bytes, offset, load.parameter));
    return false;
  }
  const ptx::Operand source = reg(piece->second.reg);
  const bool whole = bits == piece->second.bits() && load.bytes * 8 == bits;
  flat_.add(whole ? move(like, bits, to, source)
                  : convert(like, bits, to, load.bytes * 8, load.type.starts_with('s'), source));
  return true;
}

bool Passing::to_parameter(Frame& frame, const ptx::Instruction& instruction) {
  const std::optional<Access> store = access(instruction, 0, 1);
  const auto passed = store ? find_passed(frame, store->parameter) : nullptr;
  if (!passed) return false;
  if (!is_aligned(frame, *store, instruction.position)) return true;
  const ptx::Instruction like = flat_.renamed_guard(frame, instruction);
  std::int64_t offset = store->offset;
  for (ptx::Operand value : store->values) {
    const bool is_register =
        value.kind == ptx::Operand::Kind::name && frame.names.find_register(value.name.name);
    const std::uint32_t bits = is_register ? register_bits(frame, value) : 0;
    flat_.rename(frame, value);
    const Passed::Piece* piece = piece_at(*passed, offset, store->bytes, instruction.position);
    if (piece == nullptr) return true;
    const bool whole = bits == 0 || bits == piece->bits();
    flat_.add(whole ? move(like, piece->bits(), reg(piece->reg), value)
                    : convert(like, piece->bits(), reg(piece->reg), bits, false, value));
    offset += store->bytes;
  }
  return true;
}

/// The register of so many bytes at an offset, the same on all paths; null: reported.
const Passed::Piece* Passing::piece_at(Passed& passed, std::int64_t offset, std::uint32_t bytes,
                                       Position position) {
  for (const auto& [at, piece] : passed.pieces) {
    if (at == offset && piece.bytes == bytes) return &piece;
    if (offset < at + piece.bytes && at < offset + bytes) {
      flat_.error(position,
                  fmt::format("{} bytes at {} of `{}` lie in other pieces of it, which is not supported",
                              bytes, offset, passed.name));
      return nullptr;
    }
  }
  Passed::Piece& piece = passed.pieces[offset];
  piece.bytes = bytes;
  piece.reg = flat_.fresh_register(fmt::format("{}_{}", passed.name, offset), ptx::bits_type(piece.bits()));
  return &piece;
}

std::optional<ptx::Operand> Passing::whole(const ptx::Instruction& like, Passed& passed,
                                           std::uint32_t bytes) {
  const Passed::Piece* piece = piece_at(passed, 0, bytes, like.position);
  return piece == nullptr ? std::nullopt : std::optional(reg(piece->reg));
}

void Passing::return_unknown(const ptx::Instruction& like, Passed& passed, std::uint32_t bytes) {
  if (const Passed::Piece* piece = piece_at(passed, 0, bytes, like.position))
    for (ptx::Instruction& one : flat_.any_value(like, piece->reg, piece->bits())) flat_.add(std::move(one));
}

std::shared_ptr<Passed> Passing::find_passed(Frame& frame, const std::string& name) {
  const auto known = frame.passed.find(name);
  if (known != frame.passed.end()) return known->second;
  const ptx::Variable* variable = frame.names.find_variable(name);
  if (variable == nullptr || variable->space != "param") return nullptr;
  auto out = std::make_shared<Passed>();
  out->name = name + frame.suffix;
  frame.passed.emplace(name, out);
  return out;
}

std::uint32_t Passing::register_bits(const Frame& frame, const ptx::Operand& operand) {
  const ptx::Type* type = frame.names.find_register(operand.name.name);
  return type == nullptr ? 32 : type->name == "pred" ? 1 : bytes_of(type->name) * 8;
}

}  // namespace ptxmc::launch
