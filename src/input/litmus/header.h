// SPDX-License-Identifier: Apache-2.0
// What stands before the `{` of a litmus file: `PTX name`, doc strings in quotes, `Key=value` lines.
#pragma once

#include "input/litmus/test.h"
#include "input/litmus/words.h"

namespace ptxmc::litmus {

/// Reads name, docs, keys and verdicts into `test`; returns the place of the `{`, or of the end of the text
/// (reported).
Place parse_header(const Source& source, Test& test, Errors& errors);

/// Adds a verdict; reports a second one for the same model and readings.
void add_verdict(Test& test, Verdict verdict, Errors& errors);

/// "[MODEL,NAME=VALUE]": what stands after `Verdict`; empty when it speaks of every model.
std::string circumstances(const Verdict& verdict);

/// "Allowed Racy" and the like into `verdict`; reports unknown and contradictory words.
void parse_verdict(std::string_view value, Position position, Verdict& verdict, Errors& errors);

}  // namespace ptxmc::litmus
