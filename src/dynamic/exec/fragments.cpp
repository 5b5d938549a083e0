// SPDX-License-Identifier: Apache-2.0
// wmma.load and wmma.store (9.7.13.3): it is not said which lane holds which element, so that each line of
// the matrix is one access of all of them (D48); ldmatrix and stmatrix of bytes. Values are not followed.
#include <fmt/format.h>

#include <algorithm>

#include "dynamic/exec/machine.h"
#include "ptx/footprint/matrix.h"

namespace ptxmc::exec {

using isa::Role;

/// All lanes access bytes, in pieces that an access may have.
void Matrices::tell_together(const Warp& warp, const Step& step, LaneMask group, const trace::Range& bytes,
                             trace::Effect effect) {
  constexpr std::uint64_t kMostBytes = 128;  // an access has
  if (machine_.blocks.follow()) machine_.blocks.refuse_global(step, bytes);
  const bool in_order = rows_ == MatrixRows::in_warp_order && run_.outcome.matrices.contains(step.site);
  Row at;
  for (std::uint64_t done = 0; done < bytes.bytes; done += kMostBytes) {
    at.fill(bytes.begin + done);
    trace::Access access{.site = step.site,
                         .lanes = lanes_of(warp, group),
                         .effect = effect,
                         .proxy = isa::Proxy::generic,
                         .strength = {},
                         .bytes = static_cast<std::uint8_t>(std::min(kMostBytes, bytes.bytes - done)),
                         .elements = 1,
                         .begin = at,
                         .written = {}};
    access.together = true;
    access.in_warp_order = in_order;
    run_.observer.access(access);
  }
}

/// All lanes access a line. False: it is wrong.
bool Matrices::access_line(Warp& warp, const Step& step, LaneMask group, const trace::Range& line,
                           std::uint64_t unit) {
  const bool loads = step.instruction->opcode == isa::Opcode::wmma_load;
  const unsigned first = first_of(group);
  const Slot base = step.address.base;
  if (unit != 0 && !machine_.forms.is_aligned(warp, step, first, base, line.begin, unit)) {
    run_.address_fault(RuleId::misaligned, step, warp, first,
                       fmt::format("a line of a matrix at {}, which is no multiple of {} bytes (9.7.13.3.2)",
                                   run_.memory->name_at(line.begin), unit));
    return false;
  }
  if (loads ? !machine_.copies.in_memory(warp, step, first, line, base)
            : !machine_.copies.writable(warp, step, first, line, base))
    return false;
  if (!loads) run_.memory->taint(line.begin, line.bytes, bit(Source::data));
  tell_together(warp, step, group, line, loads ? trace::Effect::read : trace::Effect::write);
  return true;
}

void Matrices::fragment_access(Warp& warp, const Step& step, LaneMask group) {
  // 9.7.13.3.2 says the size of the fragment for lines, too; CUDA C++ takes distances of 16 bytes, and hardware does.
  constexpr std::uint64_t kLineAlignment = 16;
  const bool loads = step.instruction->opcode == isa::Opcode::wmma_load;
  const unsigned first = first_of(group);
  footprint::FragmentLayout layout = footprint::packed_fragment(step.modifiers().matrix);
  if (step.has(Role::count))
    layout.stride = static_cast<std::int64_t>(value_of(warp, step, Role::count, first) & 0xffffffffU);
  if (layout.stride < layout.elements || layout.stride * layout.bits % 8 != 0)
    return run_.fault(RuleId::bad_operand, step, warp, first,
                      fmt::format("a stride of {}, of {} elements or more, in whole bytes", layout.stride,
                                  layout.elements));
  Row at;
  run_.addresses(warp, step, step.address, group, at);
  const Address begin = at[first];
  const auto differs = [&](unsigned lane) {
    return at[lane] != begin || (step.has(Role::count) && value_of(warp, step, Role::count, lane) !=
                                                              value_of(warp, step, Role::count, first));
  };
  bool same = true;
  for_lanes(group, [&](unsigned lane) { same = same && !differs(lane); });
  if (!same)
    return run_.fault(RuleId::bad_operand, Misuse::lanes, step, warp, first,
                      "an address or a stride that differs between lanes of a warp");
  if (!machine_.accesses.fits(step, begin)) {
    run_.address_fault(
        RuleId::wrong_space, step, warp, first,
        fmt::format("{}, in a state space that wmma does not access", run_.memory->name_at(begin)));
    return;
  }
  const std::uint64_t fragment = step.elements.size() * sizeof(std::uint32_t);
  for (const footprint::Range& line : footprint::fragment_lines(layout)) {
    const std::uint64_t unit = line.begin == 0 ? fragment : std::min(fragment, kLineAlignment);
    if (!access_line(warp, step, group, {begin + static_cast<Address>(line.begin), line.bytes}, unit)) return;
  }
  if (loads) return matrix_product(warp, step, group);
  ++run_.changes;
}

/// Lanes have the addresses of rows of 16 bytes, 16 rows of a matrix .m16n16, else 8 (9.7.13.4.15, 9.7.13.4.16).
void Matrices::byte_matrix_access(Warp& warp, const Step& step, LaneMask group) {
  constexpr std::uint32_t kRowBytes = 16;
  const isa::Matrix& matrix = step.modifiers().matrix;
  const bool loads = step.instruction->opcode == isa::Opcode::ldmatrix;
  const unsigned rows = (matrix.m == 16 && matrix.n == 16 ? 16U : 8U) * matrix.count;
  const LaneMask givers = rows >= kLanes ? kAllLanes : (LaneMask{1} << rows) - 1;
  Row at;
  const ReachedBytes reached = machine_.accesses.reach(warp, step, group & givers, kRowBytes, at);
  if ((group & givers) != givers) return givers_exited(warp, step, group);
  if (reached.lanes != givers) return;
  if (!loads) {
    for_lanes(givers, [&](unsigned lane) { run_.memory->taint(at[lane], kRowBytes, bit(Source::data)); });
    ++run_.changes;
  }
  run_.outcome.matrices.insert(step.site);
  const trace::Effect effect = loads ? trace::Effect::read : trace::Effect::write;
  for (unsigned row = 0; row < rows; ++row) tell_together(warp, step, group, {at[row], kRowBytes}, effect);
  if (loads) matrix_product(warp, step, group);
}

}  // namespace ptxmc::exec
