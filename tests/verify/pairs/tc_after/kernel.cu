// SPDX-License-Identifier: Apache-2.0
// The bug: accumulators are loaded behind the wait, without fence::after_thread_sync.
#ifndef FIXED
#define MISSING_AFTER_DONE
#endif
#include "../tcgen05_product.cuh"
