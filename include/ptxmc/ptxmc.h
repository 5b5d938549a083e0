// SPDX-License-Identifier: Apache-2.0
/// \file
/// ptxmc as a library: all of its headers.
#pragma once

#include "ptxmc/checker.h"   // IWYU pragma: export
#include "ptxmc/result.h"    // IWYU pragma: export
#include "ptxmc/verifier.h"  // IWYU pragma: export
#include "ptxmc/version.h"   // IWYU pragma: export

/// \mainpage ptxmc as a library
///
///     ptxmc::api::Options options;
///     options.model = "ptx-9";
///     const ptxmc::api::Checker checker(options);            // compiles the model once
///     const ptxmc::api::Result result = checker.check(text);
///     if (result.answer == ptxmc::api::Answer::allowed) ...
///
/// ptxmc::api::Checker asks about litmus tests, ptxmc::api::verify() about a launch of a kernel. Answers are plain data.
///
/// These headers need the standard library only. CMake: `find_package(ptxmc)`, link with `ptxmc::ptxmc`; else
/// `pkg-config ptxmc`.
///
/// What goes wrong: a text that is refused is an answer, `error`, with diagnostics. Options that make no sense are
/// std::invalid_argument. Time that is over, or work that was called off, is an answer that says so, unknown "timeout" or
/// "cancelled". std::logic_error is a bug of ptxmc; std::bad_alloc is what it says.

/// Those names of this project that are of the library are in ptxmc::api.
namespace ptxmc {}

/// The library.
namespace ptxmc::api {}
