// SPDX-License-Identifier: Apache-2.0
// The bug: accumulators are handed back before tcgen05.wait::ld.
#ifndef FIXED
#define MISSING_WAIT_LOADS
#endif
#include "../tcgen05_product.cuh"
