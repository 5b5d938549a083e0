// SPDX-License-Identifier: Apache-2.0
// The memory of a harness's instances on a device: where their global variables lie, and what the host puts
// there once, before the first launch. It is
//   - device memory;
//   - or, for a test with aliases, one allocation that is mapped once more for each further name;
//   - or, for a test with names of the constant proxy, a .const array of the module itself: its global
//     address, which generic stores use, is where the constant cache loads from.
// Names of the texture proxy are texels of texture objects over all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/driver/driver.h"
#include "gpu/driver/mapped_memory.h"
#include "gpu/harness/harness.h"

namespace ptxmc::gpu {

/// A texture object of linear memory.
class Texture {
 public:
  /// `channels`: of 32 bits, of a texel. Throws DriverError.
  Texture(const Driver& driver, abi::Pointer address, std::size_t bytes, unsigned channels);
  ~Texture();
  Texture(Texture&& other) noexcept;
  Texture& operator=(Texture&&) = delete;
  abi::TextureObject object() const { return object_; }

 private:
  const Driver* driver_;
  abi::TextureObject object_ = 0;
};

class InstanceMemory {
 public:
  InstanceMemory() = default;
  /// Zero, but for the tensor maps, each of which names its own instance's tensor. Throws DriverError.
  InstanceMemory(const Device& device, abi::ModuleHandle module, const Harness& harness, unsigned blocks);

  abi::Pointer address() const { return address_; }
  /// Bytes from a variable's name to its alias; 0: it has none.
  std::uint64_t span() const { return mapped_.span(); }
  std::vector<abi::TextureObject> textures() const;

 private:
  void write_maps(const Driver& driver, const Harness& harness, unsigned blocks) const;

  DeviceMemory memory_;
  MappedMemory mapped_;
  std::vector<Texture> textures_;
  abi::Pointer address_ = 0;
};

}  // namespace ptxmc::gpu
