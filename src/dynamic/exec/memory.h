// SPDX-License-Identifier: Apache-2.0
// The memory of a run: one flat space of 64-bit addresses. Global buffers lie apart from each other, the shared memory of
// each CTA has a window, and so has the local memory of each thread.
//
// Addresses of .shared::cta are addresses of .shared::cluster, too (5.1.7): the offset in the window of a CTA, below its rank
// in the cluster, as assemblers have it. (Code for pairs of CTAs clears the lowest bit of the rank, to name an object of the
// first one.)
// Those of .local are offsets in one's own window.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dynamic/exec/contents.h"
#include "dynamic/exec/heap.h"
#include "dynamic/exec/places.h"
#include "dynamic/exec/registers.h"
#include "ptx/footprint/tensor_map.h"
#include "ptx/isa/isa.h"
#include "ptx/program/inner_map.h"
#include "ptx/program/program.h"
#include "support/check.h"

namespace ptxmc::exec {

using trace::Address;

class Memory {
 public:
  /// Where the variables of a program lie. CTAs and threads are numbers of the whole run.
  Memory(const program::Program& program, std::size_t ctas, std::size_t threads);

  // ---- Addresses ---------------------------------------------------------------------------------------------
  /// The address of a variable in its state space (of shared memory an offset).
  std::uint64_t offset_of(const std::string& variable) const;
  isa::Space space_of(const std::string& variable) const;
  std::size_t elements_of(const std::string& variable) const;
  std::uint32_t element_bytes(const std::string& variable) const;
  /// Nothing: it is no memory with addresses.
  std::optional<Places::Object> object_of(const std::string& variable) const;
  /// Where it lies, flat: of shared memory in each CTA, of local memory in each thread.
  std::vector<Address> all_of(const std::string& variable) const;
  std::uint64_t shared_bytes() const { return shared_bytes_; }
  Address shared(std::size_t cta) const { return kShared + (static_cast<Address>(cta) << kWindowBits); }
  Address local(std::size_t thread) const { return kLocal + (static_cast<Address>(thread) << kWindowBits); }
  /// Tensor memory of a CTA (9.7.16.1): an address a lane of a column of 32 bits, columns one after the
  /// other. It has no contents here.
  Address tensor(std::size_t cta) const { return kTensor + (static_cast<Address>(cta) << kWindowBits); }
  static bool is_tensor(Address address) { return address >> kRegionBits == kTensor >> kRegionBits; }
  /// The columns of variables in tensor memory: the first and how many.
  const std::vector<std::pair<std::int64_t, std::int64_t>>& declared_columns() const { return columns_; }
  static bool is_shared(Address address) { return address >> kRegionBits == kShared >> kRegionBits; }
  static bool is_local(Address address) { return address >> kRegionBits == kLocal >> kRegionBits; }
  static bool is_global(Address address) { return address >= kGlobal && address < kShared; }
  static bool is_heap(Address address) { return Heap::is_of(address); }
  /// Multimem addresses (8.2.3) have no contents of their own.
  static bool is_multimem(Address address) { return address >> kRegionBits == kMultimem >> kRegionBits; }
  /// The addresses of the locations that these bytes of a multimem address stand for; none: they are not all there.
  std::vector<Address> locations_at(Address begin, std::uint64_t bytes) const;
  /// An address, not an offset in a window.
  static bool is_flat(Address address) { return address >= kGlobal; }
  /// The CTA whose window an address of shared memory is in.
  static std::size_t cta_of(Address address) { return (address - kShared) >> kWindowBits; }
  /// As instructions on shared memory have it, by the rank of the CTA.
  static Address in_cluster(std::uint64_t rank, Address offset) { return rank << kWindowBits | offset; }
  static Address in_window(Address address) { return address & ((Address{1} << kWindowBits) - 1); }
  /// "buffer+12": what is there, for messages.
  std::string name_at(Address address) const;
  /// Bytes that are accessed together: "4 bytes at bins[17]"; "4 bytes at in+68 (4-byte element 17)" where elements are not known.
  std::string text_of(trace::Range bytes) const;
  /// Nothing: tensor memory, or what lies in no object.
  std::optional<NamedBytes> object_at(trace::Range bytes) const;
  std::optional<trace::Range> global_variable_at(Address address) const;
  /// The object behind whose end an address lies.
  struct Ended {
    std::string name;
    std::uint64_t bytes = 0, offset = 0;  // its own, and of the address in it
  };
  std::optional<Ended> ended_before(Address address) const;
  /// What device code has allocated.
  Heap& heap() { return heap_; }

