// SPDX-License-Identifier: Apache-2.0
// Runs for programs.
//
// JSON, one object a launch, on one line:
//   launch                 the kernel's name
//   file                   of the module, or the test
//   answer                 "finding" | "bounded" | "exact"
//   claim                  {exact: true | false, assumptions: [sentence]}: why it is not, if nothing was found
//   findings               [{rule, severity: "error" | "warning" | "note", instances,
//                            places: [{line, column, text, source: "k.cu:88", thread: [in its CTA, CTA], access, proxy,
//                                     waits: for what}],
//                            pairs: [{lines: [first, second], bytes}], cause, advice, section,
//                            confirmed: true | false | null, of races: what the exact engine says of the litmus test of
//                            the first pair; unconfirmed: why it says nothing; litmus: the file of that test}]
//   coverage               {instructions: [executed, all], synchronization: [executed, all], never: [line]}
//   ran                    {lanes, warps, seconds}: instructions
#pragma once

#include <string>

#include "explain/verify/verified.h"

namespace ptxmc::report {

/// A line of JSON.
std::string verify_json(const explain::Verified& verified);

}  // namespace ptxmc::report
