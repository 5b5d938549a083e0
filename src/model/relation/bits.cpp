// SPDX-License-Identifier: Apache-2.0
#include "model/relation/bits.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace ptxmc::relation {

namespace {

void unite(Word* into, const Word* from, std::size_t words) {
  for (std::size_t w = 0; w < words; ++w) into[w] |= from[w];
}

/// The union of the rows whose bits are set, of a matrix whose rows are words.
Word united_rows(const BitMatrix& rows, Word which) {
  Word out = 0;
  for (; which != 0; which &= which - 1) out |= *rows.row(static_cast<std::size_t>(std::countr_zero(which)));
  return out;
}

/// Unions of the rows of a matrix, of eight neighbours each: one is put together when it is first asked for,
/// out of a smaller one and a row. Few are asked for in a relation with structure, and often.
class Unions {
 public:
  explicit Unions(const BitMatrix& rows) : rows_(rows) {}

  /// From now on: of the 64 rows from 64 k on.
  void start(std::size_t k) {
    first_ = k * kWordBits;
    known_.assign(kNumber, nullptr);
    if (memory_ == nullptr) memory_ = std::make_unique_for_overwrite<Word[]>(kNumber * rows_.stride());
  }

  /// The union of the rows first + 8 byte + i, for the i that are set in `which`.
  const Word* of(int byte, Word which) {
    const std::size_t number = (static_cast<std::size_t>(byte) * kSets) + which;
    return known_[number] != nullptr ? known_[number] : put_together(byte, which, number);
  }

 private:
  static constexpr std::size_t kSets = 256, kNumber = sizeof(Word) * kSets;

  const Word* put_together(int byte, Word which, std::size_t number) {
    const std::size_t lowest = first_ + static_cast<std::size_t>((8 * byte) + std::countr_zero(which));
    const Word rest = which & (which - 1);
    if (rest == 0) return known_[number] = rows_.row(lowest);
    Word* const out = &memory_[number * rows_.stride()];
    std::copy_n(of(byte, rest), rows_.stride(), out);
    unite(out, rows_.row(lowest), rows_.stride());
    return known_[number] = out;
  }

  const BitMatrix& rows_;
  std::size_t first_ = 0;
  std::vector<const Word*> known_;
  std::unique_ptr<Word[]> memory_;
};

/// Closes a relation with cycles by its strongly connected components, which Kosaraju's two searches find: events that lead
/// to a component are closed after it, and events of one component lead to the same.
class Components {
 public:
  explicit Components(BitMatrix& relation)
      : relation_(relation), inverse_(relation.size()), left_(relation.size()), reached_(relation.size()) {
    inverse_.assign_inverse(relation);
  }

  void close() {
    std::vector<std::size_t> order, members;
    left_.set_all();
    for (std::size_t root = 0; root < relation_.size(); ++root) search(relation_, root, order);
    left_.set_all();
    std::vector<std::size_t> ends;  // of components, each before those that it leads to
    for (auto root = order.rbegin(); root != order.rend(); ++root) {
      const std::size_t begin = members.size();
      search(inverse_, *root, members);
      if (members.size() != begin) ends.push_back(members.size());
    }
    for (std::size_t i = ends.size(); i-- != 0;) close(members, i == 0 ? 0 : ends[i - 1], ends[i]);
  }

 private:
  /// Appends what the root leads to, of what is left, each event after all that the search found behind it.
  void search(const BitMatrix& relation, std::size_t root, std::vector<std::size_t>& out) {
    if (!left_.test(root)) return;
    left_.reset(root);
    open_.push_back({root, 0});
    while (!open_.empty()) {
      auto& [event, word] = open_.back();
      Word next = 0;
      for (; word < relation.stride(); ++word)
        if ((next = relation.row(event)[word] & left_.data()[word]) != 0) break;
      if (next == 0) {
        out.push_back(event);
        open_.pop_back();
        continue;
      }
      const std::size_t to = (word * kWordBits) + static_cast<std::size_t>(std::countr_zero(next));
      left_.reset(to);
      open_.push_back({to, 0});
    }
  }

  void close(const std::vector<std::size_t>& events, std::size_t begin, std::size_t end) {
    BitSet& inside = left_;  // which is not asked for any more
    inside.clear();
    for (std::size_t i = begin; i < end; ++i) inside.set(events[i]);
    reached_.clear();
    for (std::size_t i = begin; i < end; ++i) {
      const Word* const row = relation_.row(events[i]);
      for (std::size_t w = 0; w < relation_.stride(); ++w) {
        while (const Word out = row[w] & ~inside.data()[w] & ~reached_.data()[w]) {
          const std::size_t to = (w * kWordBits) + static_cast<std::size_t>(std::countr_zero(out));
          unite(reached_.data(), relation_.row(to), relation_.stride());
          reached_.set(to);
        }
      }
    }
    if (end - begin > 1 || relation_.test(events[begin], events[begin])) reached_ |= inside;
    for (std::size_t i = begin; i < end; ++i)
      std::copy_n(reached_.data(), relation_.stride(), relation_.row(events[i]));
  }

