// SPDX-License-Identifier: Apache-2.0
// operator new and delete of the program: small blocks that were freed are kept by their thread, a list a size. The C library
// keeps seven of a size, and merges and splits the rest, which was a quarter of what a small test takes. Each block is one of
// malloc's, so that it may be freed by whoever knows its size or does not.
#include <malloc.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

// malloc has blocks of 24 bytes, 40, 56 ...; of the last list 504.
constexpr std::size_t kUnit = 16, kLargest = 504;
constexpr std::size_t kKeptBytes = 64 << 10;  // of each size, by each thread

struct Block {
  Block* next;
};

struct List {
  Block* first;
  std::size_t room;
};

enum class Life : std::uint8_t { begins, lasts, ended };

// No destructor of their own: what a thread frees after its lists were given back goes to the C library.
thread_local constinit std::array<List, (kLargest / kUnit) + 1> lists = {};
thread_local constinit Life life = Life::begins;

struct AtTheEnd {
  ~AtTheEnd() {
    life = Life::ended;
    for (List& list : lists) {
      list.room = 0;
      while (Block* block = list.first) {
        list.first = block->next;
        std::free(block);
      }
    }
  }
};

std::size_t number_of(std::size_t size) {
  return size <= kUnit ? 1 : (size + (kUnit / 2) - 1) / kUnit;
}

[[gnu::noinline]] void* anew(std::size_t size) {
  for (;;) {
    if (void* out = std::malloc(size)) return out;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

/// The list is full, or this thread has not freed anything yet.
[[gnu::noinline]] void without_room(Block* block, List& list) {
  if (life != Life::begins) return std::free(block);
  life = Life::lasts;
  static thread_local AtTheEnd end;
  static_cast<void>(&end);
  for (std::size_t i = 1; i < lists.size(); ++i) lists[i].room = kKeptBytes / (i * kUnit);
  --list.room;
  block->next = nullptr;
  list.first = block;
}

void keep(void* memory, std::size_t number) {
  List& list = lists[number];
  auto* const block = static_cast<Block*>(memory);
  if (list.room == 0) return without_room(block, list);
  --list.room;
  block->next = list.first;
  list.first = block;
}

}  // namespace

void* operator new(std::size_t size) {
  if (size > kLargest) return anew(size);
  const std::size_t number = number_of(size);
  List& list = lists[number];
  Block* const block = list.first;
  if (block == nullptr) return anew((number * kUnit) + (kUnit / 2));
  list.first = block->next;
  ++list.room;
  return block;
}

void operator delete(void* memory, std::size_t size) noexcept {
  if (memory == nullptr) return;
  if (size > kLargest) return std::free(memory);
  keep(memory, number_of(size));
}

void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  const std::size_t usable = ::malloc_usable_size(memory);
  if (usable >= kLargest + kUnit) return std::free(memory);
  keep(memory, usable / kUnit);
}
