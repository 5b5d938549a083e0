// SPDX-License-Identifier: Apache-2.0
// Tensor memory: cells, and how threads that use it are lowered.
#include <doctest/doctest.h>

#include <set>

#include "axiomatic/lower/memory/tensor_cells.h"
#include "lowered.h"

namespace ptxmc::lower {
namespace {

/// Lanes x columns of a region.
std::int64_t points(const TensorRegion& region) {
  std::int64_t sum = 0;
  for (const TensorBox& box : region) sum += box.lanes * box.columns;
  return sum;
}

TEST_CASE("cells: accesses overlap iff they have one in common") {
  const TensorRegion all{{0, 128, 0, 16}}, quarter{{32, 32, 4, 4}}, other{{64, 32, 4, 4}};
  TensorCells cells;
  cells.access(0, all);
  cells.access(0, quarter);
  cells.access(0, other);
  cells.access(1, all);
  cells.freeze();
  const auto a = cells.covering(0, all), q = cells.covering(0, quarter), o = cells.covering(0, other);
  CHECK(a.size() == 3);  // the two quarters, and what is left in one piece
  CHECK(q.size() == 1);
  CHECK(o.size() == 1);
  CHECK(q != o);
  CHECK(std::set(a.begin(), a.end()).contains(q.front()));
  CHECK(cells.covering(1, all).size() == 1);
  std::int64_t sum = 0;
  for (const TensorCell& cell : cells.cells()) sum += cell.cta == 0 ? points(cell.boxes) : 0;
  CHECK(sum == points(all));
}

TEST_CASE("an mma is one issue, reads of its operands and one of D, and a write") {
  const event::ProgramGraph graph = lowered(R"(PTX t
{ .tensor .b32 t[32]; uint8_t a[4096]; uint8_t b[256]; }
P0 @ cta 0 { tcgen05.mma.cta_group::1.kind::f16 [t], desc(a), desc(b), 0x8020010, 1; }
regions: a:shared, b:shared
forall (true)
)");
  int issues = 0, reads = 0, writes = 0, shared = 0;
  for (const event::Event& e : graph.events) {
    issues += e.kind == event::EventKind::issue ? 1 : 0;
    reads += e.is_read() ? 1 : 0;
    writes += e.kind == event::EventKind::write ? 1 : 0;
    shared += e.is_read() && e.labels.proxy == isa::Proxy::async ? 1 : 0;
  }
  CHECK(issues == 1);
  CHECK(reads == 3);
  CHECK(shared == 2);
  CHECK(writes == 1);
}

}  // namespace
}  // namespace ptxmc::lower
