// SPDX-License-Identifier: Apache-2.0
// Kernels of a module: finding the one that a launch means, and saying what each of them takes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ptx/text/syntax.h"
#include "support/demangle.h"

namespace ptxmc::launch {

/// The entries of the module that have a body, in its order.
std::vector<const ptx::Function*> entries_of(const ptx::Module& module);

/// The entries that a name may mean: the one whose name, mangled or not, it is; else those whose last identifier it is; else
/// those that have it as a part.
std::vector<const ptx::Function*> matches(const ptx::Module& module, const std::string& name);

/// The only entry that a name may mean; the only one of the module when it is empty. Throws InputError, at `position` of `source`, with the names that there are.
const ptx::Function& find_entry(const ptx::Module& module, const std::string& name, const SourcePtr& source,
                                Position position);

/// Bytes of a type: "u32" is 4; 0: it has none.
std::uint32_t bytes_of(std::string_view type);
/// Bytes of a variable, dimensions and vectors counted in; an array without a first size has none.
std::uint64_t bytes_of(const ptx::Variable& variable);
/// Its alignment, as declared or natural (5.4.5).
std::uint32_t alignment_of(const ptx::Variable& variable);
/// "u64", "b8[640]": a parameter's type as a listing shows it.
std::string type_of(const ptx::Variable& variable);

/// The numbers of `.reqntid 128, 1, 1`; empty: the function has no such line.
std::vector<std::uint32_t> tuning_of(const ptx::Function& function, std::string_view directive);
bool has_tuning(const ptx::Function& function, std::string_view directive);

}  // namespace ptxmc::launch
