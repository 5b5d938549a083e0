// SPDX-License-Identifier: Apache-2.0
// The text of a PTX module as what is changed: an instruction put in after or before another one, or written
// otherwise. Everything else stays as it is, byte by byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "repair/text.h"
#include "support/source.h"

namespace ptxmc::repair {

class ModuleText {
 public:
  explicit ModuleText(std::string text);

  const std::string& text() const { return text_; }
  /// The mnemonic of the instruction that begins there, with its guard or without.
  std::string_view mnemonic(Position at) const;
  /// Puts an instruction, without its `;`, on a line of its own.
  Edit put_behind(Position at, const std::string& instruction) const;
  Edit put_before(Position at, const std::string& instruction) const;
  Edit respell(Position at, const std::string& mnemonic) const;
  /// The n-th operand, from 0 on.
  Edit replace_operand(Position at, std::size_t n, const std::string& operand) const;
  /// An instruction as it stands there, its guard with it, without its `;`.
  std::string instruction(Position at) const;
  Edit remove(Position at) const;

 private:
  std::size_t offset(Position at) const;
  std::size_t mnemonic_begin(Position at) const;
  std::size_t mnemonic_end(Position at) const;
  std::string indent(std::size_t at) const;

  std::string text_;
  std::vector<std::size_t> lines_;  // where each begins
};

/// The lines of an edited text, from 1, as those of the text before; 0: a line that was put in.
class OldLines {
 public:
  OldLines(const std::string& before, std::vector<Edit> edits);
  std::uint32_t operator()(std::uint32_t line) const { return line < old_.size() ? old_[line] : 0; }

 private:
  std::vector<std::uint32_t> old_;
};

}  // namespace ptxmc::repair
