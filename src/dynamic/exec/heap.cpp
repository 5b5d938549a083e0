// SPDX-License-Identifier: Apache-2.0
#include "dynamic/exec/heap.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace ptxmc::exec {

Heap::Heap(std::size_t threads)
    : window_((kEnd - kBegin) / std::bit_ceil(std::max<std::size_t>(threads, 1))) {}

std::optional<Places::Object> Heap::allocate(std::size_t thread, std::uint64_t bytes) {
  constexpr std::uint64_t kApart = 4096;  // at least: an index that is wrong shall not reach the next one
  if (bytes > kMostBytes || bytes > kMostTogether - bytes_) return std::nullopt;
  Address& end = ends_.try_emplace(thread, kBegin + thread * window_).first->second;
  const Address begin = end;
  const std::uint64_t room = (bytes + kAlign - 1) / kAlign * kAlign + kApart;
  if (room > kBegin + (thread + 1) * window_ - begin) return std::nullopt;
  end += room;
  bytes_ += bytes;
  Places::Object object{fmt::format("malloc({})", bytes), begin, bytes, kAlign, isa::Space::global};
  Block block{object, Bytes(bytes), Bytes(bytes), nullptr};
  if (follows_terms_) block.terms = std::make_unique<Bytes>(bytes * sizeof(std::uint64_t));
  if (contents_) fill(block);
  blocks_.emplace(begin, std::move(block));
  return object;
}

void Heap::fill(Block& block) const {
  const Places::Object& object = block.object;
  if (object.bytes > kMostFilled || is_zero(*contents_, {object.begin, object.bytes})) return;
  constexpr std::uint64_t kWord = sizeof(std::uint32_t);
  for (std::uint64_t number = 0; (number + 1) * kWord <= object.bytes; ++number) {
    if (contents_->words == Contents::Words::second && number % 2 == 0) continue;
    const std::uint32_t word = open_word(*contents_, static_cast<std::uint32_t>(number), object.begin);
    std::memcpy(block.data.at(number * kWord), &word, kWord);
  }
}

void Heap::free(Block& block) {
  block.freed = true;
  bytes_ -= block.object.bytes;
  block.data = Bytes(0);
  block.taints = Bytes(0);
  block.terms.reset();
}

const Heap::Block* Heap::block_before(Address address) const {
  const auto after = blocks_.upper_bound(address);
  return after == blocks_.begin() ? nullptr : &std::prev(after)->second;
}

Heap::Block* Heap::block_before(Address address) {
  return const_cast<Block*>(std::as_const(*this).block_before(address));
}

const Heap::Block* Heap::block_at(Address begin, std::uint64_t bytes) const {
  const Block* const block = block_before(begin);
  if (block == nullptr || block->freed) return nullptr;
  const std::uint64_t offset = begin - block->object.begin;
  return offset < block->object.bytes && bytes <= block->object.bytes - offset ? block : nullptr;
}

std::string Heap::name_at(Address address) const {
  const Block* const block = block_before(address);
  if (block == nullptr) return fmt::format("address {:#x}", address);
  return fmt::format("{}+{}", block->object.name, address - block->object.begin);
}

}  // namespace ptxmc::exec