  // ---- Contents ----------------------------------------------------------------------------------------------
  /// Bytes of one object.
  struct Span {
    std::uint8_t* data;
    std::uint8_t* taint;             // of each byte, its sources exclusive-or those of its object
    Sources initially;               // what the object's bytes rest on from the start
    std::uint64_t* terms = nullptr;  // a word a byte, if they are followed (terms.h)

    Sources sources(std::uint64_t at, std::uint64_t bytes) const {
      return static_cast<Sources>(all(at, bytes) & ~unsigned{kAddress});
    }
    /// With kAddress, of parts of addresses.
    Sources all(std::uint64_t at, std::uint64_t bytes) const {
      Sources all = 0;
      for (; bytes >= 8; at += 8, bytes -= 8) all |= one_of(load(taint + at, 8) ^ kEach * initially);
      if (bytes == 0) return all;
      const std::uint64_t unused = ~std::uint64_t{0} << (bytes * 8);
      const std::uint64_t rest = load(taint + at, static_cast<std::uint32_t>(bytes)) ^ kEach * initially;
      return all | one_of(rest & ~unused);
    }
    /// Which of some bytes are parts of addresses, a bit each.
    unsigned address_parts(std::uint64_t at, std::uint32_t bytes) const {
      unsigned out = 0;
      for (std::uint32_t i = 0; i < bytes; ++i)
        out |= ((taint[at + i] ^ initially) & kAddress) != 0 ? 1U << i : 0U;
      return out;
    }
    void mark_address(std::uint64_t at, std::uint32_t bytes) const {
      for (std::uint32_t i = 0; i < bytes; ++i) taint[at + i] |= kAddress;
    }
    void set_sources(std::uint64_t at, std::uint32_t bytes, Sources sources) const {
      const auto byte = static_cast<std::uint8_t>(sources ^ initially);
      if (terms != nullptr) std::fill_n(terms + at, bytes, kUnknownByte);
      if (bytes == 4) {
        store(taint + at, 4, kEach * byte);
      } else {
        std::memset(taint + at, byte, bytes);
      }
    }

   private:
    static constexpr std::uint64_t kEach = 0x0101010101010101;
    /// What any of eight bytes rests on.
    static Sources one_of(std::uint64_t bytes) {
      if (bytes == 0) return 0;
      bytes |= bytes >> 32U;
      bytes |= bytes >> 16U;
      return static_cast<Sources>(bytes | bytes >> 8U);
    }
  };
  /// The word of a byte, where terms are followed: a value that is no other's.
  static constexpr std::uint64_t kUnknownByte = ~std::uint64_t{0};
  /// The word of a byte that holds the initial value of another: with its address.
  static constexpr std::uint64_t kCopiedByte = std::uint64_t{1} << 63U;
  /// From here on terms are followed: all are initial values.
  void follow_terms();
  /// Fills the words that rest on nothing but what the program leaves open.
  void fill_open(const Contents& contents);
  /// Nothing: not all of them are of one object.
  std::optional<Span> span(Address begin, std::uint64_t bytes) const;
  static std::uint64_t load(const std::uint8_t* from, std::uint32_t bytes) {
    switch (bytes) {  // of constant sizes, so that nothing is called
      case 1:
        return *from;
      case 2:
        return fixed<std::uint16_t>(from);
      case 4:
        return fixed<std::uint32_t>(from);
      case 8:
        return fixed<std::uint64_t>(from);
      default:
        PTXMC_CHECK(bytes <= sizeof(std::uint64_t), "a value of a register is of 8 bytes at most");
        std::uint64_t value = 0;
        std::memcpy(&value, from, bytes);
        return value;
    }
  }
  /// The bits of one access, however long it is.
  static trace::Bits load_wide(const std::uint8_t* from, std::uint32_t bytes) {
    constexpr std::uint32_t kWord = 8;
    if (bytes <= kWord) return load(from, bytes);
    return trace::Bits{load(from + kWord, bytes - kWord)} << (kWord * 8U) | load(from, kWord);
  }
  static void store(std::uint8_t* to, std::uint32_t bytes, std::uint64_t value) {
    switch (bytes) {
      case 4:
        std::memcpy(to, &value, 4);
        return;
      case 8:
        std::memcpy(to, &value, 8);
        return;
      default:
        PTXMC_CHECK(bytes <= sizeof value, "a value of a register is of 8 bytes at most");
        std::memcpy(to, &value, bytes);
    }
  }
  /// What they rest on; nothing of bytes that do not exist.
  Sources sources(Address begin, std::uint64_t bytes) const;
  void taint(Address begin, std::uint64_t bytes, Sources sources);
  /// Copies bytes with what they rest on; both ranges exist.
  void copy(Address to, Address from, std::uint64_t bytes);

