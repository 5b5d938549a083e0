// SPDX-License-Identifier: Apache-2.0
// Memory: allocations, and what the host puts there.
#include <algorithm>
#include <cstring>

#include "input/record/driver/state.h"
#include "input/record/driver/table.h"

namespace ptxmc::record::driver {

namespace {

constexpr std::size_t kMostTold = 1 << 16;  // bytes of a copy whose contents ptxmc is told

template <typename T>
T* at(Address address) {
  return reinterpret_cast<T*>(address);
}

void tell(Kind kind, std::initializer_list<std::uint64_t> numbers) {
  state().channel.tell(kind, numbers);
}
void tell_write(Address to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  if (bytes > kMostTold || from == nullptr) return tell(Kind::forget, {to, bytes});
  Writer out;
  out.number(to);
  out.text({static_cast<const char*>(from), bytes});
  state().channel.tell(Kind::write, out);
}

namespace pretend {

Result allocate(Address* out, std::size_t bytes) {
  *out = state().allocate(bytes);
  return *out == 0 ? kNoMemory : kOk;
}
Result allocate_pitch(Address* out, std::size_t* pitch, std::size_t width, std::size_t height, unsigned) {
  constexpr std::size_t kPitch = 512;
  *pitch = (width + kPitch - 1) / kPitch * kPitch;
  return allocate(out, *pitch * height);
}
Result allocate_managed(Address* out, std::size_t bytes, unsigned) {
  return allocate(out, bytes);
}
Result allocate_async(Address* out, std::size_t bytes, Handle) {
  return allocate(out, bytes);
}
Result allocate_from_pool(Address* out, std::size_t bytes, Handle, Handle) {
  return allocate(out, bytes);
}
Result allocate_host(void** out, std::size_t bytes, unsigned) {
  return allocate(reinterpret_cast<Address*>(out), bytes);
}
Result allocate_plain_host(void** out, std::size_t bytes) {
  return allocate_host(out, bytes, 0);
}
Result release(Address address) {
  return address == 0 || state().release(address) ? kOk : kInvalidValue;
}
Result release_async(Address address, Handle) {
  return release(address);
}
Result release_host(void* memory) {
  return release(reinterpret_cast<Address>(memory));
}

Result to_device(Address to, const void* from, std::size_t bytes) {
  std::memcpy(at<void>(to), from, bytes);
  return kOk;
}
Result to_device_async(Address to, const void* from, std::size_t bytes, Handle) {
  return to_device(to, from, bytes);
}
Result copy(Address to, Address from, std::size_t bytes) {
  std::memmove(at<void>(to), at<void>(from), bytes);
  return kOk;
}
Result copy_async(Address to, Address from, std::size_t bytes, Handle) {
  return copy(to, from, bytes);
}
Result to_host(void* to, Address from, std::size_t bytes) {
  std::memcpy(to, at<void>(from), bytes);
  return kOk;
}
Result to_host_async(void* to, Address from, std::size_t bytes, Handle) {
  return to_host(to, from, bytes);
}
template <typename T>
Result set(Address to, T value, std::size_t count) {
  std::fill_n(at<T>(to), count, value);
  return kOk;
}
template <typename T>
Result set_async(Address to, T value, std::size_t count, Handle) {
  return set<T>(to, value, count);
}
template <typename T>
Result set_rows(Address to, std::size_t pitch, T value, std::size_t width, std::size_t height) {
  for (std::size_t row = 0; row < height; ++row) set<T>(to + row * pitch, value, width);
  return kOk;
}
template <typename T>
Result set_rows_async(Address to, std::size_t pitch, T value, std::size_t width, std::size_t height, Handle) {
  return set_rows<T>(to, pitch, value, width, height);
}

/// CUDA_MEMCPY2D
struct Copy2d {
  std::size_t from_x, from_y;
  int from_kind;
  const char* from_host;
  Address from_device;
  Handle from_array;
  std::size_t from_pitch, to_x, to_y;
  int to_kind;
  char* to_host;
  Address to_device;
  Handle to_array;
  std::size_t to_pitch, width, height;
};
Result copy_2d(const Copy2d* copy) {
  constexpr int kHost = 1, kArray = 3;  // CUmemorytype
  if (copy->from_kind == kArray || copy->to_kind == kArray) return kNotSupported;
  const char* from = copy->from_kind == kHost ? copy->from_host : at<char>(copy->from_device);
  char* to = copy->to_kind == kHost ? copy->to_host : at<char>(copy->to_device);
  for (std::size_t row = 0; row < copy->height; ++row)
    std::memmove(to + (copy->to_y + row) * copy->to_pitch + copy->to_x,
                 from + (copy->from_y + row) * copy->from_pitch + copy->from_x, copy->width);
  return kOk;
}
Result copy_2d_async(const Copy2d* copy, Handle) {
  return copy_2d(copy);
}

Result information(std::size_t* available, std::size_t* all) {
  *available = *all = std::size_t{80} << 30;
  return kOk;
}
Result range(Address* base, std::size_t* bytes, Address address) {
  const auto found = state().find(address);
  if (!found) return kNotFound;
  if (base != nullptr) *base = found->first;
  if (bytes != nullptr) *bytes = found->second;
  return kOk;
}
Result device_pointer(Address* out, void* memory, unsigned) {
  *out = reinterpret_cast<Address>(memory);
  return kOk;
}
Result host_flags(unsigned* out, void*) {
  *out = 0;
  return kOk;
}

Result attribute(void* out, int which, Address address) {
  constexpr int kMemoryType = 2, kDevicePointer = 3, kHostPointer = 4, kBuffer = 7, kManaged = 8,
                kOrdinal = 9, kStart = 11, kSize = 12, kMapped = 13;
  const auto found = state().find(address);
  if (!found) return kInvalidValue;
  switch (which) {
    case kMemoryType:
      return *static_cast<unsigned*>(out) = 2, kOk;  // CU_MEMORYTYPE_DEVICE
    case kDevicePointer:
    case kHostPointer:
      return *static_cast<Address*>(out) = address, kOk;
    case kBuffer:
    case kStart:
      return *static_cast<Address*>(out) = found->first, kOk;
    case kSize:
      return *static_cast<std::size_t*>(out) = found->second, kOk;
    case kManaged:
    case kOrdinal:
      return *static_cast<int*>(out) = 0, kOk;
    case kMapped:
      return *static_cast<int*>(out) = 1, kOk;
    default:
      return kInvalidValue;
  }
}
/// Nothing is known of host memory that was not allocated here, which is no error.
Result attributes(unsigned count, const int* which, void** out, Address address) {
  constexpr int kContext = 1, kOrdinal = 9;
  for (unsigned i = 0; i < count; ++i) {
    if (which[i] == kContext) {
      *static_cast<Handle*>(out[i]) = nullptr;
    } else if (attribute(out[i], which[i], address) != kOk) {
      const bool is_wide =
          (which[i] >= 3 && which[i] <= 4) || which[i] == 7 || which[i] == 11 || which[i] == 12;
      std::memset(out[i], 0, is_wide ? sizeof(Address) : which[i] == kOrdinal ? sizeof(int) : 1);
    }
  }
  return kOk;
}

}  // namespace pretend

namespace observe {

void allocated(Result result, Address address, std::size_t bytes) {
  if (result == kOk) tell(Kind::allocate, {address, bytes});
}

Result allocate(Address* out, std::size_t bytes) {
  const Result result = next<&allocate>(out, bytes);
  allocated(result, *out, bytes);
  return result;
}
Result allocate_pitch(Address* out, std::size_t* pitch, std::size_t width, std::size_t height,
                      unsigned size) {
  const Result result = next<&allocate_pitch>(out, pitch, width, height, size);
  allocated(result, *out, *pitch * height);
  return result;
}
Result allocate_managed(Address* out, std::size_t bytes, unsigned flags) {
  const Result result = next<&allocate_managed>(out, bytes, flags);
  allocated(result, *out, bytes);
  return result;
}
template <int Streams>
Result allocate_async(Address* out, std::size_t bytes, Handle stream) {
  const Result result = next<&allocate_async<Streams>>(out, bytes, stream);
  allocated(result, *out, bytes);
  return result;
}
template <int Streams>
Result allocate_from_pool(Address* out, std::size_t bytes, Handle pool, Handle stream) {
  const Result result = next<&allocate_from_pool<Streams>>(out, bytes, pool, stream);
  allocated(result, *out, bytes);
  return result;
}
Result allocate_host(void** out, std::size_t bytes, unsigned flags) {
  const Result result = next<&allocate_host>(out, bytes, flags);
  allocated(result, reinterpret_cast<Address>(*out), bytes);
  return result;
}
Result allocate_plain_host(void** out, std::size_t bytes) {
  const Result result = next<&allocate_plain_host>(out, bytes);
  allocated(result, reinterpret_cast<Address>(*out), bytes);
  return result;
}
Result register_host(void* memory, std::size_t bytes, unsigned flags) {
  const Result result = next<&register_host>(memory, bytes, flags);
  allocated(result, reinterpret_cast<Address>(memory), bytes);
  return result;
}
Result release(Address address) {
  tell(Kind::release, {address});
  return next<&release>(address);
}
template <int Streams>
Result release_async(Address address, Handle stream) {
  tell(Kind::release, {address});
  return next<&release_async<Streams>>(address, stream);
}
Result release_host(void* memory) {
  tell(Kind::release, {reinterpret_cast<Address>(memory)});
  return next<&release_host>(memory);
}
Result unregister_host(void* memory) {
  tell(Kind::release, {reinterpret_cast<Address>(memory)});
  return next<&unregister_host>(memory);
}

// Copies. What a copy from device to device brings is not known here.
template <int Streams>
Result to_device(Address to, const void* from, std::size_t bytes) {
  tell_write(to, from, bytes);
  return next<&to_device<Streams>>(to, from, bytes);
}
template <int Streams>
Result to_device_async(Address to, const void* from, std::size_t bytes, Handle stream) {
  tell_write(to, from, bytes);
  return next<&to_device_async<Streams>>(to, from, bytes, stream);
}
template <int Streams>
Result copy(Address to, Address from, std::size_t bytes) {
  tell(Kind::forget, {to, bytes});
  return next<&copy<Streams>>(to, from, bytes);
}
template <int Streams>
Result copy_async(Address to, Address from, std::size_t bytes, Handle stream) {
  tell(Kind::forget, {to, bytes});
  return next<&copy_async<Streams>>(to, from, bytes, stream);
}
template <typename T>
void tell_set(Address to, T value, std::size_t count) {
  const std::size_t bytes = count * sizeof(T);
  if (value == 0) return tell(Kind::fill, {to, bytes});
  if (bytes > kMostTold) return tell(Kind::forget, {to, bytes});
  const std::vector<T> data(count, value);
  tell_write(to, data.data(), bytes);
}
template <typename T, int Streams>
Result set(Address to, T value, std::size_t count) {
  tell_set<T>(to, value, count);
  return next<&set<T, Streams>>(to, value, count);
}
template <typename T, int Streams>
Result set_async(Address to, T value, std::size_t count, Handle stream) {
  tell_set<T>(to, value, count);
  return next<&set_async<T, Streams>>(to, value, count, stream);
}
template <typename T, int Streams>
Result set_rows(Address to, std::size_t pitch, T value, std::size_t width, std::size_t height) {
  tell(Kind::forget, {to, pitch * height});
  return next<&set_rows<T, Streams>>(to, pitch, value, width, height);
}
template <typename T, int Streams>
Result set_rows_async(Address to, std::size_t pitch, T value, std::size_t width, std::size_t height,
                      Handle stream) {
  tell(Kind::forget, {to, pitch * height});
  return next<&set_rows_async<T, Streams>>(to, pitch, value, width, height, stream);
}
void tell_rows(const pretend::Copy2d& copy) {
  constexpr int kHost = 1, kArray = 3;
  if (copy.to_kind == kArray) return;
  const Address to = copy.to_kind == kHost ? reinterpret_cast<Address>(copy.to_host) : copy.to_device;
  tell(Kind::forget, {to + copy.to_y * copy.to_pitch, copy.height * copy.to_pitch});
}
template <int Streams>
Result copy_2d(const pretend::Copy2d* copy) {
  tell_rows(*copy);
  return next<&copy_2d<Streams>>(copy);
}
template <int Streams>
Result copy_2d_async(const pretend::Copy2d* copy, Handle stream) {
  tell_rows(*copy);
  return next<&copy_2d_async<Streams>>(copy, stream);
}

}  // namespace observe

/// The functions that take a stream, or mean the default one: of the legacy stream, and of each thread's.
template <int Streams>
void add_rows(Rows& rows, std::vector<std::string>& names) {
  const auto name = [&](const char* base, const char* suffix) {
    return names.emplace_back(std::string(base) + (Streams == 0 ? "" : suffix)).c_str();
  };
  constexpr const char *kSync = "_ptds", *kAsync = "_ptsz";
  const Row more[] = {
      observed<&observe::allocate_async<Streams>>(name("cuMemAllocAsync", kAsync), pretend::allocate_async),
      observed<&observe::allocate_from_pool<Streams>>(name("cuMemAllocFromPoolAsync", kAsync),
                                                      pretend::allocate_from_pool),
      observed<&observe::release_async<Streams>>(name("cuMemFreeAsync", kAsync), pretend::release_async),
      observed<&observe::to_device<Streams>>(name("cuMemcpyHtoD_v2", kSync), pretend::to_device),
      observed<&observe::to_device_async<Streams>>(name("cuMemcpyHtoDAsync_v2", kAsync),
                                                   pretend::to_device_async),
      observed<&observe::copy<Streams>>(name("cuMemcpyDtoD_v2", kSync), pretend::copy),
      observed<&observe::copy<Streams + 2>>(name("cuMemcpy", kSync), pretend::copy),
      observed<&observe::copy_async<Streams>>(name("cuMemcpyDtoDAsync_v2", kAsync), pretend::copy_async),
      observed<&observe::copy_async<Streams + 2>>(name("cuMemcpyAsync", kAsync), pretend::copy_async),
      pretended(name("cuMemcpyDtoH_v2", kSync), pretend::to_host),
      pretended(name("cuMemcpyDtoHAsync_v2", kAsync), pretend::to_host_async),
      observed<&observe::set<std::uint8_t, Streams>>(name("cuMemsetD8_v2", kSync),
                                                     pretend::set<std::uint8_t>),
      observed<&observe::set<std::uint16_t, Streams>>(name("cuMemsetD16_v2", kSync),
                                                      pretend::set<std::uint16_t>),
      observed<&observe::set<std::uint32_t, Streams>>(name("cuMemsetD32_v2", kSync),
                                                      pretend::set<std::uint32_t>),
      observed<&observe::set_async<std::uint8_t, Streams>>(name("cuMemsetD8Async", kAsync),
                                                           pretend::set_async<std::uint8_t>),
      observed<&observe::set_async<std::uint16_t, Streams>>(name("cuMemsetD16Async", kAsync),
                                                            pretend::set_async<std::uint16_t>),
      observed<&observe::set_async<std::uint32_t, Streams>>(name("cuMemsetD32Async", kAsync),
                                                            pretend::set_async<std::uint32_t>),
      observed<&observe::set_rows<std::uint8_t, Streams>>(name("cuMemsetD2D8_v2", kSync),
                                                          pretend::set_rows<std::uint8_t>),
      observed<&observe::set_rows<std::uint32_t, Streams>>(name("cuMemsetD2D32_v2", kSync),
                                                           pretend::set_rows<std::uint32_t>),
      observed<&observe::set_rows_async<std::uint8_t, Streams>>(name("cuMemsetD2D8Async", kAsync),
                                                                pretend::set_rows_async<std::uint8_t>),
      observed<&observe::set_rows_async<std::uint32_t, Streams>>(name("cuMemsetD2D32Async", kAsync),
                                                                 pretend::set_rows_async<std::uint32_t>),
      observed<&observe::copy_2d<Streams>>(name("cuMemcpy2D_v2", kSync), pretend::copy_2d),
      observed<&observe::copy_2d<Streams + 2>>(name("cuMemcpy2DUnaligned_v2", kSync), pretend::copy_2d),
      observed<&observe::copy_2d_async<Streams>>(name("cuMemcpy2DAsync_v2", kAsync), pretend::copy_2d_async),
  };
  rows.insert(rows.end(), std::begin(more), std::end(more));
}

}  // namespace

Rows memory_rows() {
  Rows rows = {
      observed<&observe::allocate>("cuMemAlloc_v2", pretend::allocate),
      observed<&observe::allocate_pitch>("cuMemAllocPitch_v2", pretend::allocate_pitch),
      observed<&observe::allocate_managed>("cuMemAllocManaged", pretend::allocate_managed),
      observed<&observe::allocate_plain_host>("cuMemAllocHost_v2", pretend::allocate_plain_host),
      observed<&observe::allocate_host>("cuMemHostAlloc", pretend::allocate_host),
      observed<&observe::register_host>("cuMemHostRegister_v2", succeed),
      observed<&observe::unregister_host>("cuMemHostUnregister", succeed),
      observed<&observe::release>("cuMemFree_v2", pretend::release),
      observed<&observe::release_host>("cuMemFreeHost", pretend::release_host),
      pretended("cuMemGetInfo_v2", pretend::information),
      pretended("cuMemGetAddressRange_v2", pretend::range),
      pretended("cuMemHostGetDevicePointer_v2", pretend::device_pointer),
      pretended("cuMemHostGetFlags", pretend::host_flags),
      pretended("cuPointerGetAttribute", pretend::attribute),
      pretended("cuPointerGetAttributes", pretend::attributes),
  };
  // Names last as long as the process.
  static std::vector<std::string>& names = *new std::vector<std::string>;
  names.reserve(64);
  add_rows<0>(rows, names);
  add_rows<1>(rows, names);
  return rows;
}

}  // namespace ptxmc::record::driver
