// SPDX-License-Identifier: Apache-2.0
#include "gpu/driver/mapped_memory.h"

#include <fmt/format.h>

#include <utility>

namespace ptxmc::gpu {

MappedMemory::MappedMemory(const Device& device, std::size_t bytes, unsigned mappings)
    : driver_(&device.driver()), mappings_(mappings) {
  const abi::Functions& cu = driver_->functions();
  abi::AllocationProperties properties{};
  properties.type = abi::kAllocationPinned;
  properties.location = {abi::kLocationDevice, device.number()};
  std::size_t unit = 0;
  driver_->check(cu.granularity(&unit, &properties, abi::kGranularityMinimum),
                 "cuMemGetAllocationGranularity");
  span_ = (bytes + unit - 1) / unit * unit;
  const auto check = [&](abi::Result result, const char* call) {
    if (result == 0) return;
    release();  // the destructor of what is not constructed does not run
    driver_->check(result, call, fmt::format("{} bytes, {} names", span_, mappings_));
  };
  check(cu.create(&handle_, span_, &properties, 0), "cuMemCreate");
  check(cu.reserve(&address_, span_ * mappings_, 0, 0, 0), "cuMemAddressReserve");
  for (; mapped_ < mappings_; ++mapped_)
    check(cu.map(address_ + mapped_ * span_, span_, 0, handle_, 0), "cuMemMap");
  const abi::AccessDescription access{properties.location, abi::kAccessReadWrite};
  check(cu.set_access(address_, span_ * mappings_, &access, 1), "cuMemSetAccess");
}

MappedMemory::~MappedMemory() {
  release();
}

void MappedMemory::release() noexcept {
  if (driver_ == nullptr || driver_->abandoned()) return;
  const abi::Functions& cu = driver_->functions();
  for (unsigned i = 0; i < mapped_; ++i) cu.unmap(address_ + i * span_, span_);
  if (address_ != 0) cu.unreserve(address_, span_ * mappings_);
  if (handle_ != 0) cu.release_handle(handle_);
  mapped_ = 0;
  address_ = 0;
  handle_ = 0;
}

MappedMemory::MappedMemory(MappedMemory&& other) noexcept {
  *this = std::move(other);
}

MappedMemory& MappedMemory::operator=(MappedMemory&& other) noexcept {
  std::swap(driver_, other.driver_);
  std::swap(handle_, other.handle_);
  std::swap(address_, other.address_);
  std::swap(span_, other.span_);
  std::swap(mappings_, other.mappings_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

}  // namespace ptxmc::gpu
