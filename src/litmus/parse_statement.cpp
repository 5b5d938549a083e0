// SPDX-License-Identifier: Apache-2.0
// One statement: `LABEL: @!%p mnemonic.modifiers operands`, or a register declaration.
#include <fmt/format.h>

#include <algorithm>

#include "isa/table.h"
#include "litmus/raw.h"

namespace ptxmc::litmus {

namespace {

constexpr std::size_t kMaxRegisters = 4096;  // declared in one thread
constexpr std::size_t kMaxOperands = 16;
constexpr std::size_t kMaxElements = 128;  // of a vector: the accumulator of the largest wgmma

// As the user wrote it, with one blank for any white space.
std::string squeezed(const std::vector<Token>& tokens, std::size_t begin, std::size_t end,
                     std::string_view text) {
  std::string out;
  for (std::size_t i = begin; i < end; ++i) {
    if (i != begin && tokens[i].space_before) out += ' ';
    out += text.substr(tokens[i].offset, tokens[i].length);
  }
  return out;
}

class StatementParser {
 public:
  StatementParser(ParseState& state, RawThread& thread, Cursor& cursor)
      : state_(state), thread_(thread), c_(cursor) {}

  void run() {
    labels();
    if (c_.peek().kind == TokenKind::word) {
      keep_labels();
      directive();
    } else if (c_.at_end()) {
      keep_labels();
    } else if (instruction()) {
      thread_.statements.push_back(std::move(out_));
    } else {
      keep_labels();
    }
  }

 private:
  void keep_labels() {
    if (out_.labels.empty()) return;
    RawStatement place;
    place.labels = std::move(out_.labels);
    place.position = out_.position;
    thread_.statements.push_back(std::move(place));
  }

  void labels();
  bool instruction();
  bool guard();
  bool operand();
  bool bracket(RawOperand& operand);
  bool vector(RawOperand& operand);
  bool descriptor(RawOperand& operand);
  bool offset(RawOperand& operand);
  bool name(RawName& out);
  bool special_register(RawName& out);
  void directive();
  bool declare_register(const isa::Type& type);
  bool add_register(const std::string& name, bool percent, const isa::Type& type, Position position);

