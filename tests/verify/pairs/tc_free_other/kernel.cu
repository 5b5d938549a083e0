// SPDX-License-Identifier: Apache-2.0
// The bug: the accumulator that is handed back is not the one that was stored, so that its next phase may complete before
// the wait for this one has looked, which then waits for ever.
#ifndef FIXED
#define FREES_OTHER
#endif
#include "../tcgen05_product.cuh"