  BitMatrix& relation_;
  BitMatrix inverse_;
  BitSet left_, reached_;
  // events, and the words of their rows that are looked at
  std::vector<std::pair<std::size_t, std::size_t>> open_;
};

/// 64 rows of 64 bits, by halves: those off the diagonal are exchanged, then the halves of each ...
void transpose(Word* block) {
  Word mask = ~Word{0} >> 32;
  for (std::size_t half = 32; half != 0; half /= 2, mask ^= mask << half) {
    for (std::size_t i = 0; i < kWordBits; i = (i + half + 1) & ~half) {
      const Word other = ((block[i] >> half) ^ block[i + half]) & mask;
      block[i] ^= other << half;
      block[i + half] ^= other;
    }
  }
}

}  // namespace

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
  constexpr std::size_t kMany = 64;
  if (stride_ == 1) {
    for (std::size_t i = 0; i < size_; ++i) words_[i] = united_rows(b, a.words_[i]);
    return;
  }
  clear();
  BitSet onward(size_);
  b.assign_domain(onward);
  Unions unions(b);
  // those with something in the middle, which is of 64 events at a time
  std::vector<std::pair<std::size_t, Word>> rows;
  for (std::size_t k = 0; k < stride_; ++k) {
    rows.clear();
    for (std::size_t i = 0; i < size_; ++i)
      if (const Word middle = a.row(i)[k] & onward.data()[k]) rows.emplace_back(i, middle);
    if (rows.size() < kMany) {
      for (const auto& [i, middle] : rows)
        for_each_bit(&middle, 1, [&, out = row(i)](std::size_t bit) {
          unite(out, b.row((k * kWordBits) + bit), stride_);
        });
      continue;
    }
    unions.start(k);
    for (auto [i, middle] : rows) {
      for (; middle != 0;) {
        const int byte = std::countr_zero(middle) / 8;
        unite(row(i), unions.of(byte, (middle >> (8 * byte)) & 0xff), stride_);
        middle &= ~(Word{0xff} << (8 * byte));
      }
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
  constexpr std::size_t kMany = 24;
  clear();
  Word block[kWordBits];
  for (std::size_t top = 0; top < size_; top += kWordBits) {
    const std::size_t rows = std::min(kWordBits, size_ - top);
    for (std::size_t k = 0; k < stride_; ++k) {
      std::size_t filled = 0;  // rows with more than one pair
      for (std::size_t i = 0; i < rows; ++i) {
        block[i] = a.row(top + i)[k];
        filled += (block[i] & (block[i] - 1)) != 0 ? 1 : 0;
      }
      if (filled < kMany) {
        for (std::size_t i = 0; i < rows; ++i)
          for_each_bit(&block[i], 1, [&](std::size_t bit) { set((k * kWordBits) + bit, top + i); });
        continue;
      }
      std::fill(block + rows, block + kWordBits, Word{0});
      transpose(block);
      const std::size_t columns = std::min(kWordBits, size_ - (k * kWordBits));
      for (std::size_t j = 0; j < columns; ++j) row((k * kWordBits) + j)[top / kWordBits] = block[j];
    }
  }
}

void BitMatrix::assign_product(const BitSet& a, const BitSet& b) {
  clear();
  a.for_each([&](std::size_t x) { std::copy_n(b.data(), stride_, row(x)); });
}

void BitMatrix::assign_identity(const BitSet& s) {
  clear();
  s.for_each([&](std::size_t x) { set(x, x); });
}

// Depth first, each event once all after it are closed. Those successors of an event are left out that one
// before them leads to, so that a relation that is closed already costs little. False: there is a cycle;
// every pair that is there by then belongs to the closure.
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

// Warshall's way: for each event in the middle, those before it reach what it reaches.
void BitMatrix::close_words() {
  for (std::size_t middle = 0; middle < size_; ++middle) {
    const Word behind = words_[middle];
    if (behind == 0) continue;
    for (Word& row : words_) row |= behind & -(row >> middle & 1);
  }
}

void BitMatrix::close() {
  if (stride_ == 1) {
    close_words();
  } else if (!close_acyclic()) {
    Components(*this).close();
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
