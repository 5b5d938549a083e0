// SPDX-License-Identifier: Apache-2.0
// The bug: accumulators are overwritten behind the wait for those that loaded them, without fence::after_thread_sync.
#ifndef FIXED
#define MISSING_AFTER_FREE
#endif
#include "../tcgen05_product.cuh"
