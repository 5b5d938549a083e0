// SPDX-License-Identifier: Apache-2.0
// Names that a C++ compiler made, as the source has them.
#pragma once

#include <string>

namespace ptxmc {

/// "lastblock(float const*, float*, float*, unsigned int)"; a name that no C++ compiler made is itself.
std::string demangled(const std::string& name);

/// Its last identifier: "lastblock"; also for names that are too intricate to be demangled.
std::string short_function_name(const std::string& name);

/// The name of a variable without what it is in: "s", of `_ZZ9block_sumPKfE1s`.
std::string short_variable_name(const std::string& name);

}  // namespace ptxmc
