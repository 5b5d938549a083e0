// SPDX-License-Identifier: Apache-2.0
// Forms of newer manuals (9.1 to 9.5) that the model does not have: each is refused by its name, with its version.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ptx/isa/table.h"

namespace ptxmc::isa {

/// "`fabric.submit` (PTX 9.3) is not modelled: ...", and which word says so; nothing: no such form. `words` are modifiers
/// without their dots.
std::optional<ModifierError> newer_form(std::string_view base, std::span<const std::string_view> words);
/// The same message of a predefined register, without its %; empty: there is no such.
std::string newer_register(std::string_view name);
/// The same of a directive, without its dot.
std::string newer_directive(std::string_view word);

}  // namespace ptxmc::isa
