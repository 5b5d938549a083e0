// SPDX-License-Identifier: Apache-2.0
// What is followed of values beside the values: bits that are known of open ones, terms over them, and the conditions of paths. Each is off
// unless the options ask for it. Where it is off, nothing is kept, and nothing is known.
#pragma once

#include <memory>
#include <span>

#include "dynamic/exec/accesses.h"
#include "dynamic/exec/known_bits.h"
#include "dynamic/exec/paths.h"
#include "dynamic/exec/terms.h"
#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

class ValueShadow : public Unit {
 public:
  using Unit::Unit;

  void start(const Options& options);

  // ---- Instructions on registers --------------------------------------------------------------------------------
  /// What is known of the results of an instruction before it is executed.
  struct Results {
    LaneMask partly = 0;  ///< lanes whose results rest on contents, of which some bits may be known
    std::vector<Row> known;
  };
  Results before(Warp& warp, const Step& step, LaneMask mask, const Taint& taint);
  /// It has been executed; `taint` is that of its results.
  void after(Warp& warp, const Step& step, LaneMask mask, const Taint& taint, const Results& results);
  /// A predicate that is read negated.
  void negate(Warp& warp, Slot from, Slot to, LaneMask mask);

  // ---- Registers ------------------------------------------------------------------------------------------------
  /// Nothing is known of what it gives to these lanes, but for what is told after this.
  void forget(Warp& warp, const Step& step, LaneMask mask);
  void forget(Warp& warp, Slot slot, LaneMask lanes);
  /// What the lanes of a warp, or of more, execute together gives results that nothing is known of.
  void execute_together(Warp& warp, const Step& step, LaneMask group);
  bool follows_bits() const { return bits_ != nullptr; }
  std::uint64_t bits_of(Warp& warp, Slot slot, unsigned lane) { return bits_->of(warp, slot, lane); }
  Term term_of(Warp& warp, Slot slot, unsigned lane) {
    return terms_ == nullptr ? kNoTerm : terms_->of(warp, slot, lane);
  }
  void set_term(Warp& warp, Slot slot, unsigned lane, Term term) {
    if (terms_ != nullptr) terms_->set(warp, slot, lane, term);
  }
  /// The term of what the lanes of a group get from all of its values.
  Term together(Warp& warp, LaneMask group, isa::Role role) {
    return terms_ == nullptr ? kNoTerm : terms_->together(warp, group, role);
  }
  Term halves(Term low, Term high) { return terms_ == nullptr ? kNoTerm : terms_->halves(low, high); }
  Term half(Term term, bool upper) { return terms_ == nullptr ? kNoTerm : terms_->half(term, upper); }

  // ---- Memory ---------------------------------------------------------------------------------------------------
  struct Loaded {
    Address at = 0;  ///< of the element
    const Memory::Span& span;
    std::uint64_t offset = 0;  ///< of the element in it
    std::uint32_t bytes = 0;
    bool is_signed = false;
  };
  /// An element is loaded into a register. `sources`, `guard`: what the element and the guard rest on.
  void load(Warp& warp, Slot slot, unsigned lane, const Loaded& from, Sources sources, Sources guard);
  Term load_term(Address at, const Memory::Span& span, std::uint64_t offset, std::uint32_t bytes) {
    return terms_ == nullptr ? kNoTerm : terms_->load(at, span, offset, bytes);
  }
  /// An element is stored. `open`: some element of the store rests on something.
  void store(Warp& warp, const Step& step, std::size_t element, unsigned lane, const Stored& to, bool open);
  /// What is known of the words that the last store wrote; empty where it is not followed.
  std::span<const std::uint64_t> stored_bits() const { return stored_bits_; }
  std::span<const Term> stored_terms() const {
    return terms_ == nullptr ? std::span<const Term>() : std::span<const Term>(stored_terms_);
  }
  /// The same of a store that is made of halves of registers: none of these words yet; a half in a word, behind those before it.
  void begin_words(std::size_t count) { std::fill_n(stored_terms_.begin(), count, kNoTerm); }
  void store_half(const Stored& to, std::size_t word, bool first, Term term, bool upper, bool open);

  /// Null: they are not followed.
  PathConditions* paths() const { return paths_.get(); }

 private:
  void store_bits(Warp& warp, const Step& step, std::size_t element, unsigned lane, const Stored& to);
  void store_term(Warp& warp, const Step& step, std::size_t element, unsigned lane, const Stored& to);

  std::unique_ptr<KnownBits> bits_;
  std::unique_ptr<Terms> terms_;
  std::unique_ptr<PathConditions> paths_;
  std::array<std::uint64_t, kScratchWords> stored_bits_{};
  std::array<Term, kScratchWords> stored_terms_{};
};

}  // namespace ptxmc::exec
