// SPDX-License-Identifier: Apache-2.0
#include "model/relation/graph.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

using ptxmc::relation::Graph;

TEST_CASE("the components of a graph") {
  Graph graph(6);  // 0 -> 1 -> 2 -> 0, 2 -> 3 <-> 4, 5
  graph.add(0, 1);
  graph.add(1, 2);
  graph.add(2, 0);
  graph.add(2, 3);
  graph.add(3, 4);
  graph.add(4, 3);
  const std::vector<std::size_t> component = graph.components();
  CHECK(component[0] == component[1]);
  CHECK(component[1] == component[2]);
  CHECK(component[3] == component[4]);
  CHECK(component[0] != component[3]);
  CHECK(component[5] != component[0]);
  CHECK(component[5] != component[3]);
  CHECK(Graph(0).components().empty());
}

TEST_CASE("cheapest paths") {
  Graph graph(4);
  graph.add(0, 1, 5);
  graph.add(0, 2, 1);
  graph.add(2, 1, 0);
  const Graph::Paths paths = graph.cheapest_from(0);
  CHECK(paths.distance == std::vector<std::uint32_t>{0, 1, 1, Graph::kFar});
  CHECK(paths.previous == std::vector<std::size_t>{0, 2, 0, 3});
}

/// By definition: paths by way of ever more vertices (Floyd and Warshall); components by mutual reachability.
TEST_CASE("random graphs") {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    constexpr std::size_t kSize = 9;
    std::vector<std::vector<std::uint32_t>> distance(kSize, std::vector<std::uint32_t>(kSize, Graph::kFar));
    Graph graph(kSize);
    for (std::size_t i = 0; i < kSize; ++i) distance[i][i] = 0;
    for (std::size_t edge = 0; edge < 14; ++edge) {
      const std::size_t from = random() % kSize, to = random() % kSize;
      const std::uint32_t cost = random() % 4;
      graph.add(from, to, cost);
      distance[from][to] = std::min(distance[from][to], cost);
    }
    for (std::size_t k = 0; k < kSize; ++k) {
      for (std::size_t i = 0; i < kSize; ++i) {
        for (std::size_t j = 0; j < kSize; ++j) {
          if (distance[i][k] != Graph::kFar && distance[k][j] != Graph::kFar)
            distance[i][j] = std::min(distance[i][j], distance[i][k] + distance[k][j]);
        }
      }
    }
    const std::vector<std::size_t> component = graph.components();
    for (std::size_t i = 0; i < kSize; ++i) {
      CHECK(graph.cheapest_from(i).distance == distance[i]);
      for (std::size_t j = 0; j < kSize; ++j) {
        const bool both = distance[i][j] != Graph::kFar && distance[j][i] != Graph::kFar;
        CHECK((component[i] == component[j]) == both);
      }
    }
  }
}
