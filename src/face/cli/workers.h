// SPDX-License-Identifier: Apache-2.0
// Work on numbered items in a child process, so that an item that never ends, or that brings its process
// down, costs that item alone: the next ones go to another child. The parent must not have used what the
// work uses (a GPU's driver does not survive a fork).
//
// The child's output reaches the same streams; work() flushes it after each item. Counters that the parent
// reads live in Shared memory.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <functional>
#include <new>
#include <type_traits>

namespace ptxmc::cli {

/// A T in memory that parent and children share. T is trivially copyable.
template <typename T>
class Shared {
 public:
  static_assert(std::is_trivially_copyable_v<T>);
  Shared() {
    void* memory = ::mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    value_ = new (memory) T{};
  }
  ~Shared() { ::munmap(value_, sizeof(T)); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  T& operator*() const { return *value_; }
  T* operator->() const { return value_; }

 private:
  T* value_;
};

/// What work() says of an item.
enum class Next : std::uint8_t {
  go_on,   ///< with the next item, in this process
  fresh,   ///< with the next item, in another process: this one is stuck or spoiled
  enough,  ///< no more items
};

/// How an item was lost.
struct Loss {
  std::uint64_t item = 0;
  bool silent = false;  ///< it did not end within its time, and its process was killed
  int signal = 0;       ///< else: that ended its process, or 0
  int status = 0;       ///< else: its exit status
};

/// How long an item may take, and when all is to end.
struct Limits {
  double seconds = 0;          ///< an item
  double grace = 0;            ///< an item that runs when stop() becomes true, from then on
  std::function<bool()> stop;  ///< asked in this process every few milliseconds; may be empty
};

/// Calls work(i) for i = 0 .. count-1 in children, one at a time, and lost() in this process for items that
/// did not come to an end within the limits, or whose process died. Ends early when work() has enough, lost()
/// returns false, or after the item at hand once stop() is true. Children die with this process. Throws
/// std::system_error when there can be no child.
void work_in_children(std::uint64_t count, const Limits& limits,
                      const std::function<Next(std::uint64_t)>& work,
                      const std::function<bool(const Loss&)>& lost);

}  // namespace ptxmc::cli
