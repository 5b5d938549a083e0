// SPDX-License-Identifier: Apache-2.0
#include "input/record/driver/sharing.h"

#include "input/record/driver/state.h"
#include "input/record/driver/table.h"

namespace ptxmc::record::driver {

namespace {

void tell(Kind kind, std::initializer_list<std::uint64_t> numbers) {
  state().channel.tell(kind, numbers);
}

struct IpcHandle {  // CUipcMemHandle
  char bytes[64];
};

namespace observe {

/// Physical memory at an address that was reserved.
Result map(Address address, std::size_t bytes, std::size_t offset, Address handle, unsigned long long flags) {
  const Result result = next<&map>(address, bytes, offset, handle, flags);
  if (result != kOk) return result;
  tell(Kind::allocate, {address, bytes});
  state().shares.map(handle, address);
  return result;
}
Result unmap(Address address, std::size_t bytes) {
  tell(Kind::release, {address});
  return next<&unmap>(address, bytes);
}
Result give(void* to, Address handle, int type, unsigned long long flags) {
  state().shares.share(handle);
  return next<&give>(to, handle, type, flags);
}
Result take(Address* handle, void* from, int type) {
  const Result result = next<&take>(handle, from, type);
  if (result == kOk) state().shares.share(*handle);
  return result;
}
Result ipc_give(IpcHandle* to, Address address) {
  tell(Kind::share, {address});
  return next<&ipc_give>(to, address);
}
Result ipc_take(Address* out, IpcHandle from, unsigned flags) {
  const Result result = next<&ipc_take>(out, from, flags);
  if (result != kOk) return result;
  using Range = Result (*)(Address*, std::size_t*, Address);
  const auto range = reinterpret_cast<Range>(of_real_driver("cuMemGetAddressRange_v2"));
  Address begin = 0;
  std::size_t bytes = 0;
  if (range == nullptr || range(&begin, &bytes, *out) != kOk) return result;
  tell(Kind::allocate, {begin, bytes});
  tell(Kind::share, {begin});
  return result;
}
Result ipc_close(Address address) {
  tell(Kind::release, {address});
  return next<&ipc_close>(address);
}

}  // namespace observe

/// A range of addresses is memory as soon as it is reserved.
namespace pretend {

constexpr std::size_t kGranularity = std::size_t{2} << 20;

Result reserve(Address* out, std::size_t bytes, std::size_t, Address, unsigned long long) {
  *out = state().allocate(bytes);
  return *out == 0 ? kNoMemory : kOk;
}
Result give_back(Address address, std::size_t) {
  return state().release(address) ? kOk : kInvalidValue;
}
Result create(Address* out, std::size_t, const void*, unsigned long long) {
  *out = reinterpret_cast<Address>(fresh());
  return kOk;
}
Result granularity(std::size_t* out, const void*, int) {
  *out = kGranularity;
  return kOk;
}

}  // namespace pretend

}  // namespace

void Shares::map(Address handle, Address address) {
  const std::lock_guard lock(mutex_);
  mapped_[handle].push_back(address);
  if (shared_.contains(handle)) tell(Kind::share, {address});
}

void Shares::share(Address handle) {
  const std::lock_guard lock(mutex_);
  if (!shared_.insert(handle).second) return;
  for (const Address address : mapped_[handle]) tell(Kind::share, {address});
}

Rows sharing_rows() {
  return {
      observed<&observe::map>("cuMemMap", succeed),
      observed<&observe::unmap>("cuMemUnmap", succeed),
      pretended("cuMemAddressReserve", pretend::reserve),
      pretended("cuMemAddressFree", pretend::give_back),
      pretended("cuMemCreate", pretend::create),
      pretended("cuMemRelease", nothing),
      pretended("cuMemSetAccess", nothing),
      pretended("cuMemGetAllocationGranularity", pretend::granularity),
      only_observed<&observe::give>("cuMemExportToShareableHandle"),
      only_observed<&observe::take>("cuMemImportFromShareableHandle"),
      only_observed<&observe::ipc_give>("cuIpcGetMemHandle"),
      only_observed<&observe::ipc_take>("cuIpcOpenMemHandle_v2"),
      only_observed<&observe::ipc_close>("cuIpcCloseMemHandle"),
  };
}

}  // namespace ptxmc::record::driver
