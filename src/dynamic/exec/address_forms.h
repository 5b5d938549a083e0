// SPDX-License-Identifier: Apache-2.0
// From which object each address was derived (places.h): in registers and in memory, and whether an access stays inside of it.
#pragma once

#include "dynamic/exec/forms_in_memory.h"
#include "dynamic/exec/unit.h"

namespace ptxmc::exec {

/// Results in some lanes, before they are written; of a mov that unpacks one a half.
struct Followed {
  LaneMask lanes = 0, lost = 0;
  std::array<FormRow, 2> forms{};
};

class AddressForms : public Unit {
 public:
  using Unit::Unit;

  /// Is the address, which was computed from the register, a multiple of the unit? A warning where it is one, and the declaration of
  /// its object does not say so (5.4.5).
  bool is_aligned(Warp& warp, const Step& step, unsigned lane, Slot base, Address at, std::uint64_t unit);

  void follow(Warp& warp, const Step& step, LaneMask lanes, Followed& out);
  void keep_forms(Warp& warp, const Step& step, const Followed& followed);
  static void set_forms(Warp& warp, Slot slot, LaneMask lanes, const FormRow& forms);
  static void set_form(Warp& warp, Slot slot, unsigned lane, Form form);
  static Form form_of(const Warp& warp, Slot slot, unsigned lane);
  void store_form(const Memory::Span& span, Address at, std::uint64_t offset, std::uint32_t bytes, Form form);
  void store_form(Warp& warp, Slot slot, unsigned lane, const Memory::Span& span, Address at,
                  std::uint64_t offset, std::uint32_t bytes);
  Form load_form(const Memory::Span& span, Address at, std::uint64_t offset, std::uint32_t bytes);
  const Places::Bounds* descriptor_bounds(Warp& warp, const Step& step, isa::Role role, unsigned lane);
  void copy_bytes(Address to, Address from, std::uint64_t bytes);
  bool keeps_bounds(Warp& warp, const Step& step, LaneMask mask, const trace::Range& all, std::uint32_t unit);
  bool in_object(Warp& warp, const Step& step, unsigned lane, const trace::Range& range, Slot base);
  bool in_object(Warp& warp, const Step& step, unsigned lane, const trace::Range& range,
                 const Places::Bounds& bounds);

 private:
  const FormRow* form_kept(const Warp& warp, const Step& step, LaneMask lanes) const;

  FormsInMemory in_memory_;
};

}  // namespace ptxmc::exec
