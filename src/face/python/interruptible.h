// SPDX-License-Identifier: Apache-2.0
// Calls that Ctrl-C ends.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <future>
#include <stop_token>
#include <thread>
#include <utility>

namespace ptxmc::python {

/// What `work`, given a stop token, returns or throws. It runs in a thread of its own without Python's lock, and must not
/// touch objects of Python. An interrupt asks it to stop, waits until it has, and is raised.
template <typename Work>
auto interruptible(Work&& work) {
  constexpr std::chrono::milliseconds kPatience(20);  // between looks for an interrupt
  using Answer = decltype(work(std::stop_token()));
  std::packaged_task<Answer(std::stop_token)> task(std::forward<Work>(work));
  std::future<Answer> answer = task.get_future();
  std::jthread worker(std::move(task));
  bool interrupted = false;
  while (!interrupted) {
    std::future_status status;
    {
      const pybind11::gil_scoped_release released;
      status = answer.wait_for(kPatience);
    }
    if (status == std::future_status::ready) break;
    interrupted = PyErr_CheckSignals() != 0;
  }
  if (!interrupted) return answer.get();
  {
    const pybind11::gil_scoped_release released;
    worker.request_stop();
    answer.wait();
  }
  throw pybind11::error_already_set();
}

}  // namespace ptxmc::python
