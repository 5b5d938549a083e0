// SPDX-License-Identifier: Apache-2.0
// Programs that compile kernels while they run, and ask for the object code of an architecture (nvrtcGetCUBIN): no PTX could be taken
// out of that. They get PTX instead, with lines of the source, from NVIDIA's compiler, which is called for a virtual architecture.
// The driver takes the one as the other.
#include <dlfcn.h>

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "input/record/runtime/driver_call.h"

namespace ptxmc::record::runtime {

namespace {

/// The function of the library that is loaded behind this one.
template <typename... Arguments>
Result nvrtc(const char* name, Arguments... arguments) {
  constexpr Result kInternalError = 11;  // NVRTC_ERROR_INTERNAL_ERROR
  void* const function = dlsym(RTLD_NEXT, name);
  if (function == nullptr) return kInternalError;
  return reinterpret_cast<Result (*)(Arguments...)>(function)(arguments...);
}

constexpr std::string_view kReal = "sm_", kVirtual = "compute_", kLines = "--generate-line-info";

bool names_architecture(std::string_view option) {
  return option.find("-arch") != std::string_view::npos ||
         option.find("-gpu-architecture") != std::string_view::npos;
}

/// The same options, for the virtual architecture of that which they name.
std::vector<std::string> with_virtual(int count, const char* const* options) {
  std::vector<std::string> out;
  bool lines = false;
  for (int i = 0; i < count; ++i) {
    std::string& option = out.emplace_back(options[i]);
    const bool value = i > 0 && names_architecture(options[i - 1]);
    const std::size_t real = option.find(kReal);
    if ((value || names_architecture(option)) && real != std::string::npos)
      option.replace(real, kReal.size(), kVirtual);
    lines = lines || option == kLines || option == "-lineinfo";
  }
  if (!lines) out.emplace_back(kLines);
  return out;
}

}  // namespace

extern "C" {

Result ptxmc_compile(Handle program, int count, const char* const* options) {
  const std::vector<std::string> own = with_virtual(count, options);
  std::vector<const char*> words;
  words.reserve(own.size());
  for (const std::string& option : own) words.push_back(option.c_str());
  return nvrtc("nvrtcCompileProgram", program, static_cast<int>(words.size()), words.data());
}
Result ptxmc_size(Handle program, std::size_t* out) {
  return nvrtc("nvrtcGetPTXSize", program, out);
}
Result ptxmc_code(Handle program, char* out) {
  return nvrtc("nvrtcGetPTX", program, out);
}
}

// The names have a version in each of NVIDIA's libraries.
#define PTXMC_OF_NVRTC(own, name)                                                   \
  asm(".globl " #own "_12\n.set " #own "_12, " #own "\n.symver " #own "_12, " #name \
      "@libnvrtc.so.12\n"                                                           \
      ".globl " #own "_13\n.set " #own "_13, " #own "\n.symver " #own "_13, " #name "@libnvrtc.so.13")
PTXMC_OF_NVRTC(ptxmc_compile, nvrtcCompileProgram);
PTXMC_OF_NVRTC(ptxmc_size, nvrtcGetCUBINSize);
PTXMC_OF_NVRTC(ptxmc_code, nvrtcGetCUBIN);
#undef PTXMC_OF_NVRTC

}  // namespace ptxmc::record::runtime
