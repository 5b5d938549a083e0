// SPDX-License-Identifier: Apache-2.0
// The order of what an instruction may say: memory orders, scopes, and its mnemonic with others of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "input/litmus/test.h"
#include "ptx/isa/table.h"

namespace ptxmc::repair {

/// Whether `a` orders no more than `b`, for all that follows from the two (8.7, 8.8): weak, relaxed, acquire and release,
/// acq_rel, sc. volatile and mmio are relaxed at .sys (8.4).
bool at_most(isa::Semantics a, isa::Semantics b);
bool at_most(const isa::Modifiers& a, const isa::Modifiers& b);

/// The scopes that tell threads of the test apart: .sys where there are several GPUs or a host thread, .gpu where one has several
/// clusters, and so on; .cta if there is nothing else. Ascending.
std::vector<isa::Scope> telling_scopes(const litmus::Test& test);

/// A mnemonic as it stands in a text, and what it means.
struct Spelt {
  std::string mnemonic;
  isa::Modifiers modifiers;
};
/// The same instruction with a memory order and a scope, of those that its form takes; nothing: it takes them not. What goes with a
/// weak access alone (a cache operator, .nc) is left out of a strong one.
std::optional<Spelt> respelt(std::string_view mnemonic, isa::Semantics semantics, isa::Scope scope,
                             isa::Notation notation);
/// All of them, with the memory orders and scopes that its form knows; nothing of an instruction that says no order.
std::vector<Spelt> spellings(std::string_view mnemonic, const std::vector<isa::Scope>& scopes,
                             isa::Notation notation);

std::string word_of(isa::Semantics semantics);
std::string word_of(isa::Scope scope);

}  // namespace ptxmc::repair
