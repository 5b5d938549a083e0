// SPDX-License-Identifier: Apache-2.0
// The code of threads: PTX, which src/ptx/text reads, and what litmus files have beyond it.
#pragma once

#include <string>

#include "input/litmus/raw.h"
#include "ptx/resolve/constants.h"
#include "ptx/text/body.h"

namespace ptxmc::litmus {

using resolve::floating_bits;
using resolve::take_type;

/// `&x`, and `desc(x+32, leading=128, stride=256, swizzle=64)`, the descriptor of a matrix.
class CodeExtension : public ptx::Extension {
 public:
  bool at_operand(const Cursor& cursor) const override;
  bool read_operand(ptx::InstructionReader& reader, ptx::Operand& out) const override;
};

/// A litmus file's sections and thread heads, which end code whose `}` is missing.
class BlockExtension : public CodeExtension {
 public:
  bool ends_body(const Cursor& cursor) const override;
};

/// Sizes of the declarations in a litmus file.
constexpr ptx::Limits kLimits{.elements = 65536, .align = 4096, .registers = 4096, .ampersand = true};

/// "P0": a thread as messages say it.
std::string name_of(const RawThread& thread);

/// Gives a thread what its body says; reports what litmus tests do not have of PTX.
void take_body(ParseState& state, RawThread& thread, ptx::Body body);

}  // namespace ptxmc::litmus
