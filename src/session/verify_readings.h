// SPDX-License-Identifier: Apache-2.0
// The model and the readings under which kernels are verified: those that clocks can express.
#pragma once

#include "dynamic/explore/readings.h"
#include "ptx/program/program.h"
#include "session/settings.h"

namespace ptxmc::session {

/// Throws InputError for a model or a reading that clocks do not express or that has no meaning for a kernel, and for an
/// instruction that the model does not have: of ptx-8.4, a fence that acquires or releases only (9.7.12.4).
explore::VerifyReadings verify_readings(const Settings& settings, const program::Program& program);

}  // namespace ptxmc::session
