// SPDX-License-Identifier: Apache-2.0
// Where memory lies that device code allocates. No launch can say what such memory holds at first.
#pragma once

#include "dynamic/order/events.h"

namespace ptxmc::trace {

constexpr Address kHeapBegin = Address{1} << 46U, kHeapEnd = Address{2} << 46U;
constexpr bool is_heap(Address address) {
  return address >= kHeapBegin && address < kHeapEnd;
}

}  // namespace ptxmc::trace
