// SPDX-License-Identifier: Apache-2.0
// Where objects lie is an input: an object is aligned as it is declared, its bytes are in order, and it is not at 0. Where it
// lies beyond that, and which objects lie beside each other, no program may know (5.1, 5.4.5). So a value that is made of
// addresses has a form: a sum of addresses of objects, each some times; the rest of it is a number. An address of one object
// keeps that object through all that is computed with it, and every access of it is bounded by the object. Numbers that are
// the same wherever the objects lie, such as a difference in one object, or bits below the alignment, have no form.
//
// An address that is rounded to more than its alignment is an object of its own, which lies somewhere in the first one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "dynamic/exec/registers.h"
#include "dynamic/order/events.h"
#include "ptx/isa/isa.h"

namespace ptxmc::exec {

/// A value of so many bits.
struct Formed {
  Form form = 0;
  std::uint64_t value = 0;
  unsigned bits = 64;
};

class Places {
 public:
  using Address = trace::Address;
  static constexpr Form kNumber = 0;
  static constexpr Form kLost = 0xffff;      // rests on places, and nothing is known of how
  static constexpr unsigned kHalfBits = 32;  // half of a global address

  /// An object of the memory of a run, where it lies there: in its window, or in global memory.
  struct Object {
    std::string name;
    Address begin = 0;
    std::uint64_t bytes = 0, align = 1;
    isa::Space space = isa::Space::global;
    bool reserved = false;  // for the system's software
  };
  /// Between which addresses of an object one of it lies, if it lies at `at` in this run: what may be added to that.
  struct Bounds {
    Object object;
    std::int64_t low = 0, high = 0;
    std::uint32_t symbol = 0, of_object = 0;
    std::optional<std::uint64_t> rank = {};  // CTA for which mapa made the address; none: the thread's own
    /// The byte of the object that a flat address in it is.
    std::int64_t offset(Address at) const;
  };

  Places();
  /// Several names of one object are one.
  void declare(const std::string& name, const Object& object);
  /// The object lies below 2^32: a register of 32 bits is given its address.
  void fits_half(const std::string& name);
  /// A form for an object without a name, which is equal to no other.
  Form fresh(const Object& object);
  /// The form of a variable, in its state space.
  Form of(const std::string& name);

  // ---- Forms of results --------------------------------------------------------------------------------------
  Form sum(Form a, Form b, bool subtracts = false);
  Form times(Form a, std::int64_t factor);
  Form shifted_left(Form a, std::uint64_t by);
  Form shifted_right(const Formed& a, std::uint64_t by);
  Form masked(const Formed& a, std::uint64_t mask);
  /// To so many bits.
  Form narrowed(const Formed& a, unsigned bits);
  /// With bits of a number set, or flipped.
  Form with_bits(const Formed& a, std::uint64_t bits);
  /// A register of fewer bits extended, by zeros or by its sign: an address has none.
  Form extended(const Formed& a, bool is_signed);
  /// Is it the same in all places how these compare?
  bool compares(const Formed& a, const Formed& b, bool for_equality);
  /// As a generic address, and in its state space.
  Form generic(Form a);
  Form in_space(Form a);
  /// What mapa gives, of another CTA of the cluster.
  Form mapped(Form a, std::uint64_t rank);

  /// Is an address of this form, which is a multiple of the unit in this run, one wherever objects lie?
  bool is_aligned(Form a, std::uint64_t unit) const;

  // ---- Accesses ----------------------------------------------------------------------------------------------
  /// Nothing: it is no address of one object.
  const Bounds* bounds(Form a) const;
  /// The bounds of the start address of a matrix descriptor: 16 bytes are 1 (9.7.14.5.1.2.7).
  const Bounds* descriptor_bounds(Form a) const;
  /// Bytes of the object that are accessed there, for all places. False: through addresses that are rounded otherwise they
  /// may be others.
  bool note(const Bounds& bounds, std::int64_t begin, std::int64_t end);

 private:
  /// An object, or an address of one that is rounded.
  struct Symbol {
    Bounds bounds;
    unsigned align = 0;       // bits that are 0
    unsigned above = 0;       // bits from here on are 0
    Address at = 0;           // in this run
    std::uint64_t ahead = 0;  // of a rounded one: what was added before
    std::uint32_t from = 0;   // to which; itself: it is none
    // the generic address of one in a state space, and back; itself: both are the same
    std::uint32_t other = 0;
    bool flat = false;         // a generic address of a window
    std::uint32_t before = 0;  // the symbol before mapa
  };
  /// A symbol, so many times 2^-32.
  struct Part {
    std::uint32_t symbol = 0;
    std::int64_t times = 0;
    friend auto operator<=>(const Part&, const Part&) = default;
  };
  using Parts = std::vector<Part>;
  /// One symbol, 2^-down times.
  struct Simple {
    const Symbol* symbol = nullptr;
    std::uint32_t number = 0;
    unsigned down = 0;
    std::int64_t offset = 0;         // of the value, in the symbol
    bool inside = false;             // of its object, or at its end
    unsigned align = 0, above = 64;  // bits of the value that are 0
  };

  std::uint32_t add(const Object& object);
  Form intern(Parts parts);
  Form one(std::uint32_t symbol, std::int64_t times) { return intern({{symbol, times}}); }
  std::uint64_t sum_of(Form a) const;
  std::int64_t number(const Formed& a) const;
  std::optional<Simple> simple(const Formed& a) const;
  unsigned align_of(Form a) const;
  bool in_windows(Form a) const;
  bool is_lower(const Formed& a, unsigned bits) const;
  Form rounded(const Formed& a, const Simple& of, unsigned bits);
  std::uint32_t twin(std::uint32_t symbol);
  std::uint32_t mapped_symbol(std::uint32_t symbol, std::uint64_t rank);
  Form unmapped(Form a);
  bool compares_with(const Formed& address, std::uint64_t number, bool for_equality) const;
  const Bounds* bounds_of(Form a, std::int64_t times) const;

  std::vector<Symbol> symbols_;
  std::vector<Parts> forms_;
  std::map<Parts, Form> known_;
  std::map<std::string, std::uint32_t> of_name_;
  std::map<std::tuple<std::uint32_t, std::uint64_t, unsigned>, std::uint32_t> rounded_;
  // by what they were before, and rank
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> mapped_;
  struct Range {
    std::int64_t begin = 0, end = 0;
  };
  std::map<std::uint32_t, std::map<std::uint32_t, Range>> accessed_;  // by object, by symbol
};

}  // namespace ptxmc::exec
