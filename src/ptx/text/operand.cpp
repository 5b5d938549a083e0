// SPDX-License-Identifier: Apache-2.0
#include "ptx/text/operand.h"

#include <fmt/format.h>

#include <algorithm>

#include "ptx/text/constant.h"
#include "ptx/text/cuda_calls.h"

namespace ptxmc::ptx {

namespace {

constexpr std::size_t kMaxOperands = 16;
constexpr std::size_t kMaxElements = 128;    // of a vector: the accumulator of the largest wgmma
constexpr std::size_t kMaxArguments = 4096;  // of a call

/// Is it a component of a vector (6.4.3), or a part of a register that a video instruction selects: b0, h10?
bool is_component(std::string_view word) {
  if (word.size() == 1) return std::string_view("xyzwrgba").find(word[0]) != std::string_view::npos;
  return (word[0] == 'b' || word[0] == 'h') && word.size() <= 5 &&
         std::all_of(word.begin() + 1, word.end(), [](char c) { return c >= '0' && c <= '7'; });
}

}  // namespace

std::string_view spelled(const Token& token) {
  return token.kind == TokenKind::reg ? std::string_view(token.text.data() - 1, token.text.size() + 1)
                                      : token.text;
}

bool InstructionReader::instruction(Instruction& out) {
  const Token first = c_.peek();
  out.position = first.position;
  out.extent.begin = first.offset;
  if (!guard(out)) return false;
  if (c_.peek().kind != TokenKind::identifier) {
    c_.expected("an instruction");
    return false;
  }
  const Token base = c_.take();
  out.base = base.text;
  out.base_position = base.position;
  while (c_.peek().kind == TokenKind::word) {
    const Token& word = c_.take();
    out.words.push_back(word.text);
    out.word_positions.push_back(word.position);
  }
  if (c_.is("(")) {
    if (std::string said = said_of_call(out.base); !said.empty()) {
      c_.error(base.position, std::move(said));
      return false;
    }
  }
  const bool is_call = out.base == "call";
  if (!c_.at_end()) {
    do {
      if (out.operands.size() == kMaxOperands) {
        c_.error(c_.here().position, fmt::format("more than {} operands", kMaxOperands));
        return false;
      }
      if (!operand(out.operands.emplace_back(), is_call)) return false;
    } while (c_.accept(","));
    if (!c_.at_end()) {
      c_.expected("`,` or `;`");
      return false;
    }
  }
  out.end_position = c_.here().position;
  const Token& last = c_.tokens()[c_.index() - 1];
  out.extent.end = static_cast<std::uint32_t>(last.end());
  if (last.position.line == first.position.line) {
    out.position.length = last.position.column + last.position.length - first.position.column;
  }
  return true;
}

bool InstructionReader::guard(Instruction& out) {
  if (!c_.accept("@")) return true;
  out.guard_negated = c_.accept("!");
  return name(out.guard.emplace());
}

bool InstructionReader::name(Name& out) {
  const Token& token = c_.peek();
  if (token.kind != TokenKind::identifier && token.kind != TokenKind::reg) {
    c_.expected("a name");
    return false;
  }
  c_.take();
  out.name = token.text;
  out.percent = token.kind == TokenKind::reg;
  out.position = token.position;
  out.scope = scopes_.find(spelled(token));
  const Token& word = c_.peek();
  if (word.kind != TokenKind::word) return true;
  if (!is_component(word.text)) {
    c_.error(word.position,
             fmt::format("{} is no component of a register; expected .x, .y, .z or .w", describe(word)));
    return false;
  }
  out.name.append(".").append(c_.take().text);
  return true;
}

bool InstructionReader::operand(Operand& out, bool is_call) {
  out.position = c_.peek().position;
  if (c_.is("{")) return vector(out);
  if (c_.is("[")) return bracket(out);
  if (is_call && c_.is("(")) return list(out);
  if (extension_.at_operand(c_)) return extension_.read_operand(*this, out);
  if (at_constant(c_)) return constant(out);
  if (c_.accept("!")) {
    out.kind = Operand::Kind::negated;
    return name(out.name);
  }
  if (c_.peek().kind == TokenKind::identifier || c_.peek().kind == TokenKind::reg) return named(out);
  c_.expected("an operand");
  return false;
}

bool InstructionReader::constant(Operand& out) {
  const std::optional<Constant> value = read_constant(c_);
  if (!value) return false;
  out.kind = value->is_integer() ? Operand::Kind::integer : Operand::Kind::floating;
  out.single = value->type == Constant::Type::f32;
  out.number = static_cast<std::int64_t>(value->bits);
  return true;
}

// %r, %p|%q, x+4, x[4]
bool InstructionReader::named(Operand& out) {
  out.kind = Operand::Kind::name;
  if (!name(out.name)) return false;
  if (c_.accept("|")) {
    out.kind = Operand::Kind::pair;
    return name(out.second);
  }
  if (c_.is("+") || c_.is("-")) return offset(out);
  return !c_.is("[") || index(out);
}

// x[4], x[%r], x[%r+4] (6.4.2)
bool InstructionReader::index(Operand& out) {
  out.kind = Operand::Kind::element;
  out.comma = c_.take().position;
  Operand& inner = out.elements.emplace_back();
  inner.position = c_.peek().position;
  inner.kind = Operand::Kind::name;
  if (at_constant(c_)) {
    if (!constant(inner)) return false;
  } else if (!name(inner.name) || ((c_.is("+") || c_.is("-")) && !offset(inner))) {
    return false;
  }
  return c_.expect("]", "at the end of the index");
}

// [x], [x+4], [%rd1-8], [x+-4], [4096]
bool InstructionReader::bracket(Operand& out) {
  c_.take();
  out.kind = Operand::Kind::address;
  if (at_constant(c_)) {
    out.name.position = c_.peek().position;
    if (!constant(out)) return false;
    if (out.kind != Operand::Kind::integer) {
      c_.error(out.name.position, "an address is an integer");
      return false;
    }
    out.kind = Operand::Kind::address;
  } else if (!name(out.name) || ((c_.is("+") || c_.is("-")) && !offset(out))) {
    return false;
  }
  if (c_.is(",") && !coordinates(out)) return false;
  if (!c_.expect("]", "at the end of the address")) return false;
  if (c_.peek().kind != TokenKind::word) return true;
  out.unified = c_.peek().position;
  if (c_.accept_dotted("unified")) return true;
  c_.error(*out.unified, fmt::format("{} of an address is not supported yet", describe(c_.peek())));
  return false;
}

// `, {%r0, 8}` of a tensor, texture or surface; `, sampler, {%f0}`
bool InstructionReader::coordinates(Operand& out) {
  out.comma = c_.take().position;
  const bool sampler =
      (c_.peek().kind == TokenKind::identifier || c_.peek().kind == TokenKind::reg) && c_.peek(1).is(",");
  if (sampler) {
    if (!name(out.second)) return false;
    c_.take();
  }
  if (!c_.is("{")) {
    c_.error(*out.comma,
             "expected `]` before `,`: within brackets, only `{...}` with the coordinates of a tensor "
             "follows a comma");
    return false;
  }
  Operand list;
  if (!vector(list)) return false;
  out.elements = std::move(list.elements);
  return true;
}

// {%r0, _, 5}
bool InstructionReader::vector(Operand& out) {
  const Position open = c_.take().position;
  out.kind = Operand::Kind::vector;
  return elements(out, open, kMaxElements, "elements") && c_.expect("}", "at the end of the vector");
}

// (%r0, x, 5), ()
bool InstructionReader::list(Operand& out) {
  const Position open = c_.take().position;
  out.kind = Operand::Kind::list;
  if (c_.accept(")")) return true;
  return elements(out, open, kMaxArguments, "arguments") && c_.expect(")", "at the end of the arguments");
}

bool InstructionReader::elements(Operand& out, Position open, std::size_t most, std::string_view noun) {
  do {
    Operand& element = out.elements.emplace_back();
    element.position = c_.peek().position;
    if (at_constant(c_)) {
      if (!constant(element)) return false;
    } else {
      element.kind = Operand::Kind::name;
      if (!name(element.name)) return false;
    }
    if (out.elements.size() > most) {
      c_.error(open, fmt::format("more than {} {}", most, noun));
      return false;
    }
  } while (c_.accept(","));
  return true;
}

bool InstructionReader::offset(Operand& out) {
  while (c_.is("+") || c_.is("-")) {
    if (!at_constant(c_)) {
      c_.take();  // what is wrong is behind the sign
      c_.expected("an offset in bytes");
      return false;
    }
    if (!read_offset(c_, out.number)) return false;
    out.has_offset = true;
  }
  return true;
}

}  // namespace ptxmc::ptx
