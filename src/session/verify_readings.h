// SPDX-License-Identifier: Apache-2.0
// The model and the readings under which kernels are verified: those that clocks can express.
#pragma once

#include <string>
#include <string_view>

#include "model/readings.h"
#include "program/program.h"
#include "session/settings.h"
#include "trace/readings.h"

namespace ptxmc::session {

/// What a run takes of them. The rest of `Settings` is for the exact engine.
struct VerifyReadings {
  trace::Readings orders;
  bool first_fence_is_free = false;  ///< R245: the first wgmma.mma_async needs no wgmma.fence before it
  bool one_place = false;  ///< 9.7.12.1: all threads of a CTA come to an aligned barrier at one instruction
  std::string under;       ///< what is not the default, in words: "ptx-8.4 with init-visible=causality"

  /// One of those that a run can take, "init-visible=causality" say.
  void allow(model::ReadingChoice choice);
  friend bool operator==(const VerifyReadings&, const VerifyReadings&) = default;
};

/// Throws InputError for a model or a reading that clocks do not express or that has no meaning for a kernel, and for an
/// instruction that the model does not have: of ptx-8.4, a fence that acquires or releases only (9.7.12.4).
VerifyReadings verify_readings(const Settings& settings, const program::Program& program);

}  // namespace ptxmc::session
