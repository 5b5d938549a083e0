// SPDX-License-Identifier: Apache-2.0
// What the page asks the library, and what it is told: JSON both ways.
#pragma once

#include <string>
#include <string_view>

namespace ptxmc::web {

/// The answer to
///     {"ask": "models"}                      the built-in models and the readings of the manual: "models": [{"name", "text"}],
///                                            "readings": [{"name", "values", "rules", "about"}], "version"
///     {"ask": "prepare", "model": NAME | "model_text": ..}   reads the model, which the next questions then find read: {}
///     {"ask": "check" | "explain" | "races" | "liveness", "text": .., [model as above], "timeout": SECONDS,
///      "readings": ["NAME=VALUE"], "unroll": N, "progress": "fair" | "obe" | "hsa", "unbounded": true}
///     {"ask": "state", "number": .., ...}    the picture of the execution of a state of that `check`: "svg"
/// by the explicit engine. `error` holds what is wrong with the question, "where": "model" with the model; what is wrong with the
/// test is in "diagnostics". Throws nothing.
std::string ask(std::string_view question);

}  // namespace ptxmc::web
