// SPDX-License-Identifier: Apache-2.0
// CTAs of a grid that did not run, from those that did: what an instruction accesses moves by as many bytes from CTA to CTA
// along each axis, or it is not known. Where two CTAs would meet, they are worth running together.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "dynamic/shadow/footprints.h"

namespace ptxmc::trace {

/// A grid, and those of its CTAs that ran: their numbers, in the order in which the run had them.
struct GridShape {
  std::array<std::uint64_t, 3> extents = {1, 1, 1};
  std::array<std::uint64_t, 3> cluster = {1, 1, 1};
  std::vector<std::uint64_t> ran;
};

struct Compared {
  // CTAs of which two access one byte, at least one of them to write it; ascending
  std::vector<std::uint64_t> meet;
  std::size_t instructions = 0;  // that access global memory
  std::size_t followed = 0;      // of these, those whose bytes are known of all CTAs
  std::uint64_t ctas = 0;        // that were compared
};

/// `most`: CTAs that meet, at most.
Compared compare(const std::vector<Footprints::OfCta>& ctas, const GridShape& grid, std::size_t most);

}  // namespace ptxmc::trace
