// SPDX-License-Identifier: Apache-2.0
#include "engine/z3.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include "support/refuse.h"

namespace ptxmc::engine {

namespace {

// The name of the build's library first: it is the one whose header was compiled.
constexpr const char* kLibraries[] = {PTXMC_Z3_LIBRARY, "libz3.so.4", "libz3.so"};

void* open_library() {
  for (const char* library : kLibraries)
    if (void* handle = ::dlopen(library, RTLD_NOW | RTLD_LOCAL)) return handle;
  refuse(
      fmt::format("the solver Z3 is needed here, and its library {} is not on this system: apt install "
                  "libz3-4",
                  PTXMC_Z3_LIBRARY));
}

template <typename Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  if (function == nullptr) refuse(fmt::format("the library {} has no function {}", PTXMC_Z3_LIBRARY, name));
}

Z3Functions open_functions() {
  void* library = open_library();
  Z3Functions functions;
#define PTXMC_Z3_FUNCTION(name) find(library, "Z3_" #name, functions.name);
  PTXMC_Z3_FUNCTIONS(PTXMC_Z3_FUNCTION)
#undef PTXMC_Z3_FUNCTION
  return functions;
}

}  // namespace

const Z3Functions& z3() {
  static const Z3Functions functions = open_functions();
  return functions;
}

}  // namespace ptxmc::engine
