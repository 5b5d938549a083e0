// SPDX-License-Identifier: Apache-2.0
#include "relation/bits.h"

#include <algorithm>

namespace ptxmc::relation {

void BitSet::set_all() {
  std::fill(words_.begin(), words_.end(), ~Word{0});
  if (size_ % kWordBits != 0 && !words_.empty()) words_.back() = (Word{1} << (size_ % kWordBits)) - 1;
}

void BitSet::clear() {
  std::fill(words_.begin(), words_.end(), Word{0});
}

bool BitSet::empty() const {
  return std::all_of(words_.begin(), words_.end(), [](Word w) { return w == 0; });
}

std::size_t BitSet::count() const {
  std::size_t n = 0;
  for (Word w : words_) n += std::popcount(w);
  return n;
}

bool BitSet::contains(const BitSet& other) const {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (other.words_[i] & ~words_[i]) return false;
  }
  return true;
}

BitSet& BitSet::operator|=(const BitSet& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  return *this;
}

BitSet& BitSet::operator&=(const BitSet& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  return *this;
}

BitSet& BitSet::operator-=(const BitSet& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
  return *this;
}

void BitMatrix::clear() {
  std::fill(words_.begin(), words_.end(), Word{0});
}

bool BitMatrix::empty() const {
  return std::all_of(words_.begin(), words_.end(), [](Word w) { return w == 0; });
}

std::size_t BitMatrix::count() const {
  std::size_t n = 0;
  for (Word w : words_) n += std::popcount(w);
  return n;
}

bool BitMatrix::contains(const BitMatrix& other) const {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (other.words_[i] & ~words_[i]) return false;
  }
  return true;
}

BitMatrix& BitMatrix::operator|=(const BitMatrix& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
  return *this;
}

BitMatrix& BitMatrix::operator&=(const BitMatrix& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  return *this;
}

BitMatrix& BitMatrix::operator-=(const BitMatrix& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
  return *this;
}

void BitMatrix::assign_sequence(const BitMatrix& a, const BitMatrix& b) {
  clear();
  BitSet onward(size_);
  b.assign_domain(onward);
  for (std::size_t i = 0; i < size_; ++i) {
    Word* out = row(i);
    const Word* from = a.row(i);
    for (std::size_t k = 0; k < stride_; ++k) {
      const Word middle = from[k] & onward.data()[k];
      for_each_bit(&middle, 1, [&](std::size_t bit) {
        const Word* next = b.row(k * kWordBits + bit);
        for (std::size_t w = 0; w < stride_; ++w) out[w] |= next[w];
      });
    }
  }
}

void BitMatrix::assign_within(const BitSet& s, const BitMatrix& a) {
  clear();
  s.for_each([&](std::size_t i) { std::copy_n(a.row(i), stride_, row(i)); });
}

void BitMatrix::assign_within(const BitMatrix& a, const BitSet& s) {
  for (std::size_t i = 0; i < size_; ++i) {
    for (std::size_t w = 0; w < stride_; ++w) row(i)[w] = a.row(i)[w] & s.data()[w];
  }
}

void BitMatrix::assign_inverse(const BitMatrix& a) {
  clear();
  a.for_each([&](std::size_t x, std::size_t y) { set(y, x); });
}

void BitMatrix::assign_product(const BitSet& a, const BitSet& b) {
  clear();
  a.for_each([&](std::size_t x) { std::copy_n(b.data(), stride_, row(x)); });
}

void BitMatrix::assign_identity(const BitSet& s) {
  clear();
  s.for_each([&](std::size_t x) { set(x, x); });
}

// Depth first, each event once all behind it are closed. Of an event's successors those are left out that one
// before them leads to, so that a relation that is closed already costs little. False: there is a cycle; every pair
// that is there by then belongs to the closure.
bool BitMatrix::close_acyclic() {
  enum class Seen : std::uint8_t { no, open, closed };
  std::vector<Seen> seen(size_, Seen::no);
  struct Frame {
    std::size_t event, word;
  };
  std::vector<Frame> open;
  std::vector<Word> reached;  // by the successors of each open event that are closed, a row a frame
  const auto enter = [&](std::size_t event) {
    seen[event] = Seen::open;
    open.push_back({event, 0});
    reached.resize(open.size() * stride_, 0);
  };
  const auto reach = [&](std::size_t event) {
    Word* top = &reached[(open.size() - 1) * stride_];
    for (std::size_t w = 0; w < stride_; ++w) top[w] |= row(event)[w];
    top[event / kWordBits] |= Word{1} << (event % kWordBits);
  };
  const auto next = [&](Frame& frame) {
    const Word* known = &reached[(open.size() - 1) * stride_];
    for (; frame.word < stride_; ++frame.word) {
      const Word left = row(frame.event)[frame.word] & ~known[frame.word];
      if (left != 0) return frame.word * kWordBits + static_cast<std::size_t>(std::countr_zero(left));
    }
    return size_;
  };
  for (std::size_t root = 0; root < size_; ++root) {
    if (seen[root] == Seen::no) enter(root);
    while (!open.empty()) {
      const std::size_t event = open.back().event, to = next(open.back());
      if (to < size_) {
        if (seen[to] == Seen::open) return false;
        seen[to] == Seen::closed ? reach(to) : enter(to);
        continue;
      }
      const Word* all = &reached[(open.size() - 1) * stride_];
      for (std::size_t w = 0; w < stride_; ++w) row(event)[w] |= all[w];
      seen[event] = Seen::closed;
      open.pop_back();
      reached.resize(open.size() * stride_);
      if (!open.empty()) reach(event);
    }
  }
  return true;
}

void BitMatrix::close() {
  if (close_acyclic()) return;
  // Warshall on rows: after step k, paths through 0..k are closed.
  for (std::size_t k = 0; k < size_; ++k) {
    const Word* through = row(k);
    bool any = false;
    for (std::size_t w = 0; w < stride_; ++w) any |= through[w] != 0;
    if (!any) continue;
    const std::size_t kw = k / kWordBits;
    const Word bit = Word{1} << (k % kWordBits);
    for (std::size_t i = 0; i < size_; ++i) {
      Word* out = row(i);
      if ((out[kw] & bit) == 0 || i == k) continue;
      for (std::size_t w = 0; w < stride_; ++w) out[w] |= through[w];
    }
  }
}

void BitMatrix::assign_domain(BitSet& out) const {
  out.clear();
  for (std::size_t a = 0; a < size_; ++a) {
    const Word* r = row(a);
    if (std::any_of(r, r + stride_, [](Word w) { return w != 0; })) out.set(a);
  }
}

void BitMatrix::assign_range(BitSet& out) const {
  out.clear();
  for (std::size_t a = 0; a < size_; ++a) {
    const Word* r = row(a);
    for (std::size_t w = 0; w < stride_; ++w) out.data()[w] |= r[w];
  }
}

bool BitMatrix::irreflexive() const {
  for (std::size_t a = 0; a < size_; ++a) {
    if (test(a, a)) return false;
  }
  return true;
}

bool BitMatrix::acyclic() const {
  BitMatrix closed = *this;
  closed.close();
  return closed.irreflexive();
}

}  // namespace ptxmc::relation
