// SPDX-License-Identifier: Apache-2.0
// Addresses that memory holds: the form of each that was stored (places.h), and of what is loaded there, whole or a half of it.
#pragma once

#include <unordered_map>

#include "dynamic/exec/places.h"

namespace ptxmc::exec {

class FormsInMemory {
 public:
  using Address = trace::Address;

  void store(Address at, std::uint32_t bytes, Form form, std::uint64_t value);
  /// The form of bytes of which `parts` says which are parts of addresses, a bit each.
  Form load(Places& places, Address at, std::uint32_t bytes, unsigned parts, const std::uint8_t* data) const;
  void copy(Address to, Address from, std::uint64_t bytes);
  bool has_any() const { return !stored_.empty(); }

 private:
  struct Stored {
    Form form = 0;
    std::uint32_t bytes = 0;
    std::uint64_t value = 0;  // in this run
  };
  Form half(Places& places, Address at, unsigned parts) const;

  std::unordered_map<Address, Stored> stored_;
};

}  // namespace ptxmc::exec
