// SPDX-License-Identifier: Apache-2.0
#include "ptx/text/body.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "ptx/isa/table.h"
#include "ptx/text/cuda_calls.h"
#include "support/printable.h"

namespace ptxmc::ptx {

namespace {

constexpr std::size_t kMaxTargets = 4096;
constexpr int kMostPreserved = 1 << 10;
constexpr std::string_view kBodyDirectives =
    "reg shared local param global const loc pragma section branchtargets calltargets callprototype";

}  // namespace

bool is_module_word(std::string_view word) {
  return word == "entry" || word == "func" || word == "visible" || word == "extern" || word == "weak" ||
         word == "version" || word == "target";
}

template <typename Node>
void BodyReader::add(Node node, Position position) {
  scopes_.add({0, std::move(node), position});
}

bool BodyReader::ends(const Cursor& c) const {
  const Token& token = c.peek();
  if (!token.line_start) return false;
  if (extension_.ends_body(c)) return true;
  if (token.kind != TokenKind::word || !is_module_word(token.text)) return false;
  return token.text != "extern" || !c.peek(1).is_dotted("shared");
}

void BodyReader::block(Cursor& c) {
  const std::size_t depth = scopes_.depth();
  while (true) {
    if (c.accept(";")) continue;
    if (c.is("}")) {
      c.take();
      if (scopes_.depth() == depth) return;
      scopes_.close();
    } else if (c.at_end() || ends(c)) {
      c.expected(fmt::format("`}}` at the end of the code of {}", owner_));
      while (scopes_.depth() != depth) scopes_.close();
      return;
    } else {
      statement(c, true);
    }
  }
}

void BodyReader::range(Cursor c) {
  while (!c.at_end()) {
    if (c.accept(";")) continue;
    if (c.is("}") && scopes_.depth() > 1) {
      c.take();
      scopes_.close();
    } else {
      statement(c, false);
    }
  }
}

Body BodyReader::finish() {
  while (scopes_.depth() > 1) {
    errors_.error(scopes_.position(), fmt::format("`{{` without its `}}` in the code of {}", owner_));
    scopes_.close();
  }
  return scopes_.finish();
}

void BodyReader::statement(Cursor& c, bool closed) {
  const Token& token = c.peek();
  if (token.is("{")) {
    if (!scopes_.open(token.position)) throw TooManyErrors();
    c.take();
  } else if (token.kind == TokenKind::word) {
    directive(c, closed);
  } else if ((token.kind == TokenKind::identifier || token.kind == TokenKind::reg) && c.peek(1).is(":")) {
    label(c);
  } else {
    instruction(c, closed);
  }
}

/// The next `;`, or the `}` of the block; braces in it (vectors) are counted.
std::size_t BodyReader::end_of_statement(const Cursor& c) const {
  Cursor at = c;
  for (int depth = 0; !at.at_end(); at.take()) {
    const Token& token = at.peek();
    if (token.line_start && at.index() != c.index() && ends(at)) break;
    if (token.kind != TokenKind::punct) continue;
    if (token.is(";") || (depth == 0 && token.is("}"))) break;
    depth += token.is("{") ? 1 : 0;
    depth -= token.is("}") ? 1 : 0;
  }
  return at.index();
}

void BodyReader::finish_statement(Cursor& c, bool closed, int errors_before) {
  if (c.accept(";") || errors_.count() != errors_before) return;
  if (closed || !c.at_end()) c.expected("`;` at the end of a statement");
}

void BodyReader::label(Cursor& c) {
  const Token token = c.take();
  c.take();
  Label label;
  label.name.name = token.text;
  label.name.percent = token.kind == TokenKind::reg;
  label.name.position = token.position;
  if (scopes_.declare_label(label.name, spelled(token))) add(std::move(label), token.position);
}

void BodyReader::instruction(Cursor& c, bool closed) {
  const int before = errors_.count();
  const std::size_t end = end_of_statement(c);
  const Cursor whole(c.tokens(), c.index(), end, errors_);
  const std::size_t tail = extension_.instruction_end(whole);
  Cursor own(c.tokens(), c.index(), tail, errors_);
  Instruction out;
  const bool good = operands_or_form(own, out);
  if (good) {
    if (tail != end) extension_.read_tail(Cursor(c.tokens(), tail, end, errors_), out);
    const Position position = out.position;
    add(std::move(out), position);
  }
  c.move_to(std::max(end, c.index() + (end == c.index() ? 1 : 0)));
  finish_statement(c, closed, before);
}

/// Where operands cannot be read of an instruction that is not known, that is what is said.
bool BodyReader::operands_or_form(Cursor& c, Instruction& out) {
  Errors own(errors_.diagnostics().source());
  Cursor trial(c.tokens(), c.index(), c.end_index(), own);
  bool good = false;
  try {
    good = InstructionReader(trial, scopes_, extension_).instruction(out);
  } catch (const TooManyErrors&) {
    // recorded
  }
  c.move_to(trial.index());
  const bool has_form = out.base != "call" && out.base != "brx" && said_of_call(out.base).empty();
  isa::Resolution form;
  if (!good && !out.base.empty() && has_form)
    form = isa::resolve(out.base, out.words, isa::Notation::short_form);
  for (const isa::ModifierError& wrong : form.errors)
    errors_.error(wrong.word == 0 ? out.base_position : out.word_positions[wrong.word - 1], wrong.message);
  if (!form.errors.empty()) return false;
  for (const Diagnostic& error : own.diagnostics().all())
    errors_.error(error.position, error.message, error.notes);
  return good;
}

// ---- Directives -------------------------------------------------------------------------------------------

void BodyReader::directive(Cursor& c, bool closed) {
  const int before = errors_.count();
  const Token word = c.peek();
  if (word.text == "loc") {
    c.take();
    Location location;
    if (read_location(c, location)) add(location, word.position);
    return;
  }
  if (word.text == "loc_intermediate") {
    c.take();
    Location location;
    if (read_location(c, location)) skip_directive(c, word);
    return;
  }
  if (word.text == "section") {
    c.take();
    Section section;
    if (read_section(c, *errors_.diagnostics().source(), section)) add(section, word.position);
    return;
  }
  const std::size_t end = end_of_statement(c);
  Cursor own(c.tokens(), c.index(), end, errors_);
  if (declaration(own) && !own.at_end()) own.expected("`,` or `;`");
  c.move_to(end);
  finish_statement(c, closed, before);
}

bool BodyReader::declaration(Cursor& c) {
  const Token word = c.peek();
  const Position position = word.position;
  const bool external = word.text == "extern" && c.peek(1).is_dotted("shared");
  if (is_space(word.text) || external) {
    if (external) c.take();
    Variables out;
    if (!DeclarationReader(c, &scopes_, limits_)
             .variables(out.variables, external ? Linkage::external : Linkage::none))
      return false;
    add(std::move(out), position);
    return true;
  }
  c.take();
  if (word.text == "reg") {
    Registers out;
    const bool good = DeclarationReader(c, &scopes_, limits_).registers(out);
    // What was declared before the mistake is declared.
    if (!good && !out.declarators.empty()) out.declarators.pop_back();
    if (!out.declarators.empty()) add(std::move(out), position);
    return good;
  }
  if (word.text == "pragma") {
    Pragma out;
    if (!read_pragma(c, out)) return false;
    add(std::move(out), position);
    return true;
  }
  if (word.text == "branchtargets" || word.text == "calltargets") return targets(c);
  if (word.text == "callprototype") return prototype(c);
  if (skip_directive(c, word)) {
    c.move_to(c.end_index());
    return true;
  }
  c.error(position, fmt::format("`.{}` is not supported here; expected an instruction or .reg{}", word.text,
                                did_you_mean(word.text, kBodyDirectives)));
  return false;
}

// L0, L1, N<5>
bool BodyReader::targets(Cursor& c) {
  const Token& word = c.tokens()[c.index() - 1];
  Targets out;
  out.calls = word.text == "calltargets";
  do {
    const Token token = c.peek();
    if (token.kind != TokenKind::identifier) {
      c.expected(out.calls ? "a function" : "a label");
      return false;
    }
    c.take();
    Name name{std::string(token.text), false, token.position};
    std::optional<int> count = 1;
    const bool range = c.accept("<");
    if (range) count = c.number("a number of labels", static_cast<int>(kMaxTargets));
    if (!count || (range && !c.expect(">"))) return false;
    for (int i = 0; i < *count; ++i) {
      Name& one = out.names.emplace_back(name);
      if (range) one.name += std::to_string(i);
    }
    if (out.names.size() > kMaxTargets) {
      c.error(token.position, fmt::format("more than {} targets", kMaxTargets));
      return false;
    }
  } while (c.accept(","));
  add(std::move(out), word.position);
  return true;
}

// _; _ (.param .b32 _); (.param .b32 _) _ (.param .b32 _) .noreturn
bool BodyReader::prototype(Cursor& c) {
  const Position position = c.tokens()[c.index() - 1].position;
  Prototype out;
  DeclarationReader reader(c, nullptr, limits_);
  if (c.accept("(") && !reader.parameters(out.returns)) return false;
  if (!c.accept_word("_")) {
    c.expected("`_`, which stands for the function");
    return false;
  }
  if (c.accept("(") && !reader.parameters(out.parameters)) return false;
  while (c.peek().kind == TokenKind::word) {
    if (c.accept_dotted("noreturn")) {
      out.no_return = true;
    } else if (c.peek().is_dotted("abi_preserve") ||
               c.peek().is_dotted("abi_preserve_control")) {  // 11.3.3: of the machine code
      c.take();
      if (!c.number("a number of registers", kMostPreserved)) return false;
    } else {
      break;
    }
  }
  add(std::move(out), position);
  return true;
}

// 1 9 3, function_name info0+4, inlined_at 1 21 3 (11.5.4)
bool read_location(Cursor& c, Location& out) {
  constexpr int kMax = 1 << 30;
  const auto line = [&](SourceLine& at) {
    for (std::uint32_t* part : {&at.file, &at.line, &at.column}) {
      const std::optional<int> number = c.number("a file, a line and a column", kMax);
      if (!number) return false;
      *part = static_cast<std::uint32_t>(*number);
    }
    return true;
  };
  if (!line(out.at)) return false;
  if (!c.accept(",")) return true;
  if (!c.accept_word("function_name")) {
    c.expected("`function_name`");
    return false;
  }
  const Token& function = c.peek();
  if (function.kind != TokenKind::identifier && function.kind != TokenKind::word) {
    c.expected("a label of .debug_str");
    return false;
  }
  c.take();
  const bool section = function.kind == TokenKind::word;
  out.function =
      section ? std::string_view(function.text.data() - 1, function.text.size() + 1) : function.text;
  if (c.accept("+")) {
    const std::optional<std::uint64_t> offset = c.size("an offset", ~std::uint64_t{0});
    if (!offset) return false;
    out.function_offset = *offset;
  }
  if (!c.expect(",", "and inlined_at")) return false;
  if (c.accept_word("inlined_at")) return line(out.inlined_at);
  c.expected("`inlined_at`");
  return false;
}

bool skip_directive(Cursor& c, const Token& word) {
  struct Row {
    std::string_view word, since;
  };
  constexpr std::array<Row, 2> kSkipped = {{{"language", "9.3"}, {"loc_intermediate", "9.4"}}};
  const auto row =
      std::find_if(kSkipped.begin(), kSkipped.end(), [&](const Row& r) { return r.word == word.text; });
  if (row == kSkipped.end()) return false;
  c.errors().note(word.position, fmt::format("`.{}` (PTX {}) is skipped: it is information for other tools",
                                             row->word, row->since));
  return true;
}

bool read_pragma(Cursor& c, Pragma& out) {
  // What those that are known begin with.
  constexpr std::array<std::string_view, 5> kKnown = {"nounroll", "used_bytes_mask", "enable_smem_spilling",
                                                      "frequency", "mma_throughput"};
  do {
    const Token& text = c.peek();
    if (text.kind != TokenKind::string) {
      c.expected("a string in quotes");
      return false;
    }
    const bool known = std::any_of(kKnown.begin(), kKnown.end(),
                                   [&](std::string_view word) { return text.text.starts_with(word); });
    if (!known)
      c.errors().note(text.position,
                      fmt::format("the unknown pragma `{}` is skipped", printable(std::string(text.text))));
    out.strings.push_back(c.take().text);
  } while (c.accept(","));
  return true;
}

// .debug_str { info0: .b8 95 ... }
bool read_section(Cursor& c, const Source& source, Section& out) {
  const Token name = c.peek();
  if (name.kind != TokenKind::word && name.kind != TokenKind::identifier) {
    c.expected("the name of a section");
    return false;
  }
  c.take();
  out.name = std::string_view(source.text).substr(name.offset, name.length);
  if (!c.expect("{", "and the data of the section")) return false;
  const std::size_t begin = c.tokens()[c.index() - 1].end();
  while (!c.at_end() && !c.is("}")) c.take();
  out.text = std::string_view(source.text).substr(begin, c.here().offset - begin);
  return c.expect("}", "at the end of the section");
}

}  // namespace ptxmc::ptx