  /// The tensor map that 128 bytes of an object hold; nothing: they hold none.
  std::optional<footprint::MapFields> map_at(Address address) const;
  /// No instruction writes there: .const memory, and parameters.
  bool is_constant(Address address) const;
  bool has_constants() const { return has_constants_; }
  void add_map(const program::InnerMap& inner);

  // A region holds the windows of 2^22 CTAs, or threads; the constructor refuses more.
  static constexpr unsigned kRegionBits = 46, kWindowBits = 24;
  // The first global addresses have 32 bits, as what cooperative launches pass in two halves.
  static constexpr Address kGlobal = Address{1} << 30U, kHeap = Heap::kBegin,
                           kShared = Address{2} << kRegionBits, kLocal = Address{3} << kRegionBits,
                           kTensor = Address{4} << kRegionBits, kMultimem = Address{5} << kRegionBits,
                           kNowhere = Address{1} << 63U;

 private:
  template <typename Word>
  static std::uint64_t fixed(const std::uint8_t* from) {
    Word word;
    std::memcpy(&word, from, sizeof word);
    return word;
  }
  struct Object {
    std::string name;
    Address begin = 0;
    std::uint64_t bytes = 0;
    std::uint32_t element = 4;
    std::uint32_t elements = 1;
    isa::Space space = isa::Space::global;
    Sources initially = 0;
    bool open = false;  // all of it, or some
    std::uint64_t align = 1;
    bool names_elements = false;  // as its declaration says what they are
  };
  static std::string element_name(const Object& object, std::uint64_t offset);
  /// A multimem address: an object without bytes, which stands for as many of each of others.
  struct Multimem {
    std::string name;
    Address begin = 0;
    std::uint64_t bytes = 0;
    std::uint32_t element = 4, elements = 1;
    std::vector<Address> locations;
  };
  const Multimem* multimem_before(Address address) const;
  const Multimem* multimem_of(const std::string& variable) const;
  void place_multimem(const program::Program& program, const program::Variable& variable);
  void check_windows(const program::Program& program) const;
  void place(const program::Variable& variable);
  void fill(const program::Program& program);
  static void mark_open(const std::vector<program::Extent>& open, const Object& object, std::uint8_t* taint);
  /// The last one that begins at the address or before it, in its window.
  const Object* object_before(Address address) const;
  const Object* global_object(Address begin, std::uint64_t bytes) const;
  std::optional<Span> heap_span(Address begin, std::uint64_t bytes) const;

  std::vector<Multimem> multimem_;  // by address
  std::vector<Object> global_;      // by address
  std::vector<Object> windows_;     // of shared and local memory, without their window's address
  std::unordered_map<std::string, std::pair<bool, std::size_t>> names_;
  std::unordered_map<std::string, std::string> aliases_;
  std::unordered_map<std::string, std::int64_t> in_tensor_;  // variables, by their first columns
  std::vector<std::pair<std::int64_t, std::int64_t>> columns_;
  std::uint64_t global_bytes_ = 0, shared_bytes_ = 0, local_bytes_ = 0;
  std::size_t ctas_ = 0, threads_ = 0;
  bool has_constants_ = false;
  Heap heap_;
  mutable std::size_t last_ = 0;      // object that was found
  std::vector<Bytes> data_, taints_;  // global, shared, local
  std::vector<Bytes> terms_;          // the same, in words; empty: they are not followed
};

}  // namespace ptxmc::exec
