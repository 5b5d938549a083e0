// SPDX-License-Identifier: Apache-2.0
// What is wrong with runs of kernels, in words: of each cause of a race, each rule and each fault, why it is, what to do, and where
// the manual says so.
#pragma once

#include <cstdint>
#include <string_view>

#include "dynamic/order/finding.h"
#include "finding/rules.h"
#include "ptx/program/instruction.h"

namespace ptxmc::explain {

/// What to do where ld.global.nc or the readonly proxy reads what the kernel writes: no fence orders the two (8.6, R3).
inline constexpr std::string_view kOrdinaryLoad =
    "read with an ordinary load, without .nc or .proxy::readonly (CUDA: no __ldg(), no `const __restrict__`), or write the bytes in an earlier kernel";

/// Without full stops. `fix` may name the proxy of the first access: "fence.proxy.{proxy}".
struct RunWords {
  std::string_view cause, fix, section;
};
RunWords words_of(const trace::Finding& finding);
RunWords words_of(finding::RuleId rule);

/// What makes the completion of an asynchronous operation known: a phase of an mbarrier object, a group of the thread that issued it ...
enum class WaitedBy : std::uint8_t { phase, copies, bulk, bulk_read, products, tensor_commit };

/// How an asynchronous operation is waited for, and the section that says so.
struct Waited {
  WaitedBy by = WaitedBy::phase;
  std::string_view how, section;  ///< an imperative; empty: it depends on what is there
};
/// How a thread waits for the asynchronous operation that an instruction starts, for its reads or for its
/// writes.
Waited waited_by(const program::Instruction& instruction, trace::Effect effect);

}  // namespace ptxmc::explain
