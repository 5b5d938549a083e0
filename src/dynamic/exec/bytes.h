// SPDX-License-Identifier: Apache-2.0
// Bytes that a run keeps.
#pragma once

#include <cstdint>
#include <memory>

namespace ptxmc::exec {

/// Gives back what Bytes took.
struct FreeBytes {
  std::uint64_t mapped = 0;  // bytes; 0: allocated
  void operator()(std::uint8_t* data) const;
};

/// Bytes, all zero at first, of which the system hands out those that are touched: many count by what of them is used,
/// where limits of memory are concerned.
class Bytes {
 public:
  explicit Bytes(std::uint64_t size);
  std::uint8_t* at(std::uint64_t offset) { return data_.get() + offset; }
  const std::uint8_t* at(std::uint64_t offset) const { return data_.get() + offset; }

 private:
  std::unique_ptr<std::uint8_t[], FreeBytes> data_;
};

}  // namespace ptxmc::exec
