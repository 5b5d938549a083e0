// SPDX-License-Identifier: Apache-2.0
// linked_program [array]: registers and launches a kernel as nvcc's host code does, with a runtime that is linked into it;
// with `array`, calls a function that the runtime that is pretended lacks.
#include <cstdint>
#include <cstdio>

extern "C" {
struct Extents {
  std::uint32_t x, y, z;
};
void** __cudaRegisterFatBinary(const void* image);
void __cudaRegisterFunction(void** module, const void* host, char*, const char* name, int, void*, void*,
                            void*, void*, int*);
int cudaMalloc(void** out, std::size_t bytes);
int cudaMemset(void* to, int value, std::size_t bytes);
int cudaPointerGetAttributes(int* out, const void* memory);
int cudaLaunchKernel(const void* host, Extents grid, Extents block, void** arguments, std::size_t shared,
                     void* stream);
int cudaMallocArray(void** out, const void* format, std::size_t width, std::size_t height, unsigned flags);
int cudaDeviceSynchronize();
}

namespace {

constexpr const char* kModule = R"(.version 8.3
.target sm_90a
.address_size 64
.visible .entry fill(.param .u64 to)
{
  .reg .b32 %r;
  .reg .b64 %d<2>;
  ld.param.u64 %d0, [to];
  mov.u32 %r, %tid.x;
  mul.wide.u32 %d1, %r, 4;
  add.u64 %d0, %d0, %d1;
  st.global.u32 [%d0], %r;
  ret;
}
)";

const char kernel = 0;  // its address stands for it

/// As the constructors that nvcc writes, which run before main.
struct Registered {
  Registered() {
    __cudaRegisterFunction(__cudaRegisterFatBinary(kModule), &kernel, nullptr, "fill", -1, nullptr, nullptr,
                           nullptr, nullptr, nullptr);
  }
} const registered;

int check(int result, int line) {
  if (result != 0) std::fprintf(stderr, "line %d: error %d\n", line, result);
  return result;
}
#define CHECKED(call) \
  if (check(call, __LINE__) != 0) return 3

}  // namespace

int main(int count, char**) {
  void *memory = nullptr, *array = nullptr;
  if (count > 1) CHECKED(cudaMallocArray(&array, nullptr, 1, 1, 0));
  CHECKED(cudaMalloc(&memory, 256));
  CHECKED(cudaMemset(memory, 0, 256));
  alignas(8) int attributes[32] = {};
  constexpr int kDevice = 2;
  CHECKED(cudaPointerGetAttributes(attributes, memory));
  if (attributes[0] != kDevice) return 3;
  CHECKED(cudaPointerGetAttributes(attributes, &memory));
  if (attributes[0] != 0) return 3;
  void* arguments[] = {&memory};
  CHECKED(cudaLaunchKernel(&kernel, {1, 1, 1}, {64, 1, 1}, arguments, 0, nullptr));
  CHECKED(cudaDeviceSynchronize());
  return 0;
}
