// SPDX-License-Identifier: Apache-2.0
// Random cat texts: the engines must be right about any model, not only about those that ship.
#pragma once

#include <cstdint>
#include <string>

#include "model/relation/signature.h"

namespace ptxmc::testing {

/// A cat text over the base sets and relations of the signature: definitions with closures, differences (also
/// of relations that grow with the choices), recursion, declared orders or a default coherence, axioms and
/// flags. Equal seeds give equal texts on all platforms.
std::string generate_model(std::uint64_t seed, const relation::Signature& signature);

}  // namespace ptxmc::testing
