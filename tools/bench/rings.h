// SPDX-License-Identifier: Apache-2.0
// Pipelines over mbarrier objects, as litmus tests that grow in stages, iterations and consumers.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ptxmc::bench {

/// A ring of buffers that bulk copies fill: one producer, `consumers` who read every buffer.
struct Ring {
  enum class Without : std::uint8_t { nothing, full_wait, empty_wait };
  unsigned stages = 4;
  unsigned iterations = 16;
  unsigned consumers = 1;
  bool accumulates = false;  ///< consumers keep a sum, instead of every value
  Without without = Without::nothing;
};
std::string ring_test(const Ring& ring);

/// The same, of one stage of two buffers that a multicast copy fills in every CTA of a cluster.
std::string multicast_test(unsigned ctas, unsigned iterations);

/// A warp that copies, one that issues tcgen05.mma, one that reads each tile: tiles of so many steps.
std::string umma_test(unsigned tiles, unsigned steps);

struct RingRow {
  std::string name;
  std::string test;
};
/// What the table shows.
std::vector<RingRow> ring_rows();

/// What is measured on one thread and on two.
std::vector<RingRow> shared_rows();

/// Iterations, and a ring of 4 buffers and one consumer, for the slope of time in iterations.
std::vector<std::pair<unsigned, std::string>> ring_growth();

/// Verbs that a row is measured with: arguments of ptxmc before the file.
std::vector<std::vector<std::string>> ring_questions();

}  // namespace ptxmc::bench
