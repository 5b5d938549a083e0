// SPDX-License-Identifier: Apache-2.0
// What to do about a finding of a launch: CUDA's words first, then PTX's, and only what can work where it happens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dynamic/claim/verify_result.h"
#include "explain/finding.h"

namespace ptxmc::explain {

/// An access beyond every object: by how much, and what to allocate.
void advise_bounds(const claim::VerifyResult& of, const exec::Fault& fault, Finding& out);

/// A trap of a kernel that has a barrier of the grid, in a launch that has no workspace for it.
void advise_trap(const claim::VerifyResult& of, Finding& out);

/// What to do about a misuse, and the section that says so; empty: as the rule has it.
struct MisuseWords {
  std::string_view fix, section = {};
};
const MisuseWords& words_of(exec::Misuse misuse);

/// A wait that returns at once: which phases are complete, and which parity the next one has.
void advise_stale_wait(const claim::VerifyResult& of, const trace::Finding& finding, Finding& out);

/// Only some threads of a warp execute a barrier of the block.
void advise_divergence(const claim::VerifyResult& of, const exec::Fault& fault, Finding& out);

/// Accesses through two proxies: the fence that is missing, or an ordinary load in place of ld.global.nc.
void advise_proxy(const claim::VerifyResult& of, const trace::Finding& finding, Finding& out);

}  // namespace ptxmc::explain