  ParseState& state_;
  RawThread& thread_;
  Cursor& c_;
  RawStatement out_;
};

void StatementParser::labels() {
  out_.position = c_.peek().position;
  while (c_.peek().kind == TokenKind::identifier && c_.peek(1).is(":")) {
    const Token label = c_.take();
    c_.take();
    if (is_section_word(label.text)) {
      c_.error(label.position, fmt::format("`{}` cannot be a label", label.text));
      continue;
    }
    if (!thread_.labels.emplace(std::string(label.text), label.position).second) {
      c_.error(label.position,
               fmt::format("label `{}` occurs twice in P{}", label.text, thread_.thread.number));
      continue;
    }
    out_.labels.emplace_back(label.text);
  }
}

bool StatementParser::instruction() {
  const std::size_t begin = c_.index();
  out_.position = c_.peek().position;
  if (!guard()) return false;
  if (c_.peek().kind != TokenKind::identifier) {
    c_.expected("an instruction");
    return false;
  }
  const Token base = c_.take();
  out_.base = base.text;
  out_.base_position = base.position;
  while (c_.peek().kind == TokenKind::word) {
    const Token word = c_.take();
    out_.words.push_back(word.text);
    out_.word_positions.push_back(word.position);
  }
  if (!c_.at_end()) {
    do {
      if (out_.operands.size() == kMaxOperands) {
        c_.error(c_.here().position, fmt::format("more than {} operands", kMaxOperands));
        return false;
      }
      if (!operand()) return false;
    } while (c_.accept(","));
    if (!c_.at_end()) {
      c_.expected("`,` or `;`");
      return false;
    }
  }
  out_.end_position = c_.here().position;
  out_.text = squeezed(c_.tokens(), begin, c_.index(), state_.test.source->text);
  const Token& last = c_.tokens()[c_.index() - 1];
  const Position& first = out_.position;
  if (last.position.line == first.line) {
    out_.position.length = last.position.column + last.position.length - first.column;
  }
  return true;
}

bool StatementParser::guard() {
  if (!c_.accept("@")) return true;
  out_.guard_negated = c_.accept("!");
  RawName reg;
  if (!name(reg)) return false;
  out_.guard = reg;
  return true;
}

bool StatementParser::name(RawName& out) {
  const Token token = c_.peek();
  if (token.kind != TokenKind::identifier && token.kind != TokenKind::reg) {
    c_.expected("a name");
    return false;
  }
  c_.take();
  out = {std::string(token.text), token.kind == TokenKind::reg, token.position};
  if (out.percent && isa::is_special_register(out.name)) return special_register(out);
  if (out.percent && out.name == "_") {
    c_.error(token.position, "`%_` is no register; the bit bucket is `_`");
    return false;
  }
  if (out.percent && c_.peek().kind == TokenKind::word) {
    c_.error(c_.peek().position, fmt::format("{} of a register is not supported yet", describe(c_.peek())));
    return false;
  }
  return true;
}

/// `%laneid`, `%tid.x`: a register whose name has the component in it.
bool StatementParser::special_register(RawName& out) {
  if (c_.peek().kind == TokenKind::word) out.name += fmt::format(".{}", c_.take().text);
  if (isa::is_special_register(out.name) && isa::special_register(out.name)) return true;
  c_.error(out.position, fmt::format("special register `%{}` is not supported yet", out.name));
  return false;
}

bool StatementParser::operand() {
  RawOperand out;
  out.position = c_.peek().position;
  if (c_.is("{")) {
    if (!vector(out)) return false;
  } else if (c_.at_integer()) {
    const std::optional<std::int64_t> number = c_.integer();
    if (!number) return false;
    if (c_.peek().kind == TokenKind::word) {
      c_.error(out.position, "floating-point constants are not supported yet");
      return false;
    }
    out.number = *number;
  } else if (c_.is("[")) {
    if (!bracket(out)) return false;
  } else if (c_.accept("!")) {
    out.kind = RawOperand::Kind::negated;
    if (!name(out.name)) return false;
  } else if (c_.accept("&")) {
    out.kind = RawOperand::Kind::address_of;
    if (!name(out.name)) return false;
  } else if (c_.peek().is_word("desc") && c_.peek(1).is("(")) {
    if (!descriptor(out)) return false;
  } else if (c_.peek().kind == TokenKind::identifier || c_.peek().kind == TokenKind::reg) {
    out.kind = RawOperand::Kind::name;
    if (!name(out.name)) return false;
    if (c_.accept("|")) {
      out.kind = RawOperand::Kind::pair;
      if (!name(out.second)) return false;
    } else if (c_.is("+") || c_.is("-")) {
      if (!offset(out)) return false;
    } else if (c_.is("[")) {
      c_.error(c_.peek().position,
               fmt::format("write an element's address in bytes: `[{}+4]`", out.name.name));
      return false;
    }
  } else {
    c_.expected("an operand");
    return false;
  }
  out_.operands.push_back(std::move(out));
  return true;
}

// desc(x), desc(x+32, leading=128, stride=256, swizzle=64)
bool StatementParser::descriptor(RawOperand& out) {
  c_.take();
  c_.take();
  out.kind = RawOperand::Kind::descriptor;
  if (!name(out.name)) return false;
  if ((c_.is("+") || c_.is("-")) && !offset(out)) return false;
  while (c_.accept(",")) {
    const Token key = c_.peek();
    if (!key.is_word("leading") && !key.is_word("stride") && !key.is_word("swizzle")) {
      c_.expected("leading=N, stride=N or swizzle=N");
      return false;
    }
    c_.take();
    if (!c_.expect("=", "and a number of bytes")) return false;
    const std::optional<std::int64_t> bytes = c_.integer("a number of bytes");
    if (!bytes) return false;
    if (!out.settings.emplace(key.text, *bytes).second) {
      c_.error(key.position, fmt::format("`{}` is given twice", key.text));
      return false;
    }
  }
  return c_.expect(")", "at the end of the descriptor");
}

// {%r0, _, 5}
bool StatementParser::vector(RawOperand& out) {
  c_.take();
  out.kind = RawOperand::Kind::vector;
  do {
    RawOperand element;
    element.position = c_.peek().position;
    if (c_.at_integer()) {
      const std::optional<std::int64_t> number = c_.integer();
      if (!number) return false;
      element.number = *number;
    } else {
      element.kind = RawOperand::Kind::name;
      if (!name(element.name)) return false;
    }
    out.elements.push_back(std::move(element));
    if (out.elements.size() > kMaxElements) {
      c_.error(out.position, fmt::format("more than {} elements", kMaxElements));
      return false;
    }
  } while (c_.accept(","));
  return c_.expect("}", "at the end of the vector");
}

// [x], [x+4], [%rd1-8], [x+-4]
bool StatementParser::bracket(RawOperand& out) {
  c_.take();
  out.kind = RawOperand::Kind::address;
  if (c_.at_integer()) {
    c_.error(c_.peek().position, "absolute addresses are not supported yet");
    return false;
  }
  if (!name(out.name)) return false;
  if ((c_.is("+") || c_.is("-")) && !offset(out)) return false;
  if (c_.is(",")) {
    out.comma = c_.take().position;
    if (!c_.is("{")) {
      if (std::find(out_.words.begin(), out_.words.end(), "tensor") != out_.words.end()) {
        c_.expected("`{` and the coordinates of a tensor");
        return false;
      }
      c_.error(
          *out.comma,
          "texture and surface coordinates are not supported; a name of that proxy stands for one location");
      return false;
    }
    if (!vector(out)) return false;
    out.kind = RawOperand::Kind::address;
  }
  if (!c_.expect("]", "at the end of the address")) return false;
  if (c_.peek().kind == TokenKind::word) {
    c_.error(c_.peek().position, fmt::format("{} of an address is not supported yet", describe(c_.peek())));
    return false;
  }
  return true;
}

bool StatementParser::offset(RawOperand& out) {
  if (c_.is("+") && c_.peek(1).is("-")) c_.take();
  const std::optional<std::int64_t> offset = c_.integer("an offset in bytes");
  if (!offset) return false;
  out.number = *offset;
  out.has_offset = true;
  return true;
}

// .reg .u32 %r<4>, %x;
void StatementParser::directive() {
  const Token word = c_.take();
  if (word.text != "reg") {
    c_.error(word.position,
             fmt::format("`.{}` is not supported here; expected an instruction or .reg", word.text));
    return;
  }
  state_.ptx_declarations = true;
  const std::optional<isa::Type> type = parse_type_word(c_, true);
  if (!type) return;
  do {
    if (!declare_register(*type)) return;
  } while (c_.accept(","));
  if (!c_.at_end()) c_.expected("`,` or `;`");
}

bool StatementParser::declare_register(const isa::Type& type) {
  RawName reg;
  if (!name(reg)) return false;
  if (!c_.accept("<")) return add_register(reg.name, reg.percent, type, reg.position);
  const std::optional<int> count = c_.number("a number of registers", static_cast<int>(kMaxRegisters));
  if (!count || !c_.expect(">")) return false;
  for (int i = 0; i < *count; ++i) {
    if (!add_register(reg.name + std::to_string(i), reg.percent, type, reg.position)) return false;
  }
  return true;
}

bool StatementParser::add_register(const std::string& name, bool percent, const isa::Type& type,
                                   Position position) {
  if (name == "_") {
    c_.error(position, "`_` cannot be declared");
    return false;
  }
  if (isa::is_special_register(name)) {
    c_.error(position, fmt::format("`%{}` is a special register", name));
    return false;
  }
  if (thread_.thread.registers.size() == kMaxRegisters) {
    c_.error(position, fmt::format("more than {} registers in one thread", kMaxRegisters));
    return false;
  }
  if (!thread_.declared.insert(name).second) {
    c_.error(position, fmt::format("register `{}` is declared twice", name));
    return false;
  }
  if (!percent) thread_.bare_registers.insert(name);
  thread_.thread.registers.push_back({name, type, position});
  return true;
}

}  // namespace

void parse_statement(ParseState& state, RawThread& thread, Cursor cursor) {
  StatementParser(state, thread, cursor).run();
}

std::optional<isa::Type> parse_type_word(Cursor& cursor, bool predicate_allowed) {
  const Token word = cursor.peek();
  if (word.kind != TokenKind::word) {
    cursor.expected("a type such as .u32");
    return std::nullopt;
  }
  const std::optional<isa::Type> type = isa::parse_type(word.text);
  if (type && (predicate_allowed || type->cls != isa::TypeClass::predicate)) {
    cursor.take();
    return type;
  }
  if (isa::is_unsupported_type(word.text) || word.text == "v2" || word.text == "v4") {
    cursor.error(word.position, fmt::format("`.{}` is not supported yet", word.text));
  } else {
    cursor.expected("a type such as .u32");
  }
  return std::nullopt;
}

}  // namespace ptxmc::litmus
