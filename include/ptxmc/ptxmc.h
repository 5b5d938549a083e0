// SPDX-License-Identifier: Apache-2.0
// ptxmc as a library.
//
//     ptxmc::api::Options options;
//     options.model = "ptx-9";
//     const ptxmc::api::Checker checker(options);            // compiles the model once
//     const ptxmc::api::Result result = checker.check(text);
//     if (result.answer == ptxmc::api::Answer::allowed) ...
//
// These headers need the standard library only. CMake: find_package(ptxmc), link with ptxmc::ptxmc; else pkg-config ptxmc.
#pragma once

#include "ptxmc/checker.h"   // IWYU pragma: export
#include "ptxmc/result.h"    // IWYU pragma: export
#include "ptxmc/verifier.h"  // IWYU pragma: export
#include "ptxmc/version.h"   // IWYU pragma: export
