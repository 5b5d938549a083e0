// SPDX-License-Identifier: Apache-2.0
#include "ptx/text/vectors.h"

#include <algorithm>
#include <array>

#include "ptx/isa/table.h"
#include "ptx/text/rewrite.h"

namespace ptxmc::ptx {

namespace {

constexpr std::array<std::string_view, kMostComponents> kComponents = {"x", "y", "z", "w"};
constexpr std::array<std::string_view, kMostComponents> kColors = {"r", "g", "b", "a"};

bool is_sink(const Operand& operand) {
  return operand.kind == Operand::Kind::name && operand.name.name == "_" && !operand.name.percent;
}

bool is_vector(std::string_view word) {
  return word == "v2" || word == "v4" || word == "v8";
}

/// Without the words for which that holds.
template <typename Drop>
Instruction without(const Instruction& like, const Drop& drop) {
  Instruction out = like;
  out.words.clear();
  out.word_positions.clear();
  for (std::size_t i = 0; i < like.words.size(); ++i) {
    if (drop(like.words[i])) continue;
    out.words.push_back(like.words[i]);
    out.word_positions.push_back(like.word_positions[i]);
  }
  return out;
}

/// `mov` of one element.
Instruction element_move(const Instruction& like, const Operand& to, const Operand& from) {
  Instruction out = without(like, is_vector);
  out.operands = {to, from};
  return out;
}

/// Bytes of an element of a vector of 32 bytes; 0: it is none.
std::uint32_t element_bytes(const Instruction& instruction) {
  constexpr std::uint32_t kBits = 256;
  std::uint32_t count = 0, bits = 0;
  for (const std::string_view word : instruction.words) {
    if (is_vector(word)) count = static_cast<std::uint32_t>(word[1] - '0');
    if (const auto type = isa::parse_type(word)) bits = type->bits;
  }
  return count * bits == kBits ? bits / 8 : 0;
}

}  // namespace

std::string_view component(std::uint8_t index) {
  return kComponents.at(index);
}

std::uint8_t component_index(std::string_view word) {
  for (std::uint8_t i = 0; i < kMostComponents; ++i) {
    if (word == kComponents.at(i) || word == kColors.at(i)) return i;
  }
  return kMostComponents;
}

std::uint8_t moved_elements(const Instruction& instruction) {
  if (instruction.base != "mov") return 0;
  for (const std::string_view word : instruction.words) {
    if (word == "v2") return 2;
    if (word == "v4") return kMostComponents;
  }
  return 0;
}

bool expand_special(Operand& operand) {
  const std::string& name = operand.name.name;
  const bool vector = operand.kind == Operand::Kind::name && operand.name.percent && !operand.has_offset &&
                      isa::special_register(name + ".x").has_value();
  if (!vector) return false;
  expand(operand, kMostComponents);
  Operand& last = operand.elements.back();
  last.kind = Operand::Kind::integer;
  last.name = {};
  return true;
}

void expand(Operand& operand, std::uint8_t count) {
  for (std::uint8_t i = 0; i < count; ++i) {
    Operand& element = operand.elements.emplace_back();
    element.kind = Operand::Kind::name;
    element.position = operand.position;
    element.name = operand.name;
    element.name.name.append(".").append(component(i));
  }
  operand.kind = Operand::Kind::vector;
  operand.name = {};
}

bool is_partial_store(const Instruction& instruction) {
  const std::vector<Operand>& operands = instruction.operands;
  return instruction.base == "st" && operands.size() >= 2 && operands[0].kind == Operand::Kind::address &&
         operands[1].kind == Operand::Kind::vector && element_bytes(instruction) != 0 &&
         std::any_of(operands[1].elements.begin(), operands[1].elements.end(), is_sink);
}

std::vector<Instruction> element_stores(const Instruction& instruction) {
  const auto of_vector = [](std::string_view word) {
    return is_vector(word) || word.starts_with("L2::evict");
  };
  const std::uint32_t bytes = element_bytes(instruction);
  const std::vector<Operand>& elements = instruction.operands[1].elements;
  std::vector<Instruction> out;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (is_sink(elements[i])) continue;
    Instruction& one = out.emplace_back(without(instruction, of_vector));
    one.operands[0].number += static_cast<std::int64_t>(i * bytes);
    one.operands[0].has_offset = true;
    one.operands[1] = elements[i];
  }
  return out;
}

bool overlap(const Operand& to, const Operand& from) {
  for (std::size_t i = 0; i < to.elements.size(); ++i) {
    for (std::size_t j = 0; j < from.elements.size(); ++j) {
      const Operand &written = to.elements[i], &read = from.elements[j];
      if (i != j && !is_sink(written) && read.kind == Operand::Kind::name &&
          written.name.name == read.name.name)
        return true;
    }
  }
  return false;
}

std::vector<Instruction> element_moves(const Instruction& like, const Operand& to, const Operand& from,
                                       const std::vector<std::string>& fresh) {
  std::vector<Instruction> first, out;
  for (std::size_t i = 0; i < to.elements.size(); ++i) {
    if (is_sink(to.elements[i])) continue;
    Operand source = from.elements[i];
    if (!fresh.empty()) {
      Operand between = reg(fresh.at(i));
      between.position = between.name.position = source.position;
      first.push_back(element_move(like, between, source));
      source = between;
    }
    out.push_back(element_move(like, to.elements[i], source));
  }
  first.insert(first.end(), std::make_move_iterator(out.begin()), std::make_move_iterator(out.end()));
  return first;
}

}  // namespace ptxmc::ptx
