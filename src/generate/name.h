// SPDX-License-Identifier: Apache-2.0
// Names of tests: the shape's in the literature, and what its threads do.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "generate/edge.h"
#include "generate/sketch.h"

namespace ptxmc::generate {

/// A step of a cycle as names see it: what leads from an access to the next one.
enum class Step : std::uint8_t { po_different, po_same, reads_from, from_reads, coherence };

/// A cycle without fences, orders and scopes: step i leads from access i to access i + 1.
struct Shape {
  std::vector<Direction> accesses;
  std::vector<Step> steps;
};

/// The name of the shape, and the access that its first thread begins with; nothing: it has none.
struct ShapeName {
  std::string name;
  std::size_t first = 0;
};
std::optional<ShapeName> classic_name(const Shape& shape);

/// What the threads do, as names have it: "+release.gpu+acquire.gpu" of threads of which each has one such access among weak
/// ones ("weak-release.gpu"), "+fence.sc.gpus" where all have the same.
std::string decorations(const Sketch& sketch);

/// Names a test after the cycle that its outcome makes of all its accesses, where there is one and it has a name, and else after
/// the accesses of its threads ("WxWy+RyUx"; U an atomic, D a reduction); decorations and places follow. Threads are put in the name's order.
void give_name(Sketch& sketch);

}  // namespace ptxmc::generate
