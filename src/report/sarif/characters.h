// SPDX-License-Identifier: Apache-2.0
// Columns of bytes as columns of characters, for what reads a file as Unicode.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "support/source.h"

namespace ptxmc::report {

/// The text of a file of that name; null where there is none.
using ReadSource = std::function<SourcePtr(const std::string& name)>;

/// The column, from 1, of the character that byte `column`, from 1, is in; the text is UTF-8.
int character_column(std::string_view line, int column);

class Characters {
 public:
  explicit Characters(ReadSource read) : read_(std::move(read)) {}
  /// Each byte of a file that cannot be read (nothing reads, say) is a character.
  int column(const std::string& file, int line, int column) const;

 private:
  ReadSource read_;
  mutable std::map<std::string, SourcePtr> known_;
};

}  // namespace ptxmc::report
