// SPDX-License-Identifier: Apache-2.0
// What to do about a finding of a launch: CUDA's words first, then PTX's, and only what can work where it happens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "dynamic/claim/verify_result.h"
#include "explain/finding.h"

namespace ptxmc::explain {

/// Two accesses of a launch that nothing orders: by the threads that meet there. Empty: what the rule says will do.
std::vector<std::string> order_advice(const claim::VerifyResult& of, const trace::Finding& finding);

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

/// One of the accesses is an ld.global.nc, or one of the readonly proxy.
void advise_plain_load(const claim::VerifyResult& of, const trace::Finding& finding, Finding& out);
/// An asynchronous operation: how it is waited for, and by whom.
void advise_waiting(const claim::VerifyResult& of, const trace::Finding& finding, Finding& out);

}  // namespace ptxmc::explain
