// SPDX-License-Identifier: Apache-2.0
// The text of a litmus test as what is changed: where its instructions stand in the file, and what it is with other
// instructions put in, left out, or written otherwise. Everything else of the file stays as it is, byte by byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "input/litmus/test.h"
#include "support/source.h"

namespace ptxmc::repair {

/// Bytes [begin, end) of a text become `text`.
struct Edit {
  std::size_t begin = 0, end = 0;
  std::string text;
  friend bool operator==(const Edit&, const Edit&) = default;
};

/// One of them lies in what another takes away.
bool overlap(const std::vector<Edit>& a, const std::vector<Edit>& b);
/// The text with all edits made. Edits overlap nowhere; insertions at one place stand in the order of the list.
std::string edited(std::string_view text, std::vector<Edit> edits);

/// Where an instruction stands in its file.
struct Span {
  std::size_t guard = 0;     ///< where it begins: its guard, else its mnemonic
  std::size_t mnemonic = 0;  ///< [mnemonic, operands): "st.release.gpu.global.u32"
  std::size_t operands = 0;
  std::size_t end = 0;     ///< of its last operand
  std::size_t behind = 0;  ///< after its `;`; of a column, after its row
};

/// One body: the code of a thread, or of several that share it.
struct Code {
  std::size_t thread = 0;   ///< index of the first thread that runs it
  std::vector<Span> spans;  ///< by instruction; a place for labels at the end has an empty one
};

/// A test and its text. Throws InputError where an instruction cannot be found in it.
class Layout {
 public:
  explicit Layout(const litmus::Test& test);

  const std::string& text() const { return test_.source->text; }
  const std::vector<Code>& codes() const { return codes_; }
  const program::Instruction& instruction(std::size_t code, std::size_t index) const {
    return test_.threads[codes_[code].thread].code()[index];
  }
  std::size_t size(std::size_t code) const { return codes_[code].spans.size(); }
  std::string_view mnemonic(std::size_t code, std::size_t index) const;

  /// Instructions after one; `index` may be -1: before the first, and its labels.
  Edit insert_behind(std::size_t code, std::ptrdiff_t index,
                     const std::vector<std::string>& instructions) const;
  /// Directly before one: after its labels. Thread blocks alone; columns take none (nothing).
  Edit insert_before(std::size_t code, std::size_t index, const std::vector<std::string>& instructions) const;
  bool columns() const { return columns_; }
  Edit replace_mnemonic(std::size_t code, std::size_t index, const std::string& mnemonic) const;
  Edit replace_operand(const program::Operand& operand, const std::string& text) const;
  /// Leaves an instruction out; its labels stay.
  Edit remove(std::size_t code, std::size_t index) const;

  /// The line of an instruction.
  std::uint32_t line(std::size_t code, std::size_t index) const {
    return instruction(code, index).position.line;
  }

 private:
  std::size_t offset(Position position) const;
  std::size_t skip_blanks(std::size_t at) const;
  Span find(const program::Instruction& instruction) const;
  std::size_t end_of_operands(std::size_t from) const;
  std::size_t row_end(std::size_t from) const;
  std::size_t before_labels(std::size_t at) const;
  Edit insert_row(std::size_t code, std::size_t at, const std::vector<std::string>& instructions) const;

  const litmus::Test& test_;
  std::vector<std::size_t> lines_;  // where each line begins
  bool columns_ = false;
  std::vector<Code> codes_;
};

/// What stands in a unified diff of two texts, with three lines of context; empty where they are equal. `name`: of the file; `now`: what
/// became of it, "repaired".
std::string unified_diff(const std::string& name, const std::string& now, std::string_view before,
                         std::string_view after);

}  // namespace ptxmc::repair
