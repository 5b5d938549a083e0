// SPDX-License-Identifier: Apache-2.0
// Recursion as deep as the input asks for: bounded by memory, not by the stack of a thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace ptxmc {

/// Calls f on a stack of its own, while the caller waits; exceptions pass through. Throws std::bad_alloc when
/// there is no memory for one.
void on_fresh_stack(const std::function<void()>& f);

/// Counts the levels of one recursion; every kLevels of them it goes on on a fresh stack. A level should take
/// less than 16 kB.
class Recursion {
 public:
  static constexpr std::size_t kLevels = 256;

  /// f(), one level deeper.
  template <typename F>
  std::invoke_result_t<F> deeper(F&& f) {
    using Result = std::invoke_result_t<F>;
    const Level level(depth_);
    if (depth_ % kLevels != 0) return f();
    if constexpr (std::is_void_v<Result>) {
      on_fresh_stack([&] { f(); });
    } else {
      std::optional<Result> result;
      on_fresh_stack([&] { result.emplace(f()); });
      return std::move(*result);
    }
  }

 private:
  struct Level {
    explicit Level(std::size_t& depth) : depth_(++depth) {}
    ~Level() { --depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    std::size_t& depth_;
  };
  std::size_t depth_ = 0;
};

}  // namespace ptxmc
