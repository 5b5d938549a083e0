// SPDX-License-Identifier: Apache-2.0
// Since when an instruction exists: the PTX version and the target architecture that its form needs ("PTX ISA
// Notes" and "Target ISA Notes" of chapter 9).
#pragma once

#include <string>

#include "ptx/isa/isa.h"

namespace ptxmc::isa {

/// What a module must state. The memory model itself begins with PTX 6.0 and sm_70 (chapter 8).
struct Target {
  int version = 60;       ///< .version, ten times: 60 is 6.0
  int sm = 70;            ///< .target sm_70
  bool specific = false;  ///< an architecture-specific target: sm_90a
  friend bool operator==(const Target&, const Target&) = default;
};

/// The least target of an instruction. Short forms count as what they stand for; host threads' API calls need
/// nothing.
Target target_of(Opcode opcode, const Modifiers& modifiers);

/// The least target that has both. An architecture-specific target has no successors: of two different ones
/// the later is returned, and lacks() tells which cannot be met.
Target both(const Target& a, const Target& b);
/// Does `have` lack what `need` asks for?
bool lacks(const Target& have, const Target& need);

std::string version_name(const Target& target);  ///< "8.0"
std::string sm_name(const Target& target);       ///< "sm_90a"

}  // namespace ptxmc::isa
