// SPDX-License-Identifier: Apache-2.0
#include "launch/moves.h"

#include "support/check.h"

namespace ptxmc::launch {

namespace {

/// "b32", "u32" or "s32".
std::string_view type_name(char letter, std::uint32_t bits) {
  switch (letter) {
    case 'b':
      return bits == 8 ? "b8" : bits == 16 ? "b16" : bits == 32 ? "b32" : "b64";
    case 's':
      return bits == 8 ? "s8" : bits == 16 ? "s16" : bits == 32 ? "s32" : "s64";
    default:
      return bits == 8 ? "u8" : bits == 16 ? "u16" : bits == 32 ? "u32" : "u64";
  }
}

}  // namespace

ptx::Operand reg(const std::string& name) {
  ptx::Operand out;
  out.kind = ptx::Operand::Kind::name;
  out.name.name = name;
  out.name.percent = true;
  out.name.scope = 0;
  return out;
}

ptx::Operand integer(std::int64_t value) {
  ptx::Operand out;
  out.kind = ptx::Operand::Kind::integer;
  out.number = value;
  return out;
}

ptx::Operand variable(const std::string& name) {
  ptx::Operand out;
  out.kind = ptx::Operand::Kind::name;
  out.name.name = name;
  return out;
}

ptx::Instruction make(const ptx::Instruction& like, std::string_view base,
                      std::initializer_list<std::string_view> words, std::vector<ptx::Operand> operands) {
  ptx::Instruction out = like;
  out.base = base;
  out.words = words;
  out.word_positions.assign(words.size(), like.base_position);
  out.operands = std::move(operands);
  for (ptx::Operand& operand : out.operands) operand.position = operand.name.position = like.position;
  return out;
}

ptx::Instruction jump(const std::string& label, const ptx::Instruction& like) {
  ptx::Operand to = variable(label);
  to.name.scope = 0;
  return make(like, "bra", {}, {std::move(to)});
}

ptx::Instruction move(const ptx::Instruction& like, std::uint32_t bits, const ptx::Operand& to,
                      const ptx::Operand& from) {
  return make(like, "mov", {bits == 1 ? "pred" : type_name('b', bits)}, {to, from});
}

ptx::Instruction sum(const ptx::Instruction& like, std::uint32_t bits, const ptx::Operand& to,
                     const ptx::Operand& a, const ptx::Operand& b) {
  return make(like, "add", {type_name('s', bits)}, {to, a, b});
}

ptx::Instruction convert(const ptx::Instruction& like, std::uint32_t bits, const ptx::Operand& to,
                         std::uint32_t from_bits, bool is_signed, const ptx::Operand& from) {
  const char letter = is_signed ? 's' : 'u';
  return make(like, "cvt", {type_name(letter, bits), type_name(letter, from_bits)}, {to, from});
}

std::string_view bits_type(std::uint32_t bits) {
  return bits == 1 ? "pred" : type_name('b', bits);
}

std::int64_t extended(std::uint64_t value, std::uint32_t bytes, bool is_signed) {
  PTXMC_CHECK(bytes >= 1 && bytes <= 8, "a value of no register");
  const std::uint32_t unused = 64 - bytes * 8;
  if (is_signed) return static_cast<std::int64_t>(value << unused) >> unused;
  return static_cast<std::int64_t>(value << unused >> unused);
}

}  // namespace ptxmc::launch
