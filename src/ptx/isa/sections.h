// SPDX-License-Identifier: Apache-2.0
// Where the manual (PTX ISA 8.4, chapter 9.7) describes an instruction.
#pragma once

#include <string_view>

namespace ptxmc::isa {

/// "9.7.8.24.6" of cp.async.bulk.shared::cluster; several where several sections share the name; empty: not
/// known.
std::string_view sections_of(std::string_view mnemonic);

}  // namespace ptxmc::isa
