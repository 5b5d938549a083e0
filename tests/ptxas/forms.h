// SPDX-License-Identifier: Apache-2.0
// Instruction forms that a script prints, right ones and slightly wrong ones (FAMILY, KIND and FORM, separated by tabs): each is a kernel
// of its own for the assembler, and a litmus test of its own here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assembler.h"

namespace ptxmc::test {

struct Form {
  std::string text;
  std::string assembler;   ///< what it says against the form; empty: it takes it
  bool malformed = false;  ///< it cannot be parsed, whatever the target
  std::string reader;      ///< what the reader of litmus tests says against it
};

/// One of `every` forms that the script lists, always the same ones. Throws std::runtime_error without it.
std::vector<Form> read_forms(const std::string& script, std::uint64_t every);

/// The form as the code of a litmus test.
std::string litmus_of(const std::string& form);

/// Those that the assembler takes for a target get an empty message, the others one that is not about the target, where there is such.
void assemble(const Assembler& assembler, const char* target, std::vector<Form*> forms);
/// The same of all, in batches, but those that it took before or cannot be parsed.
void assemble_left(const Assembler& assembler, const char* target, std::vector<Form>& forms);

}  // namespace ptxmc::test
