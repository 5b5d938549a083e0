// SPDX-License-Identifier: Apache-2.0
// Algorithms on directed graphs, by Boost.Graph. For what is asked once a test: engines have their own, on bit sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace ptxmc::relation {

/// Vertices 0, 1, ..., and edges with costs.
class Graph {
 public:
  explicit Graph(std::size_t vertices);
  ~Graph();
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;

  void add(std::size_t from, std::size_t to, std::uint32_t cost = 1);

  /// For each vertex the number of its strongly connected component (Tarjan).
  std::vector<std::size_t> components() const;

  static constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();
  /// Cheapest paths from one vertex; it reaches itself for nothing.
  struct Paths {
    std::vector<std::uint32_t> distance;  ///< kFar: there is no path
    /// on the path; of the first vertex and of those without a path themselves
    std::vector<std::size_t> previous;
  };
  Paths cheapest_from(std::size_t vertex) const;  ///< Dijkstra

 private:
  struct Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace ptxmc::relation
