// SPDX-License-Identifier: Apache-2.0
#include "ptx/text/declare.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ptx/isa/table.h"
#include "ptx/text/constant.h"
#include "ptx/text/operand.h"

namespace ptxmc::ptx {

namespace {

constexpr std::size_t kMaxAttributes = 16;
constexpr std::size_t kMaxDimensions = 16;
constexpr std::size_t kMaxParameters = 4096;

constexpr std::array<std::string_view, 7> kSpaces = {"global", "shared", "shared::cta", "const",
                                                     "local",  "param",  "tex"};
struct LinkageWord {
  std::string_view word;
  Linkage linkage;
};
constexpr std::array<LinkageWord, 4> kLinkages = {{{"extern", Linkage::external},
                                                   {"visible", Linkage::visible},
                                                   {"weak", Linkage::weak},
                                                   {"common", Linkage::common}}};
constexpr std::array<std::string_view, 3> kOpaque = {"texref", "samplerref", "surfref"};  // 5.3

bool is_type(std::string_view word) {
  return isa::parse_type(word) || std::find(kOpaque.begin(), kOpaque.end(), word) != kOpaque.end();
}

}  // namespace

bool is_space(std::string_view word) {
  return std::find(kSpaces.begin(), kSpaces.end(), word) != kSpaces.end();
}

std::optional<Linkage> parse_linkage(std::string_view word) {
  for (const LinkageWord& row : kLinkages) {
    if (row.word == word) return row.linkage;
  }
  return std::nullopt;
}

// .managed, .unified(19, 95)
bool read_attributes(Cursor& c, std::vector<Attribute>& out) {
  if (!c.expect("(", "and the attributes")) return false;
  do {
    if (c.peek().kind != TokenKind::word || out.size() == kMaxAttributes) {
      c.expected("an attribute such as .managed");
      return false;
    }
    const Token& word = c.take();
    Attribute& attribute = out.emplace_back(Attribute{word.text, {}, word.position});
    if (!c.accept("(")) continue;
    do {
      const std::optional<std::int64_t> number = c.integer();
      if (!number) return false;
      attribute.numbers.push_back(*number);
    } while (c.accept(",") && attribute.numbers.size() < kMaxAttributes);
    if (!c.expect(")", "at the end of the attribute")) return false;
  } while (c.accept(","));
  return c.expect(")", "at the end of the attributes");
}

// ---- Types and properties ---------------------------------------------------------------------------------

bool DeclarationReader::type(Type& out) {
  const Token& first = c_.peek();
  if (first.is_dotted("v2") || first.is_dotted("v4") || first.is_dotted("v8")) {
    out.vector = static_cast<std::uint8_t>(first.text[1] - '0');
    out.vector_position = first.position;
    c_.take();
  }
  const Token& word = c_.peek();
  if (word.kind != TokenKind::word || !is_type(word.text)) {
    c_.expected("a type such as .u32");
    return false;
  }
  out.name = word.text;
  out.position = word.position;
  c_.take();
  return true;
}

bool DeclarationReader::align(std::uint32_t& out) {
  const Token number = c_.peek();
  const std::optional<std::uint64_t> align = c_.size("an alignment", limits_.align);
  if (!align) return false;
  if (*align == 0 || (*align & (*align - 1)) != 0) {
    c_.error(number.position, fmt::format("an alignment is a power of two, found `{}`", *align));
    return false;
  }
  out = static_cast<std::uint32_t>(*align);
  return true;
}

bool DeclarationReader::space(Variable& out) {
  const Token& word = c_.peek();
  if (word.kind != TokenKind::word || (!is_space(word.text) && word.text != "reg")) {
    c_.expected("a state space such as .global");
    return false;
  }
  out.space = word.text;
  out.space_position = word.position;
  c_.take();
  return true;
}

bool DeclarationReader::property(Variable& out, bool parameter) {
  if (c_.accept_dotted("align")) return align(out.align);
  if (c_.accept_dotted("attribute")) return read_attributes(c_, out.attributes);
  if (parameter && c_.accept_dotted("ptr")) return pointer(out);
  return type(out.type);
}

// The manual writes `.align` before the type and, in examples, behind it.
bool DeclarationReader::properties(Variable& out, bool parameter) {
  while (out.type.name.empty() || c_.peek().kind == TokenKind::word) {
    if (!out.type.name.empty() && is_type(c_.peek().text)) break;
    if (!property(out, parameter)) return false;
  }
  return true;
}

// .ptr .global .align 16 (5.1.6.3)
bool DeclarationReader::pointer(Variable& out) {
  out.pointer = true;
  for (const std::string_view space : {"const", "global", "local", "shared"}) {
    if (c_.accept_dotted(space)) out.pointer_space = space;
  }
  return !c_.accept_dotted("align") || align(out.pointer_align);
}

bool DeclarationReader::name(Declarator& out, std::string_view what, std::string_view noun) {
  const Token token = c_.peek();
  if (token.kind != TokenKind::identifier && token.kind != TokenKind::reg) {
    c_.expected(what);
    return false;
  }
  c_.take();
  out.name.name = token.text;
  out.name.percent = token.kind == TokenKind::reg;
  out.name.position = token.position;
  if (c_.is("<")) {
    out.count_position = c_.take().position;
    const std::optional<std::uint64_t> count = c_.size("a number of registers", limits_.registers);
    if (!count || !c_.expect(">")) return false;
    out.count = static_cast<std::uint32_t>(*count);
  }
  if (token.text == "_" && !out.name.percent) {
    c_.error(token.position, "`_` cannot be declared");
    return false;
  }
  return scopes_ == nullptr || scopes_->declare(out, spelled(token), noun);
}

// ---- Registers --------------------------------------------------------------------------------------------

bool DeclarationReader::registers(Registers& out) {
  if (c_.accept_dotted("align") && !align(out.align)) return false;
  if (!type(out.type)) return false;
  do {
    if (!name(out.declarators.emplace_back(), "a name", "register ")) return false;
  } while (c_.accept(","));
  if (c_.at_end()) return true;
  c_.expected("`,` or `;`");
  return false;
}

// ---- Variables --------------------------------------------------------------------------------------------

bool DeclarationReader::variables(std::vector<Variable>& out, Linkage linkage) {
  Variable prototype;
  prototype.linkage = linkage;
  prototype.position = c_.peek().position;
  if (!space(prototype) || !properties(prototype)) return false;
  do {
    if (!declarator(out.emplace_back(prototype))) return false;
  } while (c_.accept(","));
  return true;
}

bool DeclarationReader::parameters(std::vector<Variable>& out) {
  if (c_.accept(")")) return true;
  do {
    Variable& parameter = out.emplace_back();
    parameter.position = c_.peek().position;
    if (!space(parameter) || !properties(parameter, true) || !parameter_name(parameter)) return false;
    if (out.size() > kMaxParameters) {
      c_.error(parameter.position, fmt::format("more than {} parameters", kMaxParameters));
      return false;
    }
  } while (c_.accept(","));
  return c_.expect(")", "at the end of the parameters");
}

// A prototype may leave names out: `_` (11.3.3).
bool DeclarationReader::parameter_name(Variable& out) {
  if (!c_.is_word("_")) return declarator(out);
  const Token& sink = c_.take();
  out.declarator.name.name = sink.text;
  out.declarator.name.position = sink.position;
  return !c_.is("[") || dimensions(out);
}

bool DeclarationReader::declarator(Variable& out) {
  out.position = c_.peek().position;
  if (!name(out.declarator, "a variable", "variable ")) return false;
  if (c_.is("[") && !dimensions(out)) return false;
  return !c_.accept("=") || initialiser(out);
}

// [4], [2][3], [], [][2]
bool DeclarationReader::dimensions(Variable& out) {
  std::uint64_t all = 1;
  while (c_.is("[")) {
    out.dimension_positions.push_back(c_.take().position);
    const bool open = c_.is("]") && out.dimensions.empty();
    const Token first = c_.peek();
    std::optional<std::uint64_t> size = 0;
    if (first.kind == TokenKind::integer && c_.peek(1).is("]")) {
      size = c_.size("an array size", limits_.elements);
    } else if (!open) {
      const std::optional<Constant> value = at_constant(c_) ? read_constant(c_) : std::nullopt;
      if (!value && c_.here().offset == first.offset) c_.expected("an array size");
      size = value && value->is_integer() ? std::optional(value->bits) : std::nullopt;
    }
    if (!size) return false;
    if (*size == 0 && !open) {
      c_.error(first.position, "an array has at least one element");
      return false;
    }
    const std::uint64_t factor = std::max<std::uint64_t>(*size, 1);
    if (factor > limits_.elements / all) {
      const std::string found = first.is("-") ? fmt::format("-{}", 0 - *size) : std::to_string(*size);
      c_.error(first.position,
               fmt::format("expected an array size up to {}, found `{}`", limits_.elements, found));
      return false;
    }
    all *= factor;
    out.dimensions.push_back(*size);
    if (!c_.expect("]")) return false;
    if (out.dimensions.size() == kMaxDimensions && c_.is("[")) {
      c_.error(c_.peek().position, fmt::format("more than {} dimensions", kMaxDimensions));
      return false;
    }
  }
  return true;
}

}  // namespace ptxmc::ptx
