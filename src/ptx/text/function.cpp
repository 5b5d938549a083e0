// SPDX-License-Identifier: Apache-2.0
#include "ptx/text/function.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ptx/isa/newer.h"
#include "ptx/text/body.h"
#include "ptx/text/unread.h"

namespace ptxmc::ptx {

namespace {

constexpr int kMostOfTuning = 1 << 30;

/// Directives between the parameters of a function and its body, and how many numbers they have (11.4, 11.7).
struct TuningRow {
  std::string_view word;
  std::size_t least;
  std::size_t most;
  bool positive = false;  // no number of it is 0
};
constexpr std::array<TuningRow, 12> kTuning = {{{"maxntid", 1, 3, true},
                                                {"reqntid", 1, 3, true},
                                                {"minnctapersm", 1, 1, true},
                                                {"maxnctapersm", 1, 1},
                                                {"maxnreg", 1, 1},
                                                {"noreturn", 0, 0},
                                                {"reqnctapercluster", 1, 3, true},
                                                {"explicitcluster", 0, 0},
                                                {"maxclusterrank", 1, 1},
                                                {"blocksareclusters", 0, 0},
                                                {"abi_preserve", 1, 1},
                                                {"abi_preserve_control", 1, 1}}};

constexpr std::string_view kTuningWords =
    "maxntid reqntid minnctapersm maxnctapersm maxnreg noreturn reqnctapercluster explicitcluster "
    "maxclusterrank "
    "blocksareclusters abi_preserve abi_preserve_control pragma";

/// Up to the next directive, or the code.
void skip_tuning(Cursor& c) {
  while (!c.at_end() && c.peek().kind != TokenKind::word && !c.is("{") && !c.is(";")) c.take();
}

}  // namespace

bool FunctionReader::read(Function& out) {
  return signature(out) && rest(out);
}

/// What follows the signature. What is wrong there is an error of the function alone.
bool FunctionReader::rest(Function& out) {
  Errors own(source_);
  Cursor c(c_.tokens(), c_.index(), c_.end_index(), own);
  std::optional<std::size_t> block;
  try {
    while (c.peek().kind == TokenKind::word && !is_module_word(c.peek().text)) {
      if (!tuning(c, out)) skip_tuning(c);
    }
    if (c.is("{")) {
      c.take();
      block = c.index();
      body(c, out);
    } else {
      c.expect(";", "or `{` and the code of the function");
    }
  } catch (const TooManyErrors&) {
    c.move_to(behind_block(c.tokens(), block.value_or(c.index()), c.end_index()));
    if (block && !out.body) out.body.emplace();
  }
  c_.move_to(c.index());
  out.end = c_.tokens()[c_.index() - 1].position;
  if (!out.body && own.any()) {  // it has no code
    for (const Diagnostic& error : own.diagnostics().all()) c_.errors().add(error);
    return false;
  }
  out.unread.errors = own.diagnostics().all();
  for (const Diagnostic& note : own.notes()) c_.errors().note(note.position, note.message);
  return true;
}

// .attribute(...) (returns) name (parameters)
bool FunctionReader::signature(Function& out) {
  if (c_.accept_dotted("attribute") && !read_attributes(c_, out.attributes)) return false;
  DeclarationReader reader(c_, nullptr);
  if (!out.entry && c_.accept("(") && !reader.parameters(out.returns)) return false;
  if (!read_name(c_, out.name, out.entry ? "the name of a kernel" : "the name of a function")) return false;
  return !c_.accept("(") || reader.parameters(out.parameters);
}

bool FunctionReader::tuning(Cursor& c, Function& out) {
  const Token word = c.take();
  if (word.text == "pragma") {
    if (!read_pragma(c, out.pragmas.emplace_back())) return false;
    c.accept(";");
    return true;
  }
  if (skip_directive(c, word)) {
    skip_tuning(c);
    return true;
  }
  const auto row = std::find_if(kTuning.begin(), kTuning.end(),
                                [&](const TuningRow& row) { return row.word == word.text; });
  if (row == kTuning.end()) {
    std::string said = isa::newer_directive(word.text);
    if (said.empty())
      said = fmt::format("`.{}` is no directive of a function{}", word.text,
                         did_you_mean(word.text, kTuningWords));
    c.error(word.position, std::move(said));
    return false;
  }
  Tuning& tuning = out.tuning.emplace_back(Tuning{word.text, {}, word.position});
  for (std::size_t i = 0; i < row->most; ++i) {
    if (i >= row->least && !c.accept(",")) break;
    const Position at = c.peek().position;
    const std::optional<int> number = c.number("a number", kMostOfTuning);
    if (!number) return false;
    if (row->positive && *number == 0) {
      c.error(at, fmt::format("expected a number from 1 for `.{}`, found `0`", word.text));
      return false;
    }
    tuning.numbers.push_back(static_cast<std::uint32_t>(*number));
  }
  return true;
}

void FunctionReader::body(Cursor& c, Function& out) {
  const Extension none;
  BodyReader reader(c.errors(), fmt::format("`{}`", out.name.name), none);
  for (std::vector<Variable>* list : {&out.returns, &out.parameters}) {
    for (Variable& variable : *list) {
      if (variable.name() != "_") reader.scopes().declare_parameter(variable.declarator);
    }
  }
  reader.block(c);
  out.body = reader.finish();
}

bool read_name(Cursor& c, Name& out, std::string_view what) {
  const Token& token = c.peek();
  if (token.kind != TokenKind::identifier && token.kind != TokenKind::reg) {
    c.expected(what);
    return false;
  }
  out.name = token.text;
  out.percent = token.kind == TokenKind::reg;
  out.position = token.position;
  c.take();
  return true;
}

}  // namespace ptxmc::ptx
