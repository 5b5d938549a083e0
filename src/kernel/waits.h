// SPDX-License-Identifier: Apache-2.0
// Loops that wait: they are left by the awaited value alone, and their other turns do nothing.
#pragma once

#include <optional>
#include <span>

#include "kernel/code.h"

namespace ptxmc::kernel {

/// Sets `waits_in_loop` of the waits for mbarrier objects that are retried until they succeed, however long that takes,
/// `polls` of the reads of memory in such loops, `takes` of the atomics that take a lock in one, and `counts_turns` of what
/// differs from turn to turn of them.
void find_waits(Code& code);

/// Where the loop of a read would be left for if it had read this value: a step of the code. Nothing: it would wait on.
/// `inputs` hold the registers of its inputs.
std::optional<std::size_t> left_for(const Code& code, const Step& read, std::span<const std::uint64_t> inputs,
                                    std::uint64_t value);

}  // namespace ptxmc::kernel
