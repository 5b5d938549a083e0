// SPDX-License-Identifier: Apache-2.0
// The bug: the wait for a free accumulator has the parity of the phase before the first, always.
#ifndef FIXED
#define STALE_PARITY
#endif
#include "../tcgen05_product.cuh"
