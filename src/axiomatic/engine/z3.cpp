// SPDX-License-Identifier: Apache-2.0
#include "axiomatic/engine/z3.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

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

class StopsCheck::Watch {
 public:
  Watch(Z3_context context, const std::stop_token& stop)
      : thread_([this, context, stop] {
          std::unique_lock lock(mutex_);
          changed_.wait(lock, stop, [this] { return over_; });
          while (
              !over_) {  // an interrupt before the check has begun, or between its parts, is lost: so again
            z3().interrupt(context);
            changed_.wait_for(lock, std::chrono::milliseconds(1));
          }
        }) {}
  ~Watch() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool over_ = false;
  std::thread thread_;
};

StopsCheck::StopsCheck(Z3_context context, const std::stop_token& stop) {
  if (stop.stop_possible()) watch_ = std::make_unique<Watch>(context, stop);
}
StopsCheck::~StopsCheck() = default;

}  // namespace ptxmc::engine
