// SPDX-License-Identifier: Apache-2.0
#include "support/recursion.h"

#include <pthread.h>

#include <exception>
#include <new>

namespace ptxmc {

namespace {

constexpr std::size_t kStackBytes = std::size_t{8} << 20;

struct Call {
  const std::function<void()>& f;
  std::exception_ptr thrown;
};

void* run(void* argument) {
  Call& call = *static_cast<Call*>(argument);
  try {
    call.f();
  } catch (...) {
    call.thrown = std::current_exception();
  }
  return nullptr;
}

}  // namespace

void on_fresh_stack(const std::function<void()>& f) {
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) throw std::bad_alloc();
  ::pthread_attr_setstacksize(&attributes, kStackBytes);
  Call call{f, nullptr};
  pthread_t thread{};
  const int failed = ::pthread_create(&thread, &attributes, run, &call);
  ::pthread_attr_destroy(&attributes);
  if (failed != 0) throw std::bad_alloc();
  ::pthread_join(thread, nullptr);
  if (call.thrown) std::rethrow_exception(call.thrown);
}

}  // namespace ptxmc
