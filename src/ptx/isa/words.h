// SPDX-License-Identifier: Apache-2.0
// Lists of words, and how messages speak of them. Inside src/ptx/isa only.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "ptx/isa/table.h"

namespace ptxmc::isa {

/// Scopes as PTX writes them, the narrowest first: row i names the enumerator of value i.
inline constexpr std::array<std::string_view, 5> kScopes = {"", "cta", "cluster", "gpu", "sys"};
inline constexpr std::string_view kScopeWords = "cta cluster gpu sys";
/// Sizes of prefetches into the second cache (9.7.8.8): they have no effect.
inline constexpr std::string_view kPrefetchWords = "L2::64B L2::128B L2::256B";
static_assert(kScopes.size() == static_cast<std::size_t>(Scope::sys) + 1 &&
              kScopeWords.ends_with(kScopes.back()));

/// Is `word` one of the blank-separated words of `list`? Allocates nothing: this is the parser's inner loop.
bool contains_word(std::string_view list, std::string_view word);
/// ".cta .cluster .gpu"
std::string dotted_list(std::string_view words);
/// "a memory order", "a scope" ...
std::string_view noun(Group group);
/// "not modelled: `tex`: why", of what is PTX and stays outside of the model; empty for all else. `word`: of an instruction
/// that is modelled without it; "" for its name.
std::string not_modelled(std::string_view base, std::string_view word);

}  // namespace ptxmc::isa
