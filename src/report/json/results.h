// SPDX-License-Identifier: Apache-2.0
// Results of `verify` as lines of JSON: of a run, of several processes, of several machines; and what they come to.
//
// A line is that of json/verify.h with two members in front, or stands for an input that could not be verified:
//   input     as it was given
//   status    the exit status for it alone
//   error     what is wrong with it; then there is no more
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/results.h"

namespace ptxmc::report {

/// `json`: the line of verify_json().
std::string result_line(const std::string& input, int status, const std::string& json);
std::string error_line(const std::string& input, int status, const std::string& error);

/// Throws InputError, at `number` of `from`: it is no such line.
VerifyResult parse_result(const std::string& line, const std::string& from, std::size_t number);
/// All lines of a file. One input may be in several files, if all say the same of it but for seconds: it counts once. Throws
/// InputError.
void add_results(std::string_view text, const std::string& from, std::vector<VerifyResult>& results);

}  // namespace ptxmc::report
