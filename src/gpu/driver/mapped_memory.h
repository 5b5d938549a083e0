// SPDX-License-Identifier: Apache-2.0
// Device memory of several names: one physical allocation, mapped at several virtual addresses that lie a
// constant distance apart (CUDA driver API, virtual memory management).
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/driver/driver.h"

namespace ptxmc::gpu {

class MappedMemory {
 public:
  MappedMemory() = default;
  /// `bytes` (rounded up to what the device maps at once), `mappings` times. Throws DriverError.
  MappedMemory(const Device& device, std::size_t bytes, unsigned mappings);
  ~MappedMemory();
  MappedMemory(MappedMemory&& other) noexcept;
  MappedMemory& operator=(MappedMemory&& other) noexcept;

  /// The address of the first mapping.
  abi::Pointer address() const { return address_; }
  /// Bytes from one mapping to the next.
  std::uint64_t span() const { return span_; }

 private:
  void release() noexcept;

  const Driver* driver_ = nullptr;
  abi::AllocationHandle handle_ = 0;
  abi::Pointer address_ = 0;  // of the reserved range
  std::uint64_t span_ = 0;
  unsigned mappings_ = 0;
  unsigned mapped_ = 0;  // how many of them are
};

}  // namespace ptxmc::gpu
