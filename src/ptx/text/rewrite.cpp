// SPDX-License-Identifier: Apache-2.0
#include "ptx/text/rewrite.h"

#include <algorithm>
#include <utility>

#include "support/check.h"

namespace ptxmc::ptx {

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

Operand reg(const std::string& name) {
  Operand out;
  out.kind = Operand::Kind::name;
  out.name.name = name;
  out.name.percent = true;
  out.name.scope = 0;
  return out;
}

Operand integer(std::int64_t value) {
  Operand out;
  out.kind = Operand::Kind::integer;
  out.number = value;
  return out;
}

Operand variable(const std::string& name) {
  Operand out;
  out.kind = Operand::Kind::name;
  out.name.name = name;
  return out;
}

Instruction make(const Instruction& like, std::string_view base,
                 std::initializer_list<std::string_view> words, std::vector<Operand> operands) {
  Instruction out = like;
  out.base = base;
  out.words = words;
  out.word_positions.assign(words.size(), like.base_position);
  out.operands = std::move(operands);
  for (Operand& operand : out.operands) operand.position = operand.name.position = like.position;
  return out;
}

Instruction jump(const std::string& label, const Instruction& like) {
  Operand to = variable(label);
  to.name.scope = 0;
  const bool uniform = std::find(like.words.begin(), like.words.end(), "uni") != like.words.end();
  return uniform ? make(like, "bra", {"uni"}, {std::move(to)}) : make(like, "bra", {}, {std::move(to)});
}

Instruction trap(const Instruction& like, std::string_view why) {
  return make(like, "trap", {why}, {});
}

Instruction move(const Instruction& like, std::uint32_t bits, const Operand& to, const Operand& from) {
  return make(like, "mov", {bits == 1 ? "pred" : type_name('b', bits)}, {to, from});
}

Instruction sum(const Instruction& like, std::uint32_t bits, const Operand& to, const Operand& a,
                const Operand& b) {
  return make(like, "add", {type_name('s', bits)}, {to, a, b});
}

Instruction convert(const Instruction& like, std::uint32_t bits, const Operand& to, std::uint32_t from_bits,
                    bool is_signed, const Operand& from) {
  const char letter = is_signed ? 's' : 'u';
  return make(like, "cvt", {type_name(letter, bits), type_name(letter, from_bits)}, {to, from});
}

std::vector<Instruction> indexed_branch(const Instruction& like, const Operand& index,
                                        const std::vector<std::string>& labels, const std::string& predicate,
                                        Instruction beyond) {
  std::vector<Instruction> out;
  Instruction taken = like;
  taken.guard = reg(predicate).name;
  taken.guard_negated = false;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    out.push_back(
        make(like, "setp", {"eq", "u32"}, {reg(predicate), index, integer(static_cast<std::int64_t>(i))}));
    out.push_back(jump(labels[i], taken));
  }
  out.push_back(std::move(beyond));
  return out;
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

}  // namespace ptxmc::ptx
