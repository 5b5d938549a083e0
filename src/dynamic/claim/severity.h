// SPDX-License-Identifier: Apache-2.0
// How much what was found weighs: an error is undefined in the PTX ISA, or a race that can change a value; a warning is what the
// wording requires and no known hardware or toolchain relies on, or a value that the schedule decides; a note is the rest.
// Options move that: --strict makes warnings errors, --practice waives idioms of code that ships, each by its name.
#pragma once

#include <string_view>
#include <vector>

#include "dynamic/claim/verify_result.h"
#include "support/diagnostic.h"

namespace ptxmc::claim {

/// What the wording of the manual does not give, and code that ships relies on.
struct Idiom {
  std::string_view name;  ///< "init-unfenced"
  std::string_view what;  ///< of the code: "an mbarrier object is used after a barrier alone"
  std::string_view why;   ///< nothing is known to go wrong
};
/// The idiom that a finding is; null: it is none.
const Idiom* idiom_of(const VerifyResult& verified, const trace::Finding& finding);
const Idiom* idiom_of(const exec::Fault& fault);

/// As the options have it.
Severity severity_of(const VerifyResult& verified, const trace::Finding& finding);
Severity severity_of(const VerifyResult& verified, const exec::Fault& fault);
/// The same of a hang.
Severity severity_of_hang(const VerifyResult& verified);
/// The same of VerifyResult::Elected::hang, and its idiom.
const Idiom& idiom_of_elected_hang();
Severity severity_of_elected_hang(const VerifyResult& verified);

/// Those of all that was found and waived, each once.
std::vector<const Idiom*> waived(const VerifyResult& verified);

}  // namespace ptxmc::claim
