// SPDX-License-Identifier: Apache-2.0
// What the shared library exports.
#pragma once

#define PTXMC_EXPORT __attribute__((visibility("default")))
