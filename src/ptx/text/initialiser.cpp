// SPDX-License-Identifier: Apache-2.0
// Initial values (5.4.4): nested as the dimensions of the variable are, of which a vector is one more.
#include <fmt/format.h>

#include <bit>

#include "ptx/text/constant.h"
#include "ptx/text/declare.h"
#include "ptx/text/operand.h"

namespace ptxmc::ptx {

namespace {

/// How many elements each level of braces has; 0: as many as are written.
std::vector<std::uint64_t> levels(const Variable& variable) {
  std::vector<std::uint64_t> out = variable.dimensions;
  if (variable.type.vector != 0) out.push_back(variable.type.vector);
  return out;
}

}  // namespace

bool DeclarationReader::initialiser(Variable& out) {
  out.initial.emplace().position = c_.peek().position;
  if (levels(out).empty()) return value(*out.initial, 0);
  std::uint64_t count = 0;
  const bool open = !out.dimensions.empty() && out.dimensions.front() == 0;
  if (!values(out, 0, 0, count)) return false;
  if (!open) return true;
  out.dimensions.front() = count;
  if (count != 0) return true;
  c_.error(out.initial->position,
           fmt::format("0 values for `{}`, which has 0 elements", out.declarator.name.name));
  return false;
}

/// `{...}` of a level; `first`: the index of its first element. `count`: how many values it has.
bool DeclarationReader::values(Variable& out, std::size_t level, std::uint64_t first, std::uint64_t& count) {
  const std::vector<std::uint64_t> sizes = levels(out);
  std::uint64_t stride = 1;
  for (std::size_t i = level + 1; i < sizes.size(); ++i) stride *= sizes[i];
  const Position open = c_.peek().position;
  if (!c_.expect("{", "and the values of the array")) return false;
  for (count = 0; !c_.is("}"); ++count) {
    std::uint64_t inner = 0;
    const bool within = count < sizes[level] || (level == 0 && sizes[level] == 0);
    const std::uint64_t index = within ? first + count * stride : 0;
    const bool good =
        level + 1 < sizes.size() ? values(out, level + 1, index, inner) : value(*out.initial, index);
    if (!good) return false;
    if (!c_.accept(",") && !c_.is("}")) {
      c_.expected("`,` or `}`");
      return false;
    }
  }
  c_.take();
  if (count <= sizes[level] || (level == 0 && sizes[level] == 0)) return true;
  c_.error(open, fmt::format("{} values for `{}`, which has {} elements", count, out.declarator.name.name,
                             sizes[level]));
  return false;
}

void DeclarationReader::add(Initialiser& out, Datum datum, Symbol symbol) {
  datum.kind = Datum::Kind::address;
  datum.symbol = static_cast<std::uint32_t>(out.symbols.size());
  out.symbols.push_back(std::move(symbol));
  out.data.push_back(datum);
}

// 1, -1.5, x, x+4, generic(x)+4, 0xff00(x)
bool DeclarationReader::value(Initialiser& out, std::uint64_t index) {
  Datum datum;
  datum.index = index;
  datum.position = c_.peek().position;
  if (c_.peek().kind == TokenKind::integer && c_.peek(1).is("(")) return masked(out, datum);
  if (at_constant(c_)) {
    const std::optional<Constant> value = read_constant(c_);
    if (!value) return false;
    datum.kind = value->is_integer() ? Datum::Kind::integer : Datum::Kind::floating;
    datum.single = value->type == Constant::Type::f32;
    datum.number = static_cast<std::int64_t>(value->bits);
    out.data.push_back(datum);
    return true;
  }
  Symbol symbol;
  if (!address(symbol, datum)) return false;
  add(out, datum, std::move(symbol));
  return true;
}

bool DeclarationReader::address(Symbol& symbol, Datum& datum) {
  const bool function = c_.is_word("generic") && c_.peek(1).is("(");
  if (function) {
    c_.take();
    c_.take();
  } else if (limits_.ampersand) {
    c_.accept("&");
  }
  const Token token = c_.peek();
  if (token.kind != TokenKind::identifier && token.kind != TokenKind::reg) {
    c_.expected("an integer or the address of a variable");
    return false;
  }
  c_.take();
  symbol.generic = function;
  symbol.name.name = token.text;
  symbol.name.percent = token.kind == TokenKind::reg;
  symbol.name.position = token.position;
  if (scopes_ != nullptr) symbol.name.scope = scopes_->find(spelled(token));
  if (function && !c_.expect(")")) return false;
  while (c_.is("+") || c_.is("-")) {
    if (!symbol.offset) symbol.offset = c_.peek().position;
    if (!read_offset(c_, datum.number)) return false;
  }
  return true;
}

// 0xff00(x+4): 8 bits of an address or of a constant, at the lowest place
bool DeclarationReader::masked(Initialiser& out, Datum datum) {
  const Token token = c_.take();
  const std::uint64_t mask = parse_digits(token.text).value_or(0);
  const int shift = mask == 0 ? 0 : std::countr_zero(mask);
  if (shift % 8 != 0 || mask >> shift != 0xff) {
    c_.error(token.position,
             fmt::format("the mask `{}` is no byte of a 64-bit value such as 0xff00", token.text));
    return false;
  }
  c_.take();
  Symbol symbol;
  if (at_constant(c_)) {
    const std::optional<Constant> value = read_constant(c_);
    if (!value) return false;
    datum.number = static_cast<std::int64_t>(value->bits >> shift & 0xff);
    out.data.push_back(datum);
    if (!value->is_integer()) {
      c_.error(token.position, "a mask is for integers and addresses");
      return false;
    }
  } else {
    if (!address(symbol, datum)) return false;
    symbol.mask = mask;
    add(out, datum, std::move(symbol));
  }
  return c_.expect(")", "at the end of the masked value");
}

}  // namespace ptxmc::ptx
