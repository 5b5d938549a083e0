// SPDX-License-Identifier: Apache-2.0
// The hash tables of outcomes, as PTX: one in the shared memory of each CTA, and one in global memory that
// takes what the others hold at the end, and what does not fit them. Open addressing, linear probing; a key
// of all ones is a free slot. Threads of a warp that have the same key count it once. Internal to harness.h.
#pragma once

#include <string>

#include "gpu/text/text.h"

namespace ptxmc::gpu {

std::string table_declarations();
/// All threads of the CTA empty its table; a barrier must follow.
void write_clear(Text& t, unsigned threads);
/// Counts one instance under `key` (.b64).
void write_count(Text& t, const std::string& key);
/// All threads of the CTA move its table to the one in global memory, behind a barrier.
void write_flush(Text& t, unsigned threads, unsigned barrier = 15);

}  // namespace ptxmc::gpu
