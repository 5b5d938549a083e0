// SPDX-License-Identifier: Apache-2.0
// The table of a `.test` file: rows after a line `$$` whose cells replace `$0`, `$1` ... in the text before it.
// A file without `$0` may count its cells from `$1`: then its rows have as many cells as the highest number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "input/litmus/words.h"
#include "support/source.h"

namespace ptxmc::litmus {

/// A placeholder and the cell that stands in its place. Columns are in bytes, from 1.
struct Substitution {
  std::uint32_t line = 0;
  std::uint32_t file_column = 0;  // of `$1` in the file
  std::uint32_t file_length = 0;
  std::uint32_t column = 0;  // of the cell in the row's text
  std::uint32_t length = 0;
  std::size_t number = 0;  // as written: 1 of `$1`
  std::size_t index = 0;   // into the row's cells
};

/// The program of one row; of the whole file when it has no table.
struct TableRow {
  SourcePtr source;        // the file itself without a table
  std::uint32_t line = 0;  // of the row in the file; 0: no table
  std::vector<std::string> cells;
  std::vector<Substitution> substitutions;  // in the order of the text
};

/// Splits a file and fills in its rows. Reports malformed rows and placeholders that no cell replaces; lines
/// keep their numbers.
std::vector<TableRow> expand_table(const SourcePtr& file, Errors& errors);

/// An error at `position` of a row's text, reported in terms of the file.
struct FileError {
  Position position;
  std::string message;
  bool in_cell = false;  // the message names the cell
};
FileError in_file(const TableRow& row, Position position, const std::string& message);

}  // namespace ptxmc::litmus
