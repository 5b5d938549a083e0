// SPDX-License-Identifier: Apache-2.0
/// \file
/// What the shared library exports.
#pragma once

/// A function that the shared library exports.
#define PTXMC_EXPORT __attribute__((visibility("default")))
