// SPDX-License-Identifier: Apache-2.0
// Verbs that change tests, on files; and what they share.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "face/cli/settings.h"
#include "face/cli/status.h"
#include "face/cli/streams.h"
#include "repair/costs.h"
#include "repair/judge.h"

namespace ptxmc::cli {

Status weaken_files(const Options& options, Streams& streams);
/// Modules and launches, all of `options.files`.
Status repair_kernels(const Options& options, Streams& streams);

/// What is proven, in words: "no execution satisfies the condition; no race" and so on.
std::string proven(const repair::Found& found, const litmus::Test& test);
nlohmann::ordered_json json_of(const repair::Found& found);
/// A test of another notation, in that of litmus files.
litmus::Test in_litmus_notation(const litmus::Test& test);
/// --write. Throws InputError.
void write_over(const std::string& file, const std::string& text);
/// Throws InputError for modules and launches: it is texts of tests that are changed. `verb`: by what.
void take_tests_only(const Options& options, const char* verb);
/// The costs of --costs; nothing: those shipped. Throws InputError.
std::optional<repair::Costs> costs_of(const Options& options);

}  // namespace ptxmc::cli
