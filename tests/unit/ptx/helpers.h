// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "ptx/text/body.h"

namespace ptxmc::ptx::testing {

/// A text, its tokens and what is said of it.
struct Text {
  SourcePtr source;
  Errors errors;
  std::vector<Token> tokens;

  explicit Text(const std::string& text)
      : source(std::make_shared<const Source>(Source{"t", text})), errors(source) {
    tokens = lex(*source, {}, errors, Comments::ptx);
  }
  Cursor cursor() { return Cursor(tokens, 0, tokens.size() - 1, errors); }
  /// "LINE:COLUMN MESSAGE\n" for each error, and for each of its notes, in the order of the text.
  std::string said() const {
    std::string out;
    const Diagnostics all = sorted(errors.diagnostics());
    for (const Diagnostic& d : all.all()) {
      out +=
          std::to_string(d.position.line) + ":" + std::to_string(d.position.column) + " " + d.message + "\n";
      for (const Note& note : d.notes)
        out += std::to_string(note.position.line) + ":" + std::to_string(note.position.column) + " " +
               note.message + "\n";
    }
    return out;
  }
};

/// The statements of a body.
struct Read : Text {
  Body body;

  explicit Read(const std::string& text) : Text(text + "\n}") {
    const Extension none;
    BodyReader reader(errors, "`f`", none);
    Cursor c = cursor();
    reader.block(c);
    body = reader.finish();
  }
  template <typename Node>
  const Node& at(std::size_t i) const {
    REQUIRE(i < body.statements.size());
    const Node* node = std::get_if<Node>(&body.statements[i].node);
    REQUIRE(node != nullptr);
    return *node;
  }
  const Operand& operand(std::size_t statement, std::size_t i) const {
    REQUIRE(i < at<Instruction>(statement).operands.size());
    return at<Instruction>(statement).operands[i];
  }
};

}  // namespace ptxmc::ptx::testing
