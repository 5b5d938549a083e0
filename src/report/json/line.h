// SPDX-License-Identifier: Apache-2.0
// What all JSON of ptxmc has in common; `schema.json` beside this file says the rest, and a test holds every verb to it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostic.h"
#include "support/origins.h"

namespace ptxmc::report {

/// The version of the schema. It grows when a field changes its meaning or goes; a new field does not change
/// it.
constexpr int kJsonVersion = 1;

/// {"version": 1, "verb": VERB}: how each line begins.
nlohmann::ordered_json json_head(std::string_view verb);

/// A line. Names of files need not be UTF-8; a bad byte must not stop the report.
std::string json_text(const nlohmann::ordered_json& line);

/// "file", "line" and "column"; and of a module that says what it was compiled from "source": "barrier.h:120", the innermost frame,
/// and "inlined_at": ["atomic.h:7", "sum.cu:9"], its callers, if it has some. Nothing of an unknown position.
void add_position(nlohmann::ordered_json& out, const std::string& file, Position position,
                  const Origin& origin = {});

/// {"verdict", "met": true | false | null, "file", "line", "column", "found"}; found, what there is instead, where it is not met.
nlohmann::ordered_json json_stated(const std::string& verdict, std::optional<bool> met,
                                   const std::string& file, Position position, const std::string& found);

/// A value as text: a number where it is one that 64 bits hold, else the text (a symbol, a vector).
nlohmann::ordered_json json_value(const std::string& value);

/// {"severity", "file", "line", "column", "length", "message"}, an object a diagnostic.
nlohmann::ordered_json json_diagnostics(const std::vector<Diagnostic>& diagnostics);

/// A line about an input that has no report: "errors" as above.
std::string json_errors(std::string_view verb, const std::string& file,
                        const std::vector<Diagnostic>& diagnostics);
/// The same of what has no place in it.
std::string json_error(std::string_view verb, const std::string& file, const std::string& message);
/// "answer": "Unknown", "unknown": reason: of a test beyond a limit; `test` may be empty.
std::string json_unknown(std::string_view verb, const std::string& file, const std::string& test,
                         const std::string& reason);

}  // namespace ptxmc::report
