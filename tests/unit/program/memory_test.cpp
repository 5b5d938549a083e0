// SPDX-License-Identifier: Apache-2.0
// The program's operator new and delete (src/cli/program/memory.cpp), which this program is linked with.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <new>
#include <random>
#include <set>
#include <thread>
#include <vector>

void operator delete(void* memory, std::size_t size) noexcept;  // which clang++ does not declare by itself

namespace {

struct Piece {
  unsigned char* at;
  std::size_t size;
  unsigned char mark;
};

bool intact(const Piece& piece) {
  for (std::size_t i = 0; i < piece.size; ++i)
    if (piece.at[i] != piece.mark) return false;
  return true;
}

Piece piece(std::size_t size, unsigned char mark) {
  auto* const at = static_cast<unsigned char*>(::operator new(size));
  std::memset(at, mark, size);
  return {at, size, mark};
}

/// By its size, or without it.
void give_back(const Piece& piece, bool sized) {
  if (sized)
    ::operator delete(piece.at, piece.size);
  else
    ::operator delete(piece.at);
}

/// Blocks of all sizes around those that are kept come and go, and none overlaps another.
bool come_and_go(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Piece> live;
  bool good = true;
  for (unsigned step = 0; step < 20000; ++step) {
    if (live.size() < 200 || random() % 2 == 0) {
      live.push_back(piece(random() % 700, static_cast<unsigned char>(step)));
      continue;
    }
    const std::size_t which = random() % live.size();
    good &= intact(live[which]);
    give_back(live[which], random() % 2 == 0);
    live[which] = live.back();
    live.pop_back();
  }
  for (const Piece& last : live) {
    good &= intact(last);
    give_back(last, true);
  }
  return good;
}

}  // namespace

TEST_CASE("what was freed is used again") {
  void* const first = ::operator new(40);
  ::operator delete(first, 40);
  void* const second = ::operator new(36);  // of the same list
  CHECK(first == second);
  ::operator delete(second);
  void* const third = ::operator new(33);
  CHECK(first == third);
  ::operator delete(third, 33);
}

TEST_CASE("blocks are aligned, have their size, and are apart") {
  std::set<void*> seen;
  std::vector<Piece> pieces;
  for (std::size_t size = 0; size < 600; ++size) {
    pieces.push_back(piece(size, static_cast<unsigned char>(size)));
    CHECK(reinterpret_cast<std::uintptr_t>(pieces.back().at) % 16 == 0);
    CHECK(seen.insert(pieces.back().at).second);
  }
  for (const Piece& one : pieces) {
    CHECK(intact(one));
    give_back(one, one.size % 2 == 0);
  }
}

TEST_CASE("blocks come and go, on one thread and on several") {
  CHECK(come_and_go(1));
  bool good[4] = {};
  {
    std::vector<std::jthread> threads;
    for (unsigned i = 0; i < 4; ++i) threads.emplace_back([&good, i] { good[i] = come_and_go(i); });
  }
  for (const bool one : good) CHECK(one);
}

TEST_CASE("another thread may free") {
  std::vector<Piece> pieces;
  std::jthread([&] {
    for (std::size_t i = 0; i < 10000; ++i) pieces.push_back(piece(i % 520, static_cast<unsigned char>(i)));
  }).join();
  std::jthread([&] {
    for (const Piece& one : pieces) {
      CHECK(intact(one));
      give_back(one, one.size % 3 == 0);
    }
  }).join();
  CHECK(come_and_go(7));
}

TEST_CASE("what is too large is told") {
  CHECK_THROWS_AS(static_cast<void>(::operator new(SIZE_MAX / 2)), const std::bad_alloc&);
}
