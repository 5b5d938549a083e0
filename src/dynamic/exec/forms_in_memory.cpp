// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/forms_in_memory.h"

#include "dynamic/exec/memory.h"

namespace ptxmc::exec {

namespace {

constexpr std::uint32_t kHalfBytes = 4, kWholeBytes = 8;  // bytes
constexpr std::uint64_t kLowHalf = 0xffffffffU;

unsigned all_parts(std::uint32_t bytes) {
  return (1U << bytes) - 1;
}

}  // namespace

void FormsInMemory::store(Address at, std::uint32_t bytes, Form form, std::uint64_t value) {
  stored_[at] = {form, bytes, value};
  if (bytes > kHalfBytes) stored_.erase(at + kHalfBytes);
  if (at % kWholeBytes == kHalfBytes) {
    const auto whole = stored_.find(at - kHalfBytes);
    if (whole != stored_.end() && whole->second.bytes > kHalfBytes) stored_.erase(whole);
  }
}

Form FormsInMemory::load(Places& places, Address at, std::uint32_t bytes, unsigned parts,
                         const std::uint8_t* data) const {
  const auto found = stored_.find(at);
  if (found != stored_.end() && found->second.bytes == bytes)
    return parts == all_parts(bytes) ? found->second.form : Places::kLost;
  if (bytes == kHalfBytes) return half(places, at, parts);
  if (bytes != kWholeBytes) return Places::kLost;
  const Form low = half(places, at, parts & all_parts(kHalfBytes)),
             high = half(places, at + kHalfBytes, parts >> kHalfBytes);
  return places.sum(places.extended({low, Memory::load(data, kHalfBytes), 32}, false),
                    places.shifted_left(high, 32));
}

/// Half of an address that was stored whole, as it was then: its other half may be overwritten.
Form FormsInMemory::half(Places& places, Address at, unsigned parts) const {
  if (parts == 0) return Places::kNumber;
  if (parts != all_parts(kHalfBytes)) return Places::kLost;
  const auto is = [&](Address where, std::uint32_t bytes) {
    const auto found = stored_.find(where);
    return found != stored_.end() && found->second.bytes == bytes;
  };
  if (is(at, kHalfBytes)) return stored_.at(at).form;
  if (is(at, kWholeBytes)) return places.masked({stored_.at(at).form, stored_.at(at).value}, kLowHalf);
  if (!is(at - kHalfBytes, kWholeBytes)) return Places::kLost;
  const Stored& whole = stored_.at(at - kHalfBytes);
  return places.shifted_right({whole.form, whole.value}, 32);
}

void FormsInMemory::copy(Address to, Address from, std::uint64_t bytes) {
  for (std::uint64_t i = 0; i < bytes; ++i) {
    const auto found = stored_.find(from + i);
    if (found == stored_.end() || found->second.bytes > bytes - i) continue;
    const Stored one = found->second;
    store(to + i, one.bytes, one.form, one.value);
  }
}

}  // namespace ptxmc::exec
