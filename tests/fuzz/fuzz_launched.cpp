// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "check_launched.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  ptxmc::fuzz::check_launched(std::string(data, data + size));
  return 0;
}
