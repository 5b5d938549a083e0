// SPDX-License-Identifier: Apache-2.0
// Who a call may mean: the function of that name, or, through a register, those whose address may be in it (9.7.11.5).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "input/launch/function_names.h"
#include "ptx/text/syntax.h"

namespace ptxmc::launch {

/// The function of that name, or that an alias of that name stands for (11.6.6); null: there is none.
const ptx::Function* called_by(const ptx::Module& module, std::string_view name);

/// The functions that a call through a register may mean: those of its .calltargets or of its call table; by a
/// .callprototype all of that signature whose address something in the module takes. Nothing: `list` is none of these.
std::optional<std::vector<const ptx::Function*>> call_targets(const ptx::Module& module,
                                                              const FunctionNames& names,
                                                              std::string_view list);

}  // namespace ptxmc::launch
