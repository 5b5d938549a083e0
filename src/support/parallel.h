// SPDX-License-Identifier: Apache-2.0
// Independent pieces of one piece of work, on several threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace ptxmc {

/// Calls work(i) for i = 0 .. count - 1, each once, on up to `jobs` threads of which the caller's is one; indices are
/// taken in ascending order. Once some work throws no more is begun, and what the least index threw is thrown. Fewer
/// threads where the system gives no more.
template <typename Work>
void in_parallel(std::size_t count, std::size_t jobs, const Work& work) {
  if (jobs <= 1 || count <= 1) {
    for (std::size_t i = 0; i < count; ++i) work(i);
    return;
  }
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;  // guards the two below
  std::exception_ptr thrown;
  std::size_t thrown_by = count;
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        next = count;
        const std::lock_guard lock(mutex);
        if (i < thrown_by) {
          thrown_by = i;
          thrown = std::current_exception();
        }
      }
    }
  };
  std::vector<std::jthread> threads;
  try {
    while (threads.size() + 1 < jobs && threads.size() + 1 < count) threads.emplace_back(run);
  } catch (const std::system_error&) {  // those that there are do it
  }
  run();
  threads.clear();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace ptxmc
