// SPDX-License-Identifier: Apache-2.0
// The state spaces of addresses, and what converts them: isspacep, cvta, mapa, getctarank (9.7.8.18, 9.7.8.19, 9.7.8.22, 9.7.8.23).
#include <fmt/format.h>

#include "dynamic/exec/machine.h"

namespace ptxmc::exec {

using isa::Opcode;
using isa::Role;

/// Is it an address of the state space? Offsets with the number of a CTA are addresses of .shared::cluster.
bool AddressSpaces::is_of(isa::Space space, const Warp& warp, Address at) const {
  const bool flat = Memory::is_flat(at), of_cluster = !flat && at >> Memory::kWindowBits != 0;
  switch (space) {
    case isa::Space::shared_cluster:
      return flat ? Memory::is_shared(at) : of_cluster;
    case isa::Space::shared:  // 9.7.8.18: ::cta
    case isa::Space::shared_cta:
      if (of_cluster) return at >> Memory::kWindowBits == run_.ctas[warp.cta].rank;
      return Memory::is_shared(at) && Memory::cta_of(at) == warp.cta;
    case isa::Space::local:
      return Memory::is_local(at);
    default:
      return Memory::is_global(at) || Memory::is_multimem(at);
  }
}

/// The forms of the results. State space and CTA of an object do not depend on where it lies.
FormRow AddressSpaces::converted_forms(const Warp& warp, const Step& step, Slot source, LaneMask mask) {
  const isa::Modifiers& m = step.modifiers();
  FormRow out{};
  for_lanes(warp.registers.taints[source].address & mask, [&](unsigned lane) {
    const Form form = AddressForms::form_of(warp, source, lane);
    switch (step.instruction->opcode) {
      case Opcode::isspacep:
      case Opcode::getctarank:
        return;
      case Opcode::mapa:
        out[lane] = run_.places->mapped(form, warp.registers.rows[step.slot(Role::rank)][lane]);
        return;
      default:
        out[lane] = m.to_space ? run_.places->in_space(form) : run_.places->generic(form);
    }
  });
  return out;
}

/// cvta between a window's offsets and flat addresses, mapa, isspacep, getctarank.
void AddressSpaces::convert_address(Warp& warp, const Step& step, LaneMask mask) {
  const isa::Modifiers& m = step.modifiers();
  const bool shared = m.space == isa::Space::shared || m.space == isa::Space::shared_cta ||
                      m.space == isa::Space::shared_cluster;
  const auto& members = run_.clusters[run_.ctas[warp.cta].cluster].ctas;
  const Slot source = step.has(Role::a) ? step.slot(Role::a) : step.address.base;
  FormRow forms = converted_forms(warp, step, source, mask);
  LaneMask lost = 0;  // not in the state space: the address that results is not defined (9.7.8.20)
  for_lanes(mask, [&](unsigned lane) {
    const std::uint64_t from = warp.row(source)[lane];
    const bool flat = Memory::is_flat(from);
    std::uint64_t to = from;
    switch (step.instruction->opcode) {
      case Opcode::mapa: {
        const std::uint64_t rank = value_of(warp, step, Role::rank, lane);
        if (rank >= members.size())
          run_.address_fault(RuleId::bad_operand, step, warp, lane,
                             fmt::format("CTA rank {} in a cluster of {}", rank, members.size()),
                             warp.taint(step.slot(Role::rank)).of(lane));
        const std::uint64_t offset = Memory::in_window(from);
        to = shared ? Memory::in_cluster(rank, offset)
                    : run_.memory->shared(rank < members.size() ? members[rank] : warp.cta) + offset;
        break;
      }
      case Opcode::isspacep:
        to = is_of(m.space, warp, from) ? 1 : 0;
        break;
      case Opcode::getctarank: {
        to = flat ? run_.rank_at(from) : from >> Memory::kWindowBits;
        break;
      }
      default:
        if (m.to_space && flat) {
          const bool local = Memory::is_local(from);
          const bool there = shared                         ? Memory::is_shared(from)
                             : m.space == isa::Space::local ? local
                                                            : !local && !Memory::is_shared(from);
          if (!there) lost |= LaneMask{1} << lane;
          to = shared ? Memory::in_cluster(run_.rank_at(from), Memory::in_window(from))
               : m.space == isa::Space::local ? Memory::in_window(from)
                                              : from;
        } else if (!m.to_space && !flat) {
          Place place;
          place.base = source;
          place.space = shared ? isa::Space::shared_cluster : m.space;
          to = run_.resolve(warp, step, place, lane).at;
        }
    }
    set_register(warp, step, step.to, lane, to);
  });
  for_lanes(lost, [&](unsigned lane) { forms[lane] = Places::kLost; });
  const LaneMask addresses = (warp.taint(source).address & mask) | lost;
  Taint taint = warp.taint(source);
  if (step.has(Role::rank)) taint |= warp.taint(step.slot(Role::rank));
  taint.address = 0;
  warp.taint(step.to).assign(taint, mask);
  AddressForms::set_forms(warp, step.to, addresses, forms);
  if (machine_.blocks.follow()) machine_.blocks.convert(warp, step, source, mask);
}

}  // namespace ptxmc::exec
