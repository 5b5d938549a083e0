// SPDX-License-Identifier: Apache-2.0
// The bug: matrices are loaded over those that the product still reads.
#ifndef FIXED
#define MISSING_EMPTY
#endif
#include "../tcgen05_product.cuh"
