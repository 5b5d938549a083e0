// SPDX-License-Identifier: Apache-2.0
// Terms: what values are that rest on contents which a launch leaves open. Two values of one term are equal
// in every execution in which threads go the way they went here, whatever the contents: an initial value is a
// term, and so is what an instruction makes of terms and numbers, evaluated or not. Nothing is known of
// values of two terms.
//
// A byte of the contents of memory has a word: 0, its initial value; kUnknown; else the term that was stored,
// and which of its bytes this is; or the address of the byte whose initial value was copied here.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "dynamic/exec/memory.h"
#include "dynamic/exec/warp.h"

namespace ptxmc::exec {

using Term = std::uint32_t;
constexpr Term kNoTerm = 0;  // another value than any other, for all that is known
using TermRow = std::array<Term, kLanes>;

/// The terms of pairs of terms, of a million that were asked for last. One that comes again later has another term, which
/// says less.
class Pairs {
 public:
  /// kNoTerm: it is new, and has the term that is put there.
  Term& of(Term a, Term b);

 private:
  struct Slot {
    std::uint64_t both = 0;  // 0: it is free
    Term term = kNoTerm;
  };
  using Slots = std::vector<Slot>;
  static constexpr std::size_t kFirst = std::size_t{1} << 8U, kMost = std::size_t{1} << 21U;
  static Slot& find(Slots& slots, std::uint64_t both);
  void make_room();
  Slots now_ = Slots(kFirst), before_ = Slots(1);
  std::size_t count_ = 0;  // in the newer half
};

/// What a term is made of, for who asks more than which are equal.
struct TermDefinition {
  enum class Kind : std::uint8_t {
    unknown,   // any value
    number,    // `word`
    initial,   // contents of `bytes` bytes from address `word` on
    function,  // of an instruction, of what it is paired with
    tag,       // the same of `Tag`
    pair,      // of two terms: a function, and one of its operands
  };
  Kind kind = Kind::unknown;
  std::uint8_t bytes = 0;
  Term a = kNoTerm, b = kNoTerm;
  std::uint64_t word = 0;
  const Step* step = nullptr;
};

class Terms {
 public:
  using Definition = TermDefinition;
  enum class Tag : std::uint8_t { bytes, halves, low, high, extended_signed, extended, opposite };

  Terms(const std::vector<Code>& codes, const std::vector<Warp>& warps, bool defined = false);

  /// The definition of a term that is `defined`.
  const Definition& operator[](Term term) const { return definitions_[term]; }

  /// The term of a register, as it is now: of its number, where it rests on nothing. What is not evaluated,
  /// as the result of a wgmma.mma_async, has a term of its own, which copies of that value have, too.
  Term of(Warp& warp, Slot slot, unsigned lane);
  void set(const Warp& warp, Slot slot, unsigned lane, Term term) { row(warp, slot)[lane] = term; }

  /// An instruction on registers is about to be executed by these lanes.
  void compute(Warp& warp, const Step& step, LaneMask mask);
  /// Nothing is known of what another instruction gives to them, but for what is set after this.
  void forget(Warp& warp, const Step& step, LaneMask mask);
  /// The same of one that the lanes of a warp execute together; of a product of fragments, each result is a term.
  void multiply(Warp& warp, const Step& step, LaneMask group);
  /// What the lanes of a group get from all of its values: one for all of them.
  Term together(Warp& warp, LaneMask group, isa::Role role);
  /// The opposite of a predicate.
  void negate(Warp& warp, Slot from, Slot to, LaneMask mask);

  Term load(Address at, const Memory::Span& span, std::uint64_t offset, std::uint32_t bytes);
  /// As it is extended to a register of so many bits.
  Term extended(Term term, std::uint32_t bits, bool is_signed, std::uint16_t width);
  static void store(const Memory::Span& span, std::uint64_t offset, std::uint32_t bytes, Term term);
  /// The lowest bytes of a register of so many bits.
  Term lowest(Term term, std::uint32_t bytes, std::uint16_t width);
  /// A register of two halves; more of them, where one is of two itself.
  Term halves(Term low, Term high) { return pair(pair(halves_, low), high); }
  /// A half of a register of 32 bits.
  Term half(Term term, bool upper) { return upper ? pair(high_, term) : lowest(term, 2, 32); }
  /// One of several elements that a register holds.
  Term part(Term term, std::size_t number) { return pair(term, number_term(number)); }

 private:
  Term pair(Term a, Term b);
  TermRow& row(const Warp& warp, Slot slot) { return rows_[warp.number][slot]; }
  Term fresh(const Definition& definition = {});
  Term number_term(std::uint64_t number);
  Term initial(Address at, std::uint32_t bytes);
  Term byte_at(Address at, std::uint64_t word, Sources sources, std::uint8_t byte);
  Term function_of(const Step& step);
  Term applied(Warp& warp, const Step& step, unsigned lane);

  using Words = std::unordered_map<std::uint64_t, Term>;
  Term of_word(Words& words, std::uint64_t word, const Definition& definition);

  std::vector<std::vector<TermRow>> rows_;  // by warp
  // of instructions that are not on registers alone
  std::unordered_map<const Step*, std::vector<Slot>> results_;
  Words numbers_, initial_;
  Pairs pairs_;
  std::vector<std::pair<const Step*, Term>> functions_;  // one each
  std::unordered_map<const Step*, Term> function_of_;
  bool defined_ = false;
  std::vector<Definition> definitions_{1};
  Term next_ = 0;
  Term bytes_, halves_, low_, high_, signed_, unsigned_, not_;  // functions of their own
};

}  // namespace ptxmc::exec
