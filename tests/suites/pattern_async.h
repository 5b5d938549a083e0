// SPDX-License-Identifier: Apache-2.0
// Asynchronous instructions of the pattern suite's shorthand, written out as PTX.
//
// In the shorthand a tile is one cell of 4 bytes; here it is one of 16, the least that a bulk copy moves, and
// its first word is what is stored, loaded and asked about. Sizes and transaction counts grow with it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ptxmc::testing {

/// One instruction of the shorthand: "OPCODE a,b,c".
struct ShortInstruction {
  std::string opcode;
  std::vector<std::string> operands;
};

/// How many 4-byte words a cell of the shorthand becomes: several when a thread copies in bulk.
std::size_t words_of_tile(const std::vector<std::string>& threads);

/// True when copies move tiles, so that sizes grow with them.
bool copies_tiles(const std::vector<std::string>& threads);

/// Why the translation leaves an instruction out; empty: it is translated, or is none of these.
std::string not_translated(const std::string& opcode);

/// Parts of an address operand `[x]`, `[x+1]` or `[x@cta1]`.
struct ShortAddress {
  std::string name;
  std::string offset;  ///< "+1", or empty
  std::string cta;     ///< "1" of `@cta1`; empty: the thread's own
};
ShortAddress read_address(const std::string& operand);
bool is_address(const std::string& operand);

/// The mnemonic as PTX has it.
std::string long_opcode(const std::string& opcode);
/// An operand, a number of bytes of a bulk copy `factor` times as large.
std::string long_size(const ShortInstruction& instruction, std::size_t operand, std::size_t factor);

/// Which operand places of an instruction are mbarriers, and which are in shared memory.
bool is_mbarrier_place(const ShortInstruction& instruction, std::size_t operand);
bool is_shared_place(const ShortInstruction& instruction, std::size_t operand);

}  // namespace ptxmc::testing
