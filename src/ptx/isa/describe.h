// SPDX-License-Identifier: Apache-2.0
// The form table in words, and what may go on a mnemonic: for editors.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ptxmc::isa {

/// A form of an instruction.
struct FormText {
  struct Choice {
    std::string what;   ///< "a memory order"
    std::string words;  ///< ".relaxed .acquire"
    bool required = false;
  };
  std::string name;  ///< "st", "cp.async.bulk"
  /// "an address", in PTX order, those that may be left out in parentheses
  std::vector<std::string> operands;
  std::vector<Choice> choices;
};

/// Forms that have all of the words: of "cp.async.bulk" all bulk copies. Empty: there is no such instruction.
std::vector<FormText> forms_of(std::string_view mnemonic);

/// What may stand at the end of the mnemonic, which ends within a word: names of instructions where there is no dot yet, else
/// modifiers of one of its forms that no word of the mnemonic excludes.
std::vector<std::string> continuations(std::string_view mnemonic);

}  // namespace ptxmc::isa
