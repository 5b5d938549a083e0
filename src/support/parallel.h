// SPDX-License-Identifier: Apache-2.0
// Independent pieces of one piece of work, on several threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <type_traits>
#include <vector>

namespace ptxmc {

/// Calls work(i), or work(i, job) with the number of the thread that does it below `jobs`, for i = 0 .. count - 1, each once,
/// on up to `jobs` threads of which the caller's is one, number 0; indices are taken in ascending order. Once some work throws no more is begun, and what the least index threw is thrown. Fewer
/// threads where the system gives no more.
template <typename Work>
void in_parallel(std::size_t count, std::size_t jobs, const Work& work) {
  const auto call = [&](std::size_t i, [[maybe_unused]] std::size_t job) {
    if constexpr (std::is_invocable_v<const Work&, std::size_t, std::size_t>)
      work(i, job);
    else
      work(i);
  };
  if (jobs <= 1 || count <= 1) {
    for (std::size_t i = 0; i < count; ++i) call(i, 0);
    return;
  }
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;  // guards the two below
  std::exception_ptr thrown;
  std::size_t thrown_by = count;
  const auto run = [&](std::size_t job) {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        call(i, job);
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
    while (threads.size() + 1 < jobs && threads.size() + 1 < count)
      threads.emplace_back(run, threads.size() + 1);
  } catch (const std::system_error&) {  // those that there are do it
  }
  run(0);
  threads.clear();
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace ptxmc
