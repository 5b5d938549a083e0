// SPDX-License-Identifier: Apache-2.0
// The registers of a thread and their types: as declared, else as its instructions need them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpu/text/facts.h"
#include "ptx/program/program.h"

namespace ptxmc::gpu {

using isa::Use;

/// A register of the thread, special registers apart.
struct RegisterType {
  std::string name;  ///< without %
  isa::Type type;    ///< untyped (.b32 ...) where the test does not declare it
};

/// In order of appearance, declared ones first. A register that one instruction takes as .b32 and another as
/// .b64 gets the wider type; the assembler says what it thinks of it.
std::vector<RegisterType> registers_of(const Facts& facts, const program::Thread& thread);

}  // namespace ptxmc::gpu
