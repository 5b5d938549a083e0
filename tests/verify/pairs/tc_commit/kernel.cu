// SPDX-License-Identifier: Apache-2.0
// The bug: the thread that multiplies arrives itself, not by tcgen05.commit, so that nothing waits for the product.
#ifndef FIXED
#define MISSING_COMMIT
#endif
#include "../tcgen05_product.cuh"
