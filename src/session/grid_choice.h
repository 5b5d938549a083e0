// SPDX-License-Identifier: Apache-2.0
// Which CTAs of a launch run when nobody says. All of a small one; of another those that do something of their own, and those
// that meet in global memory, which a run of CTAs without orders tells: of all of them, or of some, of which the others are
// moved copies.
#pragma once

#include <functional>

#include "launch/program.h"
#include "session/subject.h"
#include "session/verify.h"

namespace ptxmc::session {

using ReadCtas = std::function<Subject(const launch::Choice&, launch::Beside&)>;

/// What may run at once, at most; of all CTAs.
launch::Choice widest_choice();
Subject choose_ctas(const ReadCtas& read, const VerifySettings& settings);

}  // namespace ptxmc::session
