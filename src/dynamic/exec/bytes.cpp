// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/bytes.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace ptxmc::exec {

// A process whose data are limited (RLIMIT_DATA) is charged for all of an allocation, and for no page of a shared mapping;
// without a reserve the system does not ask for as much memory as there may be use for.
Bytes::Bytes(std::uint64_t size) {
  constexpr std::uint64_t kMany = std::uint64_t{1} << 26U;
  if (size < kMany) {
    data_.reset(static_cast<std::uint8_t*>(std::calloc(std::max<std::uint64_t>(size, 1), 1)));
    if (!data_) throw std::bad_alloc();
    return;
  }
#if defined(__linux__)
  void* const pages =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  data_ = {static_cast<std::uint8_t*>(pages), FreeBytes{size}};
#else
  data_.reset(static_cast<std::uint8_t*>(std::calloc(size, 1)));
  if (!data_) throw std::bad_alloc();
#endif
}

void FreeBytes::operator()(std::uint8_t* data) const {
#if defined(__linux__)
  if (mapped != 0) {
    ::munmap(data, mapped);
    return;
  }
#endif
  std::free(data);
}

}  // namespace ptxmc::exec
