// SPDX-License-Identifier: Apache-2.0
#include "gpu/run/instance_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "gpu/run/tensor_encoding.h"
#include "support/check.h"

namespace ptxmc::gpu {

InstanceMemory::InstanceMemory(const Device& device, abi::ModuleHandle module, const Harness& harness,
                               unsigned blocks) {
  const Driver& driver = device.driver();
  const std::size_t bytes = harness.memory_bytes(blocks);
  if (harness.window_bytes != 0) {
    const auto [address, size] = module_variable(driver, module, kConstantWindow);
    PTXMC_CHECK(bytes <= size, fmt::format("{} bytes of variables in {} of constant memory", bytes, size));
    address_ = address;
  } else if (harness.mappings > 1) {
    mapped_ = MappedMemory(device, bytes, harness.mappings);
    address_ = mapped_.address();
  } else {
    memory_ = DeviceMemory(driver, bytes);
    address_ = memory_.address();
  }
  driver.check(driver.functions().fill(address_, 0, bytes), "cuMemsetD8");
  write_maps(driver, harness, blocks);
  for (const unsigned channels : harness.textures) textures_.emplace_back(driver, address_, bytes, channels);
}

std::vector<abi::TextureObject> InstanceMemory::textures() const {
  std::vector<abi::TextureObject> out;
  for (const Texture& texture : textures_) out.push_back(texture.object());
  return out;
}

Texture::Texture(const Driver& driver, abi::Pointer address, std::size_t bytes, unsigned channels)
    : driver_(&driver) {
  abi::ResourceDescription resource{};
  resource.type = abi::kResourceLinear;
  resource.linear.address = address;
  resource.linear.format = abi::kFormatUnsigned32;
  resource.linear.channels = channels;
  resource.linear.bytes = bytes;
  abi::TextureDescription description{};
  description.flags = abi::kReadAsInteger;
  driver.check(driver.functions().texture_create(&object_, &resource, &description, nullptr),
               "cuTexObjectCreate", fmt::format("{} bytes", bytes));
}

Texture::~Texture() {
  if (object_ != 0 && !driver_->abandoned()) driver_->functions().texture_destroy(object_);
}

Texture::Texture(Texture&& other) noexcept
    : driver_(other.driver_), object_(std::exchange(other.object_, 0)) {}

void InstanceMemory::write_maps(const Driver& driver, const Harness& harness, unsigned blocks) const {
  const std::size_t instances = std::size_t{blocks} * harness.instances;
  const auto place = [&](unsigned half, unsigned row, std::size_t instance) {
    return ((std::size_t{half} * harness.variables + row) * instances + instance) * harness.stride;
  };
  std::vector<unsigned char> rows(instances * harness.stride);
  for (const MapRow& map : harness.maps) {
    for (unsigned half = 0; half < 2; ++half) {
      for (std::size_t i = 0; i < instances; ++i) {
        const EncodedMap encoded = encode(driver, map.map, address_ + place(half, map.tensor_row, i));
        std::copy(encoded.begin(), encoded.end(),
                  rows.begin() + static_cast<std::ptrdiff_t>(i * harness.stride));
      }
      for (const unsigned row : map.rows)
        driver.check(
            driver.functions().copy_to_device(address_ + place(half, row, 0), rows.data(), rows.size()),
            "cuMemcpyHtoD");
    }
  }
}

}  // namespace ptxmc::gpu
