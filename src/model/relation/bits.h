// SPDX-License-Identifier: Apache-2.0
// Sets of events and relations between events as bit vectors and bit matrices.
// Sizes are fixed at construction (the number of events); rows are 64-bit words, least significant bit first.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace ptxmc::relation {

using Word = std::uint64_t;
constexpr std::size_t kWordBits = 64;
constexpr std::size_t words_for(std::size_t bits) {
  return (bits + kWordBits - 1) / kWordBits;
}

/// Calls f(index) for each set bit of words[0..count), in increasing order.
template <typename F>
void for_each_bit(const Word* words, std::size_t count, F&& f) {
  for (std::size_t w = 0; w < count; ++w) {
    for (Word rest = words[w]; rest != 0; rest &= rest - 1) f(w * kWordBits + std::countr_zero(rest));
  }
}

/// A set of events 0..size-1.
class BitSet {
 public:
  BitSet() = default;
  explicit BitSet(std::size_t size) : size_(size), words_(words_for(size)) {}

  std::size_t size() const { return size_; }
  bool test(std::size_t i) const { return (words_[i / kWordBits] >> (i % kWordBits)) & 1; }
  void set(std::size_t i) { words_[i / kWordBits] |= Word{1} << (i % kWordBits); }
  void reset(std::size_t i) { words_[i / kWordBits] &= ~(Word{1} << (i % kWordBits)); }
  void set_all();
  void clear();
  bool empty() const;
  std::size_t count() const;
  bool contains(const BitSet& other) const;  ///< other is a subset of this

  BitSet& operator|=(const BitSet& other);
  BitSet& operator&=(const BitSet& other);
  BitSet& operator-=(const BitSet& other);
  friend bool operator==(const BitSet&, const BitSet&) = default;

  template <typename F>
  void for_each(F&& f) const {
    for_each_bit(words_.data(), words_.size(), f);
  }

  Word* data() { return words_.data(); }
  const Word* data() const { return words_.data(); }
  std::size_t words() const { return words_.size(); }

 private:
  std::size_t size_ = 0;
  std::vector<Word> words_;
};

/// A relation on events 0..size-1; row a holds the b with (a, b) in the relation.
class BitMatrix {
 public:
  BitMatrix() = default;
  explicit BitMatrix(std::size_t size) : size_(size), stride_(words_for(size)), words_(size * stride_) {}

  std::size_t size() const { return size_; }
  std::size_t stride() const { return stride_; }  ///< words in a row
  bool test(std::size_t a, std::size_t b) const { return (row(a)[b / kWordBits] >> (b % kWordBits)) & 1; }
  void set(std::size_t a, std::size_t b) { row(a)[b / kWordBits] |= Word{1} << (b % kWordBits); }
  void reset(std::size_t a, std::size_t b) { row(a)[b / kWordBits] &= ~(Word{1} << (b % kWordBits)); }
  Word* row(std::size_t a) { return words_.data() + a * stride_; }
  const Word* row(std::size_t a) const { return words_.data() + a * stride_; }

  void clear();
  bool empty() const;
  std::size_t count() const;
  bool contains(const BitMatrix& other) const;  ///< other is a subset of this

  BitMatrix& operator|=(const BitMatrix& other);
  BitMatrix& operator&=(const BitMatrix& other);
  BitMatrix& operator-=(const BitMatrix& other);
  friend bool operator==(const BitMatrix&, const BitMatrix&) = default;

  /// *this = a ; b. Neither argument may be *this. Cost: one row operation per pair of a.
  void assign_sequence(const BitMatrix& a, const BitMatrix& b);
  /// *this = [s] ; a, and a ; [s].
  void assign_within(const BitSet& s, const BitMatrix& a);
  void assign_within(const BitMatrix& a, const BitSet& s);
  /// *this = inverse of a; a may not be *this.
  void assign_inverse(const BitMatrix& a);
  /// *this = A x B.
  void assign_product(const BitSet& a, const BitSet& b);
  /// *this = identity on s.
  void assign_identity(const BitSet& s);
  /// Transitive (not reflexive) closure in place. Cost: a row operation per pair of the transitive reduction,
  /// about, where there is no cycle; else size^2 at worst. Up to 64 events cost a word operation per event
  /// and event that leads on.
  void close();
  void assign_domain(BitSet& out) const;  ///< out = { a | (a, b) in *this }
  void assign_range(BitSet& out) const;   ///< out = { b | (a, b) in *this }

  bool irreflexive() const;
  bool acyclic() const;

  template <typename F>
  void for_each(F&& f) const {
    for (std::size_t a = 0; a < size_; ++a) {
      for_each_bit(row(a), stride_, [&](std::size_t b) { f(a, b); });
    }
  }

 private:
  void close_words();
  bool close_acyclic();

  std::size_t size_ = 0;
  std::size_t stride_ = 0;
  std::vector<Word> words_;
};

}  // namespace ptxmc::relation
