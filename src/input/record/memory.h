// SPDX-License-Identifier: Apache-2.0
// The memory of a recorded program: its allocations, and what is known of their contents.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptxmc::record {

constexpr std::size_t kWord = 8;  // bytes: of an address

/// The number that these bytes hold from `offset` on.
inline std::uint64_t word_at(std::string_view bytes, std::size_t offset, std::size_t size) {
  std::uint64_t out = 0;
  std::memcpy(&out, bytes.data() + offset, size);
  return out;
}

/// What an allocation holds. Nothing is known of what lies outside its known parts.
struct Allocation {
  std::uint64_t number = 0;  ///< another one for each, also at one address
  std::uint64_t address = 0, bytes = 0;
  std::uint64_t module = 0;  ///< that it is a variable of; 0: of none
  std::string variable;
  bool written = false;  ///< since it was made, by whomever
  bool shared = false;   ///< others write there, too, so that what it holds is not known
  /// Known parts, by offset, that neither overlap nor touch; without data: so many zeros.
  struct Known {
    std::uint64_t bytes = 0;
    std::string data;
    bool zero() const { return data.empty(); }
  };
  std::map<std::uint64_t, Known> known;

  /// All of it is known: its data, empty where it is zero.
  const Known* whole() const;
  /// The known part that a byte is in; null: what is there is not known.
  const std::pair<const std::uint64_t, Known>* known_at(std::uint64_t offset) const;
};

class Memory {
 public:
  /// Contents of more bytes than `limit` are not kept, zeros always.
  explicit Memory(std::uint64_t limit) : limit_(limit) {}

  Allocation& allocate(std::uint64_t address, std::uint64_t bytes);
  void release(std::uint64_t address) { allocations_.erase(address); }
  void write(std::uint64_t address, std::string_view data);
  void fill(std::uint64_t address, std::uint64_t bytes);
  void forget(std::uint64_t address, std::uint64_t bytes);
  /// All of these allocations, by number.
  void forget_all(const std::vector<std::uint64_t>& numbers);
  void forget_everything();

  /// The allocation that an address points into, or one past; null: none.
  Allocation* find(std::uint64_t address);

 private:
  /// Drops what is known of these bytes, and returns the allocation if they are inside of one.
  Allocation* clear(std::uint64_t address, std::uint64_t bytes);
  void put(Allocation& allocation, std::uint64_t offset, Allocation::Known known);

  std::uint64_t limit_, made_ = 0;
  std::map<std::uint64_t, Allocation> allocations_;
};

}  // namespace ptxmc::record
