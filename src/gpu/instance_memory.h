// SPDX-License-Identifier: Apache-2.0
// The memory of a harness's instances on a device: where their global variables lie, and what the host puts
// there once, before the first launch. It is
//   - device memory;
//   - or, for a test with aliases, one allocation that is mapped once more for each further name;
//   - or, for a test with names of the constant proxy, a .const array of the module itself: its global
//     address, which generic stores use, is where the constant cache loads from.
#pragma once

#include <cstdint>

#include "gpu/driver.h"
#include "gpu/harness.h"
#include "gpu/mapped_memory.h"

namespace ptxmc::gpu {

class InstanceMemory {
 public:
  InstanceMemory() = default;
  /// Zero, but for the tensor maps, each of which names its own instance's tensor. Throws DriverError.
  InstanceMemory(const Device& device, const Kernel& kernel, const Harness& harness, unsigned blocks);

  abi::Pointer address() const { return address_; }
  /// Bytes from a variable's name to its alias; 0: it has none.
  std::uint64_t span() const { return mapped_.span(); }

 private:
  void write_maps(const Driver& driver, const Harness& harness, unsigned blocks) const;

  DeviceMemory memory_;
  MappedMemory mapped_;
  abi::Pointer address_ = 0;
};

}  // namespace ptxmc::gpu
