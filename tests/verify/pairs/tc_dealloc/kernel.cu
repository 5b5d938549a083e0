// SPDX-License-Identifier: Apache-2.0
// The bug: warp 0 frees the columns when it has stored its part.
#ifndef FIXED
#define MISSING_BARRIER
#endif
#include "../tcgen05_product.cuh"
