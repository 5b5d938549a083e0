// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/errors.h"
#include "resolve/code.h"

namespace ptxmc::resolve {

/// Reports declared registers of another width or kind than their instructions take (9.4.1). Between predicates and
/// numbers there is no reading at all: lowering refuses that.
void check_registers(ptx::Errors& errors, const Code& code);

}  // namespace ptxmc::resolve
