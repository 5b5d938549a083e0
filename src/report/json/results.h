// SPDX-License-Identifier: Apache-2.0
// Results of `verify` as lines of JSON: of a run, of several processes, of several machines; and what they
// come to. A line is that of json/verify.h with "input" and "status" in front, or has "errors" alone after
// them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/results.h"
#include "support/diagnostic.h"

namespace ptxmc::report {

/// `json`: the line of verify_json().
std::string result_line(const std::string& input, int status, const std::string& json);
std::string error_line(const std::string& input, int status, const std::vector<Diagnostic>& errors);
std::string error_line(const std::string& input, int status, const std::string& error);

/// The result of a line of `check`, `races` or `liveness`, with the exit status for it alone.
VerifyResult test_result(const std::string& line, int status);
/// Throws InputError, at `number` of `from`: it is no such line.
VerifyResult parse_result(const std::string& line, const std::string& from, std::size_t number);
/// All lines of a file. One input may be in several files, if all say the same of it but for seconds: it counts once. Throws
/// InputError.
void add_results(std::string_view text, const std::string& from, std::vector<VerifyResult>& results);

}  // namespace ptxmc::report
